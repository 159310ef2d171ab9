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

// slowRow is the row whose simulation takes half a minute. To fit it takes a dozen of them, longer than all other rows together.
const slowRow = "random 4-byte gather, 4 MiB"

// recordWith returns a copy of the record of an H200 in which a row of the micro-kernels has another value.
func recordWith(t *testing.T, name string, value float64) (folder string) {
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
			at := slices.IndexFunc(rows, func(r results.Micro) bool { return r.Name == name })
			require.NotEqual(t, -1, at)
			rows[at].Median = value
			data, err = json.Marshal(rows)
			require.NoError(t, err)
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o600))
	}
	return folder
}

// TestHeavyCalibrate calibrates by the record of an H200 from the preset that was made of it by hand. Its slowest row has the value that the
// preset gives, within the half percent for which it is left as it is.
func TestHeavyCalibrate(t *testing.T) {
	file, record := filepath.Join(t.TempDir(), "my.yaml"), recordWith(t, slowRow, 151.2)
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
	for _, f := range r.Fitted {
		assert.Contains(t, g.Origin(f.Parameter).Fitted, "micro-kernels of "+record+"/micro.json", f.Parameter)
	}
}
