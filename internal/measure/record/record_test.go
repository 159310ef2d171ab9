package record

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/measure/ncu"
	"github.com/weft-gpu/weft/results"
)

// TestMicroCounters checks that the counters of a profile are written, and the missing ones reported.
func TestMicroCounters(t *testing.T) {
	want := results.MicroCounters{Only: "warp", Launches: []results.KernelCounters{{Kernel: "k", Launches: 1, Counters: map[string]float64{"smsp__inst_executed.sum": 3}}}}
	var log bytes.Buffer
	p := &Plan{Out: t.TempDir(), Log: &log, Missing: ncu.Missing, ProfileMicro: func(context.Context) (results.MicroCounters, error) { return want, nil }}
	require.NoError(t, p.write("meta.json", results.Meta{}))
	bad, err := p.microCounters(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, bad)
	require.Contains(t, log.String(), "counters that this GPU lacks: gpu__time_duration.sum ")
	h, err := results.LoadFS("x", os.DirFS(p.Out))
	require.NoError(t, err)
	require.Equal(t, want, h.MicroCounters)
}

// TestParts checks that a plan records only the given parts, and where the numbers come from.
func TestParts(t *testing.T) {
	require.Contains(t, Parts(), "micro-counters")
	opened := 0
	p := &Plan{Out: t.TempDir(), Log: &bytes.Buffer{}, Parts: []string{"micro-counters"}, Missing: ncu.Missing,
		Open: func(bool) (device.Device, error) { opened++; return function.New(function.Options{}), nil },
		ProfileMicro: func(context.Context) (results.MicroCounters, error) {
			return results.MicroCounters{Launches: []results.KernelCounters{{Kernel: "k"}}}, nil
		}}
	require.NoError(t, p.Run(t.Context()))
	require.Equal(t, 1, opened)
	files, err := os.ReadDir(p.Out)
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Equal(t, "meta.json", files[0].Name())
	require.Equal(t, "micro-counters.json", files[1].Name())
}

// TestMicroCountersFail checks that recording continues without ncu.
func TestMicroCountersFail(t *testing.T) {
	var log bytes.Buffer
	p := &Plan{Out: t.TempDir(), Log: &log, ProfileMicro: func(context.Context) (results.MicroCounters, error) {
		return results.MicroCounters{}, errors.New("no ncu")
	}}
	bad, err := p.microCounters(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 1, bad)
	require.Equal(t, "counters of micro-kernels: no ncu\n", log.String())
	require.NoFileExists(t, filepath.Join(p.Out, "micro-counters.json"))
	p.Missing = ncu.Missing
	p.ProfileMicro = func(context.Context) (results.MicroCounters, error) {
		return results.MicroCounters{Launches: []results.KernelCounters{{Kernel: "k"}}}, errors.New("a row failed")
	}
	bad, err = p.microCounters(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 1, bad)
	require.FileExists(t, filepath.Join(p.Out, "micro-counters.json"))
	p.ProfileMicro = nil
	bad, err = p.microCounters(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, bad, "not asked for")
}
