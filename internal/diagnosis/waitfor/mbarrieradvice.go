package waitfor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// phaseAdvice is for a phase of an mbarrier that nobody completes.
func (a *advisor) phaseAdvice(cause device.CauseKind, s *set) {
	w := a.phaseOf(s)
	if w == nil {
		return
	}
	switch cause {
	case device.CauseBytes:
		if other, _ := a.astray(w); other != "" { // to expect less would be to wait for less
			name := w.name
			if strings.Contains(other, " of block ") {
				name += fmt.Sprintf(" of block %d", w.block)
			}
			a.say(fmt.Sprintf("let the copies complete at %s, where their bytes are expected, and not at %s", name, other))
			return
		}
		if pc, mask := a.leftOut(w); pc >= 0 {
			a.say(fmt.Sprintf("let %s copy to block %d as well, by the mask %#x", a.line(pc), w.block, mask|1<<w.in.Rank))
			return
		}
		for i := range w.phase {
			e := &w.phase[i]
			n := mbarrier.State(e.now).Bytes() - mbarrier.State(e.old).Bytes()
			if want := n - w.state.Bytes(); n > 0 && want >= 0 {
				a.only(fmt.Sprintf("expect as many bytes as copies bring to %s: %d instead of %d at %s", w.name, want, n, a.line(e.pc)), endsWithIt, a.withOperand(e.pc, uint64(want)))
			}
		}
		if len(a.list) == 0 {
			a.say("expect as many bytes as copies bring to " + w.name)
		}
		return
	case device.CauseReused:
		a.say("let no thread arrive in a phase of " + w.name + " before all that wait for the phase before have seen it: let them arrive at a second mbarrier when they have, and wait for that before " + a.line(w.ends[w.done-1].pc))
		return
	case device.CauseEarly:
		a.say("arrive at " + w.name + " once in each phase, or initialise it for as many arrivals as come")
		return
	case device.CausePhase:
		if w.state.Count() == 0 {
			a.say("let no thread wait for a phase of " + w.name + " that begins when all have dropped out of it, or let one that arrives stay: MBarrier.Arrive in place of MBarrier.ArriveDrop")
			return
		}
		if a.sameParity(s.waits[0].read) { // else the line waits for the right one in other rounds
			a.only(fmt.Sprintf("wait for the other parity at %s: for that of the phase that the arrivals before it complete", a.line(s.waits[0].read)), endsWithIt, a.withParity(s.waits[0].read))
		}
		a.say(fmt.Sprintf("or arrive at %s once more for each wait: a phase takes %d arrivals", w.name, w.state.Count()))
		return
	}
	// What a thread that has left would have done is done for it where it left.
	arrive, exits, drops := int32(-1), []int32{}, false
	for i := range w.phase {
		if e := &w.phase[i]; a.p.Code[e.pc].Op == ir.OpMBarArrive {
			arrive = e.pc
		}
	}
	if a.past != nil && arrive >= 0 {
		dropped := a.dropped(w)
		for i := range a.g.Threads {
			by := thread{w.block, i}
			exit, left := a.past.left[by]
			if left && !dropped[by] && !slices.Contains(exits, exit) && !slices.ContainsFunc(w.phase, func(e event) bool { return e.by == by && a.arrives(&e) }) {
				exits = append(exits, exit)
				if a.try(fmt.Sprintf("arrive as at %s also on the path by which threads leave%s", a.line(arrive), a.exitText(by, exit)), "with an arrival of each thread that leaves there the launch ends", a.arriveAtExit(ir.OpMBarArrive, arrive, exit)) {
					drops = a.only(fmt.Sprintf("let threads drop out of %s that leave%s: MBarrier.ArriveDrop", w.name, a.exitText(by, exit)), "with that of each thread that leaves there the launch ends", a.arriveAtExit(ir.OpMBarDrop, arrive, exit))
				}
			}
		}
	}
	if pc := a.tracked(w); pc >= 0 {
		a.only(fmt.Sprintf("let the copies arrive in place of their threads: MBarrier.ArriveCopied in place of %s", a.line(pc)), endsWithIt, a.replacing(pc))
	}
	if pc := a.initOf(w); !drops && pc >= 0 && w.state.Pending() < w.state.Count() {
		n := w.state.Count() - w.state.Pending()
		a.only(fmt.Sprintf("or initialise %s for as many arrivals as come: %d instead of %d at %s", w.name, n, w.state.Count(), a.line(pc)), endsWithIt, a.withOperand(pc, uint64(n)))
	}
	if len(a.list) == 0 || len(exits) == 0 {
		a.say(fmt.Sprintf("or let every thread that %s is initialised for arrive on every path", w.name))
	}
}

