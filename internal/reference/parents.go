package reference

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/graph"
)

// Parents returns the level of each vertex, as BFS does, and its predecessor: of the vertices of the
// level before that have an arc to it, the one with the smallest number. src is its own predecessor,
// and a vertex that cannot be reached has Unreached.
func Parents(ctx context.Context, g *graph.CSR, src uint32) (levels, parents []uint32, err error) {
	if levels, err = BFS(ctx, g, src); err != nil {
		return nil, nil, err
	}
	parents = make([]uint32, g.Vertices())
	for v := range parents {
		parents[v] = Unreached
	}
	parents[src] = src
	for u := range parents { // ascending, so that the first one is the smallest
		if err := poll(ctx, u); err != nil {
			return nil, nil, err
		}
		if levels[u] == Unreached {
			continue
		}
		for _, v := range g.Neighbors(uint32(u)) {
			if parents[v] == Unreached && levels[v] == levels[u]+1 {
				parents[v] = uint32(u)
			}
		}
	}
	return levels, parents, nil
}

// CheckParents compares levels with BFS, and predecessors with Parents. If values differ, the error is
// a *Mismatch.
func CheckParents(ctx context.Context, g *graph.CSR, src uint32, levels, parents []uint32) error {
	if err := CheckBFS(ctx, g, src, levels); err != nil {
		return err
	}
	want, err := kept(ctx, answerOf{"parents", g, src}, func() ([]uint32, error) {
		_, parents, err := Parents(ctx, g, src)
		return parents, err
	})
	if err != nil {
		return err
	}
	return compare(g, "parents", parents, want, func(x uint32) string {
		switch {
		case x == Unreached:
			return "no predecessor"
		case int64(x) >= int64(g.Vertices()):
			return fmt.Sprintf("predecessor %d, which is not a vertex", x)
		}
		return fmt.Sprintf("predecessor %d", g.FileID(x))
	})
}
