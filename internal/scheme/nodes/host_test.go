//go:build !kernel

package nodes_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/nodes"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

var bfs = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32]()}

func device() *native.Device {
	return native.New(map[string]any{
		"nodes.Init[kernels.BFS, uint32]": nodes.Init[kernels.BFS, uint32],
		"nodes.Push[kernels.BFS, uint32]": nodes.Push[kernels.BFS, uint32],
	})
}

// job returns a run of BFS from vertex 0.
func job(t *testing.T, d *native.Device, spec string, params map[string]string) scheduler.Job {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	s := nodes.New()
	require.NoError(t, s.Validate())
	values, err := s.Values(params)
	require.NoError(t, err)
	return scheduler.Job{Device: d, Kernels: d, Algorithm: bfs, Graph: g, Params: values}
}

// TestRun checks the steps: each iteration has a thread for every vertex, and processes as many as
// the reference has of its level.
func TestRun(t *testing.T) {
	for _, spec := range []string{"grid:width=9,keep=1,seed=1", "rmat:scale=7,degree=6,seed=3,directed=true"} {
		d := device()
		d.Blocks = 1000
		j := job(t, d, spec, map[string]string{"block": "64"})
		if j.Graph.Vertices() == 128 {
			j.Source, _ = j.Graph.MaxDegreeVertex()
		}
		var seen []scheduler.Step
		j.Progress = func(s scheduler.Step) { seen = append(seen, s) }
		out, err := nodes.New().Run(t.Context(), j)
		require.NoError(t, err)
		levels := out.Values.([]uint32)
		require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, levels))
		require.Equal(t, out.Steps, seen)
		require.Zero(t, d.Live, "buffers are left")
		require.True(t, seen[0].Setup)
		at := map[uint32]int{}
		for _, l := range levels {
			at[l]++
		}
		for i, s := range seen[1:] {
			require.Equal(t, "nodes.Push[kernels.BFS, uint32]", s.Kernel)
			require.Equal(t, i+1, s.Iteration)
			frontier, _ := s.Number("frontier")
			require.EqualValues(t, at[uint32(i)], frontier)
			found, _ := s.Number("found")
			require.Equal(t, i == len(seen)-2, found == 0, "it ends when no vertex was found")
			require.Equal(t, (j.Graph.Vertices()+63)/64, d.Grids[i+1], "a thread for each vertex")
		}
	}
}

func TestRunEndsEarly(t *testing.T) {
	const spec = "grid:width=9,keep=1,seed=1"
	d := device()
	out, err := nodes.New().Run(t.Context(), job(t, d, spec, map[string]string{"max-iterations": "3"}))
	require.EqualError(t, err, "kernels.BFS did not end within 3 iterations: 4 vertices are still active")
	require.Equal(t, 3, out.Iterations)
	require.Nil(t, out.Values)
	require.Zero(t, d.Live)

	d = device()
	ctx, cancel := context.WithCancel(t.Context())
	d.After = func() {
		if len(d.Grids) == 2 {
			cancel()
		}
	}
	out, err = nodes.New().Run(ctx, job(t, d, spec, nil))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, out.Iterations)
	require.Zero(t, d.Live)

	for at := 1; at <= 3; at++ {
		d := device()
		d.FailAt, d.Failure = at, errors.New("index out of range")
		out, err := nodes.New().Run(t.Context(), job(t, d, spec, nil))
		require.ErrorIs(t, err, d.Failure)
		require.Zero(t, d.Live)
		require.Len(t, out.Steps, at, "the launch that failed counts, with what it reported")
		require.Nil(t, out.Values)
	}
	for _, name := range []string{"g.Row", "g.Col", "values", "marks", "count"} {
		d := device()
		d.NoMemory = name
		_, err := nodes.New().Run(t.Context(), job(t, d, spec, nil))
		require.EqualError(t, err, "allocating "+name+": out of memory")
		require.Zero(t, d.Live)
	}
}

func TestRunRefuses(t *testing.T) {
	for want, change := range map[string]func(j *scheduler.Job){
		"source 81: graph grid:width=9,keep=1,seed=1 has vertices 0 to 80": func(j *scheduler.Job) { j.Source = 81 },
		"no kernel nodes.Push[kernels.CC, uint32]":                         func(j *scheduler.Job) { j.Algorithm.Name = "kernels.CC" },
	} {
		d := device()
		j := job(t, d, "grid:width=9,keep=1,seed=1", nil)
		change(&j)
		_, err := nodes.New().Run(t.Context(), j)
		require.EqualError(t, err, want)
		require.Zero(t, d.Live)
	}
	_, err := nodes.New().Values(map[string]string{"block": "48"})
	require.EqualError(t, err, "parameter block of scheduler nodes: 48 is not a multiple of 32 from 32 to 1024")
	require.EqualError(t, nodes.New().Takes(scheduler.Type{Name: "a.A", Phased: true}, scheduler.Values{}), "a.A runs in phases, which the scheduler does not have")
	require.EqualError(t, nodes.New().Takes(scheduler.Type{Name: "a.A", From: map[string]string{"Apply": "a.A"}}, scheduler.Values{}),
		"a.A cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active")
}
