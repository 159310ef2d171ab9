package reference

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/graph/coloring"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/weft-gpu/weft/graph"
)

// randomly returns a priority for each vertex, all different.
func randomly(n int, seed uint64) []uint64 {
	p := make([]uint64, n)
	for v, i := range rand.New(rand.NewPCG(seed, 1)).Perm(n) {
		p[v] = uint64(i)
	}
	return p
}

// TestGreedyColouringAgainstGonum compares with gonum's greedy colouring: where all vertices
// but one have colours, gonum gives it the smallest one that no neighbor has.
func TestGreedyColouringAgainstGonum(t *testing.T) {
	for _, spec := range []string{"../../graph/testdata/karate.mtx.gz", "../../graph/testdata/chesapeake.mtx.gz", "grid:width=8,keep=0.6,seed=3", "uniform:n=60,degree=20"} {
		g, err := load(t, spec).Symmetrize(t.Context())
		require.NoError(t, err)
		n := g.Vertices()
		priority := randomly(n, 5)
		got, err := GreedyColouring(t.Context(), g, priority)
		require.NoError(t, err)
		require.NoError(t, CheckColouring(t.Context(), g, got))
		o := simple.NewUndirectedGraph()
		order := make([]int, n)
		for v, p := range priority {
			order[n-1-int(p)] = v
		}
		colours := map[int64]int{}
		for _, v := range order {
			o.AddNode(simple.Node(v))
			for _, u := range g.Neighbors(uint32(v)) {
				if o.Node(int64(u)) != nil {
					o.SetEdge(o.NewEdge(simple.Node(v), simple.Node(u)))
				}
			}
			_, colours, err = coloring.WelshPowell(o, colours) // all but v are coloured
			require.NoError(t, err)
			require.Equal(t, colours[int64(v)], int(got[v]), "%s: vertex %d", spec, v)
		}
	}
}

// TestColouringsOfKnownGraphs has graphs whose numbers of colours do not depend on the order.
func TestColouringsOfKnownGraphs(t *testing.T) {
	complete := &graph.CSR{Name: "complete", Row: []uint64{0}, Symmetric: true}
	for u := range uint32(70) {
		for v := range uint32(70) {
			if u != v {
				complete.Col = append(complete.Col, v)
			}
		}
		complete.Row = append(complete.Row, uint64(len(complete.Col)))
	}
	none := &graph.CSR{Name: "none", Row: make([]uint64, 6), Symmetric: true}
	loops := &graph.CSR{Name: "loops", Row: []uint64{0, 2, 4}, Col: []uint32{0, 1, 0, 1}, Symmetric: true}
	for g, want := range map[*graph.CSR]uint64{complete: 70, none: 1, loops: 2} {
		got, err := GreedyColouring(t.Context(), g, randomly(g.Vertices(), 3))
		require.NoError(t, err)
		require.NoError(t, CheckColouring(t.Context(), g, got))
		require.Equal(t, want, 1+slices.Max(got), g.Name)
	}
}

func TestCheckColouringFindsFaults(t *testing.T) {
	// 0 - 1 - 2, where the file calls them 10, 11 and 12.
	g := &graph.CSR{Name: "path", Row: []uint64{0, 1, 3, 4}, Col: []uint32{1, 0, 2, 1}, ID: []uint32{10, 11, 12}, Symmetric: true}
	priority := []uint64{3, 2, 1}
	for _, c := range []struct {
		got    []uint64
		proper string // "" if the colouring is proper
		greedy string
	}{
		{[]uint64{0, 1, 0}, "", ""},
		{[]uint64{1, 0, 1}, "", "colouring: vertex 10 has colour 1, the reference colour 0; 3 of 3 vertices are wrong"},
		{[]uint64{0, 0, 1}, "colouring: vertex 10 has colour 0, a colouring another one than that of its neighbor 11; 2 of 3 vertices are wrong",
			"colouring: vertex 11 has colour 0, the reference colour 1; 2 of 3 vertices are wrong"},
		{[]uint64{0, 1, 2}, "colouring: vertex 12 has colour 2, a colouring one of 0 to 1, its degree; 1 of 3 vertices is wrong",
			"colouring: vertex 12 has colour 2, the reference colour 0; 1 of 3 vertices is wrong"},
		{[]uint64{0, 1, ^uint64(0)}, "colouring: vertex 12 has no colour, a colouring one of 0 to 1, its degree; 1 of 3 vertices is wrong",
			"colouring: vertex 12 has colour 18446744073709551615, the reference colour 0; 1 of 3 vertices is wrong"},
		{[]uint64{0, 1}, "colouring: the answer has 2 values, the graph 3 vertices", "colouring: the answer has 2 values, the graph 3 vertices"},
	} {
		says(t, c.proper, CheckColouring(t.Context(), g, c.got))
		says(t, c.greedy, CheckGreedyColouring(t.Context(), g, priority, c.got))
	}
	_, err := GreedyColouring(t.Context(), g, priority[:2])
	require.EqualError(t, err, "colouring: there are 2 priorities, the graph has 3 vertices")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, CheckColouring(ctx, g, []uint64{0, 1, 0}), context.Canceled)
	require.ErrorIs(t, CheckGreedyColouring(ctx, g, priority, []uint64{0, 1, 0}), context.Canceled)
}

// says requires an error with a text, or none if there is no text.
func says(t *testing.T, want string, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.EqualError(t, err, want)
}
