package graph

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/hugepage"
)

// Each generator draws from one random sequence in a fixed order, so that a specification
// means the same graph on every machine, on any number of cores and in every version; golden
// hashes in the tests enforce that. Goroutines begin in the middle of the sequence ([rng.ahead]).
// Separate streams keep one part of a graph unchanged when another part changes.
const (
	streamEdges = iota
	streamShuffle
)

// edgesPerPiece is the number of edges that a goroutine generates at a time.
const edgesPerPiece = 1 << 14

// makeRMAT is the recursive model of Chakrabarti, Zhan and Faloutsos (R-MAT, SDM 2004),
// with Graph500's parameters as defaults: each edge selects a quadrant of the adjacency
// matrix, bit by bit.
func makeRMAT(ctx context.Context, v values, b *builder) (plan, error) {
	scale, n := v.whole["scale"], uint64(1)<<v.whole["scale"]
	pa, pb, pc := v.real["a"], v.real["b"], v.real["c"]
	q := quadrants{threshold(pa), threshold(pa + pb), threshold(pa + pb + pc)}
	if q.abc > threshold(1)+1 { // one unit of rounding
		return plan{}, fmt.Errorf("a+b+c is %.12g, more than 1", pa+pb+pc)
	}
	edges, perEdge := n*v.whole["degree"], 1
	if !v.yes["directed"] {
		edges, perEdge = edges/2, 2
	}
	if err := room(n, float64(edges), perEdge); err != nil {
		return plan{}, err
	}
	seed := v.whole["seed"]
	var label []uint32
	if v.yes["shuffle"] {
		var err error
		if label, err = permutation(ctx, newRNG(seed, streamShuffle), n); err != nil {
			return plan{}, err
		}
	}
	start := newRNG(seed, streamEdges)
	err := b.generate(ctx, pieces(edges, edgesPerPiece), func(piece uint64, p *part) {
		first := piece * edgesPerPiece
		r := start.ahead(first * scale)
		p.edge = p.edge[:min(edgesPerPiece, edges-first)]
		r.quadrants(p.edge, scale, q)
		all := p.edge
		p.edge = all[:0]
		for _, e := range all { // after all draws, so that the processor loads many labels at the same time
			from, to := uint32(e>>32), uint32(e)
			if label != nil {
				from, to = label[from], label[to]
			}
			p.add(from, to)
		}
	})
	return plan{n: int(n), undirected: !v.yes["directed"]}, err
}

// quadrants has the probabilities of the first, the first two and the first three quadrants, as
// thresholds.
type quadrants struct{ a, ab, abc uint64 }

// quadrants draws edges of scale bits per end, with one draw for each bit. It is the loop over next
// with the state in registers, and without branches, which would be mispredicted half the time.
func (r *rng) quadrants(edges []uint64, scale uint64, q quadrants) {
	s0, s1, s2, s3 := r.s[0], r.s[1], r.s[2], r.s[3]
	for i := range edges {
		var from, to uint64
		for range scale {
			p := (bits.RotateLeft64(s1*5, 7) * 9) >> 32
			t := s1 << 17
			s2 ^= s0
			s3 ^= s1
			s1 ^= s2
			s0 ^= s3
			s2 ^= t
			s3 = bits.RotateLeft64(s3, 45)
			// The top bit of a difference is set if p is below a threshold. The quadrants are
			// low-low, low-high, high-low and high-high.
			notA, notB := ^(p - q.a), ^(p - q.ab)
			from = from<<1 | notB>>63
			to = to<<1 | (notA^notB^^(p-q.abc))>>63
		}
		edges[i] = from<<32 | to
	}
	r.s = [4]uint64{s0, s1, s2, s3}
}

// permutation returns the numbers from 0 to n-1 in random order (Fisher and Yates).
func permutation(ctx context.Context, r *rng, n uint64) ([]uint32, error) {
	p := hugepage.Make[uint32](int(n))
	look := poller{ctx: ctx}
	for i := range p {
		if err := look.after(1); err != nil {
			return nil, err
		}
		j := r.below(uint64(i) + 1)
		p[i] = p[j]
		p[j] = uint32(i)
	}
	return p, nil
}

