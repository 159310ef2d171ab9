package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/repeat"
)

// Fences and releases of device scope are cumulative: they order the warp's own accesses and those that it knows to
// precede them, such as stores by other warps of its block before a Sync. All accesses of other warps on its SM that a
// warp can know of have been handed to the load-store unit before the fence begins. A fence therefore waits for all
// earlier accesses of its SM, and for none that begin later.
//
// What a fence costs depends on where its SM has been. On an H200 it takes 264 cycles if the SM has not asked the L2 for
// anything since its last fence, 425 if it has been in the near half and 573 to 597 if in the far one; it makes no difference
// whether that was a load, a store or an atomic, and whether the answer came long ago (results/hw/barriers/README.md).
// So a fence goes the way of the accesses before it, behind those that are in flight.

// accessOrder groups the accesses of an SM into epochs. A fence closes the current epoch, and ends when all epochs up
// to it are done.
type accessOrder struct {
	epochs []epoch // a ring whose length is a power of two
	first  uint32  // the oldest epoch that is not done
	now    uint32  // the epoch of new accesses
	doneAt uint64  // cycle at which the epochs before first are done
	fences []*warp // fences that wait for epochs
	batch  uint64  // cycle at which the last fences of this SM begin that are carried out together
	gap    uint64  // cycles for which they keep others from it
	been   visits  // where the accesses of the epochs before first went that no fence has ended after
}

// visits says in which halves of the L2 accesses have been.
type visits struct{ any, far bool }

func (v visits) encode(state *repeat.Record) {
	state.Bool(v.any)
	state.Bool(v.far)
}

func (v *visits) add(other visits) { v.any, v.far = v.any || other.any, v.far || other.far }

// epoch is the set of accesses that began between two fences.
type epoch struct {
	under  int32  // in flight
	been   visits // of those that have left the SM
	doneAt uint64 // cycle at which the others are done
}

// newAccessOrder has room for a fence by each warp: a fence closes an epoch, and its warp waits until the epoch is
// done.
func newAccessOrder(warps int) accessOrder {
	return accessOrder{epochs: make([]epoch, 1<<bits.Len(uint(warps+1)))}
}

func (o *accessOrder) at(n uint32) *epoch { return &o.epochs[n&uint32(len(o.epochs)-1)] }

// begin records an access and returns its epoch.
func (o *accessOrder) begin() uint32 {
	o.at(o.now).under++
	return o.now
}

// done records that an access of an epoch is done at a cycle.
func (o *accessOrder) done(n uint32, cycle uint64) {
	group := o.at(n)
	group.under--
	group.doneAt = max(group.doneAt, cycle)
}

// close ends the current epoch if it has had an access, and returns the epoch before which a fence that begins now
// waits.
func (o *accessOrder) close() uint32 {
	// An epoch without accesses orders nothing. Fences with none between them share one, so that the ring has room for a fence of
	// each warp.
	if e := o.at(o.now); e.under > 0 || e.doneAt > o.doneAt {
		o.now++
		o.advance()
	}
	return o.now
}

// advance skips the epochs that are done, and reports whether it moved.
func (o *accessOrder) advance() (moved bool) {
	for o.first != o.now {
		group := o.at(o.first)
		if group.under > 0 {
			break
		}
		o.doneAt = max(o.doneAt, group.doneAt)
		o.been.add(group.been)
		// Its place in the ring becomes that of a later epoch.
		*group = epoch{}
		o.first++
		moved = true
	}
	return moved
}

// before reports whether all epochs before one are done. Epoch numbers may wrap around.
func (o *accessOrder) before(n uint32) bool { return int32(o.first-n) >= 0 }

// reset clears everything after a launch that was abandoned.
func (o *accessOrder) reset() {
	clear(o.epochs)
	o.first, o.now, o.fences, o.been, o.batch, o.gap = 0, 0, o.fences[:0], visits{}, 0, 0
}

// sent records that an access of an epoch leaves the SM for a half of the L2.
func (o *accessOrder) sent(n uint32, far bool) { o.at(n).been.add(visits{true, far}) }

// fenced records that a fence has ended that waited for the epochs before one: where these have been counts no more. What later
// epochs have added by now is not told apart.
func (o *accessOrder) fenced(before uint32) {
	if o.first == before {
		o.been = visits{}
	}
}

// fence makes a warp wait until the accesses that the fence orders are done, and then for the cost of the fence.
func (s *sm) fence(wp *warp, mem ir.Mem) {
	if mem.Scope == ir.ScopeBlock {
		// All accesses of a block go through one L1 in order.
		s.follow(wp, s.now+uint64(s.cfg.Fence.Block), counter.StallMembar)
		return
	}
	// What L1 holds may be older than what other SMs released before: it is dropped when the fence ends; see wake.
	wp.acquire = true
	s.drainSM(wp, mem.Scope)
}

