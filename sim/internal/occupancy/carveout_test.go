package occupancy

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// TestCarveOutOfH200 compares with launch__shared_mem_config_size, which Nsight Compute 2025.3 reported on an H200 with
// driver 580.159.04 for a kernel of 18 registers: 12 sizes of blocks, each with 15 sizes of dynamic shared memory.
func TestCarveOutOfH200(t *testing.T) {
	f, err := os.Open("testdata/h200-carve-out.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	cfg, err := config.Load("h200")
	require.NoError(t, err)
	require.Len(t, rows, 1+12*15)
	wrong := 0
	for _, row := range rows[1:] {
		var x [3]int
		for i := range x {
			x[i], err = strconv.Atoi(row[i])
			require.NoError(t, err)
		}
		o, err := Of(cfg, &device.Kernel{Registers: 18}, x[0], 0, x[1])
		require.NoError(t, err)
		got := CarveOut(cfg, x[0], o.BlocksPerSM, x[1])
		assert.GreaterOrEqual(t, got, min(o.BlocksPerSM*(x[1]+cfg.SM.SharedReserve), cfg.SM.SharedBytes), "%v", row)
		if got != x[2] {
			wrong++
			t.Logf("%v: %d", row, got)
		}
	}
	assert.LessOrEqual(t, wrong, 2)
}

// TestCarveOutFits checks the smallest step that holds all blocks, up to the limit of the GPU: 96 KiB on a V100, which
// is no step of others.
func TestCarveOutFits(t *testing.T) {
	for _, c := range []struct {
		preset        string
		blocks, bytes int
		kib           int
	}{
		{"v100", 32, 0, 0}, {"v100", 1, 1, 8}, {"v100", 2, 8 << 10, 16}, {"v100", 1, 65 << 10, 96}, {"v100", 2, 48 << 10, 96},
		{"a100", 32, 0, 32}, {"a100", 8, 0, 8}, {"a100", 8, 7 << 10, 64}, {"a100", 2, 80 << 10, 164},
	} {
		cfg, err := config.Load(c.preset)
		require.NoError(t, err)
		assert.Equal(t, c.kib<<10, CarveOut(cfg, 256, c.blocks, c.bytes), "%+v", c)
	}
}