// makeUniform gives each vertex the same number of arcs, to distinct vertices other than
// itself. Each set of targets has the same probability.
func makeUniform(ctx context.Context, v values, b *builder) (plan, error) {
	n, degree := v.whole["n"], v.whole["degree"]
	if n > 0 && degree > n-1 {
		return plan{}, fmt.Errorf("degree=%d, but a vertex has only %d others", degree, n-1)
	}
	if err := room(n, float64(n)*float64(degree), 1); err != nil {
		return plan{}, err
	}
	return plan{n: int(n)}, uniformArcs(ctx, newRNG(v.whole["seed"], streamEdges), n, degree, b)
}

// uniformArcs draws the arcs of makeUniform. A piece begins after as many draws as there are arcs
// before it, and is drawn again if a draw before it was rejected, which happens less than once in
// 2^32 draws.
func uniformArcs(ctx context.Context, start *rng, n, degree uint64, b *builder) error {
	vertices := max(1, edgesPerPiece/max(degree, 1)) // per piece
	all := pieces(n, vertices)
	rejected := make([]uint64, all)
	sets := make([]smallSet, cores())
	return b.generateAgain(ctx, all, func(worker int, piece, shift uint64, p *part) {
		first := piece * vertices
		r := start.ahead(first*degree + shift)
		var again uint64
		set := &sets[worker]
		for u := first; u < min(first+vertices, n); u++ {
			set.clear(degree)
			// Floyd's sampling draws a set of degree numbers below n-1 in degree steps. Numbers
			// from u on are incremented, which leaves out u itself.
			for last := n - 1 - degree; last < n-1; last++ {
				t, more := r.belowCounted(last + 1)
				again += more
				if !set.add(uint32(t)) {
					t = last
					set.add(uint32(t))
				}
				if t >= u {
					t++
				}
				p.add(uint32(u), uint32(t))
			}
		}
		rejected[piece] = again
	}, rejected)
}

// smallSet is a set of numbers that is cleared often. A few are searched one by one, many in a
// table of open addresses in which a place is taken if it has the number of the set.
type smallSet struct {
	few   []uint32
	table []uint64 // number of the set<<32 | element
	round uint64
	shift int
}

// searched is the largest size of a set without a table.
const searched = 32

// clear makes the set empty, with room for size elements.
func (s *smallSet) clear(size uint64) {
	s.few = s.few[:0]
	if size <= searched {
		s.table = nil
		return
	}
	width := bits.Len64(2 * size)
	if len(s.table) != 1<<width || s.round == 1<<32-1 {
		s.table, s.round, s.shift = make([]uint64, 1<<width), 0, 32-width
	}
	s.round++
}

// add reports whether x was not in the set.
func (s *smallSet) add(x uint32) bool {
	if s.table == nil {
		for _, y := range s.few {
			if x == y {
				return false
			}
		}
		s.few = append(s.few, x)
		return true
	}
	want := s.round<<32 | uint64(x)
	for at := x * 0x9e3779b1 >> s.shift; ; at = (at + 1) & uint32(len(s.table)-1) {
		switch have := s.table[at]; {
		case have == want:
			return false
		case have>>32 != s.round:
			s.table[at] = want
			return true
		}
	}
}

// makeGrid connects each vertex to its right and to its lower neighbor, each with
// probability keep. Vertex (x, y) has number y*width + x.
func makeGrid(ctx context.Context, v values, b *builder) (plan, error) {
	width, height := v.whole["width"], v.whole["height"]
	if float64(width)*float64(height) > maxN {
		return plan{}, fmt.Errorf("%d by %d vertices; at most %d", width, height, uint64(MaxVertices))
	}
	n := width * height
	keep := v.real["keep"]
	if err := room(n, float64(n)*2*keep, 2); err != nil {
		return plan{}, err
	}
	start, t := newRNG(v.whole["seed"], streamEdges), threshold(keep)
	err := b.generate(ctx, pieces(n, edgesPerPiece/2), func(piece uint64, p *part) {
		first := piece * (edgesPerPiece / 2)
		// The vertices before draw once for each neighbor: those of the last column have none to
		// the right, those of the last row none below.
		r := start.ahead(first - first/width + min(first, n-width))
		for u := first; u < min(first+edgesPerPiece/2, n); u++ {
			if u%width+1 < width && r.chance(t) {
				p.add(uint32(u), uint32(u+1))
			}
			if u+width < n && r.chance(t) {
				p.add(uint32(u), uint32(u+width))
			}
		}
	})
	return plan{n: int(n), undirected: true}, err
}

// pieces returns the number of pieces of a size that n things have.
func pieces(n, size uint64) uint64 { return (n + size - 1) / size }
