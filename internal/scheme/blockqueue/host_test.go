//go:build !kernel

package blockqueue_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/blockqueue"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// TestRun runs the host loop, with the kernels as plain Go, on an algorithm whose vertices
// return to the frontier, so that the queue needs marks.
func TestRun(t *testing.T) {
	d := native.New(map[string]any{
		"scheduler.Init[kernels.SSSP, uint32]":  scheduler.Init[kernels.SSSP, uint32],
		"blockqueue.Push[kernels.SSSP, uint32]": blockqueue.Push[kernels.SSSP, uint32],
	})
	g, _, err := graph.Open(context.Background(), "rmat:scale=6,degree=6,seed=3", graph.LoadOptions{})
	require.NoError(t, err)
	g, _, err = g.WithWeights(t.Context())
	require.NoError(t, err)
	s := blockqueue.New()
	require.NoError(t, s.Validate())
	values, err := s.Values(map[string]string{"block": "96"})
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	out, err := s.Run(t.Context(), scheduler.Job{Device: d, Kernels: d, Graph: g, Source: source, Params: values,
		Algorithm: scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Fields: []scheduler.Field{{Name: "Delta", Elem: reflect.TypeFor[uint32]()}}}})
	require.NoError(t, err)
	require.NoError(t, reference.CheckSSSP(t.Context(), g, source, out.Values.([]uint32)))
	require.Zero(t, d.Live)
	require.Len(t, out.Steps, out.Iterations+1)
	require.Equal(t, "blockqueue.Push[kernels.SSSP, uint32]", out.Steps[1].Kernel)
	for i, step := range out.Steps[2:] {
		before, _ := out.Steps[i+1].Number("next")
		frontier, _ := step.Number("frontier")
		require.InDelta(t, before, frontier, 0)
	}
}

func TestTakes(t *testing.T) {
	s := blockqueue.New()
	defaults, err := s.Values(nil)
	require.NoError(t, err)
	require.NoError(t, s.Takes(scheduler.Type{Name: "a.A", From: map[string]string{"Apply": "scheduler.Add", "Take": "a.A"}}, defaults))
	require.EqualError(t, s.Takes(scheduler.Type{Name: "a.A", From: map[string]string{"Apply": "a.A"}}, defaults),
		"a.A cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active")
}
