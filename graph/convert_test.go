package graph

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type arc struct{ from, to uint32 }

// naive returns a graph as a table of arcs with their smallest weight: the expected result
// of sorting and merging.
func naive(g *CSR) map[arc]uint32 {
	m := map[arc]uint32{}
	for u := range g.Vertices() {
		for i, v := range g.Neighbors(uint32(u)) {
			var w uint32
			if g.Weight != nil {
				w = g.Weights(uint32(u))[i]
			}
			m[arc{uint32(u), v}] = w
		}
	}
	return m
}

// TestBuildAgainstTable builds random graphs, dense enough for many duplicates, and
// compares them and their conversions with tables.
func TestBuildAgainstTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		n := 1 + r.IntN(20)
		undirected, keep, weighted := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
		b := &builder{keepLoops: keep, weights: weightSource{have: weighted, what: "values"}}
		x := &block{part: part{keepLoops: keep}, weights: b.weights}
		want := map[arc]uint32{}
		put := func(u, v, w uint32) {
			if old, ok := want[arc{u, v}]; !ok || w < old {
				want[arc{u, v}] = w
			}
		}
		for range r.IntN(100) {
			u, v, w := r.Uint32N(uint32(n)), r.Uint32N(uint32(n)), uint32(0)
			if weighted {
				w = r.Uint32N(50)
			}
			x.insert(u, v, w)
			if u == v && !keep {
				continue
			}
			put(u, v, w)
			if undirected {
				put(v, u, w)
			}
		}
		require.NoError(t, b.take(x))
		var notes Notes
		g, err := b.build(context.Background(), plan{n: n, undirected: undirected}, LoadOptions{}, &notes)
		require.NoError(t, err)
		require.NoError(t, g.Validate())
		require.Equal(t, want, naive(g), "round %d", round)
		require.Equal(t, weighted, g.Weight != nil)

		turned := map[arc]uint32{}
		both := maps.Clone(want)
		for a, w := range want {
			turned[arc{a.to, a.from}] = w
			if old, ok := both[arc{a.to, a.from}]; !ok || w < old {
				both[arc{a.to, a.from}] = w
			}
		}
		require.Equal(t, maps.Equal(want, turned), g.Symmetric)
		in := transposed(t, g)
		require.NoError(t, in.Validate())
		require.Equal(t, turned, naive(in))
		s := symmetrized(t, g)
		require.NoError(t, s.Validate())
		require.True(t, s.Symmetric)
		for a, w := range both {
			back := both[arc{a.to, a.from}]
			both[a] = min(w, back)
		}
		require.Equal(t, both, naive(s))
	}
}

func TestSymmetricGraphIsNotCopied(t *testing.T) {
	g := open(t, "grid:width=3")
	assert.Same(t, g, transposed(t, g))
	assert.Same(t, g, symmetrized(t, g))
}

func TestDegrees(t *testing.T) {
	g, _ := mustRead(t, "a.txt", "0 1\n2 0\n2 1\n3 0\n3 1\n", LoadOptions{})
	assert.Equal(t, []uint32{1, 0, 2, 2}, g.Degrees())
	v, ok := g.MaxDegreeVertex()
	assert.True(t, ok)
	assert.EqualValues(t, 2, v, "the first of equals")
	assert.Nil(t, g.Weights(2))

	v, ok = (&CSR{Row: []uint64{0, 0}}).MaxDegreeVertex()
	assert.True(t, ok)
	assert.Zero(t, v)
	_, ok = (&CSR{Row: []uint64{0}}).MaxDegreeVertex()
	assert.False(t, ok)
}

func TestDevice32(t *testing.T) {
	g := open(t, "grid:width=3")
	row, err := g.Device32()
	require.NoError(t, err)
	assert.Len(t, row, 10)
	assert.EqualValues(t, g.Arcs(), row[9])

	_, err = (&CSR{Name: "most", Row: []uint64{0, math.MaxUint32}}).Device32()
	require.NoError(t, err)
	_, err = (&CSR{Name: "big", Row: []uint64{0, 1 << 32}}).Device32()
	require.EqualError(t, err, "graph big has 4294967296 arcs: kernels take row offsets of 32 bits, for at most 4294967295 arcs; "+
		`only the host ("weft graph", CPU references) takes more`)
}

func TestValidate(t *testing.T) {
	ok := func() *CSR {
		return &CSR{Name: "g", Row: []uint64{0, 2, 3, 4}, Col: []uint32{1, 2, 0, 0}, Weight: []uint32{5, 6, 5, 6}, Symmetric: true}
	}
	require.NoError(t, ok().Validate())
	for _, test := range []struct {
		change func(g *CSR)
		want   string
	}{
		{func(g *CSR) { g.Row = nil }, "graph g: Row is empty; it needs one offset more than there are vertices"},
		{func(g *CSR) { g.Row[0] = 1 }, "graph g: the first row offset is 1, not 0"},
		{func(g *CSR) { g.Row[3] = 9 }, "graph g: the last row offset is 9, but there are 4 arcs"},
		{func(g *CSR) { g.Row[1] = 4 }, "graph g: vertex 1: row from 4 to 3 of 4 arcs"},
		{func(g *CSR) { g.Row[1] = 5 }, "graph g: vertex 0: row from 0 to 5 of 4 arcs"},
		{func(g *CSR) { g.Weight = g.Weight[:1] }, "graph g: 1 weights for 4 arcs"},
		{func(g *CSR) { g.ID = []uint32{1} }, "graph g: 1 file ids for 3 vertices"},
		{func(g *CSR) { g.Col[3] = 3 }, "graph g: vertex 2: arc to 3, but there are 3 vertices"},
		{func(g *CSR) { slices.Reverse(g.Col[:2]) }, "graph g: vertex 0: target 1 comes after 2"},
		{func(g *CSR) { g.Col[3] = 1 }, "graph g: marked symmetric, but arc 0 -> 2 has no opposite of the same weight"},
		{func(g *CSR) { g.Col[2] = 2 }, "graph g: marked symmetric, but arc 0 -> 1 has no opposite of the same weight"},
		{func(g *CSR) { g.Weight[3] = 7 }, "graph g: marked symmetric, but arc 0 -> 2 has no opposite of the same weight"},
	} {
		g := ok()
		test.change(g)
		assert.EqualError(t, g.Validate(), test.want)
	}
}
