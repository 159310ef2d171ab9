//go:build !kernel

package vwc_test

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/vwc"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

func device() *native.Device {
	return native.New(map[string]any{
		"scheduler.Init[kernels.BFS, uint32]":        scheduler.Init[kernels.BFS, uint32],
		"vwc.Pull[kernels.BFS, vwc.Lanes2, uint32]":  vwc.Pull[kernels.BFS, vwc.Lanes2, uint32],
		"vwc.Pull[kernels.BFS, vwc.Lanes4, uint32]":  vwc.Pull[kernels.BFS, vwc.Lanes4, uint32],
		"vwc.Pull[kernels.BFS, vwc.Lanes8, uint32]":  vwc.Pull[kernels.BFS, vwc.Lanes8, uint32],
		"vwc.Pull[kernels.BFS, vwc.Lanes16, uint32]": vwc.Pull[kernels.BFS, vwc.Lanes16, uint32],
		"vwc.Pull[kernels.BFS, vwc.Lanes32, uint32]": vwc.Pull[kernels.BFS, vwc.Lanes32, uint32],
	})
}

var bfs = scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32](), From: map[string]string{"Apply": "scheduler.Min"}}

// job returns a run of BFS on a small graph.
func job(t *testing.T, d *native.Device, params map[string]string) scheduler.Job {
	g, _, err := graph.Open(context.Background(), "rmat:scale=7,degree=6,seed=3,directed=true", graph.LoadOptions{})
	require.NoError(t, err)
	values, err := vwc.New().Values(params)
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	return scheduler.Job{Device: d, Kernels: d, Graph: g, Source: source, Params: values, Algorithm: bfs}
}

// TestRun checks the answer of each width, and that the grid has enough virtual warps.
func TestRun(t *testing.T) {
	require.NoError(t, vwc.New().Validate())
	for _, width := range []int{2, 4, 8, 16, 32} {
		d := device()
		d.Blocks = 1000
		j := job(t, d, map[string]string{"width": strconv.Itoa(width), "block": "64"})
		out, err := vwc.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
		require.Zero(t, d.Live, "buffers are left")
		require.Equal(t, "vwc.Pull[kernels.BFS, vwc.Lanes"+strconv.Itoa(width)+", uint32]", out.Steps[1].Kernel)
		perBlock := 64 / width
		require.Equal(t, (j.Graph.Vertices()+perBlock-1)/perBlock, d.Grids[1])
	}
}

// TestKernels checks that the kernel of the default width comes first.
func TestKernels(t *testing.T) {
	var names []string
	for _, k := range vwc.New().Kernels(bfs) {
		names = append(names, k.Name)
	}
	require.Equal(t, []string{"vwc.Pull[kernels.BFS, vwc.Lanes8, uint32]", "vwc.Pull[kernels.BFS, vwc.Lanes2, uint32]", "vwc.Pull[kernels.BFS, vwc.Lanes4, uint32]",
		"vwc.Pull[kernels.BFS, vwc.Lanes16, uint32]", "vwc.Pull[kernels.BFS, vwc.Lanes32, uint32]", "scheduler.Init[kernels.BFS, uint32]"}, names)
}

func TestRunFails(t *testing.T) {
	d := device()
	d.FailAt, d.Failure = 2, errors.New("index out of range")
	out, err := vwc.New().Run(t.Context(), job(t, d, nil))
	require.ErrorIs(t, err, d.Failure)
	require.Len(t, out.Steps, 2)
	require.Zero(t, d.Live)

	d = device()
	d.NoMemory = "outRow"
	_, err = vwc.New().Run(t.Context(), job(t, d, nil))
	require.EqualError(t, err, "allocating outRow: out of memory")
	require.Zero(t, d.Live)

	d = device()
	ctx, cancel := context.WithCancel(t.Context())
	d.After = cancel
	_, err = vwc.New().Run(ctx, job(t, d, nil))
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, d.Live)

	_, err = vwc.New().Run(t.Context(), job(t, device(), map[string]string{"max-iterations": "1"}))
	require.ErrorContains(t, err, "kernels.BFS did not end within 1 iterations")
}

func TestRefuses(t *testing.T) {
	_, err := vwc.New().Values(map[string]string{"width": "5"})
	require.EqualError(t, err, "parameter width of scheduler vwc: 5 is not one of 2, 4, 8, 16, 32")
	require.EqualError(t, vwc.New().Takes(scheduler.Type{Name: "a.A", Value: reflect.TypeFor[float32](), From: map[string]string{"Apply": "scheduler.Add"}}, scheduler.Values{}),
		"a.A cannot be pulled: its updates add up, and a pull scheme would add them again in each iteration; define Apply(v scheduler.Vertex, old, gathered float32) (value float32, changed bool) to compute the next value")
}