// phaseRingAdvice is for threads that wait at mbarriers in a ring.
func (a *advisor) phaseRingAdvice(ids []int) {
	flipped := false
	for _, id := range ids {
		s := a.sets[id]
		w := a.phaseOf(s)
		// PTX: at a new barrier the phase of parity 1 counts as complete. A buffer that is free from the start is waited for so.
		if w.done == 0 && w.state.Pending() == w.state.Count() && !flipped {
			flipped = a.only(fmt.Sprintf("if what [%d] waits for is there from the start, such as a free buffer, wait for the other parity at %s: no phase of %s is complete, and at a new barrier the wait for parity 1 ends at once", id, a.line(s.waits[0].read), w.name),
				endsWithIt, a.withParity(s.waits[0].read))
		}
		if a.sameParity(s.waits[0].read) && w.done > 1 {
			a.say(fmt.Sprintf("let the parity at %s change with each phase of %s, of which %d are complete: it is always %d", a.line(s.waits[0].read), w.name, w.done, w.parity))
		}
	}
	a.say("let each thread arrive at what the others wait for before it waits itself")
}

// phases reports whether all sets wait at mbarriers.
func (a *advisor) phases(ids []int) bool {
	return !slices.ContainsFunc(ids, func(id int) bool { return a.phaseOf(a.sets[id]) == nil })
}

// sameParity reports whether a line waits for the same parity whenever it is executed.
func (x *cures) sameParity(pc int32) bool {
	place := x.g.At(&x.p.Code[pc])
	first, ok := x.valueConstant(use{pc, 1})
	for at := range x.p.Code {
		if in := &x.p.Code[at]; in.Op.IsMBarrierWait() && slices.Equal(x.g.At(in), place) {
			v, known := x.valueConstant(use{int32(at), 1})
			ok = ok && in.Op.ByParity() && known && v == first
		}
	}
	return ok
}

// withOperand gives an operation on an mbarrier another count.
func (x *cures) withOperand(pc int32, n uint64) *remedy.Change {
	return edited("another count", func(edit *remedy.Edit) { edit.Source(pc, 1, edit.Constant(ir.U64, n)) })
}

// replacing lets copies of which an instruction tells an mbarrier arrive in place of their thread.
func (x *cures) replacing(pc int32) *remedy.Change {
	in := x.p.Code[pc]
	in.Op = ir.OpMBarCopied
	return edited("an arrival of the copies in place of the thread", func(edit *remedy.Edit) { edit.Replace(pc, in) })
}

// withParity lets a wait be one for the other parity: its result is the other phase.
func (x *cures) withParity(pc int32) *remedy.Change {
	place := x.g.At(&x.p.Code[pc])
	return edited("the other parity", func(edit *remedy.Edit) {
		for at := range x.p.Code {
			// A loop that was unrolled has a line several times.
			in := &x.p.Code[at]
			if !in.Op.IsMBarrierWait() || in.NDst == 0 || !slices.Equal(x.g.At(in), place) {
				continue
			}
			c := &code{e: edit, pos: in.Pos}
			c.into(ir.Operand(in.Dst[0]), ir.OpXor, ir.U64, ir.Operand(in.Dst[0]), edit.Constant(ir.U64, 1<<mbarrier.PhaseShift))
			edit.After(int32(at), c.list...)
		}
	})
}

// arriveAtExit lets threads that leave by an exit arrive as at another instruction, by an operation of their own, if its address is the same
// for all threads.
func (x *cures) arriveAtExit(op ir.Op, pc, exit int32) *remedy.Change {
	in := x.p.Code[pc]
	if in.Src[0] >= 0 || in.Src[1] >= 0 {
		return nil
	}
	return edited("an arrival before the exit", func(edit *remedy.Edit) {
		in.Op, in.NDst, in.Guard, in.GuardNot = op, 0, x.p.Code[exit].Guard, x.p.Code[exit].GuardNot
		edit.Before(exit, in)
	})
}
