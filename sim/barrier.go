package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// barrierUnit counts those that arrive at the barriers of an SM's blocks, one warp after the other, and lets them go on.
type barrierUnit struct {
	sm   *sm
	free timing.Tick
}

// arrive makes the active lanes of a warp wait at the block's barrier. The barrier opens when every thread that
// has not exited waits at it, all at the same kind (Sync, SyncCount, SyncAnd, SyncOr): different kinds do not match,
// and an H200 ends a kernel that mixes them with an error. On machines that count arrivals by warp (before Volta), a
// warp arrives with all its lanes.
func (u *barrierUnit) arrive(wp *warp, d *decoded, mask uint32) {
	b := wp.block
	u.exitParked(wp)
	if u.sm.strict {
		if f := u.sm.comes(wp); f != nil {
			u.sm.fault(f)
			return
		}
	}
	if u.sm.cfg.Barrier.ByWarp {
		mask = wp.w.Live()
	}
	if b.arrived == 0 {
		b.kind, b.mixed = d.in.Op, false
	}
	b.mixed = b.mixed || b.kind != d.in.Op
	b.arrived += bits.OnesCount32(mask)
	u.free = max(u.free, timing.At(u.sm.now)) + timing.Tick(u.sm.cfg.Barrier.Warp)*timing.TicksPerCycle
	if u.sm.its && wp.w.Mask != wp.w.Live() {
		wp.w.Split(simt.AtBar) // the other lanes continue
		u.sm.switchPart(wp)
	} else {
		u.sm.pause(wp, warpBarrier, counter.StallBarrier)
	}
	u.try(b)
}

// exitParked ends those lanes of a warp that wait for reconvergence at an exit: nothing holds them back, and the
// barrier must not wait for them.
func (u *barrierUnit) exitParked(wp *warp) {
	w, code := wp.w, wp.job.code
	seen, gone := w.Mask|w.Exited, uint32(0)
	for i := len(w.Stack) - 1; i >= 0; i-- {
		path := &w.Stack[i]
		if next := &code[path.PC]; next.action == actExit && next.in.Guard == ir.NoGuard {
			gone |= path.Mask &^ seen
			if u.sm.strict && !u.sm.ends(wp, next.in, path.Mask&^seen) {
				return
			}
		}
		seen |= path.Mask
	}
	w.Exited |= gone
	wp.block.live -= bits.OnesCount32(gone)
}

// try schedules the opening of a block's barrier if all threads have arrived.
func (u *barrierUnit) try(b *block) {
	if b.arrived == 0 || b.arrived < b.live || b.opening || b.mixed {
		return
	}
	b.opening = true
	last := max(u.free, timing.At(u.sm.now)).Cycle()
	u.sm.at(last+uint64(u.sm.cfg.Barrier.Base)-1, evBarrier|event(b.id))
}

// open gives the waiting warps the result of the barrier and releases them. All their lanes wait there, either
// as the active lanes or as parts.
func (u *barrierUnit) open(b *block) {
	b.opening, b.arrived = false, 0
	b.meeting.Open()
	if h := u.sm.hooks; h != nil {
		h.barrierOpened(b)
	}
	u.sm.stats.Barriers++
	u.sm.progress()
	votes := ballot{and: true}
	// First all votes, since the result of each lane is of all.
	for _, wp := range b.warps {
		if wp.state != warpBarrier || wp.block != b {
			continue
		}
		w := wp.w
		if w.Mask != 0 {
			votes.add(w, &w.Grid.Prog.Code[w.PC], w.Mask)
		}
		for i := range w.Parts {
			part := &w.Parts[i]
			votes.add(w, &w.Grid.Prog.Code[part.PC], part.Mask)
		}
	}
	for _, wp := range b.warps {
		if wp.state != warpBarrier || wp.block != b {
			continue
		}
		w := wp.w
		for i := range w.Parts {
			part := &w.Parts[i]
			u.pass(wp, part.PC, part.Mask, &votes)
			part.PC++
			part.Wait = simt.Runs
		}
		if w.Mask != 0 {
			u.pass(wp, w.PC, w.Mask, &votes)
			w.Next()
		} else {
			w.Take(0)
		}
		u.sm.release(wp, u.sm.now+1)
	}
}

