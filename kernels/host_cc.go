//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph/reference"
)

// CCHost is the host half of CC.
var CCHost = Host{
	Symmetric: true,
	Value:     "label",
	Vertices:  true,
	Check: func(ctx context.Context, p Problem, _ Left, answer any) (*reference.Tolerance, error) {
		labels, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckCC(ctx, p.Graph, labels)
	},
}
