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
func (u *barrierUnit) arrive(wp *warp, inst *decoded, mask uint32) {
	block := wp.block
	u.exitParked(wp)
	if u.sm.strict {
		if f := u.sm.comes(wp); f != nil {
			u.sm.fault(f)
			return
		}
	}
	// Before sm_70 the instruction counts for its warp as if all of its threads were active (PTX ISA, bar).
	if u.sm.cfg.Barrier.ByWarp {
		mask = wp.w.Live()
	}
	// The kind of those that came first. If one comes to another kind, the barrier never opens; see try.
	if block.arrived == 0 {
		block.kind, block.mixed = inst.in.Op, false
	}
	block.mixed = block.mixed || block.kind != inst.in.Op
	block.arrived += bits.OnesCount32(mask)
	u.free = max(u.free, timing.At(u.sm.now)) + timing.Tick(u.sm.cfg.Barrier.Warp)*timing.TicksPerCycle
	// From Volta on the barrier is of threads: those of the warp that have not come may be the ones that let others come (CUDA C++
	// Programming Guide, "Independent Thread Scheduling").
	if u.sm.its && wp.w.Mask != wp.w.Live() {
		wp.w.Split(simt.AtBar) // the other lanes continue
		u.sm.switchPart(wp)
	} else {
		u.sm.pause(wp, warpBarrier, counter.StallBarrier)
	}
	u.try(block)
}

// exitParked ends those lanes of a warp that wait for reconvergence at an exit: nothing holds them back, and the
// barrier must not wait for them.
func (u *barrierUnit) exitParked(wp *warp) {
	threads, code := wp.w, wp.job.code
	seen, gone := threads.Mask|threads.Exited, uint32(0)
	for i := len(threads.Stack) - 1; i >= 0; i-- {
		path := &threads.Stack[i]
		// A lane is in the masks of all entries below its own as well: only its topmost entry says where it goes on.
		if next := &code[path.PC]; next.action == actExit && next.in.Guard == ir.NoGuard {
			gone |= path.Mask &^ seen
			if u.sm.strict && !u.sm.ends(wp, next.in, path.Mask&^seen) {
				return
			}
		}
		seen |= path.Mask
	}
	threads.Exited |= gone
	wp.block.live -= bits.OnesCount32(gone)
}

// try schedules the opening of a block's barrier if all threads have arrived.
func (u *barrierUnit) try(block *block) {
	if block.arrived == 0 || block.arrived < block.live || block.opening || block.mixed {
		return
	}
	block.opening = true
	last := max(u.free, timing.At(u.sm.now)).Cycle()
	// open lets warps go on in the cycle after its event, hence the 1.
	u.sm.at(last+uint64(u.sm.cfg.Barrier.Base)-1, evBarrier|event(block.id))
}

// open gives the waiting warps the result of the barrier and releases them. All their lanes wait there, either
// as the active lanes or as parts.
func (u *barrierUnit) open(block *block) {
	block.opening, block.arrived = false, 0
	block.meeting.Open()
	if h := u.sm.hooks; h != nil {
		h.barrierOpened(block)
	}
	u.sm.stats.Barriers++
	u.sm.progress()
	votes := ballot{and: true}
	// First all votes, since the result of each lane is of all.
	for _, wp := range block.warps {
		if wp.state != warpBarrier || wp.block != block {
			continue
		}
		threads := wp.w
		if threads.Mask != 0 {
			votes.add(threads, &threads.Grid.Prog.Code[threads.PC], threads.Mask)
		}
		for i := range threads.Parts {
			part := &threads.Parts[i]
			votes.add(threads, &threads.Grid.Prog.Code[part.PC], part.Mask)
		}
	}
	for _, wp := range block.warps {
		if wp.state != warpBarrier || wp.block != block {
			continue
		}
		threads := wp.w
		for i := range threads.Parts {
			part := &threads.Parts[i]
			u.pass(wp, part.PC, part.Mask, &votes)
			part.PC++
			part.Wait = simt.Runs
		}
		if threads.Mask != 0 {
			u.pass(wp, threads.PC, threads.Mask, &votes)
			threads.Next()
		} else {
			// All lanes were parts, and the warp needs an active path again.
			threads.Take(0)
		}
		u.sm.release(wp, u.sm.now+1)
	}
}

