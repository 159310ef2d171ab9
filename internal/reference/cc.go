package reference

import (
	"context"

	"github.com/weft-gpu/weft/graph"
)

// CC returns for each vertex the smallest vertex of its weakly connected component; it
// ignores the direction of arcs. A device algorithm that follows arcs in their direction
// gives the same answer on a symmetric graph only.
func CC(ctx context.Context, g *graph.CSR) ([]uint32, error) {
	parent := make([]uint32, g.Vertices())
	for v := range parent {
		parent[v] = uint32(v)
	}
	find := func(v uint32) uint32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]] // halve the path
			v = parent[v]
		}
		return v
	}
	for u := range parent {
		if err := poll(ctx, u); err != nil {
			return nil, err
		}
		for _, v := range g.Neighbors(uint32(u)) {
			a, b := find(uint32(u)), find(v)
			// The smaller root wins, so that each root is the smallest vertex of its tree.
			parent[max(a, b)] = min(a, b)
		}
	}
	for v := range parent {
		parent[v] = find(uint32(v))
	}
	return parent, nil
}
