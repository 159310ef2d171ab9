package graph

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// byID returns the arcs of a graph with the ids of its file and their weights, sorted.
func byID(g *CSR) (arcs [][3]uint64) {
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			arc := [3]uint64{g.FileID(u), g.FileID(v)}
			if g.Weight != nil {
				arc[2] = uint64(g.Weights(u)[i])
			}
			arcs = append(arcs, arc)
		}
	}
	slices.SortFunc(arcs, func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) })
	return arcs
}

func TestDropIsolated(t *testing.T) {
	// Vertex 2 is isolated, 4 has only an incoming arc, 6 only a loop, 7 and 8 are isolated.
	const file = "%%MatrixMarket matrix coordinate integer general\n8 8 5\n1 3 5\n3 1 6\n3 4 7\n6 6 1\n5 1 9\n"
	g, notes := mustRead(t, "a.mtx", file, LoadOptions{DropIsolated: true})
	require.Equal(t, []uint32{1, 3, 4, 5}, g.ID, "the loop of 6 was dropped before")
	require.Equal(t, [][]uint32{{1}, {0, 2}, {}, {0}}, rows(g))
	require.Equal(t, [][3]uint64{{1, 3, 5}, {3, 1, 6}, {3, 4, 7}, {5, 1, 9}}, byID(g))
	require.EqualValues(t, 4, notes.Count(NoteIsolated))
	require.Contains(t, texts(notes), "4 isolated vertices dropped, 4 left")
	for id, want := range map[uint64]uint32{1: 0, 3: 1, 4: 2, 5: 3} {
		v, ok := g.VertexOf(id)
		require.True(t, ok)
		require.Equal(t, want, v)
	}
	_, ok := g.VertexOf(2)
	require.False(t, ok)

	g, notes = mustRead(t, "a.mtx", file, LoadOptions{DropIsolated: true, KeepSelfLoops: true})
	require.Equal(t, []uint32{1, 3, 4, 5, 6}, g.ID)
	require.EqualValues(t, 3, notes.Count(NoteIsolated))

	g, _ = mustRead(t, "a.mtx", file, LoadOptions{DropIsolated: true, Symmetrize: true})
	require.True(t, g.Symmetric)
	require.Equal(t, [][]uint32{{1, 3}, {0, 2}, {1}, {0}}, rows(g))

	g, notes = mustRead(t, "b.txt", "10 30\n30 20\n", LoadOptions{DropIsolated: true})
	require.Equal(t, []uint32{10, 20, 30}, g.ID, "ids with gaps, and none is isolated")
	require.Contains(t, texts(notes), "0 isolated vertices dropped, 3 left")

	g, _, err := Open(t.Context(), "grid:width=3,keep=0", LoadOptions{DropIsolated: true})
	require.NoError(t, err)
	require.NoError(t, g.Validate())
	require.Zero(t, g.Vertices())

	isolated := facts(t, open(t, "rmat:scale=10,degree=4,seed=5"))
	g, notes, err = Open(t.Context(), "rmat:scale=10,degree=4,seed=5", LoadOptions{DropIsolated: true})
	require.NoError(t, err)
	require.Positive(t, isolated.Isolated)
	require.Equal(t, isolated.Isolated, notes.Count(NoteIsolated))
	require.EqualValues(t, isolated.Vertices-isolated.Isolated, g.Vertices())
	require.Equal(t, byID(open(t, "rmat:scale=10,degree=4,seed=5")), byID(g))
	require.Zero(t, facts(t, g).Isolated)
}

