package sim

import (
	"math"

	"github.com/weft-gpu/weft/internal/core/counter"
)

// scoreboard holds, for each register row and predicate of a warp, the cycle from which an instruction that reads or
// writes it can issue, and the reason for the wait. Instructions issue in order, so no other check for dependences is
// needed.
type scoreboard struct {
	rows []uint64 // cycle<<stallBits | reason; pending if it depends on memory
}

const (
	stallBits      = 8
	pending        = uint64(math.MaxUint64)
	pendingForever = pending >> stallBits
)

func (b *scoreboard) reset(n int) {
	if cap(b.rows) < n {
		b.rows = make([]uint64, n)
		return
	}
	b.rows = b.rows[:n]
	clear(b.rows)
}

// earliest returns the first cycle, not before from, in which d can issue, and the reason for the wait until then.
func (b *scoreboard) earliest(d *decoded, from uint64, why counter.Stall) (uint64, counter.Stall) {
	// Cycle and reason are one number, so that the largest has the reason for the latest cycle.
	v := from<<stallBits | uint64(why)
	for _, r := range d.uses[:d.numUses] {
		v = max(v, b.rows[r])
	}
	return v >> stallBits, counter.Stall(v & (1<<stallBits - 1))
}

// set makes the destinations of d usable from cycle t.
func (b *scoreboard) set(d *decoded, t uint64, why counter.Stall) {
	for _, r := range d.uses[:d.numDst] {
		b.rows[r] = t<<stallBits | uint64(why)
	}
}

// loaded returns the cycle from which all values read from memory can be used: pendingForever if one is still in
// flight, 0 if there are none.
func (b *scoreboard) loaded() (t uint64) {
	for _, v := range b.rows {
		if v == pending || counter.Stall(v&(1<<stallBits-1)) == counter.StallLong {
			t = max(t, v>>stallBits)
		}
	}
	return t
}

// hold marks the destinations of d as waiting for memory.
func (b *scoreboard) hold(d *decoded) {
	for _, r := range d.uses[:d.numDst] {
		b.rows[r] = pending
	}
}
