package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/sim/config"
)

// WarpScheduler chooses which warp of a sub-core issues. Each sub-core has one
// of its own. It must depend on nothing but its arguments, what it did before
// and the seed it was made with.
type WarpScheduler interface {
	// Pick chooses one of the warps in ready, a mask of slots that is not 0.
	// age is the order in which the warps in the slots were placed: the
	// smallest is the oldest.
	Pick(ready uint64, age *[64]uint64) int
	// Issued says that the warp in the slot issued.
	Issued(slot int)
}

var warpSchedulers = map[string]func(seed uint64) WarpScheduler{
	"gto": func(uint64) WarpScheduler { return &greedyThenOldest{last: -1} },
	"lrr": func(uint64) WarpScheduler { return &looseRoundRobin{} },

	"oldest": func(uint64) WarpScheduler { return oldestFirst{} },
	"random": func(seed uint64) WarpScheduler { return &anyOf{state: seed} },
}

// RegisterWarpScheduler adds a warp scheduler under a name, which the parameter
// issue.scheduler then takes. Call it from an init function.
func RegisterWarpScheduler(name string, make func(seed uint64) WarpScheduler) {
	warpSchedulers[name] = make
	config.AddPolicy("issue.scheduler", name)
}

// WarpSchedulers are the names of the warp schedulers, sorted.
func WarpSchedulers() []string {
	var names []string
	for name := range warpSchedulers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func newScheduler(name string, seed uint64) (WarpScheduler, error) {
	make, ok := warpSchedulers[name]
	if !ok {
		return nil, fmt.Errorf("unknown warp scheduler %q; there are %s", name, strings.Join(WarpSchedulers(), ", "))
	}
	return make(seed), nil
}

// greedyThenOldest stays with a warp as long as it can issue, then takes the
// one that was placed first.
type greedyThenOldest struct{ last int }

// Pick prefers the warp that issued last, then the oldest.
func (g *greedyThenOldest) Pick(ready uint64, age *[64]uint64) int {
	if g.last >= 0 && ready>>g.last&1 != 0 {
		return g.last
	}
	return eldest(ready, age)
}

// eldest is the slot in ready whose warp was placed first.
func eldest(ready uint64, age *[64]uint64) int {
	best := bits.TrailingZeros64(ready)
	for m := ready & (ready - 1); m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m); age[i] < age[best] {
			best = i
		}
	}
	return best
}

// Issued remembers the warp.
func (g *greedyThenOldest) Issued(slot int) { g.last = slot }

// looseRoundRobin takes the warps in turn and passes over those that cannot issue.
type looseRoundRobin struct{ next int }

// Pick takes the first ready slot from the one after the last that issued.
func (r *looseRoundRobin) Pick(ready uint64, _ *[64]uint64) int {
	if m := ready >> r.next << r.next; m != 0 {
		return bits.TrailingZeros64(m)
	}
	return bits.TrailingZeros64(ready)
}

// Issued moves the turn past the warp.
func (r *looseRoundRobin) Issued(slot int) { r.next = (slot + 1) & 63 }

// oldestFirst always takes the warp that was placed first.
type oldestFirst struct{}

// Pick takes the oldest.
func (oldestFirst) Pick(ready uint64, age *[64]uint64) int { return eldest(ready, age) }

// Issued does nothing: the choice has no history.
func (oldestFirst) Issued(int) {}

// anyOf takes a warp by chance, each with the same one; the seed decides.
type anyOf struct{ state uint64 }

// Pick draws a slot of ready (a splitmix64 generator).
func (r *anyOf) Pick(ready uint64, _ *[64]uint64) int {
	r.state += 0x9E3779B97F4A7C15
	hi, _ := bits.Mul64(mix(r.state), uint64(bits.OnesCount64(ready)))
	for range hi {
		ready &= ready - 1
	}
	return bits.TrailingZeros64(ready)
}

// Issued does nothing: the next draw depends on the generator only.
func (r *anyOf) Issued(int) {}
