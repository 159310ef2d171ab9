//go:build !kernel

package hierq_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/scheme/hierq"
	"github.com/weft-gpu/weft/kernels"
)

// TestHostLevels checks the steps of runs whose first iterations are the host's: those of
// TestSteps from there on, and the whole run if the host does not stop before its end.
func TestHostLevels(t *testing.T) {
	const rest = ", queued 0 0 0, overflows 0 0"
	for levels, want := range map[string][]string{
		"1": {"Push 2: 28->21 in 1, queued 21 21 0, overflows 0 0", "Push 3: 21->1 in 1, queued 1 1 0, overflows 0 0", "Push 4: 1->0 in 1" + rest},
		"3": {"Push 4: 1->0 in 1" + rest},
		"4": {},
		"9": {},
	} {
		d := device()
		j := job(t, d, map[string]string{"host-levels": levels, "one-block": "0"})
		out, err := hierq.New().Run(t.Context(), j)
		require.NoError(t, err)
		require.NoError(t, reference.CheckBFS(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
		require.Zero(t, d.Live)
		require.Equal(t, 4, out.Iterations)
		first := out.Steps[1]
		require.Equal(t, "hierq.Place[uint32]", first.Kernel)
		require.False(t, first.Setup, "it does work")
		next, _ := first.Number("next")
		require.InDelta(t, map[string]int{"1": 28, "3": 1}[levels], next, 0)
		processed, _ := first.Number("frontier")
		require.InDelta(t, map[string]int{"1": 1, "3": 50, "4": 51, "9": 51}[levels], processed, 0)
		got := []string{}
		for _, s := range out.Steps[2:] {
			got = append(got, line(t, s))
		}
		require.Equal(t, want, got)
	}
}

// TestHostLevelsOfSSSP checks an algorithm whose vertices return to the frontier.
func TestHostLevelsOfSSSP(t *testing.T) {
	d := device()
	j := job(t, d, map[string]string{"host-levels": "2"})
	j.Algorithm, j.Linked = ssspType, kernels.SSSP{}
	var err error
	j.Graph, _, err = j.Graph.WithWeights(t.Context())
	require.NoError(t, err)
	out, err := hierq.New().Run(t.Context(), j)
	require.NoError(t, err)
	require.NoError(t, reference.CheckSSSP(t.Context(), j.Graph, j.Source, out.Values.([]uint32)))
	require.Greater(t, out.Iterations, 2)
}

func TestHostLevelsFail(t *testing.T) {
	on := map[string]string{"host-levels": "2"}
	for _, name := range []string{"reached", "found"} {
		d := device()
		d.NoMemory = name
		_, err := hierq.New().Run(t.Context(), job(t, d, on))
		require.EqualError(t, err, "allocating "+name+": out of memory")
		require.Zero(t, d.Live)
	}
	d := device()
	d.FailAt, d.Failure = 2, errors.New("index out of range")
	out, err := hierq.New().Run(t.Context(), job(t, d, on))
	require.ErrorIs(t, err, d.Failure)
	require.Len(t, out.Steps, 2)
	require.Zero(t, d.Live)

	d = device()
	ctx, cancel := context.WithCancel(t.Context())
	d.After = cancel
	out, err = hierq.New().Run(ctx, job(t, d, on))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, out.Steps, 1)
	require.Zero(t, d.Live)

	d = device()
	j := job(t, d, on)
	j.Linked = nil
	_, err = hierq.New().Run(t.Context(), j)
	require.EqualError(t, err, "host-levels=2: kernels.BFS is compiled for devices and not a part of this program, so the host cannot run its methods; use host-levels=0")
	require.Empty(t, d.Grids, "nothing is launched")

	_, err = hierq.New().Run(t.Context(), job(t, device(), map[string]string{"host-levels": "5", "max-iterations": "2"}))
	require.EqualError(t, err, "kernels.BFS did not end within 2 iterations: 21 vertices are still active")
}
