//go:build !kernel

package kernels

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// PageRankHost is the host half of PageRank, PageRankPullHost of PageRankPull.
var (
	PageRankHost     = pageRankHost("pagerank", "PageRank, pushing residuals", PageRank{}, residuals)
	PageRankPullHost = pageRankHost("pagerank-pull", "PageRank, pulling the shares of all in-neighbours", PageRankPull{},
		func(*scheduler.Outcome) ([]float32, error) { return nil, nil })
)

// residuals is what the vertices have left to push.
func residuals(out *scheduler.Outcome) ([]float32, error) { return as[[]float32](out.Values) }

// pageRankHost is the host half of an algorithm that leaves ranks, and residuals
// where it pushes them.
func pageRankHost(name, doc string, device any, residuals func(*scheduler.Outcome) ([]float32, error)) scheduler.Host {
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
		Check: func(ctx context.Context, in scheduler.Input, out *scheduler.Outcome, answer any) (*reference.Tolerance, error) {
			ranks, err := as[[]float32](answer)
			if err != nil {
				return nil, err
			}
			residual, err := residuals(out)
			if err != nil {
				return nil, err
			}
			t, err := reference.CheckPageRank(ctx, in.Graph, reference.PageRankRun{
				Damping: in.Params["damping"].Float(), Epsilon: in.Params["epsilon"].Float(),
				Iterations: out.MostRounds(), Residual: residual,
			}, ranks)
			return &t, err
		},
	}
}

// pageRankError is the largest part of itself by which a rank may be wrong
// because of epsilon and of float32, as far as the parameters decide it: ranks that are further
// off say little about which of two vertices stands before the other.
const pageRankError = 0.01

// checkPageRankParams refuses parameters for which ranks mean nothing. A rank
// is off by at most epsilon/(1-damping) of itself after the last iteration, and
// by the roundings of float32, also over 1-damping.
func checkPageRankParams(params map[string]reflect.Value) error {
	const (
		roundings = 4.0 / (1 << 24) // of each share and rank: four halves of the distance of 1 to the next float32
		slack     = 1 + 1e-6        // so that a bound as it is printed is in bounds
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
	return nil
}

// floor is x > 0 cut to so many digits.
func floor(x float64, digits int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-float64(digits-1))
	n := math.Floor(x / unit)
	if unit < 1 { // a power of ten below 1 is no exact float64, one above is
		return n / math.Round(1/unit)
	}
	return n * unit
}

// normalize scales ranks to the sum 1. That also spreads what vertices without
// outgoing arcs lost over all vertices: ranks are linear in what every vertex gets.
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
