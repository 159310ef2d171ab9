//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// PathsHost is the host half of Paths. The answer is the number of shortest paths to each vertex,
// 0 if there is none.
var PathsHost = scheduler.Host{
	Name:   "paths",
	Doc:    "number of shortest paths from a source: breadth-first search by matrix-vector products",
	Device: Paths{},
	Value:  "paths",
	Answer: func(out *scheduler.Outcome) (any, error) {
		values, err := as[[]uint64](out.Values)
		if err != nil {
			return nil, err
		}
		counts := make([]uint32, len(values))
		for v, x := range values {
			if uint32(x>>32) != Unreached {
				counts[v] = uint32(x)
			}
		}
		return counts, nil
	},
	Check: func(ctx context.Context, in scheduler.Input, out *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		counts, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		levels, err := levelsOf(out)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckPaths(ctx, in.Graph, in.Source, levels, counts)
	},
}
