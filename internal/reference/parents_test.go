package reference_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

// TestParentsByHand checks predecessors that are known: the smallest in-neighbor of the level before, whichever the search
// meets first, and none of the same level or a later one.
func TestParentsByHand(t *testing.T) {
	const none = reference.Unreached
	for _, c := range []struct {
		name            string
		n               int
		arcs            [][2]uint32
		src             uint32
		levels, parents []uint32
	}{
		{"a lone vertex", 1, nil, 0, []uint32{0}, []uint32{0}},
		{"an arc the other way", 2, [][2]uint32{{1, 0}}, 0, []uint32{0, none}, []uint32{0, none}},
		{"back to the source", 2, [][2]uint32{{0, 1}, {1, 0}}, 1, []uint32{1, 0}, []uint32{1, 1}},
		{"the first is not the smallest", 5, [][2]uint32{{4, 3}, {4, 2}, {3, 0}, {2, 0}}, 4, []uint32{2, none, 1, 1, 0}, []uint32{2, none, 4, 4, 4}},
		{"the smallest is of the same level", 4, [][2]uint32{{3, 0}, {3, 1}, {0, 1}, {1, 2}, {0, 2}}, 3, []uint32{1, 1, 2, 0}, []uint32{3, 3, 0, 3}},
		{"the smallest is of a later level", 4, [][2]uint32{{3, 1}, {1, 2}, {3, 2}, {2, 0}, {0, 2}, {0, 1}}, 3, []uint32{2, 1, 1, 0}, []uint32{2, 3, 3, 3}},
		{"the smallest is not reached", 4, [][2]uint32{{3, 2}, {0, 2}, {2, 1}, {0, 1}}, 3, []uint32{none, 2, 1, 0}, []uint32{none, 2, 3, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var edges []graph.Edge
			for _, a := range c.arcs {
				edges = append(edges, graph.Edge{From: a[0], To: a[1]})
			}
			g, _, err := graph.FromEdges(t.Context(), c.name, c.n, edges, graph.LoadOptions{})
			require.NoError(t, err)
			levels, parents, err := reference.Parents(t.Context(), g, c.src)
			require.NoError(t, err)
			require.Equal(t, c.levels, levels)
			require.Equal(t, c.parents, parents)
			require.NoError(t, reference.CheckParents(t.Context(), g, c.src, levels, parents))
		})
	}
}

// TestParentsOfLevels checks the definition on random graphs: no in-neighbor of the level before is smaller.
func TestParentsOfLevels(t *testing.T) {
	for _, spec := range []string{"rmat:scale=8,degree=4,directed=true,seed=2", "uniform:n=300,degree=2,seed=5", "grid:width=20,keep=0.6,seed=1"} {
		g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{})
		require.NoError(t, err)
		src, _ := g.MaxDegreeVertex()
		levels, parents, err := reference.Parents(t.Context(), g, src)
		require.NoError(t, err)
		in, err := g.Transpose(t.Context())
		require.NoError(t, err)
		reached := 0
		for v := range uint32(g.Vertices()) {
			want := uint32(reference.Unreached)
			for _, u := range in.Neighbors(v) {
				if levels[u] != reference.Unreached && levels[u]+1 == levels[v] {
					want = min(want, u)
				}
			}
			if v == src {
				want = src
			}
			require.Equal(t, want, parents[v], "%s: vertex %d", spec, v)
			if want != reference.Unreached {
				reached++
			}
		}
		require.Greater(t, reached, 100, spec)
	}
}

func TestParentsFail(t *testing.T) {
	g, _, err := graph.FromEdges(t.Context(), "two", 3, []graph.Edge{{From: 0, To: 1}}, graph.LoadOptions{})
	require.NoError(t, err)
	_, _, err = reference.Parents(t.Context(), g, 3)
	require.EqualError(t, err, "source 3 is out of range: graph two has 3 vertices")
	check := func(levels, parents []uint32) error {
		return reference.CheckParents(t.Context(), g, 0, levels, parents)
	}
	none := uint32(reference.Unreached)
	require.NoError(t, check([]uint32{0, 1, none}, []uint32{0, 0, none}))
	require.EqualError(t, check([]uint32{0, 1, none}, []uint32{0, none, none}), "parents: vertex 1 has no predecessor, the reference predecessor 0; 1 of 3 vertices is wrong")
	require.EqualError(t, check([]uint32{0, 1, none}, []uint32{0, 7, 1}), "parents: vertex 1 has predecessor 7, which is not a vertex, the reference predecessor 0; 2 of 3 vertices are wrong")
	require.EqualError(t, check([]uint32{0, 2, none}, []uint32{0, 0, none}), "bfs: vertex 1 has level 2, the reference level 1; 1 of 3 vertices is wrong")
	require.EqualError(t, check([]uint32{0, 1, none}, []uint32{0}), "parents: the answer has 1 values, the graph 3 vertices")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = reference.Parents(ctx, g, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, reference.CheckParents(ctx, g, 0, nil, nil), context.Canceled)
}
