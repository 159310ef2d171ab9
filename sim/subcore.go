package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
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
	wakeAt   uint64     // an evSubcore is scheduled for this cycle
	issueAt  uint64     // cycle from which the next instruction can issue
	age      [64]uint64 // order of placement by slot

	activeFrom uint64 // cycle since which warps have been resident
}

const never = ^uint64(0)

// issue issues an instruction of the sub-core in this cycle, if one can issue.
func (m *machine) issue(s *subcore) {
	if s.issueAt > m.now {
		return // the last operation takes several slots
	}
	cand, soonest := s.ready, never
	for cand != 0 {
		slot := s.sched.Pick(cand, &s.age)
		if cand>>uint(slot)&1 == 0 { // also if slot is negative or 64 and more
			m.failPick(slot, cand)
			return
		}
		wp := &s.warps[slot]
		d := &wp.job.code[wp.w.PC]
		free, why := m.pipeFree(s, d)
		if free <= m.now {
			s.sched.Issued(slot)
			m.execute(s, wp, d)
			if m.cfg.Issue.Dual {
				m.dispatchSecond(s, wp, d)
			}
			if s.ready == 0 {
				m.active[s.id>>6] &^= 1 << (s.id & 63)
			}
			return
		}
		m.charge(wp, m.now, why)
		soonest = min(soonest, free)
		cand &^= 1 << slot
	}
	// Nothing can issue: sleep until a pipe is free, or (never) until the load-store unit rouses the sub-core.
	m.active[s.id>>6] &^= 1 << (s.id & 63)
	if soonest != never && s.wakeAt != soonest {
		s.wakeAt = soonest
		m.at(soonest, evSubcore|event(s.id))
	}
}

// pipeFree returns the cycle from which the pipe that d needs accepts it, and the stall reason of a wait.
func (m *machine) pipeFree(s *subcore, d *decoded) (uint64, counter.Stall) {
	switch d.action {
	case actMemory:
		space := d.in.Mem.Space
		if space != ir.Shared && s.sm.lsu.full() {
			return never, counter.StallLG
		}
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
	}
	return s.free[d.pipe], counter.StallMath
}

// execute issues d for a warp: its effects on registers are immediate, and the scoreboard records when they can be
// used.
func (m *machine) execute(s *subcore, wp *warp, d *decoded) {
	w, in := wp.w, d.in
	wp.cause = w.PC
	wp.turns++
	if m.watching(wp) && wp.watch.loop.Searching() {
		wp.watch.loop.Executed(wp.job.flow, w.PC)
	}
	if d.awaits || wp.awaits {
		if t := wp.board.loaded(); t == pendingForever {
			m.pause(wp, warpMemory, counter.StallMembar)
			return
		} else if t > m.now {
			m.pause(wp, warpTimed, counter.StallMembar)
			m.at(t, evWake|event(wp.id))
			return
		}
		wp.awaits = false
	}
	if d.release && !wp.drained && w.Guarded(in) != 0 {
		wp.drained = true
		m.drainSM(wp)
		return
	}
	if d.ordered && wp.redLine != 0 && wp.under > 0 && !wp.drained && m.behindRed(wp, d) {
		wp.drained = true
		m.drain(wp, 0, 0)
		return
	}
	wp.drained = false
	if (d.action == actCollective || d.action == actNamed) && m.its && w.Mask != w.Live() && !m.gather(wp, in) {
		return
	}
	h := m.hooks
	if h != nil && d.action == actMemory && h.holds(wp, d) {
		return
	}
	m.charge(wp, m.now, wp.reason)
	n := uint64(d.issues)
	last := m.now + n - 1 // the slot of its last machine instruction
	s.issueAt = last + 1
	wp.since = last + 1
	if h != nil {
		h.issue(wp, n)
	}
	st := &m.stats
	st.Insts += n
	wp.job.insts += n
	st.ThreadInsts += n * uint64(bits.OnesCount32(w.Mask))
	mask := w.Guarded(in)
	st.PredOn += n * uint64(bits.OnesCount32(mask))
	if d.pipe != pipeNone {
		s.free[d.pipe] = m.now + uint64(d.interval)
		st.Busy.Pipes[d.pipe] += uint64(d.interval)
	}
	next, why := last+1, counter.StallWait
	switch d.action {
	case actALU:
		if zero := d.alu.Do(w, in, mask); zero != 0 {
			m.fault(w.DivideFault(in, bits.TrailingZeros32(zero)))
			return
		}
		wp.board.set(d, m.now+uint64(d.latency), waitOf(d.pipe))
		w.Next()
	case actSpecial:
		w.Special(in, mask, m.now, m.nanoseconds())
		if in.Op == ir.OpReadSpecial {
			m.run.clocks++
		}
		wp.board.set(d, m.now+uint64(d.latency), counter.StallShort)
		w.Next()
	case actCollective:
		if m.strict && !m.allows(w, in, mask) {
			return
		}
		w.Collective(in, mask)
		if h != nil {
			h.collective(wp, in, mask)
		}
		from := m.now
		if d.pipe == pipeShuffle { // it takes a pass of the data stage
			from = s.toShared(timing.At(m.now), 1, 0, m.run.shared.way).Cycle()
		}
		wp.board.set(d, from+uint64(d.latency), waitOf(d.pipe))
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
		next, why = last+uint64(m.cfg.Issue.Branch), counter.StallBranch
		if m.looped(wp, pc) {
			return
		}
	case actJump:
		pc := w.PC
		w.Jump(in.Target)
		next, why = last+uint64(m.cfg.Issue.Branch), counter.StallBranch
		if m.looped(wp, pc) {
			return
		}
	case actExit:
		m.exitLanes(wp, mask)
		if w.Mask == 0 && len(w.Parts) > 0 {
			m.switchPart(wp)
			return
		}
	case actMemory:
		m.memory(s, wp, d, mask)
		return
	case actFence:
		if h != nil {
			h.fenced(wp, in, mask)
		}
		w.Next()
		m.fence(wp, in.Mem)
		return
	case actBarrier:
		m.arriveBarrier(wp, d, mask)
		return
	case actNamed:
		if m.strict && !m.allows(w, in, mask) || m.arriveNamed(wp, in) {
			return
		}
	case actSleep:
		next, why = m.now+m.sleepCycles(w, in.Src[0], mask), counter.StallSleeping
		w.Next()
	case actTrap:
		if mask != 0 {
			m.fault(w.TrapFault(in, bits.TrailingZeros32(mask)))
			return
		}
		w.Next()
	}
	m.follow(wp, next, why)
}

