//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// BFSHost is the host half of BFS.
var BFSHost = scheduler.Host{
	Name:   "bfs",
	Doc:    "breadth-first search: levels from a source",
	Device: BFS{},
	Value:  "level",
	Check: func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		levels, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckBFS(ctx, in.Graph, in.Source, levels)
	},
}
