//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// BCHost is the host half of BC. The answer is the dependency of each vertex as float32.
var BCHost = scheduler.Host{
	Name:   "bc",
	Doc:    "betweenness centrality: the dependencies of one source, by levels forward and back (Brandes)",
	Device: BC{},
	Value:  "dependency",
	Answer: func(out *scheduler.Outcome) (any, error) {
		values, err := as[[]float64](out.Values)
		if err != nil {
			return nil, err
		}
		return reference.Rounded(values), nil
	},
	Check: func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		dependencies, err := as[[]float32](answer)
		if err != nil {
			return nil, err
		}
		t, err := reference.CheckBC(ctx, in.Graph, in.Source, dependencies)
		return &t, err
	},
}
