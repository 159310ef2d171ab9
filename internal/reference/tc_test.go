package reference

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// symmetric returns the symmetric graph with n vertices and the edges for which there is one.
func symmetric(t *testing.T, n int, edge func(u, v int) bool) *graph.CSR {
	t.Helper()
	var edges []graph.Edge
	for u := range n {
		for v := range u {
			if edge(u, v) {
				edges = append(edges, graph.Edge{From: uint32(u), To: uint32(v)})
			}
		}
	}
	g, _, err := graph.FromEdges(t.Context(), "graph", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	return g
}

// TestTriangles compares with what is known of some graphs, and with all triples of random ones.
func TestTriangles(t *testing.T) {
	const n = 9
	for name, x := range map[string]struct {
		edge func(u, v int) bool
		want func(v int) uint64
	}{
		"complete":           {func(u, v int) bool { return true }, func(int) uint64 { return (n - 1) * (n - 2) / 2 }},
		"cycle":              {func(u, v int) bool { return u == v+1 || u-v == n-1 }, func(int) uint64 { return 0 }},
		"star":               {func(u, v int) bool { return v == 0 }, func(int) uint64 { return 0 }},
		"complete bipartite": {func(u, v int) bool { return u%2 != v%2 }, func(int) uint64 { return 0 }},
		"wheel": {func(u, v int) bool { return v == 0 || u == v+1 || u-v == n-2 }, func(v int) uint64 {
			if v == 0 {
				return n - 1
			}
			return 2
		}},
	} {
		got, err := TC(t.Context(), symmetric(t, n, x.edge))
		require.NoError(t, err)
		for v := range n {
			require.Equal(t, x.want(v), got[v], "%s, vertex %d", name, v)
		}
	}
	r := rand.New(rand.NewPCG(3, 1))
	for i := range 60 {
		n := 1 + i%23
		var has [23][23]bool
		share := r.Float64()
		g := symmetric(t, n, func(u, v int) bool {
			has[u][v] = r.Float64() < share
			has[v][u] = has[u][v]
			return has[u][v]
		})
		want := make([]uint64, n)
		for a := range n {
			for b := range a {
				for c := range b {
					if has[a][b] && has[b][c] && has[a][c] {
						want[a], want[b], want[c] = want[a]+1, want[b]+1, want[c]+1
					}
				}
			}
		}
		got, err := TC(t.Context(), g)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	loop := &graph.CSR{Name: "loop", Symmetric: true, Row: []uint64{0, 3, 5, 7}, Col: []uint32{0, 1, 2, 0, 2, 0, 1}}
	got, err := TC(t.Context(), loop)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 1, 1}, got, "a loop is in no triangle")
}
