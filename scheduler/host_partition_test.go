//go:build !kernel

package scheduler

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// partitioned returns values of the parameters of PartitionParams.
func partitioned(t *testing.T, params map[string]string) Values {
	t.Helper()
	v, err := Scheme{Name: "some", Params: PartitionParams()}.Values(params)
	require.NoError(t, err)
	return v
}

func TestCheckPartition(t *testing.T) {
	require.NoError(t, CheckPartition(partitioned(t, nil)))
	require.NoError(t, CheckPartition(partitioned(t, map[string]string{"partition": "random", "partition-seed": "4"})))
	require.EqualError(t, CheckPartition(partitioned(t, map[string]string{"partition": "hubs", "partition-seed": "4"})), "partition-seed is of a random order: it needs partition=random")
}

// TestDivide checks that ranges have equal numbers of arcs by default, as Ranges makes them, and else of vertices.
func TestDivide(t *testing.T) {
	row := []uint64{0, 8, 8, 9, 10}
	require.Equal(t, Ranges(row, 3, 1), Divide(partitioned(t, nil), row, 3, 1))
	require.Equal(t, []int{0, 1, 1, 4}, Divide(partitioned(t, nil), row, 3, 1))
	for _, of := range []string{"vertices", "random", "hubs"} {
		require.Equal(t, []int{0, 2, 4}, Divide(partitioned(t, map[string]string{"partition": of}), row, 2, 1))
	}
}

// TestDealHubs has three stars, around 0, 1 and 2, whose centers are the hubs: with 9, 8 and 8 leaves. The centers are dealt to GPU 0, 1 and, on the way back, 1.
func TestDealHubs(t *testing.T) {
	var edges []graph.Edge
	leaf := uint32(3)
	for center, leaves := range []int{9, 8, 8} {
		for range leaves {
			edges = append(edges, graph.Edge{From: uint32(center), To: leaf})
			leaf++
		}
	}
	g, _, err := graph.FromEdges(t.Context(), "stars", int(leaf), edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	require.Equal(t, 28, g.Vertices()) // 50 arcs: a hub has at least 4 * 1.79
	after := dealHubs(g, 2)
	require.Equal(t, []uint32{0, 14, 15}, after[:3], "range 1 begins with 14")
	require.Equal(t, []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}, after[3:], "leaves stay in their order")
	_, err = g.Renumbered(t.Context(), after)
	require.NoError(t, err)

	// A graph without hubs stays as it is; of a group with more GPUs than vertices, some have none.
	grid, _, err := graph.Open(t.Context(), "grid:width=9", graph.LoadOptions{})
	require.NoError(t, err)
	for v, to := range dealHubs(grid, 4) {
		require.EqualValues(t, v, to)
	}
	one, _, err := graph.FromEdges(t.Context(), "star", 12, edges[:8], graph.LoadOptions{Symmetrize: true, DropIsolated: true})
	require.NoError(t, err)
	for n := 1; n <= 16; n++ {
		_, err := one.Renumbered(t.Context(), dealHubs(one, n))
		require.NoError(t, err, "%d GPUs", n)
	}
}

// TestCutArcs counts by hand: of the path 0-1-2-3-4 and the arc from 4 to 0, divided before 2 and 4, 1-2 and 3-4 are cut in both directions, and the arc.
func TestCutArcs(t *testing.T) {
	var edges []graph.Edge
	for v := range uint32(4) {
		edges = append(edges, graph.Edge{From: v, To: v + 1}, graph.Edge{From: v + 1, To: v})
	}
	g, _, err := graph.FromEdges(t.Context(), "path", 5, append(edges, graph.Edge{From: 4, To: 0}), graph.LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, 5, CutArcs(g, []int{0, 2, 4, 5}))
	require.Equal(t, 3, CutArcs(g, []int{0, 2, 2, 5}))
	require.Zero(t, CutArcs(g, []int{0, 5}))
	require.InDelta(t, 5./9, (&Communication{Arcs: g.Arcs(), Cut: 5}).CutShare(), 1e-12)
	require.Zero(t, (&Communication{}).CutShare())
}
