package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/timing"
)

// lockTable is how machines before Maxwell perform atomics on shared memory:
// the compiler writes a loop that takes the lock of a word, updates the word
// and gives the lock back. In a try at most one lane gets a lock; lanes that
// find theirs taken, by a lane of their warp or by another warp, repeat the
// loop, and their warp issues nothing else until all are through.
type lockTable struct {
	held  []uint64 // by lock: the cycle until which a try keeps it; nil where atomics are native
	round uint64   // cycles between two tries
	hold  uint64   // cycles that a try keeps a lock
}

func newLockTable(c *config.Shared) lockTable {
	if c.Locks == 0 {
		return lockTable{}
	}
	return lockTable{held: make([]uint64, c.Locks), round: uint64(c.LockRound), hold: uint64(c.LockHold)}
}

// native reports that the machine has atomics on shared memory.
func (t *lockTable) native() bool { return t.held == nil }

// try lets the lanes of mask, whose addresses are addrs, try their locks in
// cycle now and returns those that got them, in order of lane.
func (t *lockTable) try(mask uint32, addrs *[32]uint64, now uint64) (won uint32) {
	for l := mask; l != 0; l &= l - 1 {
		lane := bits.TrailingZeros32(l) & 31
		h := &t.held[addrs[lane]/4&uint64(len(t.held)-1)]
		if *h <= now {
			*h = now + t.hold
			won |= 1 << lane
		}
	}
	return won
}

// tryAtomic is a try of the loop by the lanes of mask. Those that get their
// lock perform the atomic; the others stay in wp.retry.
func (m *machine) tryAtomic(s *subcore, wp *warp, d *decoded, mask uint32) {
	u, t, st := s.sm, &m.run.shared, &m.stats
	start := max(timing.At(m.now), u.shared)
	won := u.locks.try(mask, (*[32]uint64)(&m.addrs), start.Cycle())
	for l := won; l != 0; l &= l - 1 {
		m.access(wp, d.in, bits.TrailingZeros32(l))
	}
	u.shared = start + t.atomBase
	s.free[pipeAtomic] = (timing.At(m.now) + t.atomIssue).Cycle()
	st.SharedAtomics++
	st.SharedAtomWays++
	st.SharedAccesses++
	if m.prof != nil && wp.retry == 0 { // lanes on one address take a try each
		m.profileShared(wp, mask, start, timing.At(u.locks.round))
	}
	resume := (start + t.atomLatency).Cycle()
	if wp.retry = mask &^ won; wp.retry != 0 {
		st.BankConflicts++ // another pass
		resume = start.Cycle() + u.locks.round
	}
	wp.resume = max(resume, m.now+1)
}