// arriveNamed counts a warp at a named barrier, and makes it wait there if the instruction synchronizes. Arrivals are
// serialized at the barrier unit like those of Sync. It reports whether the warp waits or has failed.
func (u *barrierUnit) arriveNamed(wp *warp, in *ir.Inst) bool {
	w, b := wp.w, wp.block
	id, open, fault := b.named.Arrive(w, in, w.Mask)
	if fault != nil {
		u.sm.fault(fault)
		return true
	}
	u.sm.progress()
	u.free = max(u.free, timing.At(u.sm.now)) + timing.Tick(u.sm.cfg.Barrier.Warp)*timing.TicksPerCycle
	sync := in.Op == ir.OpBarSync
	if h := u.sm.hooks; h != nil {
		h.arrivedNamed(wp, id, open, sync)
	}
	if sync {
		wp.named = int32(id)
		u.sm.pause(wp, warpBarrier, counter.StallBarrier)
	} else {
		w.Next()
	}
	if open {
		u.sm.stats.Barriers++
		opens := max(u.free.Cycle()+uint64(u.sm.cfg.Barrier.Base)-1, u.sm.now+1)
		for _, other := range b.warps {
			if other.block == b && other.state == warpBarrier && other.named == int32(id) {
				other.named, other.opens = -other.named, opens
			}
		}
		u.sm.at(opens, evNamed|event(b.id))
	}
	return sync
}

// openNamed releases the warps whose named barrier opens now.
func (u *barrierUnit) openNamed(b *block) {
	u.sm.progress()
	for _, wp := range b.warps {
		if wp.block == b && wp.state == warpBarrier && wp.named < 0 && wp.opens <= u.sm.now {
			wp.named = 0
			wp.w.Next()
			u.sm.release(wp, u.sm.now+1)
		}
	}
}

// pass gives the lanes of mask the result of the barrier at pc.
func (u *barrierUnit) pass(wp *warp, pc int32, mask uint32, v *ballot) {
	d := &wp.job.code[pc]
	v.give(wp.w, d.in, mask)
	wp.board.set(d, u.sm.now+1, counter.StallBarrier)
}

// ballot holds the votes counted by barriers that reduce a predicate.
type ballot struct {
	set int
	and bool
}

func (v *ballot) add(w *simt.Warp, in *ir.Inst, lanes uint32) {
	if in.Op == ir.OpBar {
		return
	}
	lanes &= acting(w, in)
	votes := w.Pred(in.Src[0]) & lanes
	v.set += bits.OnesCount32(votes)
	v.and = v.and && votes == lanes
}

func (v *ballot) give(w *simt.Warp, in *ir.Inst, lanes uint32) {
	lanes &= acting(w, in)
	switch in.Op {
	case ir.OpBarCount:
		row := &w.Regs[in.Dst[0]]
		for left := lanes; left != 0; left &= left - 1 {
			row[bits.TrailingZeros32(left)] = uint64(v.set)
		}
	case ir.OpBarAnd:
		w.SetPred(in.Dst[0], spreadBit(v.and), lanes)
	case ir.OpBarOr:
		w.SetPred(in.Dst[0], spreadBit(v.set > 0), lanes)
	}
}

// acting returns the lanes in which the guard of in is true.
func acting(w *simt.Warp, in *ir.Inst) uint32 {
	if in.Guard == ir.NoGuard {
		return simt.Full
	}
	p := w.Pred(in.Guard)
	if in.GuardNot {
		p = ^p
	}
	return p
}

func spreadBit(p bool) uint32 {
	if p {
		return ^uint32(0)
	}
	return 0
}
