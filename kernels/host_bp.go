//go:build !kernel

package kernels

import (
	"context"
	"fmt"
	"reflect"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// BPHost is the host half of BP.
var BPHost = scheduler.Host{
	Name:   "bp",
	Doc:    "belief propagation: log-odds of events from priors and from the beliefs of in-neighbors",
	Device: BP{},
	Value:  "belief",
	Params: func(params map[string]reflect.Value) error {
		if c := params["coupling"].Float(); !(float32(c) >= 0.01 && float32(c) <= 0.9) {
			return fmt.Errorf("parameter coupling is %g: must be from 0.01 to 0.9", float32(c))
		}
		return checkEpsilon(params)
	},
	Answer: func(out *scheduler.Outcome) (any, error) { return as[[]float32](out.Arrays["Belief"]) },
	Check: func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		beliefs, err := as[[]float32](answer)
		if err != nil {
			return nil, err
		}
		t, err := reference.CheckBP(ctx, in.Graph, reference.BP{
			Prior:    func(v uint32) float64 { return float64(prior(v)) },
			Coupling: in.Params["coupling"].Float(), Epsilon: in.Params["epsilon"].Float(),
		}, beliefs)
		return &t, err
	},
}
