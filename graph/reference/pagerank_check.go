package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
)

// PageRankRun says how a device came by its ranks, from which follows how far
// they may be from the exact ones.
//
// Ranks on a device are float32. They start from 1-Damping a vertex, drop what
// vertices without outgoing arcs hold, and are divided by their sum at the end.
type PageRankRun struct {
	Damping float64
	// Epsilon is the stop rule: the least residual that is pushed, or the
	// largest change of a rank that counts as none.
	Epsilon    float64
	Iterations int
	// Residual is, by vertex, what a run that pushes has not passed on; nil for
	// a run that pulls.
	Residual []float32
}

// CheckPageRank compares ranks, which add up to 1, with PageRank in float64.
// The error is a *Mismatch where one is further from the reference than it can
// be after such a run, and a *NoBoundError where that is so far that it says nothing. What it can be is worked out for each vertex: what the
// stop rule left (a residual at each vertex, or a last change) and the rounding
// of float32 sums, both followed along all arcs.
func CheckPageRank(ctx context.Context, g *graph.CSR, run PageRankRun, got []float32) (Tolerance, error) {
	n := g.Vertices()
	if err := lengthError("pagerank", len(got), n); err != nil {
		return Tolerance{}, err
	}
	if n == 0 {
		return Tolerance{}, nil
	}
	if err := run.stopped(g); err != nil {
		return Tolerance{}, err
	}
	w, err := newWalk(ctx, g, run.Damping)
	if err != nil {
		return Tolerance{}, err
	}
	exact, err := w.ranks(ctx, PageRankOptions{Damping: run.Damping, Tolerance: 1e-9, MaxIterations: math.MaxInt, Dangling: DanglingDrop})
	if err != nil {
		return Tolerance{}, err
	}
	x := exact.Rank
	for v := range x {
		x[v] *= float64(n) // as on the device, from 1-d a vertex
	}
	short, err := run.short(ctx, w, x)
	if err != nil {
		return Tolerance{}, err
	}
	least, more, err := w.carry(ctx, run.rounding(w, x), 1-run.Damping, within)
	if err != nil {
		return Tolerance{}, err
	}
	for v := range least {
		rounding := least[v] + more*x[v]
		short.from[v] -= rounding
		short.to[v] += rounding
	}
	return judgeRanks(g, got, x, short)
}

// within is how exactly, as a part of a rank, the bounds of its error are worked out.
const within = 1e-7

// largestBound is up to which allowed difference, as a part of a rank, agreement says something.
const largestBound = 0.1

// unit is half the distance of 1 to the next float32: by what part of itself a result is rounded at most.
const unit = 1.0 / (1 << 24)

// stopped checks that the run ended where its stop rule says.
func (r PageRankRun) stopped(g *graph.CSR) error {
	if r.Residual == nil {
		return nil
	}
	if err := lengthError("pagerank", len(r.Residual), g.Vertices()); err != nil {
		return err
	}
	for v, left := range r.Residual {
		if !(left >= 0 && float64(left) < r.Epsilon) {
			return fmt.Errorf("pagerank: vertex %d has a residual of %g left, which is not from 0 to epsilon (%g)", g.FileID(uint32(v)), left, r.Epsilon)
		}
	}
	return nil
}

// interval is, by vertex, the least and the most of something.
type interval struct{ from, to []float64 }

// short is by how much the ranks of the run are short of x because it stopped:
// by what the residuals would still have brought, along all arcs; or, after a
// pull that added at most epsilon to each rank, by what these additions would have.
// That is (walk) epsilon + (walk)^2 epsilon + ..., which is x of a teleport of epsilon, but for the first term.
func (r PageRankRun) short(ctx context.Context, w *walk, x []float64) (interval, error) {
	i := interval{make([]float64, len(x)), make([]float64, len(x))}
	base := 1 - r.Damping
	if r.Residual == nil {
		for v := range x {
			i.to[v] = r.Epsilon * (x[v]/base - 1)
		}
		return i, nil
	}
	left := make([]float64, len(x))
	for v, res := range r.Residual {
		left[v] = float64(res)
	}
	least, more, err := w.carry(ctx, left, base, within)
	for v := range least {
		i.from[v], i.to[v] = least[v], least[v]+more*x[v]
	}
	return i, err
}

// rounding is, by vertex, what float32 can have lost or won of its rank x.
//
// Pulling, a rank of k arcs has k roundings in its sum and four in the shares,
// the product with d, the teleport and the sum of both. Pushing, what comes in by
// k arcs meets a residual that is below epsilon, or at most what is
// taken to the rank after it: in the iteration in which it passes epsilon and in
// the one in which it is taken. Each iteration may take it and round the rank.
func (r PageRankRun) rounding(w *walk, x []float64) []float64 {
	lost := make([]float64, len(x))
	i := float64(r.Iterations)
	for v := range lost {
		k := float64(w.in.Degree(uint32(v)))
		if r.Residual == nil {
			lost[v] = unit * (k + 4) * x[v]
		} else {
			lost[v] = unit * ((2*k+i+4)*x[v] + k*i*r.Epsilon)
		}
	}
	return lost
}

// judgeRanks compares got, which adds up to 1, with x; short is by how much what
// got was scaled from may be short of x.
func judgeRanks(g *graph.CSR, got []float32, x []float64, short interval) (Tolerance, error) {
	var sum, least, most float64
	for v := range x {
		sum += x[v]
		least += x[v] - short.to[v]
		most += x[v] - short.from[v]
	}
	t := Tolerance{Rule: "for each rank: what the stop rule left undone, and the rounding of float32, followed along all arcs"}
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
