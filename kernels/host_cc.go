//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// CCHost is the host half of CC.
var CCHost = scheduler.Host{
	Name:     "cc",
	Doc:      "connected components of the symmetric closure, by label propagation",
	Device:   CC{},
	Value:    "label",
	Vertices: true,
	Check:    checkComponents("cc"),
}

// checkComponents compares labels with the components of the closure.
func checkComponents(algorithm string) func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
	return func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		labels, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckComponents(ctx, algorithm, in.Graph, labels, reference.CC)
	}
}
