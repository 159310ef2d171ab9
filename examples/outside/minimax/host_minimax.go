//go:build !kernel

package minimax

import (
	"context"
	"embed"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

//go:embed *.go
var files embed.FS

// New returns the algorithm as a program links it in: by name, with its device
// code and its reference.
func New() scheduler.Host {
	return scheduler.Host{
		Name:      "minimax",
		Doc:       "paths whose heaviest arc is as light as possible",
		Device:    Minimax{},
		Sources:   []gpu.Package{{Path: "example.com/outside/minimax", Files: files}},
		Value:     "weight",
		Reference: reference,
	}
}

// reference relaxes all arcs until nothing changes.
func reference(ctx context.Context, in scheduler.Input) (any, error) {
	best := make([]uint32, in.Graph.Vertices())
	for v := range best {
		best[v] = None
	}
	best[in.Source] = 0
	for changed := true; changed && ctx.Err() == nil; {
		changed = false
		for u := range uint32(len(best)) {
			if best[u] == None {
				continue
			}
			weights := in.Graph.Weights(u)
			for i, v := range in.Graph.Neighbors(u) {
				if w := max(best[u], weights[i]); w < best[v] {
					best[v], changed = w, true
				}
			}
		}
	}
	return best, ctx.Err()
}
