package command

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/calibration"
	"github.com/weft-gpu/weft/sim/config"
)

// TestHeavyCalibrate calibrates by the record of an H200 from the preset that was made of it by hand.
func TestHeavyCalibrate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.yaml")
	stdout, stderr, code := command(t, "calibrate", "../results/hw/h200", "--base", "h200", "--out", file, "--json")
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
		assert.Contains(t, g.Origin(f.Parameter).Fitted, "micro-kernels of ../results/hw/h200/micro.json", f.Parameter)
	}
}
