//go:build !kernel

package kernels

import (
	"context"

	"github.com/weft-gpu/weft/graph/reference"
)

// BFSHost is the host half of BFS.
var BFSHost = Host{
	Source: true,
	Value:  "level",
	Check: func(ctx context.Context, p Problem, _ Left, answer any) (*reference.Tolerance, error) {
		levels, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckBFS(ctx, p.Graph, p.Source, levels)
	},
}
