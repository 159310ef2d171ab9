package reference

import (
	"errors"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
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
	Tolerance     float64  // bound of the 1-norm of the difference to the exact ranks; 0: 1e-10
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
	Error      float64 // bound of the 1-norm of the difference to the exact ranks
}

// ErrNoConvergence says that the tolerance was not reached.
var ErrNoConvergence = errors.New("did not converge")

// PageRank solves, for n vertices, damping d and out-degree deg,
//
//	rank(v) = (1-d)/n + d * (sum over arcs u -> v of rank(u)/deg(u)  +  lost/n)
//
// where lost is the rank of the vertices without outgoing arcs for
// DanglingSpread, and 0 for DanglingDrop. Weights are ignored; a self loop counts as an
// arc. It iterates from 1/n in float64 until the 1-norm of the last change is at
// most Tolerance*(1-d)/d: since an iteration shrinks differences by at least d, the result is then
// within Tolerance of the exact one in the 1-norm.
func PageRank(g *graph.CSR, opt PageRankOptions) (Ranks, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return Ranks{}, err
	}
	n := g.Vertices()
	if n == 0 {
		return Ranks{Rank: []float64{}}, nil
	}
	in := g.Transpose()
	d, each := opt.Damping, 1/float64(n)
	rank, next, share := make([]float64, n), make([]float64, n), make([]float64, n)
	for v := range rank {
		rank[v] = each
	}
	bound := math.Inf(1)
	for i := 1; i <= opt.MaxIterations; i++ {
		var lost float64
		for u := range rank {
			if deg := g.Degree(uint32(u)); deg > 0 {
				share[u] = rank[u] / float64(deg)
			} else {
				lost += rank[u]
			}
		}
		if opt.Dangling == DanglingDrop {
			lost = 0
		}
		base := float64((1-d)*each) + float64(d*lost*each)
		var change float64
		for v := range next {
			var sum float64
			for _, u := range in.Neighbors(uint32(v)) {
				sum += share[u]
			}
			next[v] = base + float64(d*sum)
			change += math.Abs(next[v] - rank[v])
		}
		rank, next = next, rank
		bound = change * d / (1 - d)
		if bound <= opt.Tolerance {
			return Ranks{Rank: rank, Iterations: i, Error: bound}, nil
		}
	}
	return Ranks{}, fmt.Errorf("PageRank of %s %w to %g in %d iterations (error at most %g)",
		g.Name, ErrNoConvergence, opt.Tolerance, opt.MaxIterations, bound)
}
