package graph

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// arcs returns the arcs of a graph in the order of its file, by the ids that vertices have there.
func arcs(t *testing.T, g *CSR) (list [][2]uint64) {
	t.Helper()
	order, err := g.FileOrder(t.Context())
	require.NoError(t, err)
	for _, e := range order {
		u := uint32(0)
		for g.Row[u+1] <= uint64(e) {
			u++
		}
		list = append(list, [2]uint64{g.FileID(u), g.FileID(g.Col[e])})
	}
	return list
}

// TestFileOrder checks the order of arcs for directed and undirected files, with gaps in the ids,
// self loops, edges that come twice, and all options that renumber vertices or add arcs.
func TestFileOrder(t *testing.T) {
	const snap = "30 10\n10 40\n30 30\n10 20\n30 10\n20 10\n"
	type pairs = [][2]uint64
	once := pairs{{30, 10}, {10, 40}, {10, 20}, {20, 10}}
	path := write(t, "g.txt", []byte(snap))
	for _, c := range []struct {
		opt  LoadOptions
		want pairs
	}{
		{LoadOptions{}, once},
		{LoadOptions{Permute: 7}, once},
		{LoadOptions{Weights: WeightsHash, DropIsolated: true}, once},
		{LoadOptions{KeepSelfLoops: true}, pairs{{30, 10}, {10, 40}, {30, 30}, {10, 20}, {20, 10}}},
		{LoadOptions{Symmetrize: true, Permute: 3}, pairs{{30, 10}, {10, 30}, {10, 40}, {40, 10}, {10, 20}, {20, 10}}},
	} {
		g, _, err := Open(t.Context(), path, c.opt)
		require.NoError(t, err)
		require.Equal(t, c.want, arcs(t, g), "%+v", c.opt)
	}
	mtx := write(t, "g.mtx", []byte("%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n4 3\n2 1\n3 1\n5 5\n"))
	g, _, err := Open(t.Context(), mtx, LoadOptions{DropIsolated: true})
	require.NoError(t, err)
	require.Equal(t, pairs{{4, 3}, {3, 4}, {2, 1}, {1, 2}, {3, 1}, {1, 3}}, arcs(t, g))
	symmetric, err := g.Symmetrize(t.Context())
	require.NoError(t, err)
	require.Len(t, arcs(t, symmetric), 6)
}

// TestFileOrderOfGenerators checks that a generator's arcs are each listed once, in an order that
// is not that of the sources, and that symmetrizing afterwards keeps it.
func TestFileOrderOfGenerators(t *testing.T) {
	for _, spec := range []string{"rmat:scale=7,degree=6,seed=3", "rmat:scale=7,degree=6,seed=3,directed=true", DemoName} {
		g := open(t, spec)
		order, err := g.FileOrder(t.Context())
		require.NoError(t, err)
		seen, ascending := make([]bool, g.Arcs()), true
		for i, e := range order {
			require.False(t, seen[e])
			seen[e] = true
			ascending = ascending && (i == 0 || e > order[i-1])
		}
		require.Len(t, order, g.Arcs())
		require.False(t, ascending, spec)
		both, err := g.Symmetrize(t.Context())
		require.NoError(t, err)
		order, err = both.FileOrder(t.Context())
		require.NoError(t, err)
		require.Len(t, order, both.Arcs())
	}
}

func TestFileOrderFails(t *testing.T) {
	g, _ := mustRead(t, "g.txt", "0 1\n", LoadOptions{})
	_, err := g.FileOrder(t.Context())
	require.EqualError(t, err, "graph g has no order of edges: it was not opened from a file that can be read again, or by a generator")
	path := write(t, "g.txt", []byte("0 1\n1 2\n"))
	g, _, err = Open(t.Context(), path, LoadOptions{})
	require.NoError(t, err)
	reversed, err := g.Transpose(t.Context())
	require.NoError(t, err)
	_, err = reversed.FileOrder(t.Context())
	require.ErrorContains(t, err, "has no order of edges")
	for _, text := range []string{"0 1\n", "0 2\n1 2\n", "0 1\n1 2\n2 0\n"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err = g.FileOrder(t.Context())
		require.EqualError(t, err, "graph "+g.Name+" is not the one that its file has now", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = g.FileOrder(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, os.Remove(path))
	_, err = g.FileOrder(t.Context())
	require.ErrorContains(t, err, path)
}
