package config

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTimingOfPresets checks that the presets' values in GB/s and ns correspond to the cycles with which the results
// were measured. Bursts are in 64ths of a cycle.
func TestTimingOfPresets(t *testing.T) {
	for name, want := range map[string][4]int{ // burst, latency, row miss, row cycle
		"h200":     {96, 290, 50, 90},
		"h100":     {117, 290, 50, 90},
		"a100":     {330, 170, 40, 70},
		"v100":     {495, 190, 40, 70},
		"p100":     {589, 220, 40, 70},
		"gtx780":   {85, 110, 20, 30},
		"gtx780ti": {75, 110, 20, 30},
		"k40":      {70, 110, 20, 30},
		"k20":      {77, 110, 20, 30},
		"tiny":     {178, 170, 40, 70},
	} {
		g, err := Load(name)
		require.NoError(t, err)
		d := g.DRAMTiming()
		assert.Equal(t, want, [4]int{int(math.Round(d.Burst * TicksPerCycle)), d.Latency, d.RowMiss, d.RowCycle}, name)
		assert.Equal(t, g, g.InSMCycles(), "the L2's figures of %s are in cycles of its SMs", name)
	}
}

func TestInSMCycles(t *testing.T) {
	g, err := Load("h200")
	require.NoError(t, err)
	g.Clock.SM = 990
	c := g.InSMCycles()
	assert.Equal(t, 990.0, c.Clock.L2)
	assert.Equal(t, [4]int{66, 35, 35, 136}, [4]int{c.L2.Latency, c.Xbar.Request, c.Xbar.Reply, c.Fence.Device})
	assert.Equal(t, [3]float64{0.32, 0.75, 0.525}, [3]float64{c.L2.Sector, c.Atomic.Step, c.Xbar.RecvFlit})
	assert.Equal(t, [3]int{g.L1.Latency, g.Shared.Latency, g.Fence.Acquire}, [3]int{c.L1.Latency, c.Shared.Latency, c.Fence.Acquire}, "these are of the SM")
	assert.Equal(t, 145, g.DRAMTiming().Latency)
	assert.Equal(t, 132, g.L2.Latency, "the machine itself stays as it is")
	for _, mhz := range []float64{17, 100, 333, 990, 1981, 5000, 100000} { // rounding breaks no rule
		g.Clock.SM = mhz
		c := g.InSMCycles()
		assert.Less(t, c.L2.Spread/2, c.L2.Latency, "%v MHz", mhz)
		assert.LessOrEqual(t, c.L2.Far, c.L2.Latency-c.L2.Spread/2+c.Xbar.Reply, "%v MHz", mhz)
	}
}

func TestTooFastForTheClock(t *testing.T) {
	g, err := Load("h200")
	require.NoError(t, err)
	g.Clock.SM = 20
	assert.EqualError(t, g.Validate(), "machine h200: l2.sector (0.64) at clock.l2 (1980) is less than 1/64 of a cycle at clock.sm (20)")
	g.Clock.SM = 1980
	g.DRAM.Bandwidth = 1e6
	g.DRAM.Channels = 1
	g.DRAM.Burst = 32
	assert.EqualError(t, g.Validate(), "machine h200: dram.bandwidth (1000000) over dram.channels (1) is less than 1/64 of a cycle at clock.sm (1980) for a burst")
}
