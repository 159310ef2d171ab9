//go:build !kernel

package warpseg_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/warpseg"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

func device() *native.Device {
	return native.New(map[string]any{
		"scheduler.Init[kernels.SSSP, uint32]": scheduler.Init[kernels.SSSP, uint32],
		"warpseg.Pull[kernels.SSSP, uint32]":   warpseg.Pull[kernels.SSSP, uint32],
	})
}

// job returns a run of SSSP from the vertex of largest degree of a graph.
func job(t *testing.T, d *native.Device, spec string, params map[string]string) scheduler.Job {
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	g, _, err = g.WithWeights(t.Context())
	require.NoError(t, err)
	s := warpseg.New()
	require.NoError(t, s.Validate())
	values, err := s.Values(params)
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	return scheduler.Job{Device: d, Kernels: d, Graph: g, Source: source, Params: values,
		Algorithm: scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}}, From: map[string]string{"Apply": "scheduler.Min"}}}
}

func TestRun(t *testing.T) {
	for _, spec := range []string{"rmat:scale=6,degree=6,seed=3", "rmat:scale=7,degree=6,seed=3,directed=true", "grid:width=9,keep=0.8,seed=1"} {
		d := device()
		j := job(t, d, spec, map[string]string{"block": "96"})
		var seen []scheduler.Step
		j.Progress = func(s scheduler.Step) { seen = append(seen, s) }
		out, err := warpseg.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
		require.Equal(t, out.Steps, seen)
		require.Zero(t, d.Live, "buffers are left")
		require.True(t, seen[0].Setup)
		require.Len(t, seen, out.Iterations+1)
		for i, s := range seen[1:] {
			require.Equal(t, "warpseg.Pull[kernels.SSSP, uint32]", s.Kernel)
			frontier, _ := s.Number("frontier")
			require.InDelta(t, j.Graph.Vertices(), frontier, 0)
			next, _ := s.Number("next")
			require.Equal(t, i == len(seen)-2, next == 0, "it ends when no vertex changes")
			require.Equal(t, min((j.Graph.Vertices()+95)/96, d.Blocks), d.Grids[i+1], "a thread for each vertex")
		}
	}
}

func TestRunEndsEarly(t *testing.T) {
	const spec = "grid:width=9,keep=1,seed=1"
	t.Run("at the limit of iterations", func(t *testing.T) {
		d := device()
		out, err := warpseg.New().Run(t.Context(), job(t, d, spec, map[string]string{"max-iterations": "3"}))
		require.ErrorContains(t, err, "kernels.SSSP did not end within 3 iterations")
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
		out, err := warpseg.New().Run(ctx, job(t, d, spec, nil))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, out.Iterations)
		require.Zero(t, d.Live)
	})
	t.Run("when a launch fails", func(t *testing.T) {
		for at := 1; at <= 3; at++ {
			d := device()
			d.FailAt, d.Failure = at, errors.New("index out of range")
			out, err := warpseg.New().Run(t.Context(), job(t, d, spec, nil))
			require.ErrorIs(t, err, d.Failure)
			require.Zero(t, d.Live)
			require.Len(t, out.Steps, at, "the launch that failed counts, with what it reported")
			require.Nil(t, out.Values)
		}
	})
	t.Run("without memory", func(t *testing.T) {
		for _, name := range []string{"g.Row", "g.Col", "g.Weight", "values", "queue"} {
			d := device()
			d.NoMemory = name
			_, err := warpseg.New().Run(t.Context(), job(t, d, spec, nil))
			require.EqualError(t, err, "allocating "+name+": out of memory")
			require.Zero(t, d.Live)
		}
	})
}

func TestRunRefuses(t *testing.T) {
	for want, change := range map[string]func(j *scheduler.Job){
		"source 81: graph grid:width=9,keep=1,seed=1 has vertices 0 to 80": func(j *scheduler.Job) { j.Source = 81 },
		"no kernel warpseg.Pull[kernels.CC, uint32]":                       func(j *scheduler.Job) { j.Algorithm.Name = "kernels.CC" },
	} {
		d := device()
		j := job(t, d, "grid:width=9,keep=1,seed=1", nil)
		change(&j)
		_, err := warpseg.New().Run(t.Context(), j)
		require.EqualError(t, err, want)
		require.Zero(t, d.Live)
	}
	_, err := warpseg.New().Values(map[string]string{"block": "48"})
	require.EqualError(t, err, "parameter block of scheduler warpseg: 48 is not a multiple of 32 from 32 to 1024")
	require.EqualError(t, warpseg.New().Takes(scheduler.Type{Name: "a.A", Value: reflect.TypeFor[float32](), From: map[string]string{"Apply": "scheduler.Add", "Take": "a.A"}}, scheduler.Values{}),
		"a.A cannot be pulled: it sends the result of Take, but a pull scheme reads the values of vertices; define Apply(v scheduler.Vertex, old, gathered float32) (value float32, changed bool) to compute the next value")
}
