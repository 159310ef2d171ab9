package comparison

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/microbench"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/results"
)

// counted runs BFS by warp on karate, and a micro-kernel, on a small simulated
// machine, and makes a record of the counters. Since the record holds the
// simulator's own counters, no change of the machine makes it stale.
func counted(t *testing.T) (record *results.Hardware, folder string) {
	spec, err := devices.New("sim:tiny", devices.Options{Seed: 1})
	require.NoError(t, err)
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "graph", "testdata", "karate.mtx.gz"))
	require.NoError(t, err)
	folder = t.TempDir()
	file := filepath.Join(folder, "karate.mtx.gz")
	require.NoError(t, os.WriteFile(file, raw, 0o644))
	g, _, err := graph.Open(t.Context(), file, graph.LoadOptions{})
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	dev, err := spec.Open(t.Context(), devices.Watch{})
	require.NoError(t, err)
	c := &compare.Counting{Device: dev, Entry: ir.Symbol}
	_, err = runSide(t.Context(), c, spec, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Source: source})
	require.NoError(t, err)
	require.NoError(t, dev.Close())
	record = &results.Hardware{Runs: []results.Run{{Algorithm: "bfs", Scheduler: "warp", Graph: "karate.mtx.gz", Vertices: g.Vertices(), Arcs: g.Arcs(), Source: source, ByKernel: c.ByKernel()}}}

	const only = "^warp: shuffle"
	rows, err := microbench.Rows(only, false)
	require.NoError(t, err)
	kernels, err := catalog.Kernels()
	require.NoError(t, err)
	dev, err = spec.Open(t.Context(), devices.Watch{})
	require.NoError(t, err)
	c = &compare.Counting{Device: dev, Entry: ir.Symbol}
	_, err = (&micro.Runner{Device: c, Kernels: kernels}).Run(t.Context(), rows)
	require.NoError(t, err)
	require.NoError(t, dev.Close())
	record.MicroCounters.Only = only
	for _, l := range c.Launches {
		record.MicroCounters.Launches = append(record.MicroCounters.Launches, l.KernelCounters)
	}
	require.NotEmpty(t, record.MicroCounters.Launches)
	return record, folder
}

func runCounters(ctx context.Context, t *testing.T, h *results.Hardware, folder string, asJSON bool) (string, error) {
	spec, err := devices.New("sim:tiny", devices.Options{Seed: 1})
	require.NoError(t, err)
	var out bytes.Buffer
	table, err := countersOf(ctx, Request{Device: spec, GPU: "x", Folder: folder, MaxArcs: 1000, Stderr: io.Discard}, h)
	switch {
	case table == nil:
	case asJSON:
		require.NoError(t, format.JSON(&out, table))
	default:
		table.Text(&out)
	}
	return out.String(), err
}

// TestCompareCounters checks that a machine agrees with itself, and that a
// record with twice the instructions gives an error of 50%.
func TestCompareCounters(t *testing.T) {
	h, folder := counted(t)
	h.Runs[0].ByKernel[1].Counters["smsp__inst_executed.sum"] *= 2
	text, err := runCounters(t.Context(), t, h, folder, true)
	require.NoError(t, err)
	var got CounterTable
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	require.Len(t, got.Kernels, 2)
	assert.Equal(t, "scheduler_Init_kernels_BFS_uint32_", got.Kernels[0].Kernel)
	assert.Equal(t, "bsp_Push_kernels_BFS_scheduler_WarpPerVertex_uint32_", got.Kernels[1].Kernel)
	assert.Equal(t, "bfs by warp on karate.mtx.gz", got.Kernels[1].Run)
	for _, s := range got.Counters {
		if s.Name != "smsp__inst_executed.sum" {
			assert.Zero(t, s.Mean, s.Name)
		}
	}
	for _, c := range got.Kernels[1].Counters {
		if c.Name == "smsp__inst_executed.sum" {
			assert.InDelta(t, -0.5, float64(c.Error), 1e-12)
		}
	}
	for _, w := range got.Waits {
		assert.Zero(t, w.Mean, w.Name)
	}
	require.NotEmpty(t, got.Waits)
	require.Len(t, got.Micro, 1)
	assert.Contains(t, got.Micro[0].Run, "warp: shuffle")
	require.NotEmpty(t, got.OfMicro)
	assert.Empty(t, got.Notes)

	h.Runs[0].ByKernel[0].Kernel = "kernels_Gone"
	h.MicroCounters.Launches = append(h.MicroCounters.Launches, h.MicroCounters.Launches[0])
	text, err = runCounters(t.Context(), t, h, folder, false)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^bsp_Push_kernels_BFS_scheduler_WarpPerVertex_uint32_ +bfs by warp on karate.mtx.gz +-50% `, text)
	assert.Regexp(t, `(?m)^smsp__inst_executed.sum +\d +\d+\.0% .*bsp_Push_kernels_BFS_scheduler_WarpPerVertex_uint32_, bfs by warp on karate.mtx.gz$`, text)
	assert.Regexp(t, `(?m)^why warps wait, share of their time +sim:tiny +record of x +difference$`, text)
	assert.Contains(t, text, "note: micro_Shuffle was launched another number of times")
	assert.Contains(t, text, "note: left out: kernels_Gone in bfs by warp on karate.mtx.gz, which was recorded and did not run here\n")
	assert.Contains(t, text, "note: left out: scheduler_Init_kernels_BFS_uint32_ in bfs by warp on karate.mtx.gz, which was not recorded\n")
}

// TestCompareCountersTotal compares with a record that does not distinguish
// kernels.
func TestCompareCountersTotal(t *testing.T) {
	h, folder := counted(t)
	h.Runs[0].Counters, h.Runs[0].ByKernel = h.Runs[0].Total(), nil
	h.MicroCounters = results.MicroCounters{}
	text, err := runCounters(t.Context(), t, h, folder, false)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^all +bfs by warp on karate.mtx.gz +\+0% `, text)
	assert.NotContains(t, text, "micro-kernels")
}

func TestCompareCountersBad(t *testing.T) {
	h, folder := counted(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := runCounters(ctx, t, h, folder, false)
	require.ErrorIs(t, err, signals.Interrupted)
	_, err = runCounters(t.Context(), t, &results.Hardware{Runs: h.Runs[:1:1]}, filepath.Join(folder, "none"), false)
	require.ErrorContains(t, err, "--graphs: cannot read ")
	h.Runs[0].ByKernel, h.MicroCounters = nil, results.MicroCounters{}
	_, err = runCounters(t.Context(), t, h, folder, false)
	require.ErrorContains(t, err, "no counters of the graphs at hand were recorded of the x")
	var mistake *usage.Error
	assert.ErrorAs(t, err, &mistake)
}
