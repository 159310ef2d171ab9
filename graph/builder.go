package graph

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// part is edges of a file or generator that one goroutine reads or makes.
type part struct {
	edge   []uint64 // source<<32 | target
	weight []uint32 // one per edge; empty if the file has no weights
	loops  uint64   // self loops seen, whether kept or not

	keepLoops bool
}

// add appends an edge without a weight. It reports whether it did: self loops may be dropped.
func (p *part) add(u, v uint32) bool {
	if u == v {
		p.loops++
		if !p.keepLoops {
			return false
		}
	}
	p.edge = append(p.edge, uint64(u)<<32|uint64(v))
	return true
}

// addWeighted appends an edge with a weight.
func (p *part) addWeighted(u, v, w uint32) {
	if p.add(u, v) {
		p.weight = append(p.weight, w)
	}
}

// empty removes all edges, and keeps their memory for others.
func (p *part) empty() { p.edge, p.weight, p.loops = p.edge[:0], p.weight[:0], 0 }

// builder collects the edges of a file or generator and sorts them into a CSR. Their order does not
// matter for the graph; the parts have that of the file.
type builder struct {
	keepLoops bool
	parts     []part
	weights   weightSource
	held      uint64 // edges that were read
	checked   uint64 // number of edges at which memory is checked next
	slab      slab   // of parts that were read
}

// edges returns the number of edges, without dropped loops, and of self loops, whether kept or not.
func (b *builder) edges() (edges, loops uint64) {
	for i := range b.parts {
		edges += uint64(len(b.parts[i].edge))
		loops += b.parts[i].loops
	}
	return edges, loops
}

// slab is memory for parts. Large pieces of it are in huge pages, so that writing them takes few page
// faults.
type slab struct {
	edge   []uint64 // not used yet
	weight []uint32
	last   int // edges of the newest piece
}

const slabEdges = 1 << 20

// keep returns a copy of a part in memory of the slab.
func (s *slab) keep(p *part) part {
	own, n := *p, len(p.edge)
	if n > len(s.edge) || len(p.weight) > len(s.weight) {
		s.last = max(n, min(2*s.last, slabEdges))
		s.edge, s.weight = hugepage.Make[uint64](s.last), nil
		if len(p.weight) > 0 {
			s.weight = hugepage.Make[uint32](s.last)
		}
	}
	own.edge, s.edge = s.edge[:n:n], s.edge[n:]
	copy(own.edge, p.edge)
	if own.weight = nil; len(p.weight) > 0 {
		own.weight, s.weight = s.weight[:n:n], s.weight[n:]
		copy(own.weight, p.weight)
	}
	return own
}

// generate makes a number of parts on all cores. f fills an empty part.
func (b *builder) generate(ctx context.Context, parts uint64, f func(piece uint64, p *part)) error {
	return b.generateAgain(ctx, parts, func(_ int, piece, _ uint64, p *part) { f(piece, p) }, make([]uint64, parts))
}

// generateAgain is generate for pieces that may take more draws than expected. f sets rejected of its
// piece to the number of draws beyond those. All later pieces are made again then: f is told by how
// many draws they begin later. It also gets its worker, see eachPiece.
func (b *builder) generateAgain(ctx context.Context, parts uint64, f func(worker int, piece, shift uint64, p *part), rejected []uint64) error {
	b.parts = make([]part, parts)
	scratch, slabs := make([]part, cores()), make([]slab, cores())
	for i := range scratch {
		scratch[i] = part{edge: make([]uint64, 0, edgesPerPiece), keepLoops: b.keepLoops}
	}
	var shift uint64
	for first := uint64(0); ; first++ {
		err := eachPiece(ctx, int(parts-first), func(worker, piece int) {
			p, at := &scratch[worker], first+uint64(piece)
			p.empty()
			f(worker, at, shift, p)
			b.parts[at] = slabs[worker].keep(p)
		})
		if err != nil {
			return err
		}
		for first < parts && rejected[first] == 0 {
			first++
		}
		if first == parts {
			return nil
		}
		shift += rejected[first]
	}
}

// plan is what build needs to know about the edges.
type plan struct {
	file       string // for errors
	n          int    // vertices
	undirected bool   // store each edge as two arcs
	// bothEnds is set if the source lists each edge at both ends (METIS); then duplicates
	// are counted as edges.
	bothEnds bool
}

// build sorts the edges into a CSR, merges duplicates, and handles self loops, weights and
// symmetry according to the options. The builder cannot be used afterwards.
func (b *builder) build(ctx context.Context, p plan, opt LoadOptions, notes *Notes) (*CSR, error) {
	if p.n > MaxVertices {
		return nil, fmt.Errorf("%d vertices: vertex numbers are 32 bits wide, at most %d", p.n, uint64(MaxVertices))
	}
	edges, loops := b.edges()
	if loops > 0 {
		verb := "dropped"
		if b.keepLoops {
			verb = "kept"
		}
		notes.add(NoteSelfLoops, loops, "%s %s", plural(loops, "self loop", "self loops"), verb)
	}
	use, unusable, err := b.weights.decide(p.file, opt.Weights, edges, notes)
	if err != nil {
		return nil, err
	}
	if !use {
		for i := range b.parts {
			b.parts[i].weight = nil
		}
	}
	opt.listing.note(b, p)
	g, dup, err := b.sort(ctx, p, int(edges), use)
	if err != nil {
		return nil, err
	}
	if p.undirected || p.bothEnds {
		dup.arcs /= 2
	}
	if repeats := dup.arcs + dup.loops; repeats > 0 {
		kept := ""
		if g.Weight != nil {
			kept = " (the smallest weight is kept)"
		}
		notes.add(NoteDuplicates, repeats, "%s merged%s", plural(repeats, "duplicate edge", "duplicate edges"), kept)
	}
	g.Symmetric, g.BadWeights = p.undirected, unusable
	if !g.Symmetric {
		if g.Symmetric, err = isSymmetric(ctx, g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// sort makes the CSR of the edges, without duplicates.
func (b *builder) sort(ctx context.Context, p plan, edges int, weighted bool) (*CSR, merged, error) {
	arcs := edges
	if p.undirected { // a self loop stays one arc
		arcs *= 2
		for i := range b.parts {
			if p := &b.parts[i]; p.keepLoops {
				arcs -= int(p.loops)
			}
		}
	}
	if err := memory.Need(sortBytes(p.n, arcs, weighted), "a graph of %d vertices and %d arcs", p.n, arcs); err != nil {
		return nil, merged{}, err
	}
	s := sorter{n: p.n, arcs: arcs, both: p.undirected, merge: true, weighted: weighted, pieces: len(b.parts),
		read: func(_, piece int) ([]uint64, []uint32) { return b.parts[piece].edge, b.parts[piece].weight }}
	return s.sort(ctx, func() { b.parts = nil })
}
