package bound

import (
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
