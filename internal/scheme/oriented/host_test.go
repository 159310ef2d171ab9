//go:build !kernel

package oriented_test

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/scheme/oriented"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/scheduler"
)

var tc = scheduler.Type{Name: "kernels.TC", Value: reflect.TypeFor[uint64](), Symmetric: true, Triangles: true}

func device() *native.Device {
	return native.New(map[string]any{
		"oriented.Orient[uint64]": oriented.Orient[uint64],
		"oriented.OrientWide":     oriented.OrientWide,
		"oriented.Count[uint64]":  oriented.Count[uint64],
	})
}

// count runs the scheme on a graph with so many threads per block.
func count(t *testing.T, d *native.Device, g *graph.CSR, block int) *scheduler.Outcome {
	t.Helper()
	require.NoError(t, oriented.New().Validate())
	params, err := oriented.New().Values(map[string]string{"block": strconv.Itoa(block)})
	require.NoError(t, err)
	out, err := oriented.New().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: tc, Graph: g, Params: params})
	require.NoError(t, err)
	require.Zero(t, d.Live, "buffers are left")
	return out
}

// byMatrix counts triangles by what they are, with no row of a graph: three vertices with all three edges.
func byMatrix(g *graph.CSR) []uint64 {
	n := g.Vertices()
	edge := make([][]bool, n)
	for u := range edge {
		edge[u] = make([]bool, n)
	}
	for u := range uint32(n) {
		for _, v := range g.Col[g.Row[u]:g.Row[u+1]] {
			edge[u][v], edge[v][u] = true, true
		}
	}
	counts := make([]uint64, n)
	for u := range n {
		for v := range u {
			for w := 0; edge[u][v] && w < v; w++ {
				if edge[u][w] && edge[v][w] {
					counts[u]++
					counts[v]++
					counts[w]++
				}
			}
		}
	}
	return counts
}

// TestRandomGraphs compares the counts with those by the matrix: sparse and dense graphs, directed ones, loops, and numbers of threads.
func TestRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found := uint64(0)
	for i := range 40 {
		n := 1 + rng.IntN(120)
		var edges []graph.Edge
		for range rng.IntN(n * n / 2) {
			u, v := rng.IntN(n), rng.IntN(n)
			if rng.IntN(3) == 0 {
				u = rng.IntN(1 + n/20) // some have more neighbors
			}
			edges = append(edges, graph.Edge{From: uint32(u), To: uint32(v)})
		}
		g, _, err := graph.FromEdges(t.Context(), "random", n, edges, graph.LoadOptions{Symmetrize: i%2 == 0})
		require.NoError(t, err)
		out := count(t, device(), g, []int{32, 64, 128, 1024}[i%4])
		require.Equal(t, byMatrix(g), out.Values, "graph %d", i)
		for _, x := range out.Values.([]uint64) {
			found += x
		}
	}
	require.Greater(t, found, uint64(100_000))
}

// TestWideVertices counts in a graph with hubs of more arcs than a warp takes: a complete one of so many vertices would be too many, so that the hubs are
// joined to all others, and these in a cycle. The counts are by hand.
func TestWideVertices(t *testing.T) {
	const hubs, others = 3, 2*oriented.WideDegree + 77
	var edges []graph.Edge
	for h := range uint32(hubs) {
		for v := range uint32(hubs + others) {
			if v != h {
				edges = append(edges, graph.Edge{From: h, To: v})
			}
		}
	}
	for i := range uint32(others) {
		edges = append(edges, graph.Edge{From: hubs + i, To: hubs + (i+1)%others})
	}
	g, _, err := graph.FromEdges(t.Context(), "hubs", hubs+others, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	for _, block := range []int{32, 256, 1024} {
		d := device()
		out := count(t, d, g, block)
		for v, got := range out.Values.([]uint64) {
			if v < hubs {
				// An edge of the cycle; another hub and one of the others, twice over; all three hubs.
				require.EqualValues(t, others+(hubs-1)*others+1, got)
			} else {
				// A neighbor in the cycle and a hub; two hubs.
				require.EqualValues(t, 2*hubs+hubs*(hubs-1)/2, got)
			}
		}
		require.Len(t, out.Steps, 3)
		require.Equal(t, "oriented.OrientWide", out.Steps[1].Kernel)
		require.Equal(t, []scheduler.Number{{Name: "block-vertices", Value: hubs}}, out.Steps[1].Numbers)
	}
}

// TestRowsAreShort checks the bound that the orientation is for: no row is longer than the square root of twice the edges.
func TestRowsAreShort(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=9,degree=20", graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	var ends []uint32
	d := native.New(map[string]any{
		"oriented.Orient[uint64]": func(t gpu.Thread, g scheduler.Graph, arcs oriented.Arcs, wide oriented.Wide, values []uint64) {
			if t.Global() == 0 {
				ends = arcs.End
			}
			oriented.Orient(t, g, arcs, wide, values)
		},
		"oriented.OrientWide":    oriented.OrientWide,
		"oriented.Count[uint64]": oriented.Count[uint64],
	})
	count(t, d, g, 128)
	longest := 0
	for u, end := range ends {
		longest = max(longest, int(end)-int(g.Row[u]))
	}
	hub, _ := g.MaxDegreeVertex()
	require.Positive(t, longest)
	require.LessOrEqual(t, longest*longest, g.Arcs())
	require.Greater(t, g.Degree(hub), 4*longest)
}

// TestEmptyGraphs has nothing to count.
func TestEmptyGraphs(t *testing.T) {
	for n := 1; n < 4; n++ {
		g, _, err := graph.FromEdges(t.Context(), "none", n, nil, graph.LoadOptions{})
		require.NoError(t, err)
		require.Equal(t, make([]uint64, n), count(t, device(), g, 128).Values)
	}
}

// TestTakes says what it does not run.
func TestTakes(t *testing.T) {
	require.NoError(t, oriented.New().Takes(tc, scheduler.Values{}))
	require.EqualError(t, oriented.New().Takes(scheduler.Type{Name: "kernels.BFS"}, scheduler.Values{}),
		"kernels.BFS has no method Triangles that returns true: its answer is not the number of triangles of each vertex")
}
