//go:build !kernel

package kernels

import (
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/graph/reference"
)

// PageRankRounding is what the check of PageRank allows for float32 sums, as a
// part of the rank. Half a unit in the last place of a hub's residual is lost
// with each of its tens of thousands of additions at worst.
const PageRankRounding = 5e-4

// PageRankHost is the host half of PageRank and of PageRankPull.
var PageRankHost = Host{
	Value:  "rank",
	Params: checkPageRankParams,
	Answer: func(_ any, arrays map[string]any) (any, error) {
		ranks, err := as[[]float32](arrays["Rank"])
		if err != nil {
			return nil, err
		}
		return normalize(ranks), nil
	},
	Check: func(p Problem, answer any) error {
		ranks, err := as[[]float32](answer)
		if err != nil {
			return err
		}
		damping := p.Params["damping"].Float()
		opt := reference.PageRankOptions{Damping: damping, Tolerance: 1e-12, MaxIterations: 100_000}
		limit := reference.Limit{Rel: p.Params["epsilon"].Float()/(1-damping) + PageRankRounding}
		return reference.CheckPageRank(p.Graph, opt, limit, ranks)
	},
}

// checkPageRankParams keeps the iteration convergent.
func checkPageRankParams(params map[string]reflect.Value) error {
	if d := params["damping"].Float(); !(d > 0 && d < 1) {
		return fmt.Errorf("parameter damping is %g: must be between 0 and 1", d)
	}
	if e := params["epsilon"].Float(); !(e > 0) {
		return fmt.Errorf("parameter epsilon is %g: must be positive", e)
	}
	return nil
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
