package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
)

// Unreached is the value of a vertex that cannot be reached from the source.
const Unreached = math.MaxUint32

// checkSource returns an error if src is not a vertex of g.
func checkSource(g *graph.CSR, src uint32) error {
	if int64(src) >= int64(g.Vertices()) {
		return fmt.Errorf("source %d is out of range: graph %s has %d vertices", src, g.Name, g.Vertices())
	}
	return nil
}

// BFS returns the number of arcs on a shortest path from src to each vertex, or Unreached
// if there is no path. It follows arcs in their direction.
func BFS(ctx context.Context, g *graph.CSR, src uint32) ([]uint32, error) {
	if err := checkSource(g, src); err != nil {
		return nil, err
	}
	level := make([]uint32, g.Vertices())
	for v := range level {
		level[v] = Unreached
	}
	level[src] = 0
	frontier, next := []uint32{src}, []uint32(nil)
	for depth := uint32(1); len(frontier) > 0; depth++ {
		next = next[:0]
		for i, u := range frontier {
			if err := poll(ctx, i); err != nil {
				return nil, err
			}
			for _, v := range g.Neighbors(u) {
				if level[v] == Unreached {
					level[v] = depth
					next = append(next, v)
				}
			}
		}
		frontier, next = next, frontier
	}
	return level, nil
}
