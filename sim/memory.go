package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// memory issues a load, store or atomic. Accesses to shared and local memory take effect immediately; global accesses
// go to the load-store unit, which must not be full.
func (s *subcore) memory(wp *warp, d *decoded, mask uint32) {
	w, in := wp.w, d.in
	if wp.retry != 0 {
		mask = wp.retry // these lanes try again; the others are done
	}
	if in.Op.OnMatrix() {
		if mask != simt.Full {
			s.sm.fault(w.Unaligned(in, mask))
			return
		}
		mask = in.Op.Rows()
	}
	if mask != 0 {
		w.Addresses(in, mask, &s.sm.addrs)
		if fault := w.Check(in, mask, &s.sm.addrs); fault != nil {
			s.sm.fault(fault)
			return
		}
		if s.sm.strict && wp.retry == 0 {
			fault := s.sm.unwritten(wp, in, mask)
			if fault == nil && wp.block.pending != nil {
				fault = s.sm.copies.undisturbed(wp, in, mask)
			}
			if fault != nil {
				s.sm.fault(fault)
				return
			}
		}
	}
	// All lanes are off: no request, but the instruction counts; see countIdle.
	if mask == 0 {
		s.sm.countIdle(wp, in)
	}
	// What a report will call the word that the loop waits for.
	if s.sm.watching(wp) && mask != 0 && !in.Op.Stores() {
		wp.watch.mem, wp.watch.addr = w.PC, lowest(&s.sm.addrs, mask)
	}
	// Lanes that poll the same word again and again make way for the others of their warp; see branchedBack.
	if d.poll && s.sm.its && mask != 0 && w.Diverged() {
		wp.spin.polled(w.PC, w.Mask, lowest(&s.sm.addrs, mask))
	}
	shared, local, global := spaces(in, mask, &s.sm.addrs)
	if h := s.sm.hooks; h != nil && mask != 0 && wp.retry == 0 {
		h.accessed(wp, in, mask, global)
	}
	remote := uint32(0)
	if shared != 0 && wp.block.cluster != nil {
		remote = w.Remote(shared, &s.sm.addrs)
		if shared &^= remote; in.Root < 0 {
			ownAddresses(shared, &s.sm.addrs)
		}
	}
	loop := shared != 0 && in.Op.IsAtomic() && s.sm.shared.locks.loops(d)
	// Generic pointers may point to several spaces. The part in shared memory is done first, and its cycle is one of the times
	// of which the instruction takes the latest.
	done := s.sm.now // when the shared memory part is done
	if loop {
		s.sm.shared.tryAtomic(s, wp, d, shared)
		done = wp.resume
	} else if shared != 0 {
		done = s.sm.shared.serve(s, wp, d, shared)
		if in.Op.AwaitsCopies() {
			s.sm.copies.announce(wp, in, shared)
		}
	}
	if remote != 0 {
		done = max(done, s.sm.serveRemote(wp, d, remote))
	}
	if local|global != 0 {
		if s.sm.watching(wp) {
			wp.watch.issues(w, d, mask, &s.sm.addrs)
		}
		// Before the access is queued, since a hit of L1 may end it at once.
		if d.numDst > 0 {
			wp.board.hold(d)
		}
		s.sm.localAccess(wp, d, local)
		s.sm.lsu.enqueue(wp, d, local|global, global, done)
		s.sends = s.sm.now + uint64(d.sends)
	}
	// The lanes that got no lock try again; the PC stays. Lanes in other spaces have had their turn.
	if loop && wp.retry != 0 {
		s.sm.pause(wp, warpTimed, counter.StallShort)
		s.sm.at(wp.resume, evWake|event(wp.id))
		return
	}
	w.Next()
	wp.awaits = in.Mem.Scope == ir.ScopeBlock && in.Mem.Order >= ir.Acquire && in.Mem.Order != ir.Release
	if in.Mem.Order >= ir.Acquire && in.Mem.Order != ir.Release && in.Mem.Scope > ir.ScopeBlock && in.Mem.Space != ir.Shared && mask != 0 {
		// What follows must not hit lines that are older than the value read: L1 is invalidated when that has come.
		wp.acquire = true
		s.sm.drain(wp, 0, uint64(s.sm.cfg.Fence.Acquire))
		return
	}
	if loop {
		s.sm.follow(wp, wp.resume, counter.StallShort)
		return
	}
	if shared != 0 && suspended(w, in, shared) {
		wp.suspend(shared)
		return
	}
	if from := s.sm.remoteFrom(); remote != 0 && from > s.sm.now+uint64(d.issues) {
		s.sm.follow(wp, from, counter.StallMIO)
		return
	}
	s.sm.follow(wp, s.sm.now+uint64(d.issues), counter.StallWait)
}

// spaces splits the lanes of an access by the memory space of their addresses.
func spaces(in *ir.Inst, mask uint32, addrs *simt.Row) (shared, local, global uint32) {
	switch in.Mem.Space {
	case ir.Shared:
		return mask, 0, 0
	case ir.Local:
		return 0, mask, 0
	case ir.Global:
		return 0, 0, mask
	}
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		switch simt.SpaceOf(addrs[lane]) {
		case ir.Shared:
			shared |= 1 << lane
		case ir.Local:
			local |= 1 << lane
		default:
			global |= 1 << lane
		}
	}
	return shared, local, global
}

// localAccess performs the access of the lanes of mask to local memory, and replaces their addresses in chip.addrs by
// those that L1 sees: the words of the lanes of a warp are interleaved.
func (s *sm) localAccess(wp *warp, d *decoded, mask uint32) {
	base := ir.LocalWindow + uint64(wp.id)*s.run.localStride
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		s.access(wp, d.in, lane)
		off := s.addrs[lane] &^ ir.LocalWindow
		s.addrs[lane] = base + (off/4*simt.Lanes+uint64(lane))*4 + off%4
	}
}

// access performs one lane's access to shared or local memory now.
func (s *sm) access(wp *warp, in *ir.Inst, lane int) {
	changed := false
	if h := s.hooks.record(); h != nil {
		h.Accesses(wp.w, in, 1<<lane, wp.w.Row(in.Src[0]))
	}
	switch {
	case in.Op == ir.OpLoad:
		wp.w.LoadLane(in, lane, s.addrs[lane])
	case in.Op == ir.OpStore:
		changed = wp.w.StoreLane(in, lane, s.addrs[lane])
	default:
		if fault := wp.w.MBarrierMisuse(in, lane, s.addrs[lane]); fault != nil {
			s.fault(fault)
			return
		}
		if s.strict && in.Op.IsMBarrier() {
			s.copies.arrives(wp, lane)
		}
		if !in.Op.IsMBarrier() || in.Op.IsMBarrierWait() {
			changed = wp.w.AtomicLane(in, lane, s.addrs[lane])
			break
		}
		owner, at := wp.block.owner(s.addrs[lane])
		before := owner.parity(at)
		changed = wp.w.AtomicLane(in, lane, s.addrs[lane])
		settles := uint64(phaseSettles)
		if owner != wp.block {
			settles = arrivalTravels
		}
		owner.completed(at, before, s.now, settles)
	}
	if changed {
		s.progress()
	}
}
