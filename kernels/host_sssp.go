//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph/reference"
)

// SSSPHost is the host half of SSSP.
var SSSPHost = Host{
	Source:   true,
	Weighted: true,
	Value:    "distance",
	Check: func(ctx context.Context, p Problem, _ Left, answer any) (*reference.Tolerance, error) {
		distances, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckSSSP(ctx, p.Graph, p.Source, distances)
	},
}
