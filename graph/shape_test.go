package graph

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// path returns an undirected path of n vertices.
func path(n uint32) *CSR {
	g := &CSR{Name: "path", Row: []uint64{0}, Symmetric: true}
	for v := range n {
		if v > 0 {
			g.Col = append(g.Col, v-1)
		}
		if v+1 < n {
			g.Col = append(g.Col, v+1)
		}
		g.Row = append(g.Row, uint64(len(g.Col)))
	}
	return g
}

func TestShape(t *testing.T) {
	shape := func(g *CSR) Shape {
		s, err := g.Shape(t.Context())
		require.NoError(t, err)
		return s
	}
	// The first vertex of largest degree of a path is its second one: 98 levels follow it
	// to the other end, from where a search has a level for each vertex.
	s := shape(path(100))
	assert.EqualValues(t, 100, s.Vertices)
	assert.EqualValues(t, 198, s.Arcs)
	assert.EqualValues(t, 2, s.MaxDegree)
	assert.EqualValues(t, 100, s.Levels)
	assert.InDelta(t, 100.0/99, s.LevelSize, 1e-12)
	assert.InDelta(t, 0.0707, s.DegreeVariation, 1e-4) // 98 vertices of degree 2, 2 of degree 1
	assert.False(t, s.Cut)

	// A star of 101 vertices: degrees 100 and 100 times 1, of mean 200/101.
	star := &CSR{Name: "star", Row: []uint64{0, 100}, Symmetric: true}
	for v := range uint32(100) {
		star.Col = append(star.Col, v+1)
	}
	for range 100 {
		star.Col = append(star.Col, 0)
		star.Row = append(star.Row, uint64(len(star.Col)))
	}
	s = shape(star)
	assert.EqualValues(t, 3, s.Levels)
	assert.InDelta(t, 101.0/2, s.LevelSize, 1e-12)
	assert.InDelta(t, 4.95, s.DegreeVariation, 1e-12)

	// The search from the vertex of largest degree follows arcs in their direction only.
	down := &CSR{Name: "down", Row: []uint64{0, 1, 3, 3}, Col: []uint32{1, 0, 2}}
	assert.EqualValues(t, 2, shape(down).Levels)

	assert.Equal(t, Shape{Vertices: 1, Levels: 1, LevelSize: 1}, shape(&CSR{Row: []uint64{0, 0}}))
	assert.Equal(t, Shape{}, shape(&CSR{Row: []uint64{0}}))
}

// TestShapeIsBounded checks that a search ends when it has followed its number of arcs, and
// describes the part of the graph that it has seen.
func TestShapeIsBounded(t *testing.T) {
	g := path(1000)
	s, err := g.shape(t.Context(), 100)
	require.NoError(t, err)
	assert.True(t, s.Cut)
	assert.EqualValues(t, 50, s.Levels, "the first level has 2 arcs, the second 3, and each further one a vertex of 2")
	assert.InDelta(t, 1, s.LevelSize, 0.05)
	whole, err := g.shape(t.Context(), g.Arcs())
	require.NoError(t, err)
	assert.True(t, whole.Cut, "the first search follows all arcs, so none are left for the second")
	assert.EqualValues(t, 999, whole.Levels)
	whole, err = g.shape(t.Context(), 2*g.Arcs())
	require.NoError(t, err)
	assert.False(t, whole.Cut)
	assert.EqualValues(t, 1000, whole.Levels)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = path(1 << 17).Shape(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkShape is the time of the facts by which a scheme is chosen.
func BenchmarkShape(b *testing.B) {
	g, _, err := Open(b.Context(), "uniform:n=1000000,degree=8,seed=1", LoadOptions{})
	require.NoError(b, err)
	for b.Loop() {
		_, err := g.Shape(b.Context())
		require.NoError(b, err)
	}
}
