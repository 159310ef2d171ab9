//go:build !kernel

package bsp_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/bsp"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

var (
	bfsType  = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32](), From: map[string]string{"Apply": "scheduler.Min"}}
	pullType = scheduler.Type{Name: "kernels.PageRankPull", Value: reflect.TypeFor[float32](), Fields: []scheduler.Field{
		{Name: "Rank", Elem: reflect.TypeFor[float32](), Array: true},
		{Name: "Damping", Elem: reflect.TypeFor[float32](), Default: "0.85"},
		{Name: "Epsilon", Elem: reflect.TypeFor[float32](), Default: "0.0001"},
		{Name: "Tolerance", Elem: reflect.TypeFor[float32](), Default: "0"},
	}, From: map[string]string{"Apply": "kernels.PageRankPull"}}
)

func device() *native.Device {
	return native.New(map[string]any{
		"scheduler.Init[kernels.BFS, uint32]":                              scheduler.Init[kernels.BFS, uint32],
		"bsp.Push[kernels.BFS, scheduler.ThreadPerVertex, uint32]":         bsp.Push[kernels.BFS, scheduler.ThreadPerVertex, uint32],
		"bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]":           bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32],
		"bsp.Push[kernels.BFS, scheduler.BlockPerVertex, uint32]":          bsp.Push[kernels.BFS, scheduler.BlockPerVertex, uint32],
		"bsp.Pull[kernels.BFS, scheduler.WarpPerVertex, uint32]":           bsp.Pull[kernels.BFS, scheduler.WarpPerVertex, uint32],
		"scheduler.Init[kernels.PageRankPull, float32]":                    scheduler.Init[kernels.PageRankPull, float32],
		"bsp.Pull[kernels.PageRankPull, scheduler.WarpPerVertex, float32]": bsp.Pull[kernels.PageRankPull, scheduler.WarpPerVertex, float32],
	})
}

func open(t *testing.T, spec string) *graph.CSR {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// values returns parameters of a scheme of this package.
func values(t *testing.T, given map[string]string) scheduler.Values {
	v, err := bsp.Warp().Values(given)
	require.NoError(t, err)
	return v
}

// bfs returns a run of BFS on a small graph.
func bfs(t *testing.T, d *native.Device) scheduler.Job {
	return scheduler.Job{Device: d, Kernels: d, Algorithm: bfsType, Graph: open(t, "rmat:scale=6,degree=6,seed=3"),
		Params: values(t, map[string]string{"block": "64"})}
}

// number returns a quantity of a step, which must have it.
func number(t *testing.T, s scheduler.Step, name string) int {
	x, ok := s.Number(name)
	require.True(t, ok, name)
	return int(x)
}

func TestPush(t *testing.T) {
	d := device()
	j := bfs(t, d)
	j.Source, _ = j.Graph.MaxDegreeVertex()
	var seen []scheduler.Step
	j.Progress = func(s scheduler.Step) { seen = append(seen, s) }
	out, err := bsp.Warp().Run(t.Context(), j)
	require.NoError(t, err)
	require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
	require.Equal(t, out.Steps, seen)
	require.Zero(t, d.Live, "buffers are left")
	require.Equal(t, scheduler.Step{Kernel: "scheduler.Init[kernels.BFS, uint32]", Setup: true, Cycles: 10, Numbers: []scheduler.Number{{Name: "next", Value: 1}}}, seen[0])
	require.Equal(t, len(seen)-1, out.Iterations)
	reached := 1
	for i, s := range seen[1:] {
		require.Equal(t, i+1, s.Iteration)
		require.False(t, s.Setup)
		require.Equal(t, "bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", s.Kernel)
		require.EqualValues(t, 10, s.Cycles)
		require.Equal(t, number(t, seen[i], "next"), number(t, s, "frontier"))
		reached += number(t, s, "next")
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
		scheme   scheduler.Scheme
		perBlock int
	}{{bsp.Thread(), 64}, {bsp.Warp(), 2}, {bsp.Block(), 1}} {
		d := device()
		j := bfs(t, d)
		j.Source, _ = j.Graph.MaxDegreeVertex()
		out, err := c.scheme.Run(t.Context(), j)
		require.NoError(t, err)
		require.Equal(t, []int{1, 1}, d.Grids[:2], "of Init (64 vertices), then of a frontier of 1")
		for i, s := range out.Steps[1:] {
			require.Equal(t, min((number(t, s, "frontier")+c.perBlock-1)/c.perBlock, d.Blocks), d.Grids[i+1])
		}
	}
}

func TestPull(t *testing.T) {
	for _, spec := range []string{"rmat:scale=6,degree=6,seed=3", "smallworld:n=60,degree=4,seed=5"} {
		d := device()
		g := open(t, spec)
		out, err := bsp.Warp().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: pullType,
			Graph: g, AlgorithmParams: map[string]string{"Epsilon": "1e-3"}, Params: values(t, nil)})
		require.NoError(t, err)
		require.Zero(t, d.Live)
		scalars, err := pullType.Scalars(map[string]string{"epsilon": "1e-3"})
		require.NoError(t, err)
		answer, err := kernels.PageRankPullHost.Answer(out)
		require.NoError(t, err)
		_, err = kernels.PageRankPullHost.Check(t.Context(), scheduler.Input{Graph: g, Params: scalars}, out, answer)
		require.NoError(t, err)
		require.Zero(t, number(t, out.Steps[len(out.Steps)-1], "next"))
	}
}

