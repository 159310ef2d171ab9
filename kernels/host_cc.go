//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// CCHost is the host half of CC.
var CCHost = scheduler.Host{
	Name:     "cc",
	Doc:      "connected components of the symmetric closure, by label propagation",
	Device:   CC{},
	Value:    "label",
	Vertices: true,
	Check: func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*reference.Tolerance, error) {
		labels, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckCC(ctx, in.Graph, labels)
	},
}
