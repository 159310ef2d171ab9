//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// KCoreHost is the host half of KCore. The answer is the coreness of each vertex. With a k
// other than 0 it is the number of neighbors that a vertex has in the k-core if it belongs to
// it; for the other vertices it is below k, namely the smaller one of the degree and k-1.
var KCoreHost = scheduler.Host{
	Name:   "kcore",
	Doc:    "k-core decomposition by peeling: the coreness of every vertex, or one core (k)",
	Device: KCore{},
	Value:  "core number",
	Reference: func(ctx context.Context, in scheduler.Input) (any, error) {
		coreness, err := reference.Coreness(ctx, in.Graph)
		if k := uint32(in.Params["k"].Uint()); err == nil && k > 0 {
			return reference.Core(ctx, in.Graph, coreness, k)
		}
		return coreness, err
	},
}
