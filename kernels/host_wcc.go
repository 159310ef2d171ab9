//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// WCCHost is the host half of WCC.
var WCCHost = scheduler.Host{
	Name:     "wcc",
	Doc:      "weakly connected components, by label propagation forward and in reverse in turn",
	Device:   WCC{},
	Value:    "label",
	Vertices: true,
	Check: func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*reference.Tolerance, error) {
		labels, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckComponents(ctx, "wcc", in.Graph, labels, reference.CC)
	},
}
