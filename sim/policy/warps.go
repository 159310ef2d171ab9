package policy

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/bitmix"
)

// greedyThenOldest stays with a warp as long as it can issue, and then selects the one that was placed first.
type greedyThenOldest struct{ last int }

// Pick returns the warp that issued last if it is ready, else the oldest.
func (g *greedyThenOldest) Pick(ready uint64, age *[64]uint64) int {
	if g.last >= 0 && ready>>g.last&1 != 0 {
		return g.last
	}
	return eldest(ready, age)
}

// eldest returns the slot in ready whose warp was placed first.
func eldest(ready uint64, age *[64]uint64) int {
	best := bits.TrailingZeros64(ready)
	for m := ready & (ready - 1); m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m); age[i] < age[best] {
			best = i
		}
	}
	return best
}

// Issued stores the slot of the warp.
func (g *greedyThenOldest) Issued(slot int) { g.last = slot }

// looseRoundRobin selects the warps in turn and skips those that cannot issue.
type looseRoundRobin struct{ next int }

// Pick returns the first ready slot after the one that issued last.
func (r *looseRoundRobin) Pick(ready uint64, _ *[64]uint64) int {
	if m := ready >> r.next << r.next; m != 0 {
		return bits.TrailingZeros64(m)
	}
	return bits.TrailingZeros64(ready)
}

// Issued moves the turn past the warp.
func (r *looseRoundRobin) Issued(slot int) { r.next = (slot + 1) & 63 }

// oldestFirst always selects the warp that was placed first.
type oldestFirst struct{}

// Pick returns the oldest ready warp.
func (oldestFirst) Pick(ready uint64, age *[64]uint64) int { return eldest(ready, age) }

// Issued does nothing: the policy has no state.
func (oldestFirst) Issued(int) {}

// anyOf selects a random warp, each with the same probability, by a seeded generator.
type anyOf struct{ draw }

// Pick draws a slot of ready.
func (r *anyOf) Pick(ready uint64, _ *[64]uint64) int {
	for range r.below(bits.OnesCount64(ready)) {
		ready &= ready - 1
	}
	return bits.TrailingZeros64(ready)
}

// Issued does nothing: the next draw depends on the generator only.
func (r *anyOf) Issued(int) {}

// draw is a seeded generator of random numbers (splitmix64).
type draw struct{ state uint64 }

// below returns a number from 0 to n-1.
func (r *draw) below(n int) int {
	r.state += 0x9E3779B97F4A7C15
	hi, _ := bits.Mul64(bitmix.Mix(r.state), uint64(n))
	return int(hi)
}
