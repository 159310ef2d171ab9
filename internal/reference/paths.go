package reference

import (
	"context"
	"math"

	"github.com/weft-gpu/weft/graph"
)

// Paths returns the number of shortest paths from src to each vertex, by arcs: 0 for a vertex that
// cannot be reached, and the largest uint32 if there are as many or more. levels are those of BFS.
func Paths(ctx context.Context, g *graph.CSR, src uint32) (levels, counts []uint32, err error) {
	if levels, err = BFS(ctx, g, src); err != nil {
		return nil, nil, err
	}
	counts = make([]uint32, g.Vertices())
	counts[src] = 1
	frontier, next := []uint32{src}, []uint32(nil)
	for len(frontier) > 0 {
		next = next[:0]
		for i, u := range frontier {
			if err := poll(ctx, i); err != nil {
				return nil, nil, err
			}
			for _, v := range g.Neighbors(u) {
				if levels[v] != levels[u]+1 {
					continue
				}
				if counts[v] == 0 {
					next = append(next, v)
				}
				counts[v] = uint32(min(uint64(counts[v])+uint64(counts[u]), math.MaxUint32))
			}
		}
		frontier, next = next, frontier
	}
	return levels, counts, nil
}

// CheckPaths compares levels and numbers of shortest paths with Paths. If values differ, the error
// is a *Mismatch.
func CheckPaths(ctx context.Context, g *graph.CSR, src uint32, levels, counts []uint32) error {
	if err := CheckBFS(ctx, g, src, levels); err != nil {
		return err
	}
	want, err := kept(ctx, answerOf{"paths", g, src}, func() ([]uint32, error) {
		_, counts, err := Paths(ctx, g, src)
		return counts, err
	})
	if err != nil {
		return err
	}
	return compare(g, "paths", counts, want, named("number of paths"))
}
