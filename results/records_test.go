package results_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// TestRecordsOfAFolder reads a folder with one record of each kind, and files that are none.
func TestRecordsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("mine/meta.json", `{"gpu": "NVIDIA GeForce RTX 4090", "date": "2026-01-02T03:04:05Z"}`)
	write("mine/runs.json", `[{"algorithm": "bfs", "scheduler": "warp", "graph": "a.mtx", "vertices": 3, "arcs": 4, "source": 2, "verified": true, "kernels": {"runs": 3, "median": 0.5}}]`)
	write("mine/again/twice.json", `{ "sessions": [{"gpu": "NVIDIA GeForce RTX 4090"}], "rows": [
		{"graph": "a", "algorithm": "bfs", "scheduler": "auto", "params": "", "session": 0, "chosen_by": {"chosen": "vwc", "parameters": {"width": "8"}}, "vertices": 3, "arcs": 4, "source": 2, "checked": "reference", "launches": 7, "kernel_seconds": [1, 3, 2], "algorithm_seconds": [4]},
		{"graph": "a", "algorithm": "cc", "scheduler": "warp", "params": "block=64", "session": 0, "vertices": 3, "arcs": 4, "checked": "values"}]}`)
	write("pair.json", `{"sessions": [{"gpu": "2 x NVIDIA GeForce RTX 4090"}], "rows": []}`)
	write("other.json", `{"rows": [1]}`)
	write("notes.txt", "hello")

	r, err := results.OpenRecords(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"rtx4090"}, r.GPUs(), "a group is no GPU")
	all := r.All("rtx4090")
	require.Len(t, all, 2)
	assert.Equal(t, []string{"mine", "mine/again/twice.json"}, []string{all[0].Name, all[1].Name})
	require.Len(t, r.All("rtx4090x2"), 1)
	h, err := r.Load("rtx4090")
	require.NoError(t, err)
	assert.Equal(t, "NVIDIA GeForce RTX 4090", h.Meta.GPU)
	require.Len(t, h.Runs, 1)
	assert.True(t, h.Runs[0].On(3, 4, 2))
	assert.False(t, h.Runs[0].On(3, 4, 0), "from another source")
	again, err := all[1].Hardware()
	require.NoError(t, err)
	require.Len(t, again.Runs, 2)
	assert.Equal(t, "vwc", again.Runs[0].Scheduler, "what auto chose")
	assert.Equal(t, map[string]string{"width": "8"}, again.Runs[0].Params)
	assert.Equal(t, 7, again.Runs[0].Launches)
	assert.InDelta(t, 2, again.Runs[0].Kernels.Median, 1e-12)
	assert.InDelta(t, 4, again.Runs[0].Whole.Median, 1e-12)
	assert.Equal(t, map[string]string{"block": "64"}, again.Runs[1].Params)
	assert.True(t, again.Runs[1].On(3, 4, 1), "an algorithm without a source has the same run from each")
	_, err = r.Load("h200")
	require.ErrorIs(t, err, results.ErrNoRecord)
	assert.EqualError(t, err, `no record of weft record of GPU "h200" in the folder `+dir)

	t.Setenv(results.Variable, dir)
	r, err = results.FromEnvironment()
	require.NoError(t, err)
	assert.Equal(t, dir, r.Folder)
	t.Setenv(results.Variable, "")
	r, err = results.FromEnvironment()
	require.NoError(t, err)
	assert.Same(t, results.Builtin(), r)

	write("bad/meta.json", "{")
	_, err = results.OpenRecords(dir)
	assert.EqualError(t, err, dir+": bad/meta.json: unexpected EOF")
}

// TestDeviceName checks that the names that drivers give to GPUs become those of the machines.
func TestDeviceName(t *testing.T) {
	for model, want := range map[string]string{
		"NVIDIA H200": "h200", "NVIDIA H100 80GB HBM3": "h100", "NVIDIA H100 PCIe": "h100", "NVIDIA A100-SXM4-80GB": "a100", "Tesla V100-SXM2-16GB": "v100",
		"Tesla P100-PCIE-16GB": "p100", "GeForce GTX 780 Ti": "gtx780ti", "Tesla K40": "k40",
	} {
		assert.Equal(t, want, results.DeviceName(model))
		assert.Contains(t, config.Presets(), want)
	}
	assert.Equal(t, "rtx4090", results.DeviceName("NVIDIA GeForce RTX 4090"))
	assert.Equal(t, "h200x2", results.DeviceName("2 x NVIDIA H200"))
}

// TestBuiltin checks that every record of ours is read, and that a run of each is found.
func TestBuiltin(t *testing.T) {
	assert.Equal(t, []string{"h100", "h200"}, results.Builtin().GPUs())
	var others []string
	for _, r := range results.Builtin().All("h100") {
		others = append(others, r.Name)
	}
	assert.Equal(t, []string{"hw/h100", "pairs/h100.json"}, others)
	var names, hostOnly []string
	for _, r := range results.Builtin().All("h200") {
		h, err := r.Hardware()
		require.NoError(t, err)
		if len(h.Runs) == 0 {
			hostOnly = append(hostOnly, r.Name)
			continue
		}
		names = append(names, r.Name)
	}
	assert.Equal(t, []string{"hw/h200", "pairs/h200.json", "peers/h200.json", "hw/h200/algorithm-time", "hw/h200/all-pairs", "hw/h200x2/scaling-one.json", "hw/h200x2/times-one.json", "pairs/2026-11-22/h200.json", "pairs/own-host/h200.json"}, names)
	assert.Equal(t, []string{"hw/h200/host-loops"}, hostOnly)
}
