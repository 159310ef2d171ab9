package waitfor

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// phaseWait is the wait of a set for a phase of an mbarrier.
type phaseWait struct {
	name   string
	addr   uint64
	state  mbarrier.State
	parity uint32 // that is waited for
	block  int
	in     *simt.Block
	record *past   // nil if the past is not known
	done   int     // phases that are complete
	phase  []event // of the current phase
	before []event // of the phases before
	ends   []event // that completed the phases before
}

// phaseOf returns for which phase a set waits; nil if it does not wait at an mbarrier.
func (x *historian) phaseOf(s *set) *phaseWait {
	first := s.waits[0]
	if first.read < 0 || first.kind != device.WaitMemory || !x.p.Code[first.read].Op.IsMBarrierWait() || first.round.last[first.read] == nil {
		return nil
	}
	lane := bits.TrailingZeros32(first.lanes) & 31
	addr := first.addr[lane]
	w := &phaseWait{
		name: x.barrierName(addr), addr: addr, state: mbarrier.State(first.fresh[lane]),
		parity: mbarrier.State(first.round.last[first.read].src[1][lane]).Parity(), block: first.w.Block.ID, in: first.w.Block,
	}
	if x.past == nil {
		return w
	}
	record := x.past.of(first, addr)
	if record == nil || record.cut {
		return w
	}
	w.record = record
	for _, e := range record.events {
		op := x.p.Code[e.pc].Op
		if op == ir.OpMBarInit { // what was before belongs to another barrier
			w.done, w.phase, w.before, w.ends = 0, nil, nil, nil
		}
		w.phase = append(w.phase, e)
		if op != ir.OpMBarInit && mbarrier.State(e.old).Parity() != mbarrier.State(e.now).Parity() {
			w.done++
			w.ends = append(w.ends, e)
			w.before, w.phase = append(w.before, w.phase...), nil
		}
	}
	return w
}

// barrierName names an mbarrier as the source does: its state is a field that nobody sees.
func (x *reader) barrierName(addr uint64) string {
	return strings.TrimSuffix(x.place(addr).String(), ".state")
}

// arrives reports whether an event is an arrival of a thread, or of its copies in its place. Those of TrackCopies come in addition to what
// the barrier was initialised for, and are expected in addition.
func (x *historian) arrives(e *event) bool {
	op := x.p.Code[e.pc].Op
	return op.Arrives() || op == ir.OpMBarCopied
}

// reachesOthers reports whether an instruction may change an mbarrier of another block of the cluster: threads of one set may then wait for
// each other.
func (x *reader) reachesOthers(pc int32) bool {
	in := &x.p.Code[pc]
	return x.g.Cluster > 1 && (in.Op.IsMBarrier() && in.Root < 0 || in.Op.ToCluster())
}

// arriving returns the blocks whose threads may arrive at a barrier.
func (x *reader) arriving(w *phaseWait) (blocks []int) {
	for pc := range x.p.Code {
		if x.p.Code[pc].Op.IsMBarrier() && x.reachesOthers(int32(pc)) {
			first := w.block - w.block%x.g.Cluster
			for rank := range x.g.Cluster {
				blocks = append(blocks, first+rank)
			}
			return blocks
		}
	}
	return []int{w.block}
}

// stateText says how far the current phase has got.
func (w *phaseWait) stateText() string {
	text := fmt.Sprintf("in a phase of parity %d", w.state.Parity())
	if w.record != nil {
		text = fmt.Sprintf("in phase %d (parity %d)", w.done+1, w.state.Parity())
	}
	text += fmt.Sprintf(" with %d of %d arrivals", w.state.Count()-w.state.Pending(), w.state.Count())
	switch n := w.state.Bytes(); {
	case n > 0:
		text += fmt.Sprintf(", and waits for %d bytes", n)
	case n < 0:
		text += fmt.Sprintf(", and %d bytes more than expected", -n)
	}
	return text
}

// phaseEdge returns the edge of a set that waits for a phase which nobody completes any more.
func (x *historian) phaseEdge(w *phaseWait, s *set) edge {
	switch {
	case w.state.Count() == 0 && w.state.Pending() == 0 && w.state.Bytes() == 0:
		return edge{cause: device.CausePhase, text: x.phaseText(w, s)}
	case w.state.Pending() == 0:
		return edge{cause: device.CauseBytes, text: x.bytesText(w)}
	case w.early(x) != "":
		return edge{cause: device.CauseEarly, text: w.early(x)}
	case w.state.Pending() == w.state.Count() && w.done > 0:
		return edge{cause: device.CausePhase, text: x.phaseText(w, s)}
	}
	return edge{cause: device.CauseArrivals, text: x.arrivalsText(w)}
}

