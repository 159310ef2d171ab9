//go:build !kernel

package nearfar

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// sssp is the type of shortest paths.
func sssp() scheduler.Type {
	return scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Source: true, Weighted: true, Phased: true, Unordered: true, Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}},
		From: map[string]string{"Compute": "kernels.SSSP", "Combine": "scheduler.Min", "Update": "scheduler.Min", "Phase": "kernels.SSSP", "Joins": "kernels.SSSP"}}
}

func newDevice() *native.Device {
	return native.New(map[string]any{
		"nearfar.Search[kernels.SSSP, nearfar.Least, uint32]": Search[kernels.SSSP, Least, uint32],
		"nearfar.Search[kernels.SSSP, nearfar.Own, uint32]":   Search[kernels.SSSP, Own, uint32],
	})
}

// searchFrom runs the scheme from a source.
func searchFrom(t *testing.T, a scheduler.Type, g *graph.CSR, source uint32, delta string, params map[string]string) (*scheduler.Outcome, error) {
	t.Helper()
	require.NoError(t, New().Validate())
	values, err := New().Values(params)
	require.NoError(t, err)
	require.NoError(t, New().Takes(a, values))
	d := newDevice()
	out, err := New().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: a, AlgorithmParams: map[string]string{"delta": delta}, Graph: g, Source: source, Params: values})
	require.Zero(t, d.Live, "buffers are left")
	return out, err
}

// TestRandomGraphs checks distances on sparse and dense graphs with hubs, and that an Update of an algorithm's own serves as well.
func TestRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pieces := 0
	for i := range 60 {
		n := 1 + rng.IntN(1500)
		var edges []graph.Edge
		for range rng.IntN(n*[]int{2, 8, 40}[i%3]) + 1 {
			u, v := rng.IntN(n), rng.IntN(n)
			if rng.IntN(3) == 0 {
				u = rng.IntN(1 + n/300) // hubs
			}
			edges = append(edges, graph.Edge{From: uint32(u), To: uint32(v), Weight: rng.Uint32N(60)})
		}
		g, _, err := graph.FromEdges(t.Context(), "random", n, edges, graph.LoadOptions{Symmetrize: i%2 == 0})
		require.NoError(t, err)
		hub, _ := g.MaxDegreeVertex()
		pieces = max(pieces, g.Degree(hub)/PieceArcs)
		a := sssp()
		if i%4 == 0 {
			a.From["Update"] = "my.SSSP"
		}
		params := map[string]string{"block": []string{"32", "64", "256"}[i%3], "one-block": []string{"256", "0"}[i/3%2], "stage": []string{"2048", "0", "2"}[i/2%3]}
		delta := []string{"0", "1", "16", "100"}[i/5%4]
		out, err := searchFrom(t, a, g, hub, delta, params)
		require.NoError(t, err)
		require.NoError(t, reference.CheckSSSP(t.Context(), g, hub, out.Values.([]uint32)), "graph %d, delta %s, %v", i, delta, params)
		require.Nil(t, out.Communication, "one GPU sends nothing")
	}
	require.Greater(t, pieces, 2)
}

// TestTooManyIterations ends a run on a path, in one block and in all.
func TestTooManyIterations(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=60,height=1", graph.LoadOptions{})
	require.NoError(t, err)
	g.Weight = make([]uint32, g.Arcs())
	for _, oneBlock := range []string{"256", "0"} {
		params := map[string]string{"one-block": oneBlock, "max-iterations": "7"}
		out, err := searchFrom(t, sssp(), g, 0, "1", params)
		var stopped *scheduler.NotConverged
		require.True(t, errors.As(err, &stopped))
		require.Equal(t, scheduler.NotConverged{Algorithm: "kernels.SSSP", Iterations: 7, Active: 1}, *stopped)
		require.Equal(t, 7, out.Iterations)
		params["max-iterations"] = "61"
		_, err = searchFrom(t, sssp(), g, 0, "1", params)
		require.NoError(t, err)
	}
}

