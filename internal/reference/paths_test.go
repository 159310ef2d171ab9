package reference_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

// TestPathsOfGrid checks the counts of a grid from its corner, which are binomial coefficients, up
// to those that no longer fit.
func TestPathsOfGrid(t *testing.T) {
	const width = 24
	g, _, err := graph.Open(t.Context(), "grid:width=24,keep=1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	levels, counts, err := reference.Paths(t.Context(), g, 0)
	require.NoError(t, err)
	full := 0
	for v := range counts {
		x, y := int64(v%width), int64(v/width)
		require.EqualValues(t, x+y, levels[v])
		want := new(big.Int).Binomial(x+y, x)
		if !want.IsUint64() || want.Uint64() > math.MaxUint32 {
			want.SetUint64(math.MaxUint32)
			full++
		}
		require.EqualValues(t, want.Uint64(), counts[v], "vertex %d", v)
	}
	require.Positive(t, full)
	require.NoError(t, reference.CheckPaths(t.Context(), g, 0, levels, counts))
	counts[30]++
	require.EqualError(t, reference.CheckPaths(t.Context(), g, 0, levels, counts), "paths: vertex 30 has number of paths 8, the reference number of paths 7; 1 of 576 vertices is wrong")
	counts[30]--
	levels[5]++
	require.ErrorContains(t, reference.CheckPaths(t.Context(), g, 0, levels, counts), "bfs: vertex 5 has level 6, the reference level 5")
}

// TestPathsOfMatrix compares the counts with powers of the adjacency matrix in float64: the number
// of walks of as many arcs as the level.
func TestPathsOfMatrix(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=6,degree=4,directed=true,seed=2", graph.LoadOptions{})
	require.NoError(t, err)
	src, _ := g.MaxDegreeVertex()
	levels, counts, err := reference.Paths(t.Context(), g, src)
	require.NoError(t, err)
	walks := make([]float64, g.Vertices())
	walks[src] = 1
	found := 0
	for k := uint32(0); k <= 6; k++ {
		for v := range walks {
			if levels[v] == k {
				require.InDelta(t, walks[v], float64(counts[v]), 0, "vertex %d", v)
				found++
			} else if levels[v] > k {
				require.Zero(t, walks[v])
			}
		}
		next := make([]float64, len(walks))
		for u := range walks {
			for _, v := range g.Neighbors(uint32(u)) {
				next[v] += walks[u]
			}
		}
		walks = next
	}
	require.Greater(t, found, 20)
}

func TestPathsFail(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=24,keep=1,seed=1", graph.LoadOptions{})
	require.NoError(t, err)
	_, _, err = reference.Paths(t.Context(), g, 576)
	require.ErrorContains(t, err, "source 576 is out of range")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = reference.Paths(ctx, g, 0)
	require.ErrorIs(t, err, context.Canceled)
}
