package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/policy"
)

// subcore is a part of an SM with a warp scheduler, which issues one instruction per cycle to the sub-core's own
// pipelines.
type subcore struct {
	id       int32
	sm       *sm
	warps    []warp // slots
	resident uint64 // slots that hold a warp
	ready    uint64 // slots whose warp may issue
	sched    policy.WarpScheduler
	free     [numPipes]uint64 // cycle from which a pipe accepts another instruction
	shared   sharedQueue
	sends    uint64     // cycle from which its path to the load-store unit takes another instruction
	wakeAt   uint64     // an evSubcore is scheduled for this cycle
	issueAt  uint64     // cycle from which the next instruction can issue
	age      [64]uint64 // order of placement by slot

	activeFrom uint64 // cycle since which warps have been resident
}

const never = ^uint64(0)

// issue issues an instruction of the sub-core in this cycle, if one can issue.
func (s *subcore) issue() {
	if s.issueAt > s.sm.now {
		return // the last operation takes several slots
	}
	// The scheduler is asked again without a warp whose pipe is busy: a slot is lost only if no warp can issue.
	cand, soonest := s.ready, never
	for cand != 0 {
		slot := s.sched.Pick(cand, &s.age)
		if cand>>uint(slot)&1 == 0 { // also if slot is negative or 64 and more
			s.failPick(slot, cand)
			return
		}
		wp := &s.warps[slot]
		d := &wp.job.code[wp.w.PC]
		free, why := s.pipeFree(d)
		if free <= s.sm.now {
			s.sched.Issued(slot)
			s.execute(wp, d)
			if s.sm.cfg.Issue.Dual {
				s.dispatchSecond(wp, d)
			}
			if s.ready == 0 {
				s.sm.rest(s.id)
			}
			return
		}
		s.sm.charge(wp, s.sm.now, why)
		soonest = min(soonest, free)
		cand &^= 1 << slot
	}
	// Nothing can issue: sleep until a pipe is free, or (never) until the load-store unit rouses the sub-core.
	s.sm.rest(s.id)
	// One event is enough, however often the sub-core looks in vain.
	if soonest != never && s.wakeAt != soonest {
		s.wakeAt = soonest
		s.sm.at(soonest, evSubcore|event(s.id))
	}
}

// rouse makes a sub-core look for a warp to issue.
func (s *subcore) rouse() {
	if s.ready != 0 {
		s.sm.awaken(s.id)
	}
}

// pipeFree returns the cycle from which the pipe that d needs accepts it, and the stall reason of a wait.
func (s *subcore) pipeFree(d *decoded) (uint64, counter.Stall) {
	switch d.action {
	case actCopy:
		if s.sends > s.sm.now {
			return s.sends, counter.StallLG
		}
		if !s.sm.lsu.takes(s) {
			return never, counter.StallLG
		}
		return 0, counter.StallLG
	case actMemory:
		space := d.in.Mem.Space
		if space != ir.Shared && s.sends > s.sm.now {
			return s.sends, counter.StallLG
		}
		// A full queue has no time from which it takes more: the unit rouses the sub-core then; see lsu.step.
		if space != ir.Shared && !s.sm.lsu.takes(s) {
			return never, counter.StallLG
		}
		// Where a generic pointer leads is known when the instruction issues: it waits for both ways.
		if space == ir.Shared || space == ir.Generic {
			return s.shared.next(), counter.StallMIO
		}
		return 0, counter.StallLG
	case actCollective:
		if d.pipe == pipeShuffle {
			if c := s.shared.next(); c > s.free[pipeShuffle] {
				return c, counter.StallMIO
			}
		}
		if d.in.Op.IsGroupMMA() { // one waits in front of the tensor core
			return s.free[pipeTensor] - min(s.free[pipeTensor], uint64(d.interval)), counter.StallMath
		}
	}
	return s.free[d.pipe], counter.StallMath
}

