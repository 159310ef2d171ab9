package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestWaves runs more blocks than fit, and checks what was resident.
func TestWaves(t *testing.T) {
	d := open(t, "tiny")
	k := saxpy(t)
	const n = 64 * 100
	x, y := upload(t, d, "x", device.U32, make([]uint32, n)), upload(t, d, "y", device.U32, make([]uint32, n))
	r := launch(t, d, k, 100, 64, x, y)
	assert.Equal(t, 100.0, count(t, r, "sm__ctas_launched.sum"))
	// At most 4 blocks of 2 warps on each SM of 32 warps.
	pct := count(t, r, "sm__warps_active.avg.pct_of_peak_sustained_active")
	assert.LessOrEqual(t, pct, 25.0)
	assert.Greater(t, pct, 15.0)
	assert.LessOrEqual(t, count(t, r, "sm__cycles_active.avg"), float64(r.Cycles))

	_, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 9, Block: 64, Args: []any{x, y}, Cooperative: true})
	var arg *device.ArgError
	require.ErrorAs(t, err, &arg)
	assert.Contains(t, arg.What, "a cooperative launch of 9 blocks; 8 fit at once (4 on each of 2 SMs, limited by blocks)")
	_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 8, Block: 64, Args: []any{x, y}, Cooperative: true})
	assert.NoError(t, err)
	_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 3, Block: 64, Args: []any{x, y}, Cooperative: true, DynamicShared: 32768})
	assert.ErrorContains(t, err, "2 fit at once (1 on each of 2 SMs, limited by shared memory)")
}
