//go:build !kernel

package bsp_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/graph/reference"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/scheduler/bsp"
)

var (
	bfsType  = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32]()}
	pullType = scheduler.Type{Name: "kernels.PageRankPull", Value: reflect.TypeFor[float32](), Fields: []scheduler.Field{
		{Name: "Rank", Elem: reflect.TypeFor[float32](), Array: true},
		{Name: "Damping", Elem: reflect.TypeFor[float32](), Default: "0.85"},
		{Name: "Epsilon", Elem: reflect.TypeFor[float32](), Default: "0.0001"},
	}}
)

func native() *nativeDevice {
	return newNative(map[string]any{
		"init": kernels.BFSInit, "thread": kernels.BFSThread, "warp": kernels.BFSWarp, "block": kernels.BFSBlock,
		"pull init": kernels.PageRankPullInit, "pull": kernels.PageRankPullWarp,
	})
}

func open(t *testing.T, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// bfs is a run of BFS, a warp a vertex, on a small graph.
func bfs(t *testing.T, d *nativeDevice) bsp.Run {
	return bsp.Run{Device: d, Kernels: d, Algorithm: bfsType, Init: "init", Step: "warp", Team: scheduler.OneWarp,
		Graph: open(t, "rmat:scale=6,degree=6,seed=3"), Block: 64}
}

func TestRunPush(t *testing.T) {
	d := native()
	r := bfs(t, d)
	r.Source, _ = r.Graph.MaxDegreeVertex()
	var seen []bsp.Iteration
	r.Progress = func(it bsp.Iteration) { seen = append(seen, it) }
	out, err := bsp.RunPush(context.Background(), r)
	require.NoError(t, err)
	require.NoError(t, reference.CheckBFS(t.Context(), r.Graph, r.Source, out.Values.([]uint32)))
	require.Equal(t, out.Iterations, seen)
	require.Zero(t, d.live, "buffers are left")
	reached := 1
	for i, it := range out.Iterations {
		require.Equal(t, i+1, it.N)
		require.EqualValues(t, 10, it.Cycles)
		if i > 0 {
			require.Equal(t, out.Iterations[i-1].Next, it.Frontier)
		}
		reached += it.Next
	}
	want := 0
	for _, level := range out.Values.([]uint32) {
		if level != kernels.Unreached {
			want++
		}
	}
	require.Equal(t, want, reached, "each vertex enters the frontier once")
}

func TestGridCoversTheFrontierAndFitsTheDevice(t *testing.T) {
	for _, c := range []struct {
		step string
		team scheduler.Team
		want []int // of Init (64 vertices), then of a frontier of 1
	}{
		{"thread", scheduler.OneThread, []int{1, 1}},
		{"warp", scheduler.OneWarp, []int{1, 1}},
		{"block", scheduler.OneBlock, []int{1, 1}},
	} {
		d := native()
		r := bfs(t, d)
		r.Step, r.Team = c.step, c.team
		r.Source, _ = r.Graph.MaxDegreeVertex()
		out, err := bsp.RunPush(context.Background(), r)
		require.NoError(t, err)
		require.Equal(t, c.want, d.grids[:2])
		for i, it := range out.Iterations {
			perBlock := map[scheduler.Team]int{scheduler.OneThread: 64, scheduler.OneWarp: 2, scheduler.OneBlock: 1}[c.team]
			require.Equal(t, min((it.Frontier+perBlock-1)/perBlock, d.blocks), d.grids[i+1])
		}
	}
}

func TestRunPull(t *testing.T) {
	for _, spec := range []string{"rmat:scale=6,degree=6,seed=3", "smallworld:n=60,degree=4,seed=5"} {
		d := native()
		g := open(t, spec)
		out, err := bsp.RunPull(context.Background(), bsp.Run{Device: d, Kernels: d, Algorithm: pullType,
			Init: "pull init", Step: "pull", Team: scheduler.OneWarp, Graph: g, Params: map[string]string{"Epsilon": "1e-3"}})
		require.NoError(t, err)
		require.Zero(t, d.live)
		scalars, err := pullType.Scalars(map[string]string{"epsilon": "1e-3"})
		require.NoError(t, err)
		left := kernels.Left{Values: out.Values, Arrays: out.Arrays, Iterations: len(out.Iterations)}
		answer, err := kernels.PageRankPullHost.Answer(left)
		require.NoError(t, err)
		_, err = kernels.PageRankPullHost.Check(t.Context(), kernels.Problem{Graph: g, Params: scalars}, left, answer)
		require.NoError(t, err)
		require.Zero(t, out.Iterations[len(out.Iterations)-1].Next)
	}
}

func TestRunEndsEarly(t *testing.T) {
	t.Run("at the limit of iterations", func(t *testing.T) {
		d := native()
		r := bfs(t, d)
		r.Graph, r.MaxIterations = open(t, "grid:width=9,keep=1,seed=1"), 3
		out, err := bsp.RunPush(context.Background(), r)
		var nc *bsp.NotConverged
		require.ErrorAs(t, err, &nc)
		require.ErrorContains(t, err, "kernels.BFS did not end within 3 iterations")
		require.Len(t, out.Iterations, 3)
		require.Nil(t, out.Values)
		require.Zero(t, d.live)
	})
	t.Run("when cancelled", func(t *testing.T) {
		d := native()
		ctx, cancel := context.WithCancel(context.Background())
		d.after = func() {
			if len(d.grids) == 2 {
				cancel()
			}
		}
		r := bfs(t, d)
		r.Graph = open(t, "grid:width=9,keep=1,seed=1")
		out, err := bsp.RunPush(ctx, r)
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, out.Iterations, 1)
		require.Zero(t, d.live)
	})
	t.Run("when a launch fails", func(t *testing.T) {
		for at := 1; at <= 3; at++ {
			d := native()
			d.failAt, d.failure = at, errors.New("index out of range")
			r := bfs(t, d)
			r.Graph = open(t, "grid:width=9,keep=1,seed=1")
			out, err := bsp.RunPush(context.Background(), r)
			require.ErrorIs(t, err, d.failure)
			require.Zero(t, d.live)
			if at > 1 {
				require.Len(t, out.Iterations, at-1, "the launch that failed counts, with what it reported")
			}
		}
	})
	t.Run("without memory", func(t *testing.T) {
		for _, name := range []string{"g.Row", "g.Col", "values", "queue", "queue.Stamp"} {
			d := native()
			d.noMemory = name
			_, err := bsp.RunPush(context.Background(), bfs(t, d))
			require.EqualError(t, err, "allocating "+name+": out of memory")
			require.Zero(t, d.live)
		}
	})
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(r *bsp.Run)
		want   string
	}{
		{func(r *bsp.Run) { r.Block = 48 }, "48 threads a block: must be a multiple of 32 from 32 to 1024"},
		{func(r *bsp.Run) { r.Source = 64 }, "has vertices 0 to 63"},
		{func(r *bsp.Run) { r.Graph = &graph.CSR{Name: "void", Row: []uint64{0}} }, "graph void has no vertices"},
		{func(r *bsp.Run) { r.Step = "wrap" }, "no kernel wrap"},
		{func(r *bsp.Run) { r.Init = "start" }, "no kernel start"},
		{func(r *bsp.Run) { r.Params = map[string]string{"depth": "3"} }, `kernels.BFS has no parameter "depth": it has none at all`},
	} {
		d := native()
		r := bfs(t, d)
		c.change(&r)
		_, err := bsp.RunPush(context.Background(), r)
		require.ErrorContains(t, err, c.want)
		require.Zero(t, d.live)
	}
}