// overrun returns the phase for which a thread of a set came to wait, if it and the next one were complete before the thread had looked:
// the parity is then that of the current phase again. 0 if no thread missed one. A thread waits for the first phase of its parity after
// those that it knew of when it came: complete ones that it had seen, or in the next of which it has arrived.
func (x *historian) overrun(w *phaseWait, s *set) (phase int, by thread) {
	for _, waiting := range s.waits {
		for lanes := waiting.lanes; lanes != 0; lanes &= lanes - 1 {
			by = thread{waiting.w.Block.ID, waiting.w.Index*simt.Lanes + bits.TrailingZeros32(lanes)}
			looks := x.past.looks[looker{by, cellOf(x.g, w.addr, by.block)}]
			if looks == nil {
				continue
			}
			phase = looks.before + 1
			if uint32(phase-1)&1 != w.parity { // the first phase has parity 0
				phase++
			}
			if phase < w.done {
				return phase, by
			}
		}
	}
	return 0, thread{}
}

// overrunText says which phase a set has missed, and who completed it and the next one; "" if it has missed none.
func (x *historian) overrunText(w *phaseWait, s *set) string {
	if w.record == nil || w.state.Pending() != w.state.Count() { // else somebody arrives in the phase that it waits for
		return ""
	}
	phase, missed := x.overrun(w, s)
	if phase == 0 {
		return ""
	}
	first, second := &w.ends[phase-1], &w.ends[phase]
	return fmt.Sprintf("%s missed phase %d of %s (parity %d): it did not look between the end of that phase and the end of phase %d, and waits for phase %d now, which has the same parity; %s completed phase %d at %s, and %s phase %d at %s",
		x.threadText(missed), phase, w.name, w.parity, phase+1, w.done+1, x.threadText(first.by), phase, x.line(first.pc), x.threadText(second.by), phase+1, x.line(second.pc))
}

// bytesText says which bytes were expected, and which came.
func (x *historian) bytesText(w *phaseWait) string {
	text := fmt.Sprintf("all %d arrivals have come to %s, but %d bytes that it expects have not", w.state.Count(), w.name, w.state.Bytes())
	if w.state.Bytes() < 0 {
		text = fmt.Sprintf("all %d arrivals have come to %s, and copies have brought %d bytes more than it expects", w.state.Count(), w.name, -w.state.Bytes())
	}
	var lines []string
	for i := range w.phase {
		e := &w.phase[i]
		if x.p.Code[e.pc].Op == ir.OpMBarInit {
			continue
		}
		switch n := mbarrier.State(e.now).Bytes() - mbarrier.State(e.old).Bytes(); {
		case n > 0:
			lines = distinct(lines, fmt.Sprintf("%s expects %d bytes", x.line(e.pc), n))
		case n < 0:
			lines = distinct(lines, fmt.Sprintf("the copy of %s has brought %d", x.line(e.pc), -n))
		}
	}
	if len(lines) > 0 {
		text += ": " + strings.Join(lines, ", ")
	}
	text += "; no copy is under way to it"
	if astray, bytes := x.astray(w); astray != "" {
		text += fmt.Sprintf("; copies bring %d bytes more to %s than that expects", bytes, astray)
	} else if pc, mask := x.leftOut(w); pc >= 0 {
		text += fmt.Sprintf("; the mask of %s is %#x, which leaves out block %d with rank %d", x.line(pc), mask, w.block, w.in.Rank)
	}
	return text
}

// trackedText says of copies that have arrived beside what the barrier was initialised for; "" if none have.
func (x *historian) trackedText(w *phaseWait) string {
	pc := x.tracked(w)
	if pc < 0 {
		return ""
	}
	return fmt.Sprintf("; the copies of %s have arrived, but only beside what %s was initialised for", x.line(pc), w.name)
}

// tracked returns the instruction that has told a barrier of copies which arrive beside what it was initialised for; -1 if none has.
func (x *historian) tracked(w *phaseWait) int32 {
	for i := range w.phase {
		if pc := w.phase[i].pc; x.p.Code[pc].Op == ir.OpMBarTrack {
			return pc
		}
	}
	return -1
}

