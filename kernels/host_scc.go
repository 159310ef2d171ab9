//go:build !kernel

package kernels

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/scheduler"
)

// SCCHost is the host half of SCC. The answer is the smallest vertex of each vertex's
// component.
var SCCHost = scheduler.Host{
	Name:     "scc",
	Doc:      "strongly connected components, by colouring",
	Device:   SCC{},
	Value:    "label",
	Vertices: true,
	Answer: func(out *scheduler.Outcome) (any, error) {
		roots, err := as[[]uint32](out.Values)
		if err != nil {
			return nil, err
		}
		return smallestOf(roots)
	},
	Check: func(ctx context.Context, in scheduler.Input, _ *scheduler.Outcome, answer any) (*graph.Tolerance, error) {
		labels, err := as[[]uint32](answer)
		if err != nil {
			return nil, err
		}
		return nil, reference.CheckComponents(ctx, "scc", in.Graph, labels, reference.SCC)
	},
}

// smallestOf replaces the root of each vertex by the smallest vertex with that root.
func smallestOf(roots []uint32) ([]uint32, error) {
	first := make([]uint32, len(roots)) // by root: the smallest vertex, plus 1
	labels := make([]uint32, len(roots))
	for v, root := range roots {
		if uint64(root) >= uint64(len(roots)) {
			return nil, fmt.Errorf("scc: the root of vertex %d is %d, which is not a vertex", v, root)
		}
		if first[root] == 0 {
			first[root] = uint32(v) + 1
		}
		labels[v] = first[root] - 1
	}
	return labels, nil
}