// TestDirection checks that the scheme pushes if the algorithm can be both pushed and
// pulled, unless the user requests a pull.
func TestDirection(t *testing.T) {
	d := device()
	j := bfs(t, d)
	j.Params = values(t, map[string]string{"direction": "pull"})
	out, err := bsp.Warp().Run(t.Context(), j)
	require.NoError(t, err)
	require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
	require.Equal(t, "bsp.Pull[kernels.BFS, scheduler.WarpPerVertex, uint32]", out.Steps[1].Kernel)
	require.Equal(t, j.Graph.Vertices(), number(t, out.Steps[1], "frontier"))

	var names []string
	for _, k := range bsp.Warp().Kernels(bfsType) {
		names = append(names, k.Name)
	}
	require.Equal(t, []string{"bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", "bsp.Pull[kernels.BFS, scheduler.WarpPerVertex, uint32]",
		"scheduler.Init[kernels.BFS, uint32]"}, names)
	require.Len(t, bsp.Warp().Kernels(pullType), 2, "it cannot be pushed")
	push := values(t, map[string]string{"direction": "push"})
	require.NoError(t, bsp.Warp().Takes(pullType, values(t, nil)))
	require.EqualError(t, bsp.Warp().Takes(pullType, push),
		"kernels.PageRankPull cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active")
	_, err = bsp.Warp().Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Algorithm: pullType, Graph: j.Graph, Params: push})
	require.ErrorContains(t, err, "cannot be pushed")
}

func TestRunEndsEarly(t *testing.T) {
	t.Run("at the limit of iterations", func(t *testing.T) {
		d := device()
		j := bfs(t, d)
		j.Graph, j.Params = open(t, "grid:width=9,keep=1,seed=1"), values(t, map[string]string{"max-iterations": "3"})
		out, err := bsp.Warp().Run(t.Context(), j)
		var nc *scheduler.NotConverged
		require.ErrorAs(t, err, &nc)
		require.ErrorContains(t, err, "kernels.BFS did not end within 3 iterations")
		require.Equal(t, 3, out.Iterations)
		require.Nil(t, out.Values)
		require.Zero(t, d.Live)
	})
	t.Run("when cancelled", func(t *testing.T) {
		d := device()
		ctx, cancel := context.WithCancel(context.Background())
		d.After = func() {
			if len(d.Grids) == 2 {
				cancel()
			}
		}
		j := bfs(t, d)
		j.Graph = open(t, "grid:width=9,keep=1,seed=1")
		out, err := bsp.Warp().Run(ctx, j)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, out.Iterations)
		require.Zero(t, d.Live)
	})
	t.Run("when a launch fails", func(t *testing.T) {
		for at := 1; at <= 3; at++ {
			d := device()
			d.FailAt, d.Failure = at, errors.New("index out of range")
			j := bfs(t, d)
			j.Graph = open(t, "grid:width=9,keep=1,seed=1")
			out, err := bsp.Warp().Run(t.Context(), j)
			require.ErrorIs(t, err, d.Failure)
			require.Zero(t, d.Live)
			require.Len(t, out.Steps, at, "the launch that failed counts, with what it reported")
			require.EqualValues(t, 5, out.Steps[at-1].Cycles)
			require.Nil(t, out.Values)
		}
	})
	t.Run("without memory", func(t *testing.T) {
		for _, name := range []string{"g.Row", "g.Col", "values", "queue", "queue.Stamp"} {
			d := device()
			d.NoMemory = name
			_, err := bsp.Warp().Run(t.Context(), bfs(t, d))
			require.EqualError(t, err, "allocating "+name+": out of memory")
			require.Zero(t, d.Live)
		}
	})
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(j *scheduler.Job)
		want   string
	}{
		{func(j *scheduler.Job) { j.Source = 64 }, "has vertices 0 to 63"},
		{func(j *scheduler.Job) { j.Graph = &graph.CSR{Name: "void", Row: []uint64{0}} }, "graph void has no vertices"},
		{func(j *scheduler.Job) { j.Algorithm.Name = "kernels.CC" }, "no kernel bsp.Push[kernels.CC, scheduler.WarpPerVertex, uint32]"},
		{func(j *scheduler.Job) { j.AlgorithmParams = map[string]string{"depth": "3"} }, `kernels.BFS has no parameter "depth"; it has no parameters`},
	} {
		d := device()
		j := bfs(t, d)
		c.change(&j)
		_, err := bsp.Warp().Run(t.Context(), j)
		require.ErrorContains(t, err, c.want)
		require.Zero(t, d.Live)
	}
}
