package sim

import (
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// warpState says whether a warp can issue and, if not, what it waits for.
type warpState uint8

const (
	warpFree      warpState = iota // the slot holds no warp
	warpReady                      // in the ready mask of its sub-core
	warpTimed                      // an evWake is scheduled
	warpMemory                     // its next instruction needs data in flight
	warpBarrier                    // waits at a block barrier
	warpParted                     // its lanes wait for each other at collectives
	warpFence                      // a fence waits for accesses
	warpHeld                       // waits for its turn in a schedule; see gate
	warpSuspended                  // a try_wait has found a phase that is not complete; an evSuspended is scheduled
	warpDraining                   // all lanes have exited, accesses are in flight
)

// warp is the timing state of a resident warp. What every instruction needs fills two cache lines of the host, which
// together with those of all other warps stay in its second-level cache; the rest is in seldom.
type warp struct {
	w       *simt.Warp
	job     *job
	sub     *subcore
	block   *block
	since   uint64 // first cycle not charged yet
	doneAt  uint64 // cycle at which the finished memory instructions are usable
	board   scoreboard
	id      int32
	cause   int32  // PC of the instruction that issued last or is about to issue
	under   int32  // memory instructions in flight
	turns   uint32 // instructions issued
	retry   uint32 // lanes that did not get their lock; see lockTable
	slot    uint8  // in the sub-core
	state   warpState
	reason  counter.Stall // the reason that cycles from since on are charged to
	ofSM    bool          // it waits for the accesses of its SM; see behind
	acquire bool          // L1 is invalidated when the wait ends
	drained bool          // the next instruction, a release, has already waited for the accesses before it
	awaits  bool          // the next instruction waits for the loads in flight: after an acquire of block scope
	*seldom
	insts uint64  // warp instructions issued
	_     [8]byte // to the end of a cache line of the host
}

// seldom is the state of a warp that only some instructions and states need.
type seldom struct {
	// fenceEnd is the cycle before which a fence does not end.
	fenceEnd   uint64
	fenceAfter uint64 // cycles that the fence takes after the last of the warp's accesses
	behind     uint32 // if ofSM is set, the warp waits for the accesses of its SM before this epoch
	named      int32  // the named barrier at which the warp waits; negative once that is complete
	opens      uint64 // cycle at which the named barrier opens
	resume     uint64 // cycle from which the lock loop continues, or a suspended warp looks again
	phase      uint64 // address of the mbarrier for a phase of which the warp is suspended
	woken      bool   // that phase has ended, or the time is over: the loop around the try_wait looks once more, which hardware does not
	ackedIn    uint64 // cycle in which its evAcked was scheduled
	spin       spin
	watch      watch
	copies     warpCopies
	sums       sums
	// What the gate knows of it.
	steps  int32  // memory steps taken
	pass   uint32 // lanes that take the next one now
	heldAt uint64 // cycle at which it began to wait
}

// charge adds the cycles up to t to the warp's current stall reason, and sets the next one.
func (s *sm) charge(wp *warp, t uint64, next counter.Stall) {
	if t > wp.since {
		s.stats.Stalled[wp.reason] += t - wp.since
		if h := s.hooks; h != nil {
			h.charged(wp, t-wp.since)
		}
		wp.since = t
	}
	wp.reason = next
}

// wake makes a warp ready in this cycle.
func (s *sm) wake(wp *warp) {
	s.charge(wp, s.now, counter.StallNotSelected)
	// The accesses before the fence or the acquire are done: what L1 is filled with from here on is new.
	if wp.acquire {
		wp.acquire = false
		s.l1.forget()
	}
	s.setReady(wp)
	s.awaken(wp.sub.id)
}

func (s *sm) setReady(wp *warp) {
	wp.state = warpReady
	wp.sub.ready |= 1 << wp.slot
}

// pause removes a warp from the ready mask; from the next cycle on its time is charged to reason.
func (s *sm) pause(wp *warp, state warpState, reason counter.Stall) {
	wp.sub.ready &^= 1 << wp.slot
	wp.state = state
	// What waits for others may wait for ever: the search for a hang looks at it.
	if state.blocks() {
		wp.watch.blocked, s.search.due = s.search.epoch, true
	}
	s.charge(wp, s.now+1, reason)
}

// follow determines when the warp's next instruction can issue, not before cycle from. It is called when the warp has
// issued, or may continue after a wait.
func (s *sm) follow(wp *warp, from uint64, why counter.Stall) {
	if wp.w.Done() {
		s.exited(wp)
		return
	}
	// Parts that stand at the same place again go on together.
	if len(wp.w.Parts) > 0 {
		wp.w.Meet()
	}
	d := &wp.job.code[wp.w.PC]
	if d.action == actConstant {
		wp.takeConstants(s, from)
		d = &wp.job.code[wp.w.PC]
	}
	ready, reason := wp.board.earliest(d, from, why)
	switch {
	// It depends on memory, and the answer has no time yet.
	case ready == pendingForever:
		s.pause(wp, warpMemory, counter.StallLong)
	// It stays in the mask of its sub-core, and needs no event.
	case ready <= s.now+1 && wp.state == warpReady:
		s.charge(wp, s.now+1, counter.StallNotSelected)
	default:
		s.pause(wp, warpTimed, reason)
		s.at(ready, evWake|event(wp.id))
	}
}

// release lets a waiting warp continue from cycle t.
func (s *sm) release(wp *warp, t uint64) {
	s.charge(wp, max(s.now, wp.since), wp.reason)
	s.follow(wp, max(t, s.now+1), wp.reason)
}

// acked resumes a warp whose memory accesses are all done.
func (s *sm) acked(wp *warp) {
	switch wp.state {
	case warpFence:
		if wp.ofSM {
			s.order.fenced(wp.behind)
		}
		wp.ofSM = false
		if h := s.hooks; h != nil {
			h.settled(wp)
		}
		// A fence costs its time after the last access, and at least so much from its issue on.
		s.release(wp, max(s.now+wp.fenceAfter, wp.fenceEnd))
	case warpDraining:
		s.leave(wp)
	}
}

// finishOp records that a memory instruction of the warp, of the given epoch of its SM, is done and its effects are
// usable from cycle t.
func (s *sm) finishOp(wp *warp, epoch uint32, t uint64) {
	wp.under--
	wp.doneAt = max(wp.doneAt, t)
	s.accessDone(wp, epoch, t)
	if wp.under == 0 && (wp.state == warpFence || wp.state == warpDraining) {
		s.drained(wp)
	}
}

// encode adds the state of a warp.
func (wp *warp) encode(e *encoder) {
	state, w := e.r, wp.w
	state.Word(uint64(wp.id)<<8 | uint64(wp.state))
	state.Int(int(wp.under))
	for i, until := range wp.board.rows {
		if i < len(w.Regs) {
			state.Bytes(simt.RowBytes(&w.Regs[i]))
		} else {
			state.Word(uint64(w.Preds[i-len(w.Regs)]))
		}
		switch {
		case until == pending:
			state.Word(until)
		// All times that are over are alike.
		case until>>stallBits <= e.now:
			state.Word(0)
		default:
			state.Word(until - e.now<<stallBits)
		}
	}
	path := func(p *simt.Path) {
		state.Word(uint64(uint32(p.PC))<<32 | uint64(uint32(p.Recon)))
		state.Word(uint64(p.Mask))
	}
	path(&w.Path)
	state.Word(uint64(w.Exists)<<32 | uint64(w.Exited))
	state.Int(len(w.Stack))
	for i := range w.Stack {
		path(&w.Stack[i])
	}
	state.Int(len(w.Parts))
	for i := range w.Parts {
		path(&w.Parts[i].Path)
		state.Int(int(w.Parts[i].Wait))
	}
	state.Bytes(w.Local)
	e.time(wp.doneAt)
	e.time(wp.fenceEnd)
	state.Word(wp.fenceAfter)
	state.Bool(wp.ofSM)
	if wp.ofSM {
		state.Word(uint64(wp.behind - wp.sub.sm.order.first))
	}
	state.Bool(wp.acquire)
	state.Bool(wp.drained)
	state.Bool(wp.awaits)
	state.Word(uint64(wp.retry))
	e.time(wp.resume)
	state.Int(int(wp.named))
	e.time(wp.opens)
	spin := &wp.spin
	state.Word(uint64(uint32(spin.pc))<<32 | uint64(spin.mask))
	state.Word(spin.addr)
	state.Word(uint64(uint32(spin.same))<<32 | uint64(uint32(spin.other)))
	state.Int(int(spin.backs))
	wp.copies.encode(e)
	wp.sums.encode(e)
}
