//go:build !kernel

package kernels

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// PageRankHost is the host half of PageRank, and PageRankPullHost that of PageRankPull.
var (
	PageRankHost     = pageRankHost("pagerank", "PageRank, pushing or pulling residuals", PageRank{}, residuals)
	PageRankPullHost = pageRankHost("pagerank-pull", "PageRank, pulling the shares of all in-neighbors", PageRankPull{},
		func(scheduler.Input, any) (left reference.Residuals, err error) { return left, nil })
)

// residuals returns what each vertex has not yet passed on, from the values of a run: they are
// residuals if the run ended with a push, and shares, which are negative, after a pull. Zero
// has a sign too.
func residuals(in scheduler.Input, values any) (left reference.Residuals, err error) {
	if left.Of, err = as[[]float32](values); err != nil {
		return left, err
	}
	left.Added = slices.ContainsFunc(left.Of, func(x float32) bool { return math.Signbit(float64(x)) })
	if !left.Added {
		return left, nil
	}
	a := PageRank{Damping: float32(in.Params["damping"].Float())}
	shares := left.Of
	left.Of = make([]float32, len(shares))
	for v, x := range shares {
		left.Of[v] = a.residual(scheduler.Vertex{Degree: uint32(in.Graph.Degree(uint32(v)))}, -x)
	}
	return left, nil
}

// pageRankHost returns the host half of an algorithm whose result is ranks. residuals
// returns the residuals of its run, if it has any.
func pageRankHost(name, doc string, device any, residuals func(in scheduler.Input, values any) (reference.Residuals, error)) scheduler.Host {
	return scheduler.Host{
		Name:   name,
		Doc:    doc,
		Device: device,
		Value:  "rank",
		Params: checkPageRankParams,
		Answer: func(out *scheduler.Outcome) (any, error) {
			ranks, err := as[[]float32](out.Arrays["Rank"])
			if err != nil {
				return nil, err
			}
			return normalize(ranks), nil
		},
		Check: func(ctx context.Context, in scheduler.Input, out *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
			ranks, err := as[[]float32](answer)
			if err != nil {
				return nil, err
			}
			left, err := residuals(in, out.Values)
			if err != nil {
				return nil, err
			}
			t, err := reference.CheckPageRank(ctx, in.Graph, reference.PageRankRun{
				Damping: in.Params["damping"].Float(), Epsilon: in.Params["epsilon"].Float() + tolerated(in.Params),
				Iterations: out.MostRounds(), Residual: left,
			}, ranks)
			return &t, err
		},
	}
}

// tolerated returns the parameter tolerance, or 0 for an algorithm without. In a bound of the
// error of ranks it counts as epsilon does.
func tolerated(params map[string]reflect.Value) float64 {
	if t, ok := params["tolerance"]; ok {
		return t.Float()
	}
	return 0
}

// pageRankError is the largest relative error of a rank that the parameters may allow, from
// epsilon and from float32 rounding. Ranks with a larger error hardly tell which of two
// vertices ranks higher.
const pageRankError = 0.01

// checkPageRankParams rejects parameters for which ranks are meaningless. After the last
// iteration the relative error of a rank is at most (epsilon+tolerance)/(1-damping), plus the float32
// rounding, also divided by 1-damping.
func checkPageRankParams(params map[string]reflect.Value) error {
	const (
		roundings = 4.0 / (1 << 24) // per share and rank: four times half the distance from 1 to the next float32
		slack     = 1 + 1e-6        // so that a bound, as printed, is within the bound
	)
	d, e := params["damping"].Float(), params["epsilon"].Float()
	if !(d > 0 && d < 1) {
		return fmt.Errorf("parameter damping is %g: must be between 0 and 1", float32(d))
	}
	if roundings > pageRankError*(1-d)*slack {
		return fmt.Errorf("parameter damping is %g: the rounding of float32 alone could make ranks wrong by %.3g%%; damping is at most %g here",
			float32(d), 100*roundings/(1-d), floor(1-roundings/pageRankError, 5))
	}
	most := floor(pageRankError*(1-d)*slack, 2)
	switch {
	case !(e > 0):
		return fmt.Errorf("parameter epsilon is %g: must be positive, and at most %g for a damping of %g", float32(e), most, float32(d))
	case e > most*slack:
		return fmt.Errorf("parameter epsilon is %g: ranks could be wrong by %.3g%% of themselves (epsilon/(1-damping)); "+
			"for a damping of %g, epsilon is at most %g (%g%%)", float32(e), 100*e/(1-d), float32(d), most, 100*pageRankError)
	}
	switch t := tolerated(params); {
	case !(t >= 0):
		return fmt.Errorf("parameter tolerance is %g: must not be negative", float32(t))
	case e+t > most*slack:
		return fmt.Errorf("parameter tolerance is %g: with an epsilon of %g, ranks could be wrong by %.3g%% of themselves ((epsilon+tolerance)/(1-damping)); "+
			"for a damping of %g, both together are at most %g (%g%%)", float32(t), float32(e), 100*(e+t)/(1-d), float32(d), most, 100*pageRankError)
	}
	return nil
}

// floor rounds x > 0 down to the given number of digits.
func floor(x float64, digits int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-float64(digits-1))
	n := math.Floor(x / unit)
	if unit < 1 { // a power of ten below 1 is not an exact float64, one above 1 is
		return n / math.Round(1/unit)
	}
	return n * unit
}

// normalize scales ranks so that they sum to 1. That also spreads the rank of vertices
// without outgoing arcs over all vertices, because ranks are linear in what every vertex
// receives.
func normalize(ranks []float32) []float32 {
	sum := 0.0
	for _, r := range ranks {
		sum += float64(r)
	}
	scaled := make([]float32, len(ranks))
	for v, r := range ranks {
		scaled[v] = float32(float64(r) / sum)
	}
	return scaled
}
