package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/config"
)

// TestRegisterRefuses checks that a duplicate name, an empty name and a nil function are rejected at registration.
func TestRegisterRefuses(t *testing.T) {
	for want, register := range map[string]func(){
		`sim/policy: a warp scheduler called "gto" is registered already; choose another name`: func() {
			RegisterWarpScheduler("gto", func(uint64) WarpScheduler { return oldestFirst{} })
		},
		`sim/policy: a block dispatch called "depth" is registered already; choose another name`: func() {
			RegisterBlockDispatch("depth", func(uint64) BlockDispatch { return nil })
		},
		`sim/policy: an address hash called "modulo" is registered already; choose another name`: func() {
			RegisterAddressHash("modulo", func(uint64) AddressHash { return moduloHash{} })
		},
		`sim/policy: a replacement called "lru" is registered already; choose another name`: func() {
			RegisterReplacement("lru", func(uint64) Replacement { return &fifo{} })
		},
		`sim/policy: an atomic unit called "serial" is registered already; choose another name`: func() {
			RegisterAtomicUnit("serial", func(*config.Atomic) AtomicUnit { return nil })
		},
		`sim/policy: a replacement without a name; give it one`:                           func() { RegisterReplacement("", func(uint64) Replacement { return &fifo{} }) },
		`sim/policy: an address hash called "none" is nil; give a function that makes it`: func() { RegisterAddressHash("none", nil) },
	} {
		assert.PanicsWithValue(t, want, register)
	}
	_, err := AddressHashMaker("none")
	assert.EqualError(t, err, `unknown address hash "none"; there are mixed, modulo`)
	_, err = WarpSchedulerMaker("")
	assert.EqualError(t, err, `unknown warp scheduler ""; there are gto, lrr, oldest, random`)
}

// TestBuiltInsAreParameters checks that package config accepts the names of the built-in policies and no others.
func TestBuiltInsAreParameters(t *testing.T) {
	g, err := config.Load("tiny")
	require.NoError(t, err)
	names := map[string][]string{
		"issue.scheduler": warpSchedulers.names(), "launch.order": dispatches.names(), "l2.hash": hashes.names(), "dram.hash": hashes.names(),
		"l1.replacement": replacements.names(), "atomic.unit": atomicUnits.names(),
	}
	for path, list := range names {
		for _, name := range list {
			assert.NoError(t, g.Set(path, name))
		}
	}
}

func TestWarpSchedulers(t *testing.T) {
	age := [64]uint64{0: 9, 3: 4, 5: 7}
	g := &greedyThenOldest{last: -1}
	assert.Equal(t, 3, g.Pick(0b101001, &age), "the oldest")
	g.Issued(5)
	assert.Equal(t, 5, g.Pick(0b101001, &age), "greedy")
	assert.Equal(t, 3, g.Pick(0b001001, &age))
	r := &looseRoundRobin{}
	order := []int{}
	for range 4 {
		i := r.Pick(0b101001, &age)
		r.Issued(i)
		order = append(order, i)
	}
	assert.Equal(t, []int{0, 3, 5, 0}, order)
	r.Issued(63)
	assert.Equal(t, 0, r.Pick(0b101001, &age))

	o := oldestFirst{}
	o.Issued(5)
	assert.Equal(t, 3, o.Pick(0b101001, &age))
	assert.Equal(t, 0, o.Pick(1, &age))

	drawn := func(seed uint64) (seq []int, count [64]int) {
		x := &anyOf{draw{seed}}
		for range 3000 {
			i := x.Pick(0b101001, &age)
			x.Issued(i)
			count[i]++
			seq = append(seq, i)
		}
		return seq, count
	}
	seq, count := drawn(1)
	for _, i := range []int{0, 3, 5} {
		assert.InDelta(t, 1000, count[i], 100, "each warp has the same chance")
	}
	again, _ := drawn(1)
	assert.Equal(t, seq, again)
	other, _ := drawn(2)
	assert.NotEqual(t, seq, other)
}

func TestAnySM(t *testing.T) {
	room := func(sm int) int { return []int{0, 2, 1, 0, 3}[sm] }
	drawn := func(seed uint64) (seq []int, count [5]int) {
		x := &anySM{draw{seed}}
		for range 3000 {
			i := x.Place(5, room)
			seq = append(seq, i)
			count[i]++
		}
		return seq, count
	}
	seq, count := drawn(1)
	assert.Zero(t, count[0]+count[3], "no room")
	for _, i := range []int{1, 2, 4} {
		assert.InDelta(t, 1000, count[i], 100, "each SM has the same chance")
	}
	again, _ := drawn(1)
	assert.Equal(t, seq, again)
	other, _ := drawn(2)
	assert.NotEqual(t, seq, other)
}

func TestReplacement(t *testing.T) {
	f := &fifo{}
	f.Reset(2, 2)
	assert.Equal(t, []int{0, 1, 0, 0}, []int{f.Victim(1), f.Victim(1), f.Victim(1), f.Victim(0)})
	f.Reset(2, 2)
	assert.Zero(t, f.Victim(1))
	assert.Equal(t, 3, moduloHash{}.Slot(11, 4))
}
