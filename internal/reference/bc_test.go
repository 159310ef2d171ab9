package reference_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

// TestBetweennessOfKarate sums the dependencies over all sources of Zachary's karate club, and compares with the betweenness that the
// documentation of NetworkX and others have for its most central members, in which each pair counts once.
func TestBetweennessOfKarate(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "../../graph/testdata/karate.mtx.gz", graph.LoadOptions{})
	require.NoError(t, err)
	sum := map[uint64]float64{}
	for src := range g.Vertices() {
		dependency, err := reference.BC(t.Context(), g, uint32(src))
		require.NoError(t, err)
		require.Zero(t, dependency[src])
		for v, x := range dependency {
			sum[g.FileID(uint32(v))] += x / 2
		}
	}
	for member, want := range map[uint64]float64{1: 231.0714, 34: 160.5516, 33: 76.6905, 3: 75.8508, 32: 73.0095, 8: 0, 12: 0} {
		require.InDelta(t, want, sum[member], 5e-5, "member %d", member)
	}
}

// shortest calls do for each shortest path from src to dst, by trying all paths with as many arcs as the level says.
func shortest(g *graph.CSR, levels []uint32, path []uint32, dst uint32, do func(path []uint32)) {
	last := path[len(path)-1]
	if last == dst {
		do(path)
		return
	}
	for _, v := range g.Neighbors(last) {
		if levels[v] == levels[last]+1 && levels[v] <= levels[dst] {
			shortest(g, levels, append(path, v), dst, do)
		}
	}
}

// TestDependenciesByPaths lists all shortest paths of small random graphs, directed ones too, and counts those that pass each vertex.
func TestDependenciesByPaths(t *testing.T) {
	passed := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 2 + r.IntN(9)
		var edges []graph.Edge
		for range r.IntN(4 * n) {
			edges = append(edges, graph.Edge{From: r.Uint32N(uint32(n)), To: r.Uint32N(uint32(n))})
		}
		g, _, err := graph.FromEdges(t.Context(), fmt.Sprint("random ", seed), n, edges, graph.LoadOptions{Symmetrize: seed%2 == 0})
		require.NoError(t, err)
		src := r.Uint32N(uint32(n))
		levels, err := reference.BFS(t.Context(), g, src)
		require.NoError(t, err)
		want := make([]float64, n)
		for dst := range uint32(n) {
			if levels[dst] == reference.Unreached || dst == src {
				continue
			}
			all, through := 0, make([]int, n)
			shortest(g, levels, []uint32{src}, dst, func(path []uint32) {
				all++
				for _, v := range path[1 : len(path)-1] {
					through[v]++
					passed++
				}
			})
			for v, x := range through {
				want[v] += float64(x) / float64(all)
			}
		}
		got, err := reference.BC(t.Context(), g, src)
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-9, "%s from %d", g.Name, src)
	}
	assert.Greater(t, passed, 100)
}

// diamonds returns a chain of diamonds, each of which doubles the paths.
func diamonds(t *testing.T, n int) *graph.CSR {
	var edges []graph.Edge
	for i := range uint32(n) {
		from := 3 * i
		edges = append(edges, graph.Edge{From: from, To: from + 1}, graph.Edge{From: from, To: from + 2}, graph.Edge{From: from + 1, To: from + 3}, graph.Edge{From: from + 2, To: from + 3})
	}
	g, _, err := graph.FromEdges(t.Context(), "diamonds", 3*n+2, edges, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

func TestCheckBC(t *testing.T) {
	g := diamonds(t, 3)
	got := []float32{0, 3.5, 3.5, 6, 2, 2, 3, 0.5, 0.5, 0, 0}
	tolerance, err := reference.CheckBC(t.Context(), g, 0, got)
	require.NoError(t, err)
	assert.Zero(t, tolerance.Seen)
	assert.InDelta(t, 6e-8, tolerance.Allowed, 1e-9, "float32")

	got[3] *= 1 + 1e-6
	got[10] = 1e-30
	_, err = reference.CheckBC(t.Context(), g, 0, got)
	require.EqualError(t, err, "bc: vertex 3 has dependency 6.0000057, the reference dependency 6 (allowed difference 3.6e-07); 2 of 11 vertices are wrong")
	_, err = reference.CheckBC(t.Context(), g, 0, got[1:])
	require.EqualError(t, err, "bc: the answer has 10 values, the graph 11 vertices")

	_, err = reference.BC(t.Context(), diamonds(t, 1023), 0)
	require.NoError(t, err)
	_, err = reference.BC(t.Context(), diamonds(t, 1025), 0)
	require.EqualError(t, err, "bc: more shortest paths lead to vertex 3072 than a float64 can count")
}
