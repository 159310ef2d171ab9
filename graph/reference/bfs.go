// Package reference has the answers of plain CPU algorithms on a graph, and
// checks the answers of devices against them.
//
// The algorithms are the textbook's, written for being right and for a few
// million arcs a second; tests compare them with gonum's on small graphs.
package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
)

// Unreached stands in a result for a vertex that cannot be reached.
const Unreached = math.MaxUint32

// checkSource is an error when src is no vertex of g.
func checkSource(g *graph.CSR, src uint32) error {
	if int64(src) >= int64(g.Vertices()) {
		return fmt.Errorf("source %d is out of range: graph %s has %d vertices", src, g.Name, g.Vertices())
	}
	return nil
}

// BFS is the number of arcs on a shortest path from src to each vertex,
// directions respected; Unreached where there is none. It ends with ctx's error
// when ctx ends, as all functions of this package do.
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
