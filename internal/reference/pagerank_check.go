package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
)

// PageRankRun describes how a device computed its ranks, which determines how far they may
// be from the exact ones.
//
// Ranks on a device are float32. They start at 1-Damping per vertex, drop the rank of
// vertices without outgoing arcs, and are divided by their sum at the end.
type PageRankRun struct {
	Damping float64
	// Epsilon is the stopping rule: the smallest residual that is pushed, or the largest
	// change of a rank that ends the iteration.
	Epsilon    float64
	Iterations int
	// Residual is what each vertex has not yet passed on. An iteration of Jacobi, which
	// computes ranks anew, has none.
	Residual Residuals
}

// Residuals are parts of ranks that vertices have not yet passed on to their out-neighbors.
type Residuals struct {
	Of    []float32 // one per vertex, or nil
	Added bool      // each one is part of the rank of its own vertex already
}

// CheckPageRank compares ranks, which sum to 1, with PageRank in float64. The largest
// possible error is computed for each vertex: the error that the stopping rule leaves (a
// residual at each vertex, or a last change) and the rounding errors of float32 sums, both
// propagated along all arcs.
//
// If a rank is further from the reference than that, the error is a *Mismatch. If the
// possible error is so large that a comparison is meaningless, it is a *NoBoundError.
func CheckPageRank(ctx context.Context, g *graph.CSR, run PageRankRun, got []float32) (graph.Tolerance, error) {
	n := g.Vertices()
	if err := lengthError("pagerank", len(got), n); err != nil {
		return graph.Tolerance{}, err
	}
	if n == 0 {
		return graph.Tolerance{}, nil
	}
	if err := run.stopped(g); err != nil {
		return graph.Tolerance{}, err
	}
	w, err := newWalk(ctx, g, run.Damping)
	if err != nil {
		return graph.Tolerance{}, err
	}
	x, err := kept(ctx, ranksOf{g, run.Damping}, func() ([]float64, error) {
		exact, err := w.ranks(ctx, PageRankOptions{Damping: run.Damping, Tolerance: 1e-9, MaxIterations: math.MaxInt, Dangling: DanglingDrop})
		for v := range exact.Rank {
			exact.Rank[v] *= float64(n) // as on the device, which starts at 1-d per vertex
		}
		return exact.Rank, err
	})
	if err != nil {
		return graph.Tolerance{}, err
	}
	short, err := run.short(ctx, w, x)
	if err != nil {
		return graph.Tolerance{}, err
	}
	rounded, err := run.rounded(ctx, w, x)
	if err != nil {
		return graph.Tolerance{}, err
	}
	for v, rounding := range rounded {
		short.from[v] -= rounding
		short.to[v] += rounding
	}
	return judgeRanks(g, got, x, short)
}

// ranksOf is the key of exact ranks that a memo keeps.
type ranksOf struct {
	g       *graph.CSR
	damping float64
}

// within is the relative accuracy of the computed error bounds.
const within = 1e-7

// largestBound is the largest allowed relative difference at which agreement is still
// meaningful.
const largestBound = 0.1

// unit is half the distance from 1 to the next float32: the largest relative rounding
// error.
const unit = 1.0 / (1 << 24)

// stopped checks that the run ended as its stopping rule demands.
func (r PageRankRun) stopped(g *graph.CSR) error {
	if r.Residual.Of == nil {
		return nil
	}
	if err := lengthError("pagerank", len(r.Residual.Of), g.Vertices()); err != nil {
		return err
	}
	for v, left := range r.Residual.Of {
		if !(left >= 0 && float64(left) < r.Epsilon) {
			return fmt.Errorf("pagerank: vertex %d has a residual of %g left, which is not from 0 to epsilon (%g)", g.FileID(uint32(v)), left, r.Epsilon)
		}
	}
	return nil
}

// interval holds a lower and an upper bound for each vertex.
type interval struct{ from, to []float64 }

