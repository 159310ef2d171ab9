package reference

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// TestSSWP compares widths with those of a breadth-first search for each weight w, over the
// arcs with a weight of at least w.
func TestSSWP(t *testing.T) {
	for _, spec := range []string{"grid:width=12,keep=0.6,seed=3", "rmat:scale=7,degree=4,directed=true", "uniform:n=200,degree=1,seed=5"} {
		g := load(t, spec)
		src, _ := g.MaxDegreeVertex()
		got, err := SSWP(t.Context(), g, src)
		require.NoError(t, err)
		want := make([]uint32, g.Vertices())
		for _, w := range slices.Compact(slices.Sorted(slices.Values(g.Weight))) {
			wide := &graph.CSR{Row: []uint64{0}}
			for u := range g.Vertices() {
				for i, v := range g.Neighbors(uint32(u)) {
					if g.Weights(uint32(u))[i] >= w {
						wide.Col = append(wide.Col, v)
					}
				}
				wide.Row = append(wide.Row, uint64(len(wide.Col)))
			}
			levels, err := BFS(t.Context(), wide, src)
			require.NoError(t, err)
			for v, level := range levels {
				if level != Unreached {
					want[v] = w
				}
			}
		}
		want[src] = ^uint32(0)
		require.Equal(t, want, got, spec)
	}
}

func TestSSWPRefuses(t *testing.T) {
	g := &graph.CSR{Name: "bare", Row: []uint64{0, 0}}
	_, err := SSWP(t.Context(), g, 1)
	require.EqualError(t, err, "source 1 is out of range: graph bare has 1 vertices")
	_, err = SSWP(t.Context(), g, 0)
	require.EqualError(t, err, "graph bare: the graph has no weights; load it with graph.WeightsAlways, or use CSR.WithWeights")
}
