package bound

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/config"
)

// TestPeaksByClock holds that setting one clock changes the peaks of its own domain alone.
func TestPeaksByClock(t *testing.T) {
	peaks := func(path, value string) map[string]string {
		g, err := config.Load("h200")
		require.NoError(t, err)
		if path != "" {
			require.NoError(t, g.Set(path, value))
		}
		p := map[string]string{}
		for _, u := range units {
			p[u.name] = u.peak(g)
		}
		return p
	}
	usual := peaks("", "")
	assert.Equal(t, "1.05 T inst/s", usual["issue slots"])
	assert.Equal(t, "7.92 TB/s", usual["L2"])
	assert.Equal(t, "1.32 G steps/s", usual["busiest atomic unit"])
	assert.Equal(t, "4.8 TB/s", usual["DRAM"])
	ofL2 := map[string]bool{}
	for _, u := range units {
		switch u.kind {
		case Crossbar, L2, L2Slice, Atomics, Atomic:
			ofL2[u.name] = true
		}
	}
	slowSM, slowL2, slowDRAM := peaks("clock.sm", "990"), peaks("clock.l2", "990"), peaks("dram.bandwidth", "2400")
	for name, p := range usual {
		assert.Equal(t, ofL2[name] || name == "DRAM", slowSM[name] == p, "%s with a slow SM: %s", name, slowSM[name])
		assert.Equal(t, !ofL2[name], slowL2[name] == p, "%s with a slow L2: %s", name, slowL2[name])
		assert.Equal(t, name != "DRAM", slowDRAM[name] == p, "%s with a slow DRAM: %s", name, slowDRAM[name])
	}
}

// TestPeaksOfDataSheets computes the peak of single-precision multiply-adds, two operations each, and compares it with
// the data sheets' in GFLOP/s. Kepler's is two thirds of it, and says so.
func TestPeaksOfDataSheets(t *testing.T) {
	for name, x := range map[string]struct {
		sheet, clock float64 // GFLOP/s at a clock of the SMs in MHz
		share        float64
	}{
		"k40":      {4291, 745, 2. / 3}, // 2,880 cores x 2 x 745 MHz
		"p100":     {10609, 1480, 1},    // 3,584 cores
		"v100":     {15667, 1530, 1},    // 5,120 cores
		"a100":     {19492, 1410, 1},    // 6,912 cores
		"h200":     {66908, 1980, 1},    // 16,896 cores
		"gtx780ti": {5345, 928, 2. / 3}, // 2,880 cores
	} {
		g, err := config.Load(name)
		require.NoError(t, err)
		assert.InDelta(t, x.clock, g.Clock.SM, 0)
		peak := perSecond(g.SM.Count*g.SM.SubCores*lanes, float64(g.Cadence.FP32), g.Clock.SM) * 2 / 1e9
		assert.InEpsilon(t, x.share*x.sheet, peak, 0.001, name)
		for _, u := range units {
			if u.name == "FP32 pipe" {
				assert.Equal(t, x.share < 1, strings.Contains(u.peak(g), "(two thirds of the data sheet's peak: 4 schedulers feed 128 of the 192 lanes)"), "%s: %s", name, u.peak(g))
			}
		}
		if x.share < 1 {
			require.NoError(t, g.Set("interval.fp32", "2"))
			assert.Empty(t, differs(g, "interval.fp32"), "of another value nothing is known")
		}
	}
}