// drainSM pauses a warp for a fence or release of device or system scope: until the accesses that its SM has in flight now are
// done, and at least for the cost of the fence.
func (s *sm) drainSM(wp *warp, scope ir.Scope) {
	order := &s.order
	wp.behind, wp.ofSM = order.close(), true
	// Accesses that the epochs before it still have in flight will resume it; see accessDone.
	if !order.before(wp.behind) {
		order.fences = append(order.fences, wp)
	}
	cost, gap := uint64(s.cfg.Fence.Device), uint64(s.cfg.Fence.Gap)
	if scope == ir.ScopeSystem {
		cost, gap = cost+uint64(s.cfg.Fence.System), max(gap, uint64(s.cfg.Fence.SystemGap))
		if g := s.net.links.group; g != nil && len(g.gpus) > 1 {
			cost, gap = cost+uint64(s.cfg.Fence.Peers), gap+uint64(s.cfg.Fence.Peers)
		}
	}
	if s.remote.unsure {
		cost, s.remote.unsure = cost+remoteFence, false
	}
	s.drain(wp, order.turn(s.now, gap)+cost, 0)
}

// joins is for how many cycles fences that come after one are carried out with it.
const joins = 8

// turn returns when a fence begins that comes now. An SM carries out fences one batch after the other: those that come while one keeps it busy wait, and are
// carried out together then. On an H100, with 16 warps in a loop of a fence, each takes two gaps of 460 cycles for a round, where a warp alone takes 748; with
// a load of 277 cycles in the loop, three gaps (results/hw/barriers).
func (o *accessOrder) turn(now, gap uint64) uint64 {
	switch {
	case gap == 0:
		return now
	case now >= o.batch+o.gap: // idle
		o.batch, o.gap = now, gap
	case now > o.batch+joins:
		o.batch, o.gap = o.batch+o.gap, gap
	default: // with those that have just begun, or will
		o.gap = max(o.gap, gap)
	}
	return max(now, o.batch)
}

// drain pauses a warp until its accesses in flight are done and for after more cycles, and at least until cycle until.
func (s *sm) drain(wp *warp, until, after uint64) {
	s.pause(wp, warpFence, counter.StallMembar)
	wp.fenceEnd, wp.fenceAfter = until, after
	s.drained(wp)
}

// drained schedules the end of a warp's wait if none of the accesses that it waits for is still in flight.
func (s *sm) drained(wp *warp) {
	if wp.under > 0 {
		return
	}
	cycle := wp.doneAt
	if wp.state == warpDraining {
		cycle = max(cycle, wp.copies.until)
	}
	if wp.ofSM {
		order := &s.order
		if !order.before(wp.behind) {
			return
		}
		cycle = max(cycle, order.doneAt)
		if access := s.cfg.Fence.Access; access > 0 && order.been.any {
			wp.fenceEnd += uint64(access)
			if order.been.far {
				wp.fenceEnd += 2 * uint64(s.cfg.L2.Far)
			}
		}
	}
	wp.ackedIn = s.now
	s.at(cycle, evAcked|event(wp.id))
}

// accessDone records that an access of an epoch of the SM is done at a cycle, and resumes fences of warps other than wp
// that waited for it.
func (s *sm) accessDone(wp *warp, epoch uint32, cycle uint64) {
	order := &s.order
	order.done(epoch, cycle)
	if epoch != order.first || !order.advance() {
		return
	}
	left := order.fences[:0]
	for _, waits := range order.fences {
		if !order.before(waits.behind) {
			left = append(left, waits)
			// finishOp asks for wp itself, after its own last access.
		} else if waits != wp {
			s.drained(waits)
		}
	}
	order.fences = left
}

// encode adds the accesses in flight by epoch, and who waits for them.
func (o *accessOrder) encode(e *encoder) {
	state := e.r
	e.time(o.doneAt)
	o.been.encode(state)
	for epoch := o.first; ; epoch++ {
		ep := o.at(epoch)
		state.Int(int(ep.under))
		ep.been.encode(state)
		e.time(ep.doneAt)
		state.Bool(ep.doneAt > o.doneAt)
		if epoch == o.now {
			break
		}
	}
	if o.gap > 0 {
		e.time(o.batch + o.gap)
		e.time(o.batch + joins)
		e.time(o.batch)
	}
	state.Int(len(o.fences))
	for _, wp := range o.fences {
		state.Int(int(wp.id))
	}
}

// What a fence of the asynchronous proxy takes, and how far those of several warps of an SM are apart, in cycles of an H100: of shared
// memory alone, and of all memory (results/hw/asynchronous/fences.cu).
const (
	fenceShared, gapShared = 11, 4
	fenceAll, gapAll       = 545, 28
)

// fence returns when a fence of the asynchronous proxy ends that begins now. It orders nothing here: what threads store to shared memory
// is there when they have stored it.
func (u *copyUnit) fence(in *ir.Inst) uint64 {
	cost, gap := uint64(fenceShared), uint64(gapShared)
	if in.Imm == ir.AllMemory {
		cost, gap = fenceAll, gapAll
	}
	begin := max(u.sm.now, u.fences)
	u.fences = begin + gap
	return max(u.sm.now+cost, u.fences)
}
