//go:build !kernel

package atos_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/scheme/atos"
	"github.com/weft-gpu/weft/internal/testing/native"
	"github.com/weft-gpu/weft/scheduler"
)

// TestRefusedOnGroups checks what several GPUs do not run, and that one GPU does.
func TestRefusedOnGroups(t *testing.T) {
	s := atos.New()
	for want, given := range map[string]map[string]string{
		"parameter kernel of scheduler atos: several GPUs need kernel=persistent, whose workers take what other GPUs send":      {"kernel": "discrete"},
		"parameter merge of scheduler atos: several GPUs need merge=true, by which what is sent is put together while it waits": {"merge": "false"},
		"parameter history of scheduler atos: several GPUs need history=0: each has a clock of its own":                         {"history": "1000"},
	} {
		p, err := s.Values(given)
		require.NoError(t, err)
		require.NoError(t, s.Accepts(bfsType, p))
		require.EqualError(t, s.AcceptsGroup(bfsType, p), want)
		j := job(t, newDevice(), given)
		d := native.NewGroup(nil, 2)
		j.Device, j.Kernels = d, d
		_, err = s.Run(t.Context(), j)
		require.EqualError(t, err, want)
	}
	ranks := scheduler.Type{Name: "kernels.PageRank", From: map[string]string{"Take": "kernels.PageRank", "Consumes": "kernels.PageRank"}}
	p, err := s.Values(map[string]string{"check": "32"})
	require.NoError(t, err)
	require.NoError(t, s.Accepts(ranks, p))
	require.EqualError(t, s.AcceptsGroup(ranks, p), "parameter check of scheduler atos: several GPUs need check=0: a look at all vertices does not see what is on its way")
	p, err = s.Values(nil)
	require.NoError(t, err)
	require.NoError(t, s.AcceptsGroup(ranks, p), "the default is 0 there")
	require.NoError(t, s.AcceptsGroup(bfsType, p))
	require.EqualError(t, s.AcceptsGroup(colouringType, p), "scheduler atos runs kernels.Colouring on one GPU, since a vertex chooses its value by those of its neighbors, which other GPUs have")
}

// TestGroupTooLarge has more GPUs than kernels have places for.
func TestGroupTooLarge(t *testing.T) {
	d := native.NewGroup(groupKernels(), 9)
	j := job(t, newDevice(), nil)
	j.Device, j.Kernels = d, d
	_, err := atos.New().Run(t.Context(), j)
	require.EqualError(t, err, "native has 9 GPUs; kernels that store to the memory of others are for at most 8")
	require.Zero(t, d.Live)
}

// groupKernels are the kernels of a group, which are not run: a native group runs one GPU after the other.
func groupKernels() map[string]any {
	return map[string]any{
		"atos.InitSpread[kernels.BFS, uint32]": func(any) {}, "atos.Spread[kernels.BFS, scheduler.BlockPerVertex, uint32]": func(any) {},
	}
}

// TestGroupEndsEarly checks that a run on several GPUs that fails says where, and frees all memory.
func TestGroupEndsEarly(t *testing.T) {
	run := func(set func(d *native.Group)) (*native.Group, error) {
		d := native.NewGroup(groupKernels(), 2)
		set(d)
		j := job(t, newDevice(), map[string]string{"block": "32"})
		j.Device, j.Kernels = d, d
		_, err := atos.New().Run(t.Context(), j)
		live := 0
		for i := range d.GPUs() {
			live += d.GPU(i).(*native.Device).Live
		}
		require.Zero(t, live, "buffers are left")
		return d, err
	}
	failure := errors.New("index out of range")
	_, err := run(func(d *native.Group) { d.FailAt, d.Failure = 1, failure })
	require.ErrorIs(t, err, failure)
	for _, name := range []string{"g.Row", "g.Col", "row", "values", "queue.Slots", "queue.Voids", "done", "inbox", "outbox.Seen", "ending.Kept", "ending.Told"} {
		_, err := run(func(d *native.Group) { d.NoMemory = name })
		require.EqualError(t, err, "GPU 0: allocating "+name+": out of memory")
	}
}
