package graph

import (
	"context"
	"fmt"
	"math/bits"
)

// makeSmallWorld connects each vertex to the next degree/2 vertices on a ring. With
// probability rewire an edge goes to a random vertex instead (Watts and Strogatz, Nature
// 1998). Duplicates that result are merged.
func makeSmallWorld(ctx context.Context, v values, b *builder) (plan, error) {
	n, degree := v.whole["n"], v.whole["degree"]
	if degree%2 != 0 {
		return plan{}, fmt.Errorf("degree=%d: expected an even number, half of it on either side", degree)
	}
	if n > 0 && degree > n-1 {
		return plan{}, fmt.Errorf("degree=%d, but a vertex has only %d others", degree, n-1)
	}
	if err := room(n, float64(n)*float64(degree/2), 2); err != nil {
		return plan{}, err
	}
	w := rewiring{start: newRNG(v.whole["seed"], streamEdges), chance: threshold(v.real["rewire"]), n: n, half: degree / 2}
	if n > 1 {
		w.limit = -(n - 1) % (n - 1)
	}
	return plan{n: int(n), undirected: true}, w.edges(ctx, b)
}

// rewiring draws the edges of makeSmallWorld. An edge takes one draw, and if that rewires it,
// another for its target, until one is not rejected. So the edge to which a draw belongs depends on
// all draws before, but only by a single bit: whether the next draw decides on an edge, or is for
// the target of one. A first pass over pieces of the sequence finds for both values of the bit how
// many edges end in the piece and the bit at its end; then the first edge of each piece is known,
// and a second pass makes the edges.
type rewiring struct {
	start  *rng
	chance uint64
	n      uint64 // vertices
	half   uint64 // edges of a vertex
	limit  uint64 // draws for a target are rejected if the low half of the product is below
}

// drawsPerPiece is the number of draws that a goroutine takes at a time.
const drawsPerPiece = 1 << 15

// progress is what a piece of draws does, by whether it begins with a draw for a target.
type progress [2]struct {
	edges  uint64 // that end in the piece
	target bool   // whether a draw for a target is next at the end
}

// begin is the state at the beginning of a piece.
type begin struct {
	edge   uint64 // to be decided on, or whose target is drawn
	target bool
}

func (w *rewiring) edges(ctx context.Context, b *builder) error {
	edges := w.n * w.half
	var at begin
	var begins []begin
	// Each round of the first pass takes as many draws as the edges left take at least.
	for at.edge < edges {
		known := uint64(len(begins))
		more := make([]progress, pieces(edges-at.edge, drawsPerPiece))
		err := eachPiece(ctx, len(more), func(_, piece int) {
			more[piece] = w.progress((known + uint64(piece)) * drawsPerPiece)
		})
		if err != nil {
			return err
		}
		for _, p := range more {
			if at.edge >= edges {
				break
			}
			begins = append(begins, at)
			did := p[0]
			if at.target {
				did = p[1]
			}
			at.edge, at.target = at.edge+did.edges, did.target
		}
	}
	return b.generate(ctx, uint64(len(begins)), func(piece uint64, p *part) {
		at, r := begins[piece], w.start.ahead(piece*drawsPerPiece)
		u, k := at.edge/max(w.half, 1), at.edge%max(w.half, 1)+1
		for range drawsPerPiece {
			var to uint64
			switch x := r.next(); {
			case at.target:
				var lo uint64
				if to, lo = bits.Mul64(x, w.n-1); lo < w.limit {
					continue
				}
				if to >= u {
					to++
				}
				at.target = false
			case x>>32 < w.chance:
				at.target = true
				continue
			default:
				if to = u + k; to >= w.n {
					to -= w.n
				}
			}
			p.add(uint32(u), uint32(to))
			if k++; k > w.half {
				if u, k = u+1, 1; u == w.n {
					break
				}
			}
		}
	})
}

// progress follows a piece of draws from both beginnings. They soon meet, at the first draw that
// one takes as the decision not to rewire an edge, and the other as a target.
func (w *rewiring) progress(first uint64) (p progress) {
	r := w.start.ahead(first)
	p[1].target = true
	left := drawsPerPiece
	for ; left > 0 && p[0].target != p[1].target; left-- {
		x := r.next()
		for i := range p {
			p[i].edges, p[i].target = w.step(p[i].edges, p[i].target, x)
		}
	}
	var edges uint64
	target := p[0].target
	for range left {
		edges, target = w.step(edges, target, r.next())
	}
	if left > 0 {
		for i := range p {
			p[i].edges, p[i].target = p[i].edges+edges, target
		}
	}
	return p
}

// step adds a draw to a number of finished edges.
func (w *rewiring) step(edges uint64, target bool, x uint64) (uint64, bool) {
	if target {
		if _, lo := bits.Mul64(x, w.n-1); lo < w.limit {
			return edges, true
		}
		return edges + 1, false
	}
	if x>>32 < w.chance {
		return edges, true
	}
	return edges + 1, false
}
