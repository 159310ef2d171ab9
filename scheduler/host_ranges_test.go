//go:build !kernel

package scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

func TestRanges(t *testing.T) {
	require.Equal(t, []int{0, 3, 6, 10}, scheduler.Ranges(make([]uint64, 11), 3, 1), "without work, vertices are divided")
	require.Equal(t, []int{0, 1, 1, 4}, scheduler.Ranges([]uint64{0, 8, 8, 9, 10}, 3, 1), "a range may be empty")
	require.Equal(t, []int{0, 0, 0, 0, 1}, scheduler.Ranges([]uint64{0, 0}, 4, 1), "fewer vertices than ranges")
	require.Equal(t, []int{0, 32, 64}, scheduler.Ranges(make([]uint64, 65), 2, 32))
	g, _, err := graph.Open(t.Context(), "rmat:scale=9,degree=8,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	hub, _ := g.MaxDegreeVertex()
	for n := 1; n <= 8; n++ {
		bounds := scheduler.Ranges(g.Row, n, 1)
		require.Len(t, bounds, n+1)
		require.Equal(t, []int{0, g.Vertices()}, []int{bounds[0], bounds[n]})
		for i := range n {
			require.LessOrEqual(t, bounds[i], bounds[i+1])
			require.InDelta(t, g.Arcs()/n, int(g.Row[bounds[i+1]]-g.Row[bounds[i]]), float64(g.Degree(hub)+n), "%d of %d", i, n)
			require.Zero(t, scheduler.Ranges(g.Row, n, 32)[i]%32)
		}
	}
}
