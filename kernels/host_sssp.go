//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// SSSPHost is the host half of SSSP.
var SSSPHost = scheduler.Host{
	Name:   "sssp",
	Doc:    "single-source shortest paths, Bellman-Ford with a frontier",
	Device: SSSP{},
	Value:  "distance",
	Check: func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*reference.Tolerance, error) {
		distances, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckSSSP(ctx, in.Graph, in.Source, distances)
	},
}
