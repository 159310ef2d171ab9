package reference

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// Dangling determines what happens to the rank of a vertex without outgoing arcs.
type Dangling int

const (
	// DanglingSpread distributes it evenly over all vertices; the ranks sum to 1. This is
	// the textbook definition, and the default.
	DanglingSpread Dangling = iota
	// DanglingDrop drops it; the ranks sum to 1 or less. This is the fixed point of pushing
	// residuals without special treatment of dangling vertices.
	//
	// The two results differ only by a factor: spreading adds the same amount to the
	// teleport of every vertex, and ranks are linear in the teleport. A result of
	// DanglingDrop divided by its sum is the result of DanglingSpread.
	DanglingDrop
)

// PageRankOptions defines the problem and the accuracy of the solution.
type PageRankOptions struct {
	Damping       float64  // probability of following an arc; 0: 0.85
	Tolerance     float64  // largest relative error of each rank; 0 means 1e-10
	MaxIterations int      // 0 means 1000
	Dangling      Dangling // the treatment of vertices without outgoing arcs
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

// Ranks is the result of PageRank.
type Ranks struct {
	Rank       []float64 // one per vertex
	Iterations int
	Error      float64 // bound of the relative error of each rank
}

// ErrNoConvergence reports that the iteration did not reach the tolerance.
var ErrNoConvergence = errors.New("did not converge")

// PageRank solves, for n vertices, damping d and out-degree deg,
//
//	rank(v) = (1-d)/n + d * (sum over arcs u -> v of rank(u)/deg(u)  +  lost/n)
//
// where lost is the total rank of the vertices without outgoing arcs for DanglingSpread,
// and 0 for DanglingDrop. Weights are ignored; a self loop counts as an arc.
//
// It iterates in float64 from 1/n until no rank changes by more than Tolerance*(1-d)/n. All
// further iterations together would add at most the ranks that result from teleports of
// that size, so the relative error of each rank is then at most Tolerance. It also stops
// when every change is below 1e-12 of the rank, where float64 has no digits left.
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

// walk is the random walk of PageRank, which follows an arc with probability d.
type walk struct {
	g, in *graph.CSR
	d     float64
	share []float64 // rank divided by degree, one per vertex
}

func newWalk(ctx context.Context, g *graph.CSR, d float64) (*walk, error) {
	// The shares, and five numbers per vertex for the caller that checks ranks.
	if err := memory.Need(memory.Bytes[[6]float64](uint64(g.Vertices())), "the reference of PageRank on graph %q", g.Name); err != nil {
		return nil, err
	}
	in, err := g.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	return &walk{g: g, in: in, d: d, share: make([]float64, g.Vertices())}, nil
}

// give computes the shares of x, and returns the total of the vertices without outgoing
// arcs.
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

// take returns what v receives from its in-neighbors.
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

// summand is the number of values that are added before their sum is added to other sums.
// Adding a million numbers one by one to a single sum loses five digits.
const summand = 1 << 10

// ranks iterates until it reaches a solution.
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

// carry returns, for each vertex, the total that all walks carry there if they start with
// start(v) at each vertex v: the solution y of y = start + (walk) y. The solution is
// between least and least + more*rank, where rank is the solution for a start of base at
// each vertex, and more is at most within.
//
// It follows the walks arc by arc. When walks of some length carry at most more*base to
// each vertex, all longer walks carry at most what they would for a start of more*base.
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

// pollEvery is the number of vertices between checks of the context.
const pollEvery = 1 << 12

// poll returns ctx's error; it checks every pollEvery vertices.
func poll(ctx context.Context, i int) error {
	if i%pollEvery == 0 {
		return ctx.Err()
	}
	return nil
}
