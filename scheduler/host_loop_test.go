//go:build !kernel

package scheduler_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/scheduler"
)

// TestFinishWithoutValues checks that a host loop that prepared nothing gets an error.
func TestFinishWithoutValues(t *testing.T) {
	const want = "the host loop ended without the values of the vertices; it needs Values, from AllocValues, and Place"
	g, _, err := graph.Open(t.Context(), "grid:width=3", graph.LoadOptions{})
	require.NoError(t, err)
	for name, prepare := range map[string]func(l *scheduler.Loop) error{
		"nothing":         func(l *scheduler.Loop) error { return nil },
		"only Place":      func(l *scheduler.Loop) error { return l.Place() },
		"only the values": func(l *scheduler.Loop) error { l.Values = l.AllocValues(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			d := native.New(nil)
			l, err := scheduler.Begin(scheduler.Job{Device: d, Kernels: d, Graph: g,
				Algorithm: scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32]()}})
			require.NoError(t, err)
			out, err := l.Finish(prepare(l))
			require.EqualError(t, err, want)
			require.Nil(t, out.Values)
			require.Zero(t, d.Live)
		})
	}
}
