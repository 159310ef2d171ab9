//go:build !kernel

package scheduler_test

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

// still is an algorithm whose next phase is the present one.
type still struct{ scheduler.Min[uint32] }

func (still) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }
func (still) Start(v scheduler.Vertex, in scheduler.Problem) bool  { return true }
func (still) Compute(e scheduler.Edge, src uint32) (uint32, bool)  { return src, true }
func (still) Phases() bool                                         { return true }
func (still) Phase(v, now uint32, x uint32) uint32                 { return now }
func (still) Enter(v scheduler.Vertex, p *uint32) bool             { return true }
func pushOf[A scheduler.Algorithm[uint32]](name string) map[string]any {
	return map[string]any{
		"scheduler.Init[" + name + ", uint32]":                      scheduler.Init[A, uint32],
		"scheduler.NextPhase[" + name + ", uint32]":                 scheduler.NextPhase[A, uint32],
		"scheduler.EnterPhase[" + name + ", uint32]":                scheduler.EnterPhase[A, uint32],
		"bsp.Push[" + name + ", scheduler.ThreadPerVertex, uint32]": bsp.Push[A, scheduler.ThreadPerVertex, uint32],
	}
}

// phased returns a run of an algorithm with phases on a device with its kernels.
func phased[A scheduler.Algorithm[uint32]](t *testing.T, spec string, fields ...scheduler.Field) (*native.Device, scheduler.Job) {
	name := reflect.TypeFor[A]().String()
	d := native.New(pushOf[A](name))
	g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{})
	require.NoError(t, err)
	values, err := bsp.Thread().Values(nil)
	require.NoError(t, err)
	return d, scheduler.Job{Device: d, Kernels: d, Graph: g, Params: values, Algorithm: scheduler.Type{
		Name: name, Value: reflect.TypeFor[uint32](), Phased: true, Fields: fields, From: map[string]string{"Reverse": name},
	}}
}

func array(name string) scheduler.Field {
	return scheduler.Field{Name: name, Elem: reflect.TypeFor[uint32](), Array: true}
}

// TestPhases checks the launches of a run in phases: when the frontier is empty, one finds
// the next phase and one its first frontier, until there is no phase.
func TestPhases(t *testing.T) {
	d, j := phased[kernels.KCore](t, "grid:width=4,keep=1,seed=1", scheduler.Field{Name: "K", Elem: reflect.TypeFor[uint32]()})
	out, err := bsp.Thread().Run(t.Context(), j)
	require.NoError(t, err)
	want, err := reference.Coreness(t.Context(), j.Graph)
	require.NoError(t, err)
	require.Equal(t, want, out.Values)
	require.Zero(t, d.Live)
	var kernel []string
	for _, s := range out.Steps {
		require.Equal(t, s.Kernel == "scheduler.Init[kernels.KCore, uint32]", s.Setup, "the search for a phase is work of the run")
		kernel = append(kernel, s.Kernel)
	}
	// All vertices of a grid are in its 2-core, and none is in a 3-core: the corners go, then
	// their neighbors, and so on to the middle.
	const push = "bsp.Push[kernels.KCore, scheduler.ThreadPerVertex, uint32]"
	require.Equal(t, []string{"scheduler.Init[kernels.KCore, uint32]", "scheduler.NextPhase[kernels.KCore, uint32]", "scheduler.EnterPhase[kernels.KCore, uint32]",
		push, push, push, "scheduler.NextPhase[kernels.KCore, uint32]"}, kernel)
	next, ok := out.Steps[2].Number("next")
	require.True(t, ok)
	require.EqualValues(t, 4, next, "the corners")
	require.Equal(t, 3, out.Iterations)
}

// TestPhasesInReverse checks that phases which traverse the transpose get it.
func TestPhasesInReverse(t *testing.T) {
	for _, spec := range []string{"rmat:scale=6,degree=2,seed=3,directed=true", "rmat:scale=6,degree=2,seed=3"} {
		d, j := phased[kernels.WCC](t, spec, array("Out"), array("In"))
		out, err := bsp.Thread().Run(t.Context(), j)
		require.NoError(t, err)
		require.NoError(t, reference.CheckComponents(t.Context(), "cc", j.Graph, out.Values.([]uint32), reference.CC))
		require.Zero(t, d.Live)
	}
}

func TestPhasesEndEarly(t *testing.T) {
	t.Run("when a phase is no later one", func(t *testing.T) {
		d, j := phased[still](t, "grid:width=3,keep=1,seed=1")
		_, err := bsp.Thread().Run(t.Context(), j)
		require.EqualError(t, err, "scheduler_test.still.Phase returns 0 in phase 0; the next phase must be a later one")
		require.Zero(t, d.Live)
	})
	t.Run("at the limit of iterations", func(t *testing.T) {
		d, j := phased[kernels.SCC](t, "rmat:scale=6,degree=4,seed=3,directed=true", array("Class"))
		j.Params, _ = bsp.Thread().Values(map[string]string{"max-iterations": "5"})
		out, err := bsp.Thread().Run(t.Context(), j)
		var limit *scheduler.NotConverged
		require.ErrorAs(t, err, &limit)
		require.Equal(t, 5, out.Iterations)
		require.Zero(t, d.Live)
	})
	t.Run("when a launch fails", func(t *testing.T) {
		for at := 1; at <= 8; at++ {
			d, j := phased[kernels.SCC](t, "rmat:scale=4,degree=2,seed=3,directed=true", array("Class"))
			d.FailAt, d.Failure = at, errors.New("index out of range")
			out, err := bsp.Thread().Run(t.Context(), j)
			require.ErrorIs(t, err, d.Failure)
			require.Len(t, out.Steps, at)
			require.Nil(t, out.Values)
			require.Zero(t, d.Live)
		}
	})
	t.Run("when cancelled between two phases", func(t *testing.T) {
		for _, at := range []string{"scheduler.NextPhase[kernels.SCC, uint32]", "scheduler.EnterPhase[kernels.SCC, uint32]"} {
			d, j := phased[kernels.SCC](t, "rmat:scale=4,degree=2,seed=3,directed=true", array("Class"))
			ctx, cancel := context.WithCancel(t.Context())
			j.Progress = func(s scheduler.Step) {
				if s.Kernel == at {
					cancel()
				}
			}
			out, err := bsp.Thread().Run(ctx, j)
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, at, out.Steps[len(out.Steps)-1].Kernel)
			require.Zero(t, d.Live)
		}
	})
	t.Run("without memory", func(t *testing.T) {
		d, j := phased[kernels.SCC](t, "rmat:scale=4,degree=2,seed=3,directed=true", array("Class"))
		d.NoMemory = "phase"
		_, err := bsp.Thread().Run(t.Context(), j)
		require.EqualError(t, err, "allocating phase: out of memory")
		require.Zero(t, d.Live)
	})
}
