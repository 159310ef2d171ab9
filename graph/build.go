package graph

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// builder collects the edges of a file or generator in any order and sorts them into a CSR.
type builder struct {
	keepLoops bool
	edge      []uint64 // source<<32 | target
	weight    []uint32 // one per edge; empty if the file has no weights
	weights   weightSource
	loops     uint64 // self loops seen, whether kept or not
	err       error  // why no more edges can be added
}

// reserve makes room for n edges, but for no more than text bytes of input can contain,
// since the header may be wrong.
func (b *builder) reserve(n uint64, text int64) {
	const shortest = 4 // bytes per line: two ids of one digit, a space, a line feed
	b.grow(int(min(n, uint64(max(text, 0))/shortest+16)))
}

// grow makes room for n more edges. If there is not enough memory, it sets err.
func (b *builder) grow(n int) {
	have := len(b.edge)
	total := uint64(have + n)
	need := memory.Bytes[uint64](total)
	if b.weights.have {
		need = memory.Sum(need, memory.Bytes[uint32](total))
	}
	if b.err = memory.Need(need, "a graph of %d edges or more", total); b.err != nil {
		b.edge, b.weight = b.edge[:0], b.weight[:min(len(b.weight), 0)]
		return
	}
	b.edge = append(make([]uint64, 0, total), b.edge...)
	if b.weights.have {
		b.weight = append(make([]uint32, 0, total), b.weight...)
	}
}

// add appends an edge; w is ignored if the file has no weights. The caller must check err
// from time to time.
func (b *builder) add(u, v, w uint32) {
	if u == v {
		b.loops++
		if !b.keepLoops {
			return
		}
	}
	if len(b.edge) == cap(b.edge) {
		b.grow(len(b.edge)/4 + 1024)
	}
	b.edge = append(b.edge, uint64(u)<<32|uint64(v))
	if b.weights.have {
		b.weight = append(b.weight, w)
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
	if b.loops > 0 {
		verb := "dropped"
		if b.keepLoops {
			verb = "kept"
		}
		notes.add(NoteSelfLoops, b.loops, "%s %s", plural(b.loops, "self loop", "self loops"), verb)
	}
	use, unusable, err := b.weights.decide(p.file, opt.Weights, uint64(len(b.edge)), notes)
	if err != nil {
		return nil, err
	}
	if !use {
		b.weight = nil
	} else if b.weight == nil {
		b.weight = []uint32{} // a graph with weights and no arcs
	}
	if err := opt.listing.note(b, p); err != nil {
		return nil, err
	}
	g, err := b.sort(ctx, p)
	if err != nil {
		return nil, err
	}
	dup, err := mergeDuplicates(ctx, g)
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

// sort is a counting sort by target and then, stably, by source. It takes linear time, and
// the targets in each row ascend.
func (b *builder) sort(ctx context.Context, p plan) (*CSR, error) {
	arcs := len(b.edge)
	if p.undirected {
		for _, e := range b.edge {
			if uint32(e>>32) != uint32(e) {
				arcs++
			}
		}
	}
	if err := memory.Need(sortBytes(p.n, arcs, b.weight != nil), "a graph of %d vertices and %d arcs", p.n, arcs); err != nil {
		return nil, err
	}
	row, in := make([]uint64, p.n+1), make([]uint64, p.n+1)
	sorted := !p.undirected
	var last uint64
	err := chunks(ctx, b.edge, func(_ int, edges []uint64) {
		sortedHere, lastHere := sorted, last // kept in registers
		for _, e := range edges {
			u, v := e>>32, e&0xffffffff
			row[u+1]++
			in[v+1]++
			if p.undirected && u != v {
				row[v+1]++
				in[u+1]++
			}
			sortedHere = sortedHere && e >= lastHere
			lastHere = e
		}
		sorted, last = sortedHere, lastHere
	})
	if err != nil {
		return nil, err
	}
	prefixSum(row)
	g := &CSR{Row: row, Col: make([]uint32, arcs)}
	if sorted {
		err := chunks(ctx, b.edge, func(first int, edges []uint64) {
			for i, e := range edges {
				g.Col[first+i] = uint32(e)
			}
		})
		g.Weight = b.weight
		return g, err
	}
	prefixSum(in)
	byTarget, weight, err := b.byTarget(ctx, in, arcs, p.undirected)
	if err != nil {
		return nil, err
	}
	b.edge, b.weight = nil, nil
	copy(in, row) // from here on, the next free place of each row
	if weight != nil {
		g.Weight = make([]uint32, arcs)
	}
	err = chunks(ctx, byTarget, func(first int, edges []uint64) {
		for i, e := range edges {
			at := in[e>>32]
			in[e>>32]++
			g.Col[at] = uint32(e)
			if weight != nil {
				g.Weight[at] = weight[first+i]
			}
		}
	})
	return g, err
}

// sortBytes returns the largest size of memory that sort allocates at one time besides the
// edges.
func sortBytes(vertices, arcs int, weighted bool) uint64 {
	arc := uint64(arcs)
	need := memory.Sum(memory.Bytes[[2]uint64](uint64(vertices)+1), memory.Bytes[uint64](arc), memory.Bytes[uint32](arc))
	if weighted {
		need = memory.Sum(need, memory.Bytes[[2]uint32](arc))
	}
	return need
}

// byTarget is the first half of sort: it returns the arcs by ascending target. next holds
// the first place of each target and is overwritten.
func (b *builder) byTarget(ctx context.Context, next []uint64, arcs int, undirected bool) (edge []uint64, weight []uint32, err error) {
	edge = make([]uint64, arcs)
	if b.weight != nil {
		weight = make([]uint32, arcs)
	}
	err = chunks(ctx, b.edge, func(first int, edges []uint64) {
		for i, e := range edges {
			u, v := e>>32, e&0xffffffff
			at := next[v]
			next[v]++
			edge[at] = e
			if weight != nil {
				weight[at] = b.weight[first+i]
			}
			if undirected && u != v {
				at := next[u]
				next[u]++
				edge[at] = v<<32 | u
				if weight != nil {
					weight[at] = b.weight[first+i]
				}
			}
		}
	})
	return edge, weight, err
}

// prefixSum converts counts to offsets; count i is at i+1.
func prefixSum(row []uint64) {
	for i := 1; i < len(row); i++ {
		row[i] += row[i-1]
	}
}

// merged counts what mergeDuplicates removed.
type merged struct{ arcs, loops uint64 }

// mergeDuplicates keeps one of several equal arcs, with the smallest weight. The targets of
// each row must ascend.
func mergeDuplicates(ctx context.Context, g *CSR) (m merged, err error) {
	var out, from uint64
	look := poller{ctx: ctx}
	for u := range g.Vertices() {
		if err := look.after(1 + int(g.Row[u+1]-from)); err != nil {
			return m, err
		}
		start := out
		for e := from; e < g.Row[u+1]; e++ {
			v := g.Col[e]
			if out > start && g.Col[out-1] == v {
				if g.Weight != nil {
					g.Weight[out-1] = min(g.Weight[out-1], g.Weight[e])
				}
				if v == uint32(u) {
					m.loops++
				} else {
					m.arcs++
				}
				continue
			}
			g.Col[out] = v
			if g.Weight != nil {
				g.Weight[out] = g.Weight[e]
			}
			out++
		}
		from, g.Row[u+1] = g.Row[u+1], out
	}
	g.Col = g.Col[:out:out]
	if g.Weight != nil {
		g.Weight = g.Weight[:out:out]
	}
	return m, nil
}
