package record

import (
	"bytes"
	"os"
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
	assert.InDelta(t, 2*c.Copy.Latency+c.Launch.Kernel+c.Launch.Sync, both.Median, 0.2)
	assert.InDelta(t, steps.Median, both.Median, 0.01, "a simulated host has the steps alone")
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
	// Each launch is preceded by a write of the counter and followed by its read.
	between := float64(r.Iterations) * (2*c.Copy.Latency + c.Launch.Sync) * 1e-6
	assert.Greater(t, r.Whole.Median, r.Kernels.Median+between)
	assert.Less(t, r.Whole.Median, r.Kernels.Median+between+100e-6, "the first launch, and the answer")
}
