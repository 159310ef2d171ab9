package reference

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
)

// SSWP returns the width of a widest path from src to each vertex: the largest w for which
// some path consists of arcs with a weight of at least w. It is 0 without a path, and the
// largest uint32 at src. It is Dijkstra's algorithm with the widest path first.
func SSWP(ctx context.Context, g *graph.CSR, src uint32) ([]uint32, error) {
	if err := checkSource(g, src); err != nil {
		return nil, err
	}
	if g.Weight == nil {
		return nil, fmt.Errorf("graph %s: %w", g.Name, ErrNoWeights)
	}
	width := make([]uint32, g.Vertices())
	width[src] = ^uint32(0)
	// The heap has the smallest element first, so entries begin with the complement of the
	// width. Those that a wider path has superseded are skipped when they are popped.
	q := heap{uint64(src)}
	for i := 0; len(q) > 0; i++ {
		if err := poll(ctx, i); err != nil {
			return nil, err
		}
		top := q.pop()
		w, u := ^uint32(top>>32), uint32(top)
		if w != width[u] {
			continue
		}
		weight := g.Weights(u)
		for i, v := range g.Neighbors(u) {
			if through := min(w, weight[i]); through > width[v] {
				width[v] = through
				q.push(uint64(^through)<<32 | uint64(v))
			}
		}
	}
	return width, nil
}