// execute issues d for a warp: its effects on registers are immediate, and the scoreboard records when they can be
// used.
func (s *subcore) execute(wp *warp, d *decoded) {
	w, in := wp.w, d.in
	wp.cause = w.PC
	wp.turns++
	if s.sm.watching(wp) && wp.watch.loop.Searching() {
		wp.watch.loop.Executed(wp.job.flow, w.PC)
	}
	// An acquire of block scope orders the loads of the warp, which the scoreboard knows, and nothing else: L1 is coherent for
	// the threads of a block.
	if d.awaits || wp.awaits {
		if d.action == actCopies {
			if !s.sm.copies.landed(wp, in) {
				return
			}
		} else if d.action == actCollective {
			if !s.added(wp, in) {
				return
			}
		} else if loaded := wp.board.loaded(); loaded == pendingForever {
			s.sm.pause(wp, warpMemory, counter.StallMembar)
			return
		} else if loaded > s.sm.now {
			s.sm.pause(wp, warpTimed, counter.StallMembar)
			s.sm.at(loaded, evWake|event(wp.id))
			return
		}
		wp.awaits = false
	}
	// A release is cumulative (PTX ISA, memory consistency model): it also orders what this warp has observed of others, so it
	// waits for the whole SM. drained says that it has.
	if d.release && !wp.drained && w.Guarded(in) != 0 {
		wp.drained = true
		s.sm.drainSM(wp, in.Mem.Scope)
		return
	}
	wp.drained = false
	// Lanes that the mask names may be elsewhere in the warp: the collective begins when they have come.
	if (d.action == actCollective || d.action == actNamed || d.action == actCluster) && s.sm.its && w.Mask != w.Live() && !s.sm.gather(wp, in) {
		return
	}
	// A schedule lets a warp wait here, before anything of the instruction is counted.
	h := s.sm.hooks
	if h != nil && d.action == actMemory && h.holds(wp, d) {
		return
	}
	s.sm.charge(wp, s.sm.now, wp.reason)
	// From here on the instruction issues.
	slots := uint64(d.issues)
	last := s.sm.now + slots - 1 // the slot of its last machine instruction
	s.issueAt = last + 1
	wp.since = last + 1
	if h != nil {
		h.issue(wp, slots)
	}
	st := &s.sm.stats
	st.Insts += slots
	wp.insts += slots
	st.ThreadInsts += slots * uint64(bits.OnesCount32(w.Mask))
	mask := w.Guarded(in)
	st.PredOn += slots * uint64(bits.OnesCount32(mask))
	if d.pipe != pipeNone {
		from := s.sm.now
		if d.pipe == pipeTensor && in.Op.IsGroupMMA() { // behind the one for which it has waited
			from = max(from, s.free[pipeTensor])
		}
		s.free[d.pipe] = from + uint64(d.interval)
		st.Busy.Pipes[d.pipe] += uint64(d.interval)
	}
	next, why := last+1, counter.StallWait
	// Effects on registers are immediate: nobody can see them before the scoreboard lets them.
	switch d.action {
	case actALU:
		if zero := d.alu.Do(w, in, mask); zero != 0 {
			s.sm.fault(w.DivideFault(in, bits.TrailingZeros32(zero)))
			return
		}
		wp.board.set(d, s.sm.now+uint64(d.latency), waitOf(d.pipe))
		w.Next()
	case actConstant:
		if fault := w.LoadAll(in, mask); fault != nil {
			s.sm.fault(fault)
			return
		}
		wp.board.set(d, s.sm.now+uint64(d.latency), counter.StallWait)
		w.Next()
	case actSpecial:
		w.Special(in, mask, s.sm.now, s.sm.nanoseconds())
		if in.Op == ir.OpReadSpecial {
			// a loop that reads a clock does not repeat itself
			s.sm.search.clocks++
		}
		wp.board.set(d, s.sm.now+uint64(d.latency), counter.StallShort)
		w.Next()
	case actCollective:
		if mask != simt.Full && in.Op.Aligned() {
			s.sm.fault(w.Unaligned(in, mask))
			return
		}
		if s.sm.strict && !s.sm.allows(w, in, mask) {
			return
		}
		if in.Op.OfSums() && !s.product(wp, d) {
			return
		}
		w.Collective(in, mask)
		if h != nil {
			h.collective(wp, in, mask)
		}
		from := s.sm.now
		if d.pipe == pipeShuffle { // it takes a pass of the data stage
			from = s.sm.shared.enter(&s.shared, 1, 0).Cycle()
		}
		wp.board.set(d, from+uint64(d.latency), waitOf(d.pipe))
		w.Next()
	case actSums:
		if p := wp.block.pending; p != nil {
			if fault := p.SumsAccess(w, in, mask); fault != nil {
				s.sm.fault(fault)
				return
			}
		}
		if fault := w.AccessSums(in, mask); fault != nil {
			s.sm.fault(fault)
			return
		}
		wp.board.set(d, s.sm.now+uint64(d.latency), counter.StallWait)
		w.Next()
	case actBranch:
		pc := w.PC
		if h != nil {
			h.branched(w)
		}
		st.Branches++
		if mask != 0 && mask != w.Mask {
			st.Divergent++
		}
		w.Branch(in, mask)
		next, why = last+uint64(s.sm.cfg.Issue.Branch), counter.StallBranch
		if s.sm.looped(wp, pc) {
			return
		}
	case actJump:
		pc := w.PC
		w.Jump(in.Target)
		next, why = last+uint64(s.sm.cfg.Issue.Branch), counter.StallBranch
		if s.sm.looped(wp, pc) {
			return
		}
	case actExit:
		s.exitLanes(wp, mask)
		if w.Mask == 0 && len(w.Parts) > 0 {
			s.sm.switchPart(wp)
			return
		}
	case actMemory:
		s.memory(wp, d, mask)
		return
	case actCopy:
		if !s.copyAsync(wp, d, mask) {
			return
		}
	case actCopies:
		s.sm.copies.group(wp, in, mask)
		if in.Op == ir.OpFenceAsync {
			next, why = s.sm.copies.fence(in), counter.StallMembar
		}
	case actFence:
		if h != nil {
			h.fenced(wp, in, mask)
		}
		w.Next()
		s.sm.fence(wp, in.Mem)
		return
	case actBarrier:
		s.sm.barrier.arrive(wp, d, mask)
		return
	case actNamed:
		if s.sm.strict && !s.sm.allows(w, in, mask) || s.sm.barrier.arriveNamed(wp, in) {
			return
		}
	case actCluster:
		if s.sm.strict && !s.sm.allows(w, in, mask) || s.sm.barrier.atCluster(wp, in, mask) {
			return
		}
	case actSleep:
		next, why = s.sm.now+s.sm.sleepCycles(w, in.Src[0], mask), counter.StallSleeping
		w.Next()
	case actTrap:
		if mask != 0 {
			s.sm.fault(w.TrapFault(in, bits.TrailingZeros32(mask)))
			return
		}
		w.Next()
	}
	s.sm.follow(wp, next, why)
}

