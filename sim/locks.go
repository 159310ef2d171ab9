package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// lockTable models atomics on shared memory of machines before Maxwell: the compiler generates a loop that takes the
// lock of a word, updates the word and releases the lock. A lock goes to at most one lane per try; lanes whose lock is
// taken, by a lane of their warp or by another warp, repeat the loop, and their warp issues nothing else until all
// lanes are done.
type lockTable struct {
	held  []uint64 // by lock: the cycle until which a try holds it; nil if atomics are native
	round uint64   // cycles between two tries
	hold  uint64   // cycles for which a try holds a lock
}

func newLockTable(c *config.Shared) lockTable {
	if c.Locks == 0 {
		return lockTable{}
	}
	return lockTable{held: make([]uint64, c.Locks), round: uint64(c.LockRound), hold: uint64(c.LockHold)}
}

// native reports whether the machine has native atomics on shared memory.
func (t *lockTable) native() bool { return t.held == nil }

// try makes the lanes of mask, whose addresses are addrs, try to take their locks in cycle now and returns those that
// succeed, in lane order.
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

// tryAtomic is one try of the loop by the lanes of mask. The lanes that get their lock perform the atomic; the others
// stay in wp.retry.
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
	if m.prof != nil && wp.retry == 0 { // each of the lanes on one address takes one try
		m.profileShared(wp, mask, start, timing.At(u.locks.round))
	}
	resume := (start + t.atomLatency).Cycle()
	if wp.retry = mask &^ won; wp.retry != 0 {
		st.BankConflicts++ // another pass
		resume = start.Cycle() + u.locks.round
	}
	wp.resume = max(resume, m.now+1)
}
