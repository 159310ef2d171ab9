package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// lockTable models the loops by which atomics on shared memory are performed that have no unit. Before Maxwell that is
// all of them: the compiler generates a loop that takes the lock of a word, updates the word and releases the lock.
// Later it is those of isCASLoop: a word that another warp is about to swap is as good as locked. A lock goes to at
// most one lane per try; lanes whose lock is taken, by a lane of their warp or by another warp, repeat the loop, and
// their warp issues nothing else until all lanes are done.
type lockTable struct {
	held  []uint64 // by lock: the cycle until which a try holds it; made at the first try
	banks []uint64 // by bank: the cycle until which a swap keeps others away; nil if all atomics are lock loops
	locks int
	all   bool   // all atomics are such a loop
	round uint64 // cycles between two tries of a lock
	hold  uint64 // cycles for which a try holds a lock
}

// casLocks is the number of words that are told apart in loops of compare and swap.
const casLocks = 1024

func newLockTable(cfg *config.Shared) lockTable {
	if cfg.Locks == 0 {
		return lockTable{locks: casLocks}
	}
	return lockTable{locks: cfg.Locks, all: true, round: uint64(cfg.LockRound), hold: uint64(cfg.LockHold)}
}

// loops reports whether an atomic on shared memory is a loop.
func (t *lockTable) loops(d *decoded) bool { return t.all || d.casLoop }

// try makes the lanes of mask, whose addresses are addrs, try to take their locks in cycle now and returns those that
// succeed, in lane order.
func (t *lockTable) try(mask uint32, addrs *[simt.Lanes]uint64, now uint64) (won uint32) {
	if t.held == nil {
		t.held = make([]uint64, t.locks)
	}
	// In lane order: which lane wins on hardware is not published, and one order for all runs is needed.
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		lock := &t.held[addrs[lane]/4&uint64(len(t.held)-1)]
		if *lock <= now {
			*lock = now + t.hold
			won |= 1 << lane
		}
	}
	return won
}

// swap is try for a loop of compare and swap, whose lanes are on different banks in each half of the warp: a swap that
// succeeds keeps other warps off its word for hold cycles, and off its bank for bank cycles.
func (t *lockTable) swap(mask uint32, addrs *[simt.Lanes]uint64, now, hold, bank, banks uint64) (won uint32) {
	if t.held == nil {
		t.held, t.banks = make([]uint64, t.locks), make([]uint64, banks)
	}
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		word := addrs[lane] / 4
		lock, b := &t.held[word&uint64(len(t.held)-1)], &t.banks[word&(banks-1)]
		// A bank that was taken in this very try is taken by a lane of the other half of the warp, which does not keep this one
		// away.
		if *lock <= now && (*b <= now || *b == now+bank) {
			*lock, *b = now+hold, now+bank
			won |= 1 << lane
		}
	}
	return won
}

// lockPasses is how many passes a try of a lock takes: a load that locks and a store that unlocks.
const lockPasses = 2

// tryAtomic is one try of the loop by the lanes of mask. The lanes that get their lock perform the atomic; the others
// stay in wp.retry.
func (u *sharedMemory) tryAtomic(s *subcore, wp *warp, inst *decoded, mask uint32) {
	times, st := u.times, &u.sm.stats
	addrs, bytes := (*[simt.Lanes]uint64)(&u.sm.addrs), inst.in.Mem.Bytes()
	round, latency := u.locks.round, uint64(times.atomLatency/timing.TicksPerCycle)
	var won uint32
	var start timing.Tick
	if u.locks.all {
		start = u.enter(&s.shared, lockPasses, times.atomIssue)
		won = u.locks.try(mask, addrs, start.Cycle())
	} else {
		hold := times.casHold
		round = times.casRound
		if bytes > 4 {
			hold, round = hold+times.casWider, round+times.casWider
		}
		// A try loads all words and swaps one of each bank; the other lanes try again.
		may := u.sm.banks.FirstOfBanks(mask, addrs, bytes, times.banks)
		load := u.sm.banks.Of(shared.Load, mask, addrs, bytes, times.banks)
		swap := u.sm.banks.Of(shared.Swap, may, addrs, bytes, times.banks)
		start = u.enter(&s.shared, load.Cycles+swap.Cycles, times.atomIssue)
		won = u.locks.swap(may, addrs, start.Cycle(), hold, times.casBank, times.banks)
		round += uint64(timing.Tick(load.Conflicts) * times.conflict / timing.TicksPerCycle)
		latency = round
		st.SharedLoads++
		st.SharedWays += uint64(load.Count)
		st.BankConflicts += uint64(load.Conflicts)
		st.ConflictsLoad += uint64(load.Conflicts)
		st.SharedAtomWays += uint64(swap.Count - 1)
	}
	for l := won; l != 0; l &= l - 1 {
		u.sm.access(wp, inst.in, bits.TrailingZeros32(l))
	}
	st.SharedAtomics++
	st.SharedAtomWays++
	st.SharedAccesses++
	if h := u.sm.hooks; h != nil && wp.retry == 0 { // each of the lanes on one address takes one try
		h.sharedAtomics(wp, mask, start, timing.At(round))
	}
	resume := start.Cycle() + latency
	if wp.retry = mask &^ won; wp.retry != 0 {
		if u.locks.all {
			st.BankConflicts++ // another pass
		}
		resume = start.Cycle() + round
	}
	wp.resume = max(resume, u.sm.now+1)
}