// early says in which phase a thread has arrived twice, so that it was complete before all others had arrived in it; "" if none has.
func (w *phaseWait) early(x *historian) string {
	for from, phase := 0, 1; from < len(w.before); phase++ {
		to := from
		lines := map[thread][]int32{}
		for ; to < len(w.before); to++ {
			e := &w.before[to]
			if x.arrives(e) {
				lines[e.by] = append(lines[e.by], e.pc)
			}
			if mbarrier.State(e.old).Parity() != mbarrier.State(e.now).Parity() && x.p.Code[e.pc].Op != ir.OpMBarInit {
				to++
				break
			}
		}
		// A thread that arrives later and did not in this phase is the one that was overtaken.
		late := func() (thread, int32, bool) {
			for _, list := range [][]event{w.before[to:], w.phase} {
				for i := range list {
					if e := &list[i]; x.arrives(e) && lines[e.by] == nil {
						return e.by, e.pc, true
					}
				}
			}
			return thread{}, 0, false
		}
		for i := from; i < to; i++ {
			e := &w.before[i]
			if at := lines[e.by]; len(at) > 1 && x.arrives(e) {
				other, pc, ok := late()
				if !ok {
					break
				}
				return fmt.Sprintf("phase %d of %s was complete too early: %s arrived in it %s, last at %s, and %s came to %s only in a later phase",
					phase, w.name, x.threadText(e.by), timesText(len(at)), x.line(at[len(at)-1]), x.threadText(other), x.line(pc))
			}
		}
		from = to
	}
	return ""
}

// phaseText says of a phase in which nobody arrives how it comes that threads wait for it.
func (x *historian) phaseText(w *phaseWait, s *set) string {
	text := fmt.Sprintf("[%d] waits for phase %d of %s (parity %d), in which no thread arrives: ", s.id, w.done+1, w.name, w.parity)
	var lines []string
	for i := range w.before {
		if e := &w.before[i]; x.arrives(e) {
			lines = distinct(lines, x.line(e.pc))
		}
	}
	text += fmt.Sprintf("%d of its phases %s complete", w.done, map[bool]string{true: "is", false: "are"}[w.done == 1])
	if len(lines) > 0 {
		text += ", by " + strings.Join(lines, " and ")
	}
	return text + ", and no thread comes there again"
}

// arrivalsText says who has arrived in a phase, and who has not.
func (x *historian) arrivalsText(w *phaseWait) string {
	text := fmt.Sprintf("%s lacks %d of %d arrivals", w.name, w.state.Pending(), w.state.Count())
	if w.record == nil {
		return text + ", and no thread comes to a line that arrives there any more"
	}
	there, dropped := map[thread]bool{}, x.dropped(w)
	var lines []string
	for i := range w.phase {
		if e := &w.phase[i]; x.arrives(e) {
			there[e.by] = true
			lines = distinct(lines, x.line(e.pc))
		}
	}
	if len(lines) > 0 {
		text += fmt.Sprintf(": %s arrived at %s", countOf(len(there)), strings.Join(lines, " or "))
	}
	var gone, stay threads
	var one thread
	blocks := x.arriving(w)
	for n := range len(blocks) * x.g.Threads {
		i := n % x.g.Threads
		by := thread{blocks[n/x.g.Threads], i}
		if there[by] || dropped[by] {
			continue
		}
		if _, left := x.past.left[by]; left {
			one = by
			gone.add(by.block, i/simt.Lanes, 1<<(i%simt.Lanes))
		} else {
			stay.add(by.block, i/simt.Lanes, 1<<(i%simt.Lanes))
		}
	}
	absent := 0
	for _, who := range []struct {
		threads
		text string
	}{{gone, "left the kernel%s without an arrival"}, {stay, "came to a wait without an arrival%s"}} {
		if len(who.lanes) == 0 {
			continue
		}
		absent += who.plain().Count
		exit := ""
		if _, left := x.past.left[one]; left && strings.HasPrefix(who.text, "left") {
			exit = x.exitText(one, x.past.left[one])
		}
		text += "; " + x.threadsText(&who.threads) + " " + fmt.Sprintf(who.text, exit)
	}
	if absent == 0 {
		text += fmt.Sprintf("; all %d threads of the %s have arrived, fewer than %s was initialised for", len(blocks)*x.g.Threads, map[bool]string{true: "block", false: "cluster"}[len(blocks) == 1], w.name)
		if pc := x.initOf(w); pc >= 0 {
			text += " at " + x.line(pc)
		}
	}
	return text + x.trackedText(w)
}

// dropped returns the threads that have dropped out of a barrier in a phase before: it does not wait for them any more.
func (x *historian) dropped(w *phaseWait) map[thread]bool {
	gone := map[thread]bool{}
	for i := range w.before {
		if e := &w.before[i]; x.p.Code[e.pc].Op.Drops() {
			gone[e.by] = true
		}
	}
	return gone
}

// countOf says of how many threads something is told.
func countOf(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

// initOf returns the instruction that initialised a barrier; -1 if that is not known.
func (x *historian) initOf(w *phaseWait) int32 {
	for _, list := range [][]event{w.before, w.phase} {
		for i := range list {
			if x.p.Code[list[i].pc].Op == ir.OpMBarInit {
				return list[i].pc
			}
		}
	}
	return -1
}
