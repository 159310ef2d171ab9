package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/ir"
)

// Fences and releases of device scope are cumulative: they order what the warp did
// and what it knows to come before that, such as stores of other warps of its block
// before a Sync. Whatever a warp can know of others of its SM they have handed to
// the load-store unit before the fence begins. So a fence waits for all accesses
// that its SM began before, and for none that it begins later.

// accessOrder sorts the accesses of an SM into epochs. A fence closes the present
// one, and ends when all up to that are done.
type accessOrder struct {
	epochs []epoch // a ring, of a power of two
	first  uint32  // the oldest that is not done
	now    uint32  // the one that accesses begin in
	doneAt uint64  // cycle at which those before first are done
	fences []*warp // that wait for epochs
}

// epoch is the accesses that began between two fences.
type epoch struct {
	under  int32  // under way
	doneAt uint64 // cycle at which the others are done
}

// newAccessOrder has room for a fence of each warp: an epoch ends by a fence, which
// waits as long as the epoch lasts.
func newAccessOrder(warps int) accessOrder {
	return accessOrder{epochs: make([]epoch, 1<<bits.Len(uint(warps+1)))}
}

func (o *accessOrder) at(n uint32) *epoch { return &o.epochs[n&uint32(len(o.epochs)-1)] }

// begin notes an access and returns its epoch.
func (o *accessOrder) begin() uint32 {
	o.at(o.now).under++
	return o.now
}

// done notes that an access of epoch n is done at cycle t.
func (o *accessOrder) done(n uint32, t uint64) {
	e := o.at(n)
	e.under--
	e.doneAt = max(e.doneAt, t)
}

// close ends the present epoch where it has had an access, and returns the one
// before which a fence that begins now waits.
func (o *accessOrder) close() uint32 {
	if e := o.at(o.now); e.under > 0 || e.doneAt > o.doneAt {
		o.now++
		o.advance()
	}
	return o.now
}

// advance passes over the epochs that are done, and reports whether it moved.
func (o *accessOrder) advance() (moved bool) {
	for o.first != o.now {
		e := o.at(o.first)
		if e.under > 0 {
			break
		}
		o.doneAt = max(o.doneAt, e.doneAt)
		*e = epoch{}
		o.first++
		moved = true
	}
	return moved
}

// before reports that all epochs before n are done. Epochs may wrap around.
func (o *accessOrder) before(n uint32) bool { return int32(o.first-n) >= 0 }

// reset forgets everything, with the accesses of a launch that was given up.
func (o *accessOrder) reset() {
	clear(o.epochs)
	o.first, o.now, o.fences = 0, 0, o.fences[:0]
}

// fence lets a warp wait until what it orders is done, and then for the cost of
// the fence.
func (m *machine) fence(wp *warp, mem ir.Mem) {
	if mem.Scope == ir.ScopeBlock {
		// All accesses of a block go through one L1 in order.
		m.follow(wp, m.now+uint64(m.cfg.Fence.Block), counter.StallMembar)
		return
	}
	wp.acquire = true
	m.drainSM(wp)
}

// drainSM pauses a warp as a fence or release of device scope does: until what its
// SM has under way now is done, and for what the fence costs.
func (m *machine) drainSM(wp *warp) {
	o := &wp.sub.sm.order
	wp.behind, wp.ofSM = o.close(), true
	if !o.before(wp.behind) {
		o.fences = append(o.fences, wp)
	}
	m.drain(wp, m.now+uint64(m.cfg.Fence.Device), uint64(m.cfg.Fence.Store))
}

// drain pauses a warp until what it has under way is done, and for after more
// cycles, and at least until a cycle.
func (m *machine) drain(wp *warp, until, after uint64) {
	m.pause(wp, warpFence, counter.StallMembar)
	wp.fenceEnd, wp.fenceAfter = until, after
	m.drained(wp)
}

// drained schedules the end of a warp's wait where nothing that it waits for is
// under way any more.
func (m *machine) drained(wp *warp) {
	if wp.under > 0 {
		return
	}
	t := wp.doneAt
	if wp.ofSM {
		o := &wp.sub.sm.order
		if !o.before(wp.behind) {
			return
		}
		t = max(t, o.doneAt)
	}
	m.at(max(t, m.now+1), evAcked|event(wp.id))
}

// accessDone notes that an access of epoch n of the SM is done at cycle t, and lets
// fences of other warps than wp go on that waited for it.
func (m *machine) accessDone(s *sm, wp *warp, n uint32, t uint64) {
	o := &s.order
	o.done(n, t)
	if n != o.first || !o.advance() {
		return
	}
	left := o.fences[:0]
	for _, f := range o.fences {
		if !o.before(f.behind) {
			left = append(left, f)
		} else if f != wp {
			m.drained(f)
		}
	}
	o.fences = left
}
