package waitfor_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// controlled is sim:tiny under a schedule or with other parameters.
func controlled(t *testing.T, schedule string, set ...string) device.Device {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	for _, v := range set {
		path, value, _ := strings.Cut(v, "=")
		require.NoError(t, cfg.Set(path, value))
	}
	o := sim.Options{Seed: 1, Budget: 3_000_000}
	if schedule != "" {
		s, err := policy.ParseSchedule([]byte(schedule))
		require.NoError(t, err)
		o.Control = s
	}
	d, err := sim.New(cfg, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// TestTriedAndUntried checks that a report says of each advice whether it was tried, and if not, why not where there is a
// reason: as text and as data. Where the launch cannot be run again it says that the past is not known.
func TestTriedAndUntried(t *testing.T) {
	early := func(d device.Device) *device.WaitGraph {
		g := graphOf(t, launchOf(t, d, kernelOf(t, "EarlyReset"), device.Launch{Grid: 4, Block: 1}, []any{1, 1}))
		text, err := json.Marshal(g)
		require.NoError(t, err)
		back := new(device.WaitGraph)
		require.NoError(t, json.Unmarshal(text, back))
		assert.Equal(t, g, back)
		return back
	}
	g := early(open(t, "func"))
	require.Len(t, g.Advice, 2)
	assert.True(t, g.Advice[0].Tried)
	assert.Equal(t, "without it the launch ends", g.Advice[0].Trial)
	assert.False(t, g.Advice[1].Tried)
	assert.Contains(t, g.Text, "(not tried)")
	assert.Empty(t, g.Forgotten)

	// Under a schedule the past is known, and nothing is tried.
	g = early(controlled(t, `{"pauses":[{"block":0,"warp":0,"step":3}]}`))
	assert.Empty(t, g.Forgotten)
	require.NotNil(t, g.Waiters[0].Word.Written)
	assert.Equal(t, "0", g.Waiters[0].Word.Written.New)
	for _, a := range g.Advice {
		assert.False(t, a.Tried, a.Text)
	}

	// With a check for races it is not.
	g = early(function.New(function.Options{AllowUnwritten: true, Races: new(device.Races)}))
	assert.Equal(t, "a launch that is checked for races is not run again", g.Forgotten)
	assert.Contains(t, strings.Join(strings.Fields(g.Text), " "), "who wrote these words before is not known: a launch that is checked for races is not run again")
}

// TestJitter checks what is said of a livelock on a machine with random delays, which no recurrence shows: why it is not
// decided, how long was looked, and which words change in which lines.
func TestJitter(t *testing.T) {
	err := launchOf(t, controlled(t, "", "jitter.message=25"), kernelOf(t, "WriterStarves"), device.Launch{Grid: 4, Block: 1}, []any{1, 1})
	var u *device.UndecidedError
	require.True(t, errors.As(err, &u), "%v", err)
	text := strings.Join(strings.Fields(err.Error()), " ")
	assert.Contains(t, text, "its budget of 3000000 cycles")
	assert.Contains(t, text, "jitter draws random delays, so that the state of the machine never recurs")
	for _, s := range []string{
		"spins until readers[0] == 0", "its loop (lines 31 to 35) changes readers[0]",
		"[0] looks at readers[0] at {writer} (gpu.AtomicCAS), and the value that it waits for never comes: the word is changed all the time, to other values, by blocks 1 to 3, warp 0, lane 0 (3 threads) at {enter} (gpu.AtomicAdd)",
		"let the threads that change readers[0] hold off while [0] waits",
	} {
		assert.Contains(t, text, marked(t, "WriterStarves", s))
	}
	assert.NotContains(t, text, "does not wait for readers[0]")
}