// short returns how far the ranks of the run are below x because it stopped. With residuals
// that is what they would still have added along all arcs, and to the vertices themselves
// unless that was done. After an iteration of Jacobi, whose last iteration changed each rank by at most epsilon, it is what these changes would
// have added: (walk) epsilon + (walk)^2 epsilon + ..., which is x for a teleport of
// epsilon, without the first term.
func (r PageRankRun) short(ctx context.Context, w *walk, x []float64) (interval, error) {
	i := interval{make([]float64, len(x)), make([]float64, len(x))}
	base := 1 - r.Damping
	if r.Residual.Of == nil {
		for v := range x {
			i.to[v] = r.Epsilon * (x[v]/base - 1)
		}
		return i, nil
	}
	left := make([]float64, len(x))
	for v, res := range r.Residual.Of {
		left[v] = float64(res)
	}
	least, more, err := w.carry(ctx, left, base, within)
	for v := range least {
		if r.Residual.Added {
			least[v] -= float64(r.Residual.Of[v])
		}
		i.from[v], i.to[v] = least[v], least[v]+more*x[v]
	}
	return i, err
}

// rounding returns the largest rounding error of each rank x in float32.
//
// In an iteration of Jacobi a rank with k incoming arcs has k roundings in its sum and four
// more: in the shares, the product with d, the teleport and the sum of both. In a push, what
// arrives along k arcs is added to a residual that is below epsilon, or at most the amount
// that is moved to the rank later; that happens in the iteration in which the residual
// passes epsilon and in the one in which it is taken. Each iteration may take the residual
// and round the rank. A pull of residuals has k roundings in each sum, and those of the rank.
// In both a residual is rounded once at the start and twice in a share; four more are for
// shares that become residuals again where the direction changes or the run ends, and one
// for a rank that changes with them.
func (r PageRankRun) rounding(w *walk, x []float64) []float64 {
	lost := make([]float64, len(x))
	i := float64(r.Iterations)
	for v := range lost {
		k := float64(w.in.Degree(uint32(v)))
		if r.Residual.Of == nil {
			lost[v] = unit * (k + 4) * x[v]
		} else {
			lost[v] = unit * ((2*k+i+8)*x[v] + k*i*r.Epsilon)
		}
	}
	return lost
}

// rounded returns the rounding errors of rounding, propagated along all arcs.
func (r PageRankRun) rounded(ctx context.Context, w *walk, x []float64) ([]float64, error) {
	key := roundedOf{ranksOf{w.g, r.Damping}, r.Epsilon, r.Iterations, r.Residual.Of != nil}
	return kept(ctx, key, func() ([]float64, error) {
		all, more, err := w.carry(ctx, r.rounding(w, x), 1-r.Damping, within)
		for v := range all {
			all[v] += more * x[v]
		}
		return all, err
	})
}

// roundedOf is the key of rounding errors that a memo keeps.
type roundedOf struct {
	ranks      ranksOf
	epsilon    float64
	iterations int
	residuals  bool
}

// judgeRanks compares got, which sums to 1, with x. short says how far the ranks before
// scaling may be below x.
func judgeRanks(g *graph.CSR, got []float32, x []float64, short interval) (graph.Tolerance, error) {
	var sum, least, most float64
	for v := range x {
		sum += x[v]
		least += x[v] - short.to[v]
		most += x[v] - short.from[v]
	}
	t := graph.Tolerance{Rule: "for each rank: the error that the stopping rule leaves and the rounding of float32, propagated along all arcs"}
	var m *Mismatch
	worst := 0
	for v := range x {
		want, have := x[v]/sum, float64(got[v])
		low := (x[v] - short.to[v]) / most * (1 - 2*unit)
		high := (x[v] - short.from[v]) / least * (1 + 2*unit)
		if least <= 0 {
			high = math.Inf(1)
		}
		allowed := max(want-low, high-want) / want
		if allowed > t.Allowed {
			t.Allowed, worst = allowed, v
		}
		t.MeanAllowed += allowed / float64(len(x))
		if have >= low && have <= high { // false for NaN
			t.Seen = max(t.Seen, math.Abs(have-want)/want)
			continue
		}
		if m == nil {
			m = mismatch(g, "pagerank", v, fmt.Sprintf("rank %.9g", have), fmt.Sprintf("rank %.9g", want))
			m.Limit = fmt.Sprintf("%+.2g%% to %+.2g%%", 100*(low-want)/want, 100*(high-want)/want)
		}
		m.Wrong++
	}
	switch {
	case t.Allowed > largestBound:
		return t, &NoBoundError{Algorithm: "pagerank", Vertex: g.FileID(uint32(worst)), Allowed: t.Allowed}
	case m != nil:
		return t, m
	}
	return t, nil
}
