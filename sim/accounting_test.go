package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
)

// TestStallsAccountForAllTime checks that every cycle of every resident warp is either an issue or charged to a stall
// reason.
func TestStallsAccountForAllTime(t *testing.T) {
	for _, preset := range presetsOf() {
		d := open(t, preset)
		bfs(t, d, openGraph(t, "rmat:scale=9,degree=8,seed=3"), "warp")
		c := d.m.snapshot()
		sum := uint64(0)
		for _, n := range c.Stalled {
			sum += n
		}
		assert.Equal(t, c.WarpCycles, sum, preset)
		total, ratios := d.Total(), 0.0
		for i := range counter.NumStalls {
			ratios += count(t, total, counter.Stalls[i].Counter())
		}
		latency := count(t, total, "smsp__average_warp_latency_per_inst_issued.ratio") * count(t, total, "smsp__inst_executed.sum")
		assert.InEpsilon(t, latency, ratios*count(t, total, "smsp__issue_active.sum"), 1e-9, preset)
		assert.InDelta(t, 1, count(t, total, counter.Stalls[counter.StallSelected].Counter()), 1e-9)
	}
}

// TestLaunchCosts compares the simulator with an H200: an empty kernel launched back to back, and launched with the
// host waiting for it, as it does after each launch.
func TestLaunchCosts(t *testing.T) {
	d := open(t, "h200")
	a := newAsm("empty", 0, 0)
	a.op(ir.OpExit, ir.Void, -1)
	k := a.kernel(t)
	r := launch(t, d, k, 1, 32)
	assert.InDelta(t, 4.18e-6, r.Seconds, 0.03e-6)
	before := d.Total().Seconds
	launch(t, d, k, 1, 32)
	assert.InDelta(t, 7.45e-6, d.Total().Seconds-before, 0.06e-6)
	before = d.Total().Seconds
	r, err := d.Time(context.Background(), device.Launch{Kernel: k, Grid: 1, Block: 32}, 4)
	require.NoError(t, err)
	assert.Equal(t, 4, r.Launches)
	assert.InDelta(t, 4*d.cfg.Launch.Rate*1e-6, r.Seconds, 1e-9, "one behind the other: the host's rate")
	assert.InDelta(t, r.Seconds+d.cfg.Launch.Sync*1e-6, d.Total().Seconds-before, 1e-9, "the host waits once")
}