// arriveNamed counts a warp at a named barrier, and makes it wait there if the instruction synchronizes. Arrivals are
// serialized at the barrier unit like those of Sync. It reports whether the warp waits or has failed.
func (u *barrierUnit) arriveNamed(wp *warp, in *ir.Inst) bool {
	if in.Op.SetsRegisters() {
		return u.setRegisters(wp, in)
	}
	threads, block := wp.w, wp.block
	id, open, fault := block.named.Arrive(threads, in, threads.Mask)
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
		threads.Next()
	}
	if open {
		u.sm.stats.Barriers++
		opens := max(u.free.Cycle()+uint64(u.sm.cfg.Barrier.Base)-1, u.sm.now+1)
		// Those that wait now have a time. A warp that comes before it waits for the next round of the same barrier.
		u.opensAt(block, int32(id), opens)
	}
	return sync
}

// opensAt lets the warps of a block that wait at a named barrier go on in a cycle.
func (u *barrierUnit) opensAt(block *block, id int32, opens uint64) {
	for _, other := range block.warps {
		if other.block == block && other.state == warpBarrier && other.named == id {
			other.named, other.opens = -other.named, opens
		}
	}
	u.sm.at(opens, evNamed|event(block.id))
}

// setRegisters changes how many registers a warp has. Warps that wait for some come again a cycle after others were given back. It reports
// whether the warp waits or has failed. The time is an estimate: that of an arrival at a barrier.
func (u *barrierUnit) setRegisters(wp *warp, in *ir.Inst) bool {
	waits, frees, fault := wp.block.named.Set(wp.w, in)
	if fault != nil {
		u.sm.fault(fault)
		return true
	}
	u.sm.progress()
	u.free = max(u.free, timing.At(u.sm.now)) + timing.Tick(u.sm.cfg.Barrier.Warp)*timing.TicksPerCycle
	if waits {
		wp.named = simt.Pool
		u.sm.pause(wp, warpBarrier, counter.StallBarrier)
		return true
	}
	wp.w.Next()
	if frees {
		u.opensAt(wp.block, simt.Pool, max(u.free.Cycle(), u.sm.now+1))
	}
	return false
}

// openNamed releases the warps whose named barrier opens now.
func (u *barrierUnit) openNamed(block *block) {
	u.sm.progress()
	for _, wp := range block.warps {
		// Two barriers of the block, or two rounds of one, can be about to open: each warp has its own time.
		if wp.block == block && wp.state == warpBarrier && wp.named < 0 && wp.opens <= u.sm.now {
			if wp.named != -simt.Pool { // which come again
				wp.w.Next()
			}
			wp.named = 0
			u.sm.release(wp, u.sm.now+1)
		}
	}
}

// pass gives the lanes of mask the result of the barrier at pc.
func (u *barrierUnit) pass(wp *warp, pc int32, mask uint32, votes *ballot) {
	d := &wp.job.code[pc]
	votes.give(wp.w, d.in, mask)
	// The barrier writes the result, and not the issue of the instruction: who reads it has waited for the barrier.
	wp.board.set(d, u.sm.now+1, counter.StallBarrier)
}

// ballot holds the votes counted by barriers that reduce a predicate.
type ballot struct {
	set int
	and bool
}

func (v *ballot) add(threads *simt.Warp, in *ir.Inst, lanes uint32) {
	if in.Op == ir.OpBar {
		return
	}
	lanes &= acting(threads, in)
	votes := threads.Pred(in.Src[0]) & lanes
	v.set += bits.OnesCount32(votes)
	v.and = v.and && votes == lanes
}

func (v *ballot) give(threads *simt.Warp, in *ir.Inst, lanes uint32) {
	lanes &= acting(threads, in)
	switch in.Op {
	case ir.OpBarCount:
		row := &threads.Regs[in.Dst[0]]
		for left := lanes; left != 0; left &= left - 1 {
			row[bits.TrailingZeros32(left)] = uint64(v.set)
		}
	case ir.OpBarAnd:
		threads.SetPred(in.Dst[0], spreadBit(v.and), lanes)
	case ir.OpBarOr:
		threads.SetPred(in.Dst[0], spreadBit(v.set > 0), lanes)
	}
}

// acting returns the lanes in which the guard of in is true.
func acting(threads *simt.Warp, in *ir.Inst) uint32 {
	if in.Guard == ir.NoGuard {
		return simt.Full
	}
	p := threads.Pred(in.Guard)
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
