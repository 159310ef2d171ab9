//go:build !kernel

package kernels

import "github.com/weft-gpu/weft/graph/reference"

// BFSHost is the host half of BFS.
var BFSHost = Host{
	Source: true,
	Value:  "level",
	Check: func(p Problem, answer any) error {
		levels, err := as[[]uint32](answer)
		if err != nil {
			return err
		}
		return reference.CheckBFS(p.Graph, p.Source, levels)
	},
}
