package reference

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// GreedyColouring visits the vertices of a symmetric graph in the order of their priorities,
// the largest first, and gives each the smallest colour, a number from 0, that no neighbor
// has yet. Priorities are one number per vertex, all different. Self loops are ignored.
func GreedyColouring(ctx context.Context, g *graph.CSR, priority []uint64) ([]uint64, error) {
	n := g.Vertices()
	if len(priority) != n {
		return nil, fmt.Errorf("colouring: there are %d priorities, the graph has %d vertices", len(priority), n)
	}
	if err := memory.Need(memory.Bytes[[3]uint64](uint64(n)), "the reference of colouring on graph %q", g.Name); err != nil {
		return nil, err
	}
	order := make([]uint32, n)
	for v := range order {
		order[v] = uint32(v)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(priority[b], priority[a]) })
	colours := make([]uint64, n)
	usedBy := make([]int, n+1) // for each colour, 1 plus the place in order of the last vertex that a neighbor kept from it
	for i, v := range order {
		if err := poll(ctx, i); err != nil {
			return nil, err
		}
		for _, u := range g.Neighbors(v) {
			if priority[u] > priority[v] {
				usedBy[colours[u]] = i + 1
			}
		}
		for usedBy[colours[v]] == i+1 {
			colours[v]++
		}
	}
	return colours, nil
}

// CheckGreedyColouring compares colours with those of GreedyColouring. If values differ, the
// error is a *Mismatch.
func CheckGreedyColouring(ctx context.Context, g *graph.CSR, priority, got []uint64) error {
	want, err := GreedyColouring(ctx, g, priority)
	if err != nil {
		return err
	}
	_, err = Compare(Expected{Algorithm: "colouring", Value: "colour", Graph: g, Values: want}, got)
	return err
}

// CheckColouring checks that the ends of each edge of a symmetric graph have different
// colours, and that no colour is larger than the degree of its vertex, so that there are at
// most as many colours as the largest degree plus 1. Self loops are ignored. If a vertex has
// a wrong colour, the error is a *Mismatch.
func CheckColouring(ctx context.Context, g *graph.CSR, got []uint64) error {
	if err := lengthError("colouring", len(got), g.Vertices()); err != nil {
		return err
	}
	var m *Mismatch
	for v, colour := range got {
		if err := poll(ctx, v); err != nil {
			return err
		}
		want := wantedColour(g, uint32(v), got)
		if want == "" {
			continue
		}
		if m == nil {
			have := fmt.Sprintf("colour %d", colour)
			if colour == ^uint64(0) {
				have = "no colour"
			}
			m = mismatch(g, "colouring", v, have, want)
			m.By = "a colouring"
		}
		m.Wrong++
	}
	if m != nil {
		return m
	}
	return nil
}

// wantedColour says which colour v may have, or nothing if it has such a colour.
func wantedColour(g *graph.CSR, v uint32, got []uint64) string {
	if degree := g.Degree(v); got[v] > uint64(degree) {
		return fmt.Sprintf("one of 0 to %d, its degree", degree)
	}
	for _, u := range g.Neighbors(v) {
		if u != v && got[u] == got[v] {
			return fmt.Sprintf("another one than that of its neighbor %d", g.FileID(u))
		}
	}
	return ""
}