// TestPermute checks that a permuted graph is the same graph by the ids of its file, with the
// same weights, whether they are the file's, assigned when it is loaded or later.
func TestPermute(t *testing.T) {
	for _, spec := range []string{"rmat:scale=8,degree=6,seed=5", "rmat:scale=8,degree=6,seed=5,directed=true", "grid:width=9,keep=0.7", "uniform:n=60,degree=3"} {
		for _, opt := range []LoadOptions{{}, {Symmetrize: true}, {DropIsolated: true}, {Weights: WeightsAlways}, {Weights: WeightsUnit, DropIsolated: true}} {
			plain, _, err := Open(t.Context(), spec, opt)
			require.NoError(t, err)
			opt.Permute = 3
			g, notes, err := Open(t.Context(), spec, opt)
			require.NoError(t, err)
			require.NoError(t, g.Validate())
			require.True(t, g.Permuted())
			require.Equal(t, spec+" permuted by 3", g.Name)
			require.False(t, plain.Permuted())
			require.Equal(t, plain.Symmetric, g.Symmetric)
			require.NotEqual(t, plain.Col, g.Col)
			require.Equal(t, byID(plain), byID(g), "%s, %+v", spec, opt)
			require.Equal(t, Note{NotePermuted, uint64(g.Vertices()), "vertices are in random order in memory (seed 3)"}, notes[len(notes)-1])
			for v := range uint32(g.Vertices()) {
				back, ok := g.VertexOf(g.FileID(v))
				require.True(t, ok)
				require.Equal(t, v, back)
			}
			_, ok := g.VertexOf(1 << 33)
			require.False(t, ok)

			plain, _, err = plain.WithWeights(t.Context())
			require.NoError(t, err)
			later, _, err := g.WithWeights(t.Context())
			require.NoError(t, err)
			require.Equal(t, byID(plain), byID(later))
			require.Equal(t, byID(transposed(t, plain)), byID(transposed(t, later)))
			require.Equal(t, byID(symmetrized(t, plain)), byID(symmetrized(t, later)))
		}
	}
}

// TestPermuteFiles checks graphs whose file has weights, and ids that do not start at 0.
func TestPermuteFiles(t *testing.T) {
	for name, file := range map[string]string{
		"a.gr":  "p sp 4 5\na 1 2 3\na 2 3 4\na 3 1 5\na 4 1 6\na 2 1 7\n",
		"a.txt": "100 7\n7 9\n9 2000000000\n",
	} {
		plain, _ := mustRead(t, name, file, LoadOptions{})
		g, _ := mustRead(t, name, file, LoadOptions{Permute: 2})
		require.Equal(t, byID(plain), byID(g), name)
	}
}

// TestPermuteSeeds checks that the order depends on the seed alone and that a seed always means
// the same order.
func TestPermuteSeeds(t *testing.T) {
	with := func(seed uint64) *CSR {
		g, _, err := Open(t.Context(), "grid:width=20,keep=0.7", LoadOptions{Permute: seed})
		require.NoError(t, err)
		return g
	}
	require.Equal(t, with(1), with(1))
	require.NotEqual(t, with(1).Col, with(2).Col)
	require.Equal(t, "d6fcdc507418cc1a", fingerprint(with(1)))
}

// TestRenumberingEnds checks that a cancelled context ends it.
func TestRenumberingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := open(t, "rmat:scale=14,degree=4")
	cancel()
	_, _, err := g.withoutIsolated(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = g.Shuffled(ctx, 1)
	require.ErrorIs(t, err, context.Canceled)
}

// TestRenumbered checks that a graph that is renumbered twice is the same graph by the ids of its file, and that only permutations are taken.
func TestRenumbered(t *testing.T) {
	plain, _ := mustRead(t, "a.txt", "100 7\n7 9\n9 2000000000\n", LoadOptions{Weights: WeightsAlways})
	once, err := plain.Renumbered(t.Context(), []uint32{2, 0, 3, 1})
	require.NoError(t, err)
	twice, err := once.Renumbered(t.Context(), []uint32{1, 2, 3, 0})
	require.NoError(t, err)
	for _, g := range []*CSR{once, twice} {
		require.NoError(t, g.Validate())
		require.Equal(t, byID(plain), byID(g))
	}
	for v := range uint32(4) { // 7, 9, 100 and 2000000000
		u, _ := once.VertexOf(plain.FileID(v))
		require.Equal(t, []uint32{2, 0, 3, 1}[v], u)
		u, _ = twice.VertexOf(plain.FileID(v))
		require.Equal(t, []uint32{3, 1, 0, 2}[v], u)
	}
	_, err = plain.Renumbered(t.Context(), []uint32{2, 0, 3})
	require.EqualError(t, err, "renumbering the vertices of graph a: 3 numbers for 4 vertices")
	for _, wrong := range [][]uint32{{2, 0, 3, 4}, {2, 0, 3, 3}} {
		_, err = plain.Renumbered(t.Context(), wrong)
		require.EqualError(t, err, fmt.Sprintf("renumbering the vertices of graph a: number %d of vertex 3 is not below 4, or another vertex has it", wrong[3]))
	}
}
