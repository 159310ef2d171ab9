package exttest_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// calls counts what the machine asked of the policies below.
var calls struct{ pick, place, slot, victim, perform int }

// youngest is a warp scheduler that prefers the warp placed last.
type youngest struct{}

func (youngest) Pick(ready uint64, age *[64]uint64) int {
	calls.pick++
	best := bits.TrailingZeros64(ready)
	for m := ready; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m); age[i] > age[best] {
			best = i
		}
	}
	return best
}

func (youngest) Issued(int) {}

// backwards is a block dispatch that begins with the last SM.
type backwards struct{}

func (backwards) Place(sms int, room func(int) int) int {
	calls.place++
	for i := sms - 1; i >= 0; i-- {
		if room(i) > 0 {
			return i
		}
	}
	return -1
}

// single is an address hash that puts everything into one place.
type single struct{}

func (single) Slot(uint64, int) int {
	calls.slot++
	return 0
}

// mru replaces the line that was used last.
type mru struct{ last []int }

func (m *mru) Reset(sets, _ int)           { m.last = make([]int, sets) }
func (m *mru) Used(set, way int, _ bool)   { m.last[set] = way }
func (m *mru) Victim(set int) (victim int) { calls.victim++; return m.last[set] }

// slow is an atomic unit that takes 1,000 cycles a step, one step at a time.
type slow struct{ free uint64 }

func (s *slow) Perform(r sim.AtomicRequest) uint64 {
	calls.perform++
	s.free = max(s.free, r.Cycle) + 1000*uint64(r.Steps)
	return s.free
}

func init() {
	sim.RegisterWarpScheduler("youngest", func(uint64) sim.WarpScheduler { return youngest{} })
	sim.RegisterDispatch("backwards", func(uint64) sim.BlockDispatch { return backwards{} })
	sim.RegisterHash("single", single{})
	sim.RegisterReplacement("mru", func(uint64) sim.Replacement { return &mru{} })
	sim.RegisterAtomicUnit("slow", func(*config.Atomic) sim.AtomicUnit { return &slow{} })
}

// cycles runs BFS by warps on the tiny machine with parameters set.
func cycles(t *testing.T, set ...string) uint64 {
	t.Helper()
	d := open(t, machine(t, "tiny", set...))
	run(t, d, "bfs", "warp", graphOf(t, "rmat:scale=9,degree=8,seed=3"))
	return d.Total().Cycles
}

func TestPoliciesFromOutside(t *testing.T) {
	// Slices are slow, so that it is felt when one gets all requests.
	cycles := func(t *testing.T, set ...string) uint64 { return cycles(t, append(set, "l2.sector", "8")...) }
	plain := cycles(t)
	for _, c := range []struct {
		path, name string
		calls      *int
		slower     bool
	}{
		{"issue.scheduler", "youngest", &calls.pick, false},
		{"launch.order", "backwards", &calls.place, false},
		{"l2.hash", "single", &calls.slot, true},
		{"dram.hash", "single", &calls.slot, false},
		{"l1.replacement", "mru", &calls.victim, false},
		{"atomic.unit", "slow", &calls.perform, true},
	} {
		before := *c.calls
		with := cycles(t, c.path, c.name)
		assert.Greater(t, *c.calls, before, "%s=%s was asked", c.path, c.name)
		assert.NotEqual(t, plain, with, "%s=%s", c.path, c.name)
		assert.Equal(t, with, cycles(t, c.path, c.name), "%s=%s: the same again", c.path, c.name)
		if c.slower {
			assert.Greater(t, with, plain, "%s=%s", c.path, c.name)
		}
	}
}

func TestBuiltInPolicies(t *testing.T) {
	plain := cycles(t)
	for path, name := range map[string]string{"l2.hash": "modulo", "dram.hash": "modulo", "l1.replacement": "fifo", "launch.order": "depth"} {
		assert.NotEqual(t, plain, cycles(t, path, name), "%s=%s", path, name)
	}
}

func TestUnknownPolicy(t *testing.T) {
	g := machine(t, "tiny")
	for path, have := range map[string]string{
		"issue.scheduler": "gto or lrr", "launch.order": "breadth or depth", "l2.hash": "mixed or modulo",
		"dram.hash": "mixed or modulo", "l1.replacement": "lru or fifo", "atomic.unit": "serial",
	} {
		err := g.Set(path, "mine")
		assert.ErrorContains(t, err, "parameter "+path+`: "mine" is not a value in policy`)
		assert.ErrorContains(t, err, have)
	}
}

// stubborn is a dispatch that ignores what has room.
type stubborn struct{}

func (stubborn) Place(sms int, _ func(int) int) int { return sms }

func TestDispatchWithoutRoomIsAnError(t *testing.T) {
	sim.RegisterDispatch("stubborn", func(uint64) sim.BlockDispatch { return stubborn{} })
	d := open(t, machine(t, "tiny", "launch.order", "stubborn"))
	_, err := d.Launch(t.Context(), device.Launch{Kernel: kernel(t, "kernels/micro.Empty"), Grid: 4, Block: 32})
	require.ErrorContains(t, err, `block dispatch "stubborn" chose SM 2, which has no room`)
}

// TestDispatchOfFewBlocks: a block dispatch may choose any SM, also when there
// are fewer blocks than SMs.
func TestDispatchOfFewBlocks(t *testing.T) {
	d := open(t, machine(t, "tiny", "launch.order", "backwards"))
	_, err := d.Launch(t.Context(), device.Launch{Kernel: kernel(t, "kernels/micro.Empty"), Grid: 1, Block: 32})
	assert.NoError(t, err)
}
