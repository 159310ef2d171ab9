package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// onSim returns a plan and a simulated machine, whose host is simulated too.
func onSim(t *testing.T) (*Plan, *sim.Device) {
	t.Helper()
	m, err := config.Load("tiny")
	require.NoError(t, err)
	dev, err := sim.New(m, sim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	p := &Plan{Out: t.TempDir(), Log: &bytes.Buffer{}, Repeats: 2}
	require.NoError(t, p.write("meta.json", results.Meta{}))
	return p, dev
}

// TestHost checks that the measured costs of the host are those of the machine.
func TestHost(t *testing.T) {
	p, dev := onSim(t)
	bad, err := p.host(t.Context(), dev)
	require.NoError(t, err)
	require.Zero(t, bad)
	h, err := results.LoadFS("x", os.DirFS(p.Out))
	require.NoError(t, err)
	at := map[string]results.Micro{}
	for _, r := range h.Host {
		at[r.Name] = r
	}
	c := dev.Config()
	assert.InDelta(t, c.Copy.Latency, at["write of 4 bytes"].Median, 0.01)
	assert.InDelta(t, c.Copy.Latency, at["read of 4 bytes"].Median, 0.01)
	assert.InDelta(t, c.Copy.Rate, at["write of 100 MB"].Median, 0.01*c.Copy.Rate)
	assert.InDelta(t, c.Copy.Rate, at["read of 100 MB"].Median, 0.01*c.Copy.Rate)
	both, steps := at["launch of an empty kernel and an answer of 4 bytes"], at["the same by a write, a launch and a read"]
	launch := c.Launch.Kernel + c.Launch.Sync
	assert.InDelta(t, launch, at["launch of an empty kernel"].Median, 0.2)
	assert.InDelta(t, launch, at["cooperative launch of an empty kernel and an answer of 4 bytes"].Median-c.Copy.Answer, 0.2)
	assert.InDelta(t, launch+c.Copy.Answer, both.Median, 0.2)
	assert.InDelta(t, launch+2*c.Copy.Latency, steps.Median, 0.2)
	beyond := c.Launch.Sync + c.Copy.Answer
	for name, want := range map[string]float64{
		"launch of an empty kernel and an answer, less the kernel":           beyond,
		"launch of a kernel that copies 1 KB and an answer, less the kernel": beyond,
		"first launch and answer of a loop, less the kernel":                 beyond + c.Launch.Cold + c.Launch.First,
		"second launch, the first of another kernel, less the kernel":        beyond + c.Launch.First,
		"third launch, of that kernel again, less the kernel":                beyond,
		"fourth launch, less the kernel":                                     beyond,
		"eighth launch, less the kernel":                                     beyond,
	} {
		assert.InDelta(t, want, at[name].Median, 1e-6, name)
	}
	assert.Positive(t, at["launch of an empty kernel and an answer, the kernel"].Median)
	assert.Greater(t, at["launch of a kernel that copies 1 KB and an answer, the kernel"].Median, at["launch of an empty kernel and an answer, the kernel"].Median)
	assert.Len(t, at, 19)
	assert.Equal(t, 1000, both.Runs)
	assert.Equal(t, 3, at["read of 100 MB"].Runs)
	assert.Equal(t, "GB/s", at["read of 100 MB"].Unit)
}

// TestWhole checks that a run's record has the time of its launches and the algorithm's time, which is longer by the
// copies and the waiting in between.
func TestWhole(t *testing.T) {
	p, dev := onSim(t)
	g, _, err := graph.Open(t.Context(), "grid:width=5,height=4", graph.LoadOptions{})
	require.NoError(t, err)
	r := p.measure(t.Context(), dev, g, measured{Pair: Pair{"bfs", "warp"}})
	require.Empty(t, r.Error)
	assert.Equal(t, 2, r.Whole.Runs)
	c := dev.Config()
	// The loop takes a step before each launch, and waits for its answer.
	between := float64(r.Iterations) * (c.Launch.Step + c.Launch.Sync + c.Copy.Answer) * 1e-6
	assert.Greater(t, r.Whole.Median, r.Kernels.Median+between)
	assert.Less(t, r.Whole.Median, r.Kernels.Median+between+100e-6, "the first launch, and the answer")
}

// TestRecordedLoops checks that the H200's preset has what ten processes on one measured of first launches.
func TestRecordedLoops(t *testing.T) {
	files, err := filepath.Glob("../../../results/hw/h200/host-loops/*[0-9].json")
	require.NoError(t, err)
	require.Len(t, files, 10)
	var first, cold []float64
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		var rows []results.Micro
		require.NoError(t, json.Unmarshal(text, &rows))
		at := map[string]float64{}
		for _, r := range rows {
			at[r.Name] = r.Median
		}
		usual := at["eighth launch, less the kernel"]
		first = append(first, at["second launch, the first of another kernel, less the kernel"]-usual)
		cold = append(cold, at["first launch and answer of a loop, less the kernel"]-usual)
	}
	median := func(l []float64) float64 { slices.Sort(l); return (l[len(l)/2-1] + l[len(l)/2]) / 2 }
	m, err := config.Load("h200")
	require.NoError(t, err)
	assert.InDelta(t, median(first), m.Launch.First, 0.05)
	assert.InDelta(t, median(cold), m.Launch.First+m.Launch.Cold, 0.05)
}
