//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// TCHost is the host half of TC.
var TCHost = scheduler.Host{
	Name:   "tc",
	Doc:    "triangle counting on the symmetric closure: the triangles of each vertex, by binary search in rows",
	Device: TC{},
	Value:  "triangles",
	Summary: func(answer any) string {
		counts, err := as[[]uint64](answer)
		if err != nil {
			return ""
		}
		sum := uint64(0)
		for _, n := range counts {
			sum += n
		}
		return format.Thousands(sum/3) + " triangles"
	},
	Reference: func(ctx context.Context, in scheduler.Input) (any, error) { return reference.TC(ctx, in.Graph) },
}