// waitOf returns the stall reason of an instruction that needs a result of pipe p.
func waitOf(p pipe) counter.Stall {
	if p == pipeSFU || p == pipeShuffle || p == pipeVote {
		return counter.StallShort
	}
	return counter.StallWait
}

// nanoseconds returns the value of GlobalTimer.
func (m *machine) nanoseconds() uint64 {
	return uint64(float64(m.now) * 1e3 / m.cfg.Clock.SM)
}

// exitLanes ends the lanes of mask.
func (m *machine) exitLanes(wp *warp, mask uint32) {
	w, b := wp.w, wp.block
	if mask == 0 {
		w.Next()
		return
	}
	if m.strict && !m.ends(wp, wp.job.code[w.PC].in, mask) {
		return
	}
	if h := m.hooks; h != nil {
		h.left(w, mask)
	}
	w.Exit(mask)
	b.live -= bits.OnesCount32(mask)
	m.progress()
	m.tryBarrier(b)
}

// exited handles a warp whose lanes have all exited: it leaves its slot when its accesses are done.
func (m *machine) exited(wp *warp) {
	m.pause(wp, warpDraining, counter.StallDrain)
	m.drained(wp)
}

// leave frees the slot of a warp that has ended.
func (m *machine) leave(wp *warp) {
	m.charge(wp, m.now, counter.StallDrain)
	s := wp.sub
	m.countWarps(s.sm)
	s.sm.warps--
	if s.resident &^= 1 << wp.slot; s.resident == 0 {
		m.stats.SubActive += m.now - s.activeFrom
	}
	wp.state, wp.w = warpFree, nil
	b := wp.block
	if b.running--; b.running == 0 {
		m.blockDone(b)
	}
}

// sleepCycles returns how many cycles the lanes of mask sleep: the longest time counts.
func (m *machine) sleepCycles(w *simt.Warp, o ir.Operand, mask uint32) uint64 {
	row, ns := w.Row(o), uint64(0)
	for l := mask; l != 0; l &= l - 1 {
		ns = max(ns, row[bits.TrailingZeros32(l)])
	}
	return 1 + uint64(float64(min(ns, 1_000_000))*m.cfg.Clock.SM/1e3)
}
