package exttest_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/policy"
)

// calls counts the machine's calls of the policies below.
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

// single is an address hash that maps everything to one slot.
type single struct{}

func (single) Slot(uint64, int) int {
	calls.slot++
	return 0
}

// mru evicts the most recently used line.
type mru struct{ last []int }

func (m *mru) Reset(sets, _ int)           { m.last = make([]int, sets) }
func (m *mru) Used(set, way int, _ bool)   { m.last[set] = way }
func (m *mru) Victim(set int) (victim int) { calls.victim++; return m.last[set] }

// slow is an atomic unit that takes 1,000 cycles per step, one step at a time.
type slow struct{ free uint64 }

func (s *slow) Perform(r policy.AtomicRequest) uint64 {
	calls.perform++
	s.free = max(s.free, r.Cycle) + 1000*uint64(r.Steps)
	return s.free
}

func init() {
	policy.RegisterWarpScheduler("youngest", func(uint64) policy.WarpScheduler { return youngest{} })
	policy.RegisterBlockDispatch("backwards", func(uint64) policy.BlockDispatch { return backwards{} })
	policy.RegisterAddressHash("single", func(uint64) policy.AddressHash { return single{} })
	policy.RegisterReplacement("mru", func(uint64) policy.Replacement { return &mru{} })
	policy.RegisterAtomicUnit("slow", func(*config.Atomic) policy.AtomicUnit { return &slow{} })
	policy.RegisterBlockDispatch("stubborn", func(uint64) policy.BlockDispatch { return stubborn{} })
	policy.RegisterWarpScheduler("absurd", func(uint64) policy.WarpScheduler { return absurd{} })
	policy.RegisterAddressHash("absurd", func(uint64) policy.AddressHash { return absurd{} })
	policy.RegisterReplacement("absurd", func(uint64) policy.Replacement { return absurd{} })
	policy.RegisterAtomicUnit("absurd", func(*config.Atomic) policy.AtomicUnit { return absurd{} })
	policy.RegisterWarpScheduler("none", func(uint64) policy.WarpScheduler { return nil })
	policy.RegisterBlockDispatch("none", func(uint64) policy.BlockDispatch { return nil })
	policy.RegisterAddressHash("none", func(uint64) policy.AddressHash { return nil })
	policy.RegisterReplacement("none", func(uint64) policy.Replacement { return nil })
	policy.RegisterAtomicUnit("none", func(*config.Atomic) policy.AtomicUnit { return nil })
	policy.RegisterWarpScheduler("shifting", func(seed uint64) policy.WarpScheduler { return &shifting{n: seed} })
	policy.RegisterBlockDispatch("shifting", func(seed uint64) policy.BlockDispatch { return &shifting{n: seed} })
	policy.RegisterAddressHash("shifting", func(seed uint64) policy.AddressHash { return &shifting{n: seed} })
	policy.RegisterReplacement("shifting", func(seed uint64) policy.Replacement { return &shifting{n: seed} })
	policy.RegisterAtomicUnit("shifting", func(*config.Atomic) policy.AtomicUnit { return &shifting{} })
}

// cycles runs BFS with the scheme warp on the tiny machine with parameters set.
func cycles(t *testing.T, set ...string) uint64 {
	t.Helper()
	d := open(t, machine(t, "tiny", set...))
	run(t, d, "bfs", "warp", graphOf(t, "rmat:scale=9,degree=8,seed=3"))
	return d.Total().Cycles
}

func TestPoliciesFromOutside(t *testing.T) {
	// Slices are slow, so that it matters if one slice gets all requests.
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
		assert.ErrorContains(t, err, "parameter "+path+`: "mine" is not `)
		assert.ErrorContains(t, err, have)
	}
}

// stubborn is a dispatch that ignores which SMs have room.
type stubborn struct{}

func (stubborn) Place(sms int, _ func(int) int) int { return sms }

func TestDispatchWithoutRoomIsAnError(t *testing.T) {
	d := open(t, machine(t, "tiny", "launch.order", "stubborn"))
	_, err := d.Launch(t.Context(), device.Launch{Kernel: kernel(t, "internal/kernels/micro.Empty"), Grid: 4, Block: 32})
	require.ErrorContains(t, err, `block dispatch "stubborn" chose SM 2, which has no room`)
}

// absurd implements all policies but BlockDispatch, with results that do not exist.
type absurd struct{}

