package reference

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/memory"
)

// Dangling says what becomes of the rank of a vertex that no arc leaves.
type Dangling int

const (
	// DanglingSpread gives it to all vertices in equal parts; ranks add up to 1.
	// This is the textbook's definition, and the default.
	DanglingSpread Dangling = iota
	// DanglingDrop loses it; ranks add up to 1 or less. This is the fixed point
	// of pushing residuals with nothing done about dangling vertices.
	//
	// The two differ by a factor only: spreading adds the same amount to the
	// teleport of every vertex, and ranks are linear in that. So a result by
	// DanglingDrop, divided by its sum, is the one by DanglingSpread.
	DanglingDrop
)

// PageRankOptions define the problem and how exactly it is solved.
type PageRankOptions struct {
	Damping       float64  // probability of following an arc; 0: 0.85
	Tolerance     float64  // bound of the difference to the exact rank, as a part of it, at each vertex; 0: 1e-10
	MaxIterations int      // 0: 1000
	Dangling      Dangling // what becomes of the rank of vertices without outgoing arcs
}

func (o PageRankOptions) withDefaults() (PageRankOptions, error) {
	if o.Damping == 0 {
		o.Damping = 0.85
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 1000
	}
	if !(o.Damping > 0 && o.Damping < 1) {
		return o, fmt.Errorf("damping is %g; expected a number between 0 and 1", o.Damping)
	}
	if !(o.Tolerance > 0) || o.MaxIterations < 0 {
		return o, errors.New("tolerance and iterations must be positive")
	}
	return o, nil
}

// Ranks are a result of PageRank.
type Ranks struct {
	Rank       []float64 // by vertex
	Iterations int
	Error      float64 // bound of the difference to the exact rank, as a part of it, at each vertex
}

// ErrNoConvergence says that the tolerance was not reached.
var ErrNoConvergence = errors.New("did not converge")

// PageRank solves, for n vertices, damping d and out-degree deg,
//
//	rank(v) = (1-d)/n + d * (sum over arcs u -> v of rank(u)/deg(u)  +  lost/n)
//
// where lost is the rank of the vertices without outgoing arcs for
// DanglingSpread, and 0 for DanglingDrop. Weights are ignored; a self loop counts as an
// arc. It iterates from 1/n in float64 until no rank changes by more than
// Tolerance*(1-d)/n. What all further iterations would add is at most what the ranks grow to from
// teleports of that size, so each rank is then within Tolerance of itself of the exact one.
// (float64 has no digits left where a change is below 1e-12 of the rank; that ends it, too.)
//
// It ends with ctx's error when ctx ends.
func PageRank(ctx context.Context, g *graph.CSR, opt PageRankOptions) (Ranks, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return Ranks{}, err
	}
	n := g.Vertices()
	if n == 0 {
		return Ranks{Rank: []float64{}}, nil
	}
	w, err := newWalk(ctx, g, opt.Damping)
	if err != nil {
		return Ranks{}, err
	}
	return w.ranks(ctx, opt)
}

// walk follows arcs with the probability d: the matrix of PageRank.
type walk struct {
	g, in *graph.CSR
	d     float64
	share []float64 // by vertex: its rank over its degree
}

func newWalk(ctx context.Context, g *graph.CSR, d float64) (*walk, error) {
	// The shares, and five numbers a vertex for who checks ranks.
	if err := memory.Need(memory.Bytes[[6]float64](uint64(g.Vertices())), "the reference of PageRank on graph %q", g.Name); err != nil {
		return nil, err
	}
	in, err := g.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	return &walk{g: g, in: in, d: d, share: make([]float64, g.Vertices())}, nil
}

// give works out the shares of x, and what vertices without outgoing arcs hold.
func (w *walk) give(x []float64) (lost float64) {
	for first := 0; first < len(x); first += summand {
		var sum float64
		for u := first; u < min(first+summand, len(x)); u++ {
			if deg := w.g.Degree(uint32(u)); deg > 0 {
				w.share[u] = x[u] / float64(deg)
			} else {
				sum += x[u]
			}
		}
		lost += sum
	}
	return lost
}

// take is what v gets of the shares.
func (w *walk) take(v int) float64 {
	var sum float64
	in := w.in.Neighbors(uint32(v))
	for len(in) > summand {
		var part float64
		for _, u := range in[:summand] {
			part += w.share[u]
		}
		sum += part
		in = in[summand:]
	}
	for _, u := range in {
		sum += w.share[u]
	}
	return w.d * sum
}

// summand is how many numbers are added before their sum is added to others:
// a million numbers added one by one to one sum cost five digits.
const summand = 1 << 10

// ranks iterates to a solution.
func (w *walk) ranks(ctx context.Context, opt PageRankOptions) (Ranks, error) {
	const digits = 1e-12
	n := w.g.Vertices()
	each := 1 / float64(n)
	teleport := (1 - w.d) * each
	rank, next := make([]float64, n), make([]float64, n)
	for v := range rank {
		rank[v] = each
	}
	bound := math.Inf(1)
	for i := 1; i <= opt.MaxIterations; i++ {
		lost := w.give(rank)
		if opt.Dangling == DanglingDrop {
			lost = 0
		}
		base := teleport + float64(w.d*lost*each)
		bound = 0
		ended := true
		for v := range next {
			if err := poll(ctx, v); err != nil {
				return Ranks{}, err
			}
			next[v] = base + w.take(v)
			change := math.Abs(next[v] - rank[v])
			bound = max(bound, change/teleport)
			ended = ended && change <= max(opt.Tolerance*teleport, digits*next[v])
		}
		rank, next = next, rank
		if ended {
			return Ranks{Rank: rank, Iterations: i, Error: bound}, nil
		}
	}
	return Ranks{}, fmt.Errorf("PageRank of %s %w to %g in %d iterations (error at most %.3g)",
		w.g.Name, ErrNoConvergence, opt.Tolerance, opt.MaxIterations, bound)
}

// carry is, by vertex, what all walks carry there that begin with start(v) at
// each vertex v: the solution y of y = start + (walk) y. It is between least and least +
// more*rank, where rank is that solution for a start of base at each vertex, and more is at most within.
//
// Walks are followed arc by arc. Where those of so many arcs carry at most
// more*base to each vertex, longer ones carry at most what they would from a start of more*base.
func (w *walk) carry(ctx context.Context, start []float64, base, within float64) (least []float64, more float64, err error) {
	least, last := make([]float64, len(start)), start
	next := make([]float64, len(start))
	for {
		more = 0
		for _, x := range last {
			more = max(more, x/base)
		}
		if more <= within {
			return least, more, nil
		}
		for v, x := range last {
			least[v] += x
		}
		w.give(last)
		for v := range next {
			if err := poll(ctx, v); err != nil {
				return nil, 0, err
			}
			next[v] = w.take(v)
		}
		last, next = next, last
	}
}

// pollEvery is how many vertices are worked off between looks at the context.
const pollEvery = 1 << 12

// poll is ctx's error, looked at now and then.
func poll(ctx context.Context, i int) error {
	if i%pollEvery == 0 {
		return ctx.Err()
	}
	return nil
}