// waitOf returns the stall reason of an instruction that needs a result of pipe p.
func waitOf(p pipe) counter.Stall {
	if p == pipeSFU || p == pipeShuffle || p == pipeVote {
		return counter.StallShort
	}
	return counter.StallWait
}

// exitLanes ends the lanes of mask.
func (s *subcore) exitLanes(wp *warp, mask uint32) {
	w, block := wp.w, wp.block
	if mask == 0 {
		w.Next()
		return
	}
	if s.sm.strict && !s.sm.ends(wp, wp.job.code[w.PC].in, mask) {
		return
	}
	if h := s.sm.hooks; h != nil {
		h.left(w, mask)
	}
	w.Exit(mask)
	block.live -= bits.OnesCount32(mask)
	s.sm.progress()
	// The block may have waited for these threads alone.
	s.sm.barrier.try(block)
	if block.cluster != nil && w.Done() {
		block.cluster.open(s.sm.chip)
	}
}

// exited handles a warp whose lanes have all exited: it leaves its slot when its accesses are done.
func (s *sm) exited(wp *warp) {
	s.pause(wp, warpDraining, counter.StallDrain)
	s.drained(wp)
}

// leave frees the slot of a warp that has ended.
func (s *sm) leave(wp *warp) {
	s.charge(wp, s.now, counter.StallDrain)
	if len(wp.copies.list) > 0 { // the event for its arrivals may come later in this cycle
		if s.copies.arrive(wp); s.run.over || s.failed != nil {
			return
		}
	}
	wp.state, wp.w = warpFree, nil
	if s.alone {
		s.notes.left(s.now, wp)
		return
	}
	s.vacate(wp, s.now)
}

// vacate makes room for another warp in a slot whose warp ended in a cycle.
func (s *sm) vacate(wp *warp, cycle uint64) {
	sub := wp.sub
	s.countWarps(cycle)
	s.warps--
	if sub.resident &^= 1 << wp.slot; sub.resident == 0 {
		s.stats.SubActive += cycle - sub.activeFrom
	}
	block := wp.block
	block.insts, block.longest, wp.insts = block.insts+wp.insts, max(block.longest, wp.insts), 0
	if block.running--; block.running == 0 {
		if fault := block.read(); fault != nil {
			s.fault(fault)
			return
		}
		s.dispatcher.blockDone(block)
	}
}

// sleepCycles returns how many cycles the lanes of mask sleep: the longest time counts.
func (c *chip) sleepCycles(w *simt.Warp, o ir.Operand, mask uint32) uint64 {
	row, ns := w.Row(o), uint64(0)
	for left := mask; left != 0; left &= left - 1 {
		ns = max(ns, row[bits.TrailingZeros32(left)])
	}
	// A sleep ends after a millisecond, whatever was asked for (PTX ISA, nanosleep).
	return 1 + uint64(float64(min(ns, 1_000_000))*c.cfg.Clock.SM/1e3)
}

// encode adds the state of a sub-core, without its warps.
func (s *subcore) encode(e *encoder) {
	state := e.r
	state.Word(s.resident)
	if s.resident == 0 {
		return
	}
	state.Word(s.ready)
	for _, cycle := range s.free {
		e.time(cycle)
	}
	queue := &s.shared
	e.tick(queue.path)
	for i := range queue.leave {
		e.time(queue.leave[(queue.first+i)%len(queue.leave)])
	}
	e.time(s.wakeAt)
	e.time(s.issueAt)
	e.time(s.sends)
	for slot, age := range s.age {
		if s.resident>>slot&1 != 0 {
			state.Word(age)
		}
	}
}