func (absurd) Pick(uint64, *[64]uint64) int        { return 64 }
func (absurd) Issued(int)                          {}
func (absurd) Slot(uint64, int) int                { return -1 }
func (absurd) Reset(int, int)                      {}
func (absurd) Used(int, int, bool)                 {}
func (absurd) Victim(int) int                      { return 4 }
func (absurd) Perform(policy.AtomicRequest) uint64 { return 3 }

// TestAbsurdPolicies checks that a wrong policy is an error and not another, right policy.
func TestAbsurdPolicies(t *testing.T) {
	g := graphOf(t, "rmat:scale=9,degree=8,seed=3")
	source, _ := g.MaxDegreeVertex()
	for _, c := range []struct{ param, want string }{
		{"issue.scheduler", `issue\.scheduler=absurd: Pick returned slot 64, which is not in ready \(0x[0-9a-f]+\)`},
		{"l2.hash", `l2\.hash=absurd: Slot returned -1; it must be from 0 to [1-9][0-9]*`},
		{"dram.hash", `dram\.hash=absurd: Slot returned -1; it must be from 0 to [1-9][0-9]*`},
		{"l1.replacement", `l1\.replacement=absurd: Victim returned way 4; a set has ways 0 to 3`},
		{"atomic.unit", `atomic\.unit=absurd: Perform returned cycle 3, which is before r\.Cycle, [1-9][0-9]*`},
	} {
		d := open(t, machine(t, "tiny", "l1.bytes", "1024", c.param, "absurd"))
		_, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g, Source: source})
		require.Error(t, err, c.param)
		assert.Regexp(t, "^"+c.want+"$", err.Error())
	}
}

func TestNoPolicyIsAnError(t *testing.T) {
	for _, param := range []string{"issue.scheduler", "launch.order", "l2.hash", "dram.hash", "l1.replacement", "atomic.unit"} {
		_, err := sim.New(machine(t, "tiny", param, "none"), sim.Options{})
		assert.EqualError(t, err, param+"=none: the function that was registered under this name returned nil, not a policy")
	}
}

// TestDispatchOfFewBlocks checks that a block dispatch may select any SM, even if there are fewer blocks than SMs.
func TestDispatchOfFewBlocks(t *testing.T) {
	d := open(t, machine(t, "tiny", "launch.order", "backwards"))
	_, err := d.Launch(t.Context(), device.Launch{Kernel: kernel(t, "internal/kernels/micro.Empty"), Grid: 1, Block: 32})
	assert.NoError(t, err)
}

// shifting implements all policies, and decides by the number of earlier calls.
type shifting struct {
	n    uint64
	ways int
}

func (s *shifting) next() uint64 { s.n++; return s.n / 7 }

func (s *shifting) Pick(ready uint64, _ *[64]uint64) int {
	for range int(s.next() % uint64(bits.OnesCount64(ready))) {
		ready &= ready - 1
	}
	return bits.TrailingZeros64(ready)
}
func (s *shifting) Issued(int) {}

func (s *shifting) Place(sms int, room func(int) int) int {
	first := int(s.next())
	for i := range sms {
		if j := (first + i) % sms; room(j) > 0 {
			return j
		}
	}
	return -1
}

func (s *shifting) Slot(chunk uint64, n int) int { return int((chunk + s.next()) % uint64(n)) }
func (s *shifting) Reset(_, ways int)            { s.ways = ways }
func (s *shifting) Used(_, _ int, _ bool)        {}
func (s *shifting) Victim(int) int               { return int(s.next()) % s.ways }

func (s *shifting) Perform(r policy.AtomicRequest) uint64 { return r.Cycle + 10 + s.next()%50 }

// TestMachinesDoNotShareAPolicy checks that two machines in one process do not share the state of a policy: launches
// on one take as long as without the other, whose launches are interleaved.
func TestMachinesDoNotShareAPolicy(t *testing.T) {
	g := graphOf(t, "rmat:scale=8,degree=8,seed=3")
	for _, path := range []string{"issue.scheduler", "launch.order", "l2.hash", "dram.hash", "l1.replacement", "atomic.unit"} {
		cycles := func(devices int) (list []uint64) {
			first := open(t, machine(t, "tiny", path, "shifting"))
			other := open(t, machine(t, "tiny", path, "shifting"))
			for range 2 {
				run(t, first, "bfs", "warp", g)
				list = append(list, first.Total().Cycles)
				if devices == 2 {
					run(t, other, "sssp", "thread", g)
				}
			}
			return list
		}
		alone := cycles(1)
		assert.Equal(t, alone, cycles(2), path)
		assert.NotEqual(t, alone[0]*2, alone[1], "%s: the policy remembers what was before", path)
	}
}
