//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// ParentsHost is the host half of Parents. The answer is the predecessor of each vertex, or Unreached
// if no path leads to it.
var ParentsHost = scheduler.Host{
	Name:     "parents",
	Doc:      "breadth-first search that records predecessors: the smallest in-neighbor of the level before",
	Device:   Parents{},
	Value:    "predecessor",
	Vertices: true,
	Answer: func(out *scheduler.Outcome) (any, error) {
		values, err := as[[]uint64](out.Values)
		if err != nil {
			return nil, err
		}
		parents := make([]uint32, len(values))
		for v, x := range values {
			parents[v] = uint32(x) // all ones, which is Unreached, of a vertex without a level
		}
		return parents, nil
	},
	Check: func(ctx context.Context, in scheduler.Input, out *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		parents, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		levels, err := levelsOf(out)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckParents(ctx, in.Graph, in.Source, levels, parents)
	},
}

// levelsOf returns the upper halves of the values, which are the levels.
func levelsOf(out *scheduler.Outcome) ([]uint32, error) {
	values, err := as[[]uint64](out.Values)
	if err != nil {
		return nil, err
	}
	levels := make([]uint32, len(values))
	for v, x := range values {
		levels[v] = uint32(x >> 32)
	}
	return levels, nil
}
