package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/calibration"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// slowRows are the rows whose simulation takes seconds, the first one of them a minute, each with the parameter that it alone tells. To fit these
// takes ten times as long as all others.
var slowRows = map[string]string{
	"random 4-byte gather, 4 MiB":                                  "xbar.recv_head",
	"66 MiB read again, by all SMs":                                "dram.efficiency",
	"dependent load, plain, DRAM, 512 MiB":                         "dram.latency",
	"a warp a line of its own, no result":                          "atomic.queue",
	"a warp a line of its own, with result":                        "atomic.result",
	"relaxed loads of one word, a warp each":                       "l2.sector",
	"relaxed load and atomic add of one word in turn, a warp each": "atomic.load",
}

// recordWithout returns a copy of the record of an H200 in which the slow rows have failed, or, if all are wanted, in which the slowest one has the
// value that the preset gives, within the half percent for which it is left as it is.
func recordWithout(t *testing.T, all bool) (folder string) {
	t.Helper()
	const record = "../results/hw/h200"
	folder = filepath.Join(t.TempDir(), "h200")
	require.NoError(t, os.Mkdir(folder, 0o755))
	files, err := filepath.Glob(record + "/*.json")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if filepath.Base(file) == "micro.json" {
			var rows []results.Micro
			require.NoError(t, json.Unmarshal(data, &rows))
			for name := range slowRows {
				at := slices.IndexFunc(rows, func(r results.Micro) bool { return r.Name == name })
				require.NotEqual(t, -1, at, name)
				if !all {
					rows[at].Error = "too slow for this test"
				} else if slowRows[name] == "xbar.recv_head" {
					rows[at].Median = 151.2
				}
			}
			data, err = json.Marshal(rows)
			require.NoError(t, err)
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o600))
	}
	return folder
}

// TestHeavyCalibrate calibrates by the record of an H200 from the preset that was made of it by hand: the rows do not contradict each other, and
// the machine is nearer to them. Slow rows are as if they had failed: each is the only one of its parameter, and contradicts none; with
// WEFT_EXHAUSTIVE=1 they count (make exhaustive), and TestHeavyComesBack has some of them.
func TestHeavyCalibrate(t *testing.T) {
	all := os.Getenv("WEFT_EXHAUSTIVE") != ""
	file, record := filepath.Join(t.TempDir(), "my.yaml"), recordWithout(t, all)
	stdout, stderr, code := command(t, "calibrate", record, "--base", "h200", "--out", file, "--json")
	require.Equal(t, exitRight, code, stderr)
	var r calibration.Result
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.Less(t, r.After.Mean, r.Before.Mean)
	assert.Less(t, r.After.Mean, 0.02)
	assert.NotEmpty(t, r.Kept)
	g, err := config.Load(file)
	require.NoError(t, err)
	assert.Equal(t, r.Machine, g.Hash())
	why := map[string]string{}
	for _, k := range r.Kept {
		why[k.Parameter] = k.Why
	}
	for _, f := range r.Fitted {
		assert.Contains(t, g.Origin(f.Parameter).Fitted, "micro-kernels of "+record+"/micro.json", f.Parameter)
	}
	for row, parameter := range slowRows {
		if !all {
			assert.Contains(t, why[parameter], row+": it failed when it was recorded: too slow for this test")
		}
	}
	assert.Greater(t, len(r.Fitted), 40)
}
