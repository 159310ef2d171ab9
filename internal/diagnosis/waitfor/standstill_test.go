package waitfor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// withoutBudget opens func, or tiny with jitter, where a launch is given up that does not get on for 1,280 windows.
func withoutBudget(t *testing.T, on, window string) device.Device {
	if on == "func" {
		return function.New(function.Options{AllowUnwritten: true})
	}
	set := strings.Fields(on)
	cfg, err := config.Load(set[0])
	require.NoError(t, err)
	for _, s := range append(set[1:], "hang.window="+window) {
		name, value, _ := strings.Cut(s, "=")
		require.NoError(t, cfg.Set(name, value))
	}
	d, err := sim.New(cfg, sim.Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

const (
	jitter = "tiny jitter.sm=300 jitter.block=200 jitter.message=150"
	start  = "tiny jitter.block=20" // blocks start at random times, and then all is in step
)

// TestStandstill checks that a launch without a budget is given up that looks like a livelock, on machines whose state
// never recurs, and that its report has the words, the lines and advice.
func TestStandstill(t *testing.T) {
	two := device.Launch{Grid: 2, Block: 1}
	for _, c := range []struct {
		kernel, on string
		l          device.Launch
		args       []any
		says       []string
	}{
		{"Polite", start, two, []any{2, 1}, []string{"(jitter draws random delays, so that the state of the machine never recurs)",
			"its loop (lines 9 to 15) changes lock[0] (0 and 1) and lock[1] (0 and 1)", "each time it comes there, another thread has just changed it", "{give up} (gpu.AtomicExch)",
			"let the threads not go in step", "(checked: with that the launch ends)"}},
		// Two explanations are true, and the moment at which the search looks decides which one is given: no value lets it leave
		// its loop, and another thread changes the word each time it comes there.
		{"Retry", start, device.Launch{Grid: 3, Block: 1}, []any{1, 1}, []string{"changes word[0]"}},
		{"Swaps", start, two, []any{1, 1}, []string{"spins until word[0] == 2", "the value that it waits for never comes: the word is changed all the time, to other values, by blocks 0, 1, warp 0, lane 0 (2 threads) at {swap}", "hold off while [0] waits"}},
		{"PoliteClock", start, two, []any{2, 1}, []string{"changes lock[0] (0 and 1)"}},
		{"PoliteClock", "tiny", two, []any{2, 1}, []string{"(it reads a clock, so that the state of the machine never recurs)", "changes lock[0] (0 and 1)"}},
		{"ClockedSwaps", "func", two, []any{1, 1}, []string{"of its 1", "warp instructions, its threads and its memory have had no state that they did not have before", "(it reads a clock, so that its state never recurs)"}},
	} {
		t.Run(c.kernel+" "+c.on, func(t *testing.T) {
			err := launchOf(t, withoutBudget(t, c.on, "1000"), kernelOf(t, c.kernel), c.l, c.args)
			var u *device.UndecidedError
			require.ErrorAs(t, err, &u)
			assert.Empty(t, u.Budget)
			assert.NotEmpty(t, u.Still)
			text := strings.Join(strings.Fields(err.Error()), " ")
			assert.Contains(t, text, "undecided: it looks like a livelock: for "+u.Still)
			assert.NotContains(t, text, "budget")
			for _, s := range c.says {
				if s, not := strings.CutPrefix(s, "!"); not {
					assert.NotContains(t, text, marked(t, c.kernel, s))
				} else {
					assert.Contains(t, text, marked(t, c.kernel, s))
				}
			}
		})
	}
}

// TestNoStandstill checks that launches go on that take many times as long as one that does not get on may: what they
// have reached shows in a register, in the contents of memory, in a clock, or in digits that several words or blocks have.
func TestNoStandstill(t *testing.T) {
	for _, c := range []struct {
		kernel, on string
		l          device.Launch
		args       []any
	}{
		{"SpinLong", jitter, device.Launch{Grid: 2, Block: 1}, []any{2, uint32(300_000)}},
		{"WaitLong", jitter, device.Launch{Grid: 2, Block: 1}, []any{1, uint32(10_000_000)}},
		{"WaitLong", "tiny", device.Launch{Grid: 2, Block: 1}, []any{1, uint32(10_000_000)}},
		{"WaitLong", "func", device.Launch{Grid: 2, Block: 1}, []any{1, uint32(20_000_000)}},
		{"Queens", jitter, device.Launch{Grid: 1, Block: 1}, []any{1, uint32(8)}},
		{"Digits", jitter, device.Launch{Grid: 2, Block: 1}, []any{14, 1, uint32(14)}},
		{"Odometer", jitter, device.Launch{Grid: 4, Block: 1}, []any{4, []uint32{16}}},
		{"Late", jitter, device.Launch{Grid: 2, Block: 1}, []any{2}},
		{"LateByOther", jitter, device.Launch{Grid: 3, Block: 1}, []any{3}},
		{"LuckyLate", jitter, device.Launch{Grid: 2, Block: 1}, []any{1, 1, uint32(100_003)}},
	} {
		t.Run(c.kernel+" "+c.on, func(t *testing.T) {
			assert.NoError(t, launchOf(t, withoutBudget(t, c.on, "1000"), kernelOf(t, c.kernel), c.l, c.args))
		})
	}
}