// TestTakes says what it does not run.
func TestTakes(t *testing.T) {
	values, err := New().Values(nil)
	require.NoError(t, err)
	for want, change := range map[string]func(a *scheduler.Type){
		"kernels.SSSP does not have the Combine of Min or Max: vertices are visited several times, and an update that arrives twice would count twice": func(a *scheduler.Type) { a.From["Combine"] = "scheduler.Add" },
		"kernels.SSSP has a method Take, Consumes or Turn: GPUs send each other the values of vertices":                                                func(a *scheduler.Type) { a.From["Take"] = "kernels.SSSP" },
		"kernels.SSSP looks at the neighbors of both ends of an arc (Edge.Common), and a GPU of several has a part of each row":                        func(a *scheduler.Type) { a.Neighbors = true },
		"kernels.SSSP has a method Reverse or Enter, which only schemes that visit all vertices of a phase call":                                       func(a *scheduler.Type) { a.From["Enter"] = "kernels.SSSP" },
		"kernels.SSSP runs in phases, which the scheduler does not have":                                                                               func(a *scheduler.Type) { a.Unordered = false },
		"kernels.SSSP cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active":                         func(a *scheduler.Type) { a.From["Apply"] = "kernels.SSSP" },
	} {
		a := sssp()
		change(&a)
		require.EqualError(t, New().Takes(a, values), want)
	}
	values, err = New().Values(map[string]string{"partition-seed": "2"})
	require.NoError(t, err)
	require.EqualError(t, New().Takes(sssp(), values), "partition-seed is of a random order: it needs partition=random")
	a := sssp()
	require.NoError(t, New().TakesGroup(a, values))
	a.Fields = append(a.Fields, scheduler.Field{Name: "Seen", Array: true})
	require.EqualError(t, New().TakesGroup(a, values), "kernels.SSSP has the array Seen, of which a GPU of several knows the elements of its own vertices alone")
}

// TestRoom checks which graphs have no room, and that there is room for all parts of rows that any warps may hold.
func TestRoom(t *testing.T) {
	huge := &graph.CSR{Name: "huge", Row: make([]uint64, 1<<30+1)} // offsets that nobody touches take no memory
	require.NoError(t, check(huge, 4))
	require.EqualError(t, check(huge, 8), "graph huge has 1073741824 vertices; scheme near-far has room for 1073741823")
	for _, warps := range []int{1, 3, 64} {
		for _, pieces := range []int{0, 1, 224, 225, 10_000} {
			// Each warp takes chunks, of which it leaves up to 31 places each time, and most of the last one.
			taken, left := 0, pieces
			for range warps {
				for mine := (pieces + warps - 1) / warps; mine > 0 && left > 0; {
					taken += ChunkPieces
					used := min(ChunkPieces-31, mine, left)
					mine -= used
					left -= used
				}
			}
			require.LessOrEqual(t, taken, room(pieces*PieceArcs, warps), fmt.Sprint(warps, pieces))
		}
	}
}

// TestStride checks when targets and weights take turns in one array.
func TestStride(t *testing.T) {
	g := &graph.CSR{Row: []uint64{0, 1, 2}, Col: []uint32{1, 0}, Weight: []uint32{7, 8}}
	require.Equal(t, 2, strideOf(g, true))
	require.Equal(t, 1, strideOf(g, false))
	require.Equal(t, []uint32{1, 7, 0, 8}, interleaved(g))
	g.Weight = nil
	require.Equal(t, 1, strideOf(g, true))
}

// TestNineGPUs refuses more GPUs than kernels have places for.
func TestNineGPUs(t *testing.T) {
	d := native.NewGroup(nil, 9)
	values, err := New().Values(nil)
	require.NoError(t, err)
	g, _, err := graph.Open(t.Context(), "grid:width=3", graph.LoadOptions{})
	require.NoError(t, err)
	_, err = New().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: sssp(), Graph: g, Params: values})
	require.EqualError(t, err, "native has 9 GPUs; kernels that store to the memory of others are for at most 8")
}
