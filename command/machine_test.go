package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/config"
)

// TestMachineFile checks that a file with only a base is the same machine as
// the base, and so is the base's whole machine as printed by --yaml; a
// different value makes a different machine.
func TestMachineFile(t *testing.T) {
	dir := t.TempDir()
	whole, _, code := command(t, "list", "parameters", "h200", "--yaml")
	require.Equal(t, exitRight, code)
	files := map[string]string{"whole": whole, "base": "base: h200\n", "slow": "base: h200\nvalues: {clock.l2: 990}\n"}
	args := []string{"bfs", "--graph", "rmat:scale=7,degree=8,seed=1", "--device"}
	preset := runJSON(t, exitRight, append(args, "sim:h200")...)
	for name, text := range files {
		file := filepath.Join(dir, name+".yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		r := runJSON(t, exitRight, append(args, "sim:"+file)...)
		assert.Equal(t, "sim:"+file, r.Device)
		if name == "slow" {
			assert.Greater(t, r.Cycles, preset.Cycles)
			assert.NotEqual(t, preset.MachineHash, r.MachineHash)
			assert.Equal(t, 990.0, r.Machine["clock.l2"])
			continue
		}
		assert.Equal(t, preset.Cycles, r.Cycles, name)
		assert.Equal(t, preset.Counters, r.Counters, name)
		assert.Equal(t, preset.Machine, r.Machine, name)
		assert.Equal(t, preset.MachineHash, r.MachineHash, name)
	}
}

// TestMachineOfRun checks that the JSON of a run has the whole machine, with
// the parameters that were set.
func TestMachineOfRun(t *testing.T) {
	args := []string{"bfs", "--graph", "testdata/triangle.mtx", "--device"}
	r := runJSON(t, exitRight, append(args, "sim:tiny", "--set", "sm.count=3")...)
	g, err := config.Load("tiny")
	require.NoError(t, err)
	require.NoError(t, g.Set("sm.count", "3"))
	assert.Equal(t, g.Hash(), r.MachineHash)
	text, err := json.Marshal(g.Values())
	require.NoError(t, err)
	again, err := json.Marshal(r.Machine)
	require.NoError(t, err)
	assert.JSONEq(t, string(text), string(again))
	assert.Len(t, r.Machine, len(config.Parameters()))

	r = runJSON(t, exitRight, append(args, "func")...)
	assert.Nil(t, r.Machine)
	assert.Empty(t, r.MachineHash)
}

// TestMachineEverywhere checks that each command with --device accepts a
// machine file.
func TestMachineEverywhere(t *testing.T) {
	const device = "sim:testdata/machines/mine.yaml"
	for _, line := range [][]string{
		{"annotate", "bfs", "--graph", "testdata/triangle.mtx", "--device", device},
		{"compare", "bfs", "--graph", "testdata/triangle.mtx", "--device", device, "--with", "func"},
		{"compare", "bfs", "--graph", "testdata/triangle.mtx", "--device", "func", "--with", device},
		{"bench", "sim", "--algorithm", "bfs", "--scheduler", "warp", "--graph", "testdata/triangle.mtx", "--device", device},
		{"micro", "--device", device, "--only", "dependent load, plain, L1", "--json"},
	} {
		stdout, stderr, code := command(t, line...)
		require.Equal(t, exitRight, code, "%v: %s", line, stderr)
		assert.Contains(t, stdout, "mine.yaml", line)
	}
}
