package waitfor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
)

// causes lists why the kernel does not end, the most useful first: what ends a chain of waiting,
// and then the rings.
func (x *explainer) causes(r *device.Residency) []device.WaitingCause {
	list := []device.WaitingCause{}
	put := func(kind device.CauseKind, text string, ids ...int) {
		// Groups that do not go on for the same reason share a line of the report.
		index := slices.IndexFunc(list, func(c device.WaitingCause) bool { return c.Kind == kind && c.Text == text })
		if index < 0 {
			list = append(list, device.WaitingCause{Kind: kind, Text: text, Waiters: ids})
			return
		}
		for _, id := range ids {
			if !slices.Contains(list[index].Waiters, id) {
				list[index].Waiters = append(list[index].Waiters, id)
			}
		}
	}
	// That blocks are not resident is one fact, whichever of their lines would be executed first.
	absent := -1 // the cause that blocks are not resident: one for all lines
	for _, group := range x.sets {
		for _, edge := range group.edges {
			if edge.cause == device.CauseNotResident && absent >= 0 {
				c := &list[absent]
				if !slices.Contains(c.Waiters, group.id) {
					c.Waiters = append(c.Waiters, group.id)
				}
				continue
			}
			if text := x.causeText(group, &edge, r); text != "" {
				put(edge.cause, text, group.id)
				if edge.cause == device.CauseNotResident {
					absent = len(list) - 1
				}
			}
		}
	}
	for _, group := range x.sets {
		for _, w := range x.elsewhere(group) {
			switch {
			case w.of.Runs:
				put(device.CauseRunning, fmt.Sprintf("%s of %s would end the wait of [%d], %s", lineOf(&w.line), w.line.Of, group.id, w.line.Why), group.id)
			case w.line.Ends:
				put(device.CauseWaitsItself, fmt.Sprintf("%s of %s could end the wait of [%d], %s", lineOf(&w.line), w.line.Of, group.id, w.line.Why), group.id)
			}
		}
	}
	// Rings come last: a chain of waits that ends somewhere is explained by its end.
	for _, ring := range x.rings() {
		text := ring.text(x.outside(ring))
		first := x.sets[ring.ids[0]]
		switch alone := len(ring.ids) == 1; {
		case alone && x.countText(first) != "":
			put(device.CauseExited, x.countText(first), ring.ids...)
			continue
		case alone && x.tallyText(first) != "":
			text += ": " + x.tallyText(first)
		case x.retries(ring.ids):
			text += "; they do not stand still, but give way to each other, and come to the same place again at the same time"
		}
		put(ring.kind, text, ring.ids...)
	}
	slices.SortStableFunc(list, func(a, b device.WaitingCause) int { return rank(a.Kind, false) - rank(b.Kind, false) })
	return list
}

// retries reports whether groups change memory while they wait for each other.
func (x *explainer) retries(ids []int) bool {
	return slices.ContainsFunc(ids, func(id int) bool {
		s := x.sets[id]
		return s.contested || s.waits[0].gate != nil || slices.ContainsFunc(s.waits, func(t *wait) bool { return x.givesWay(t) })
	})
}

// givesWay reports whether a wait changes words that others may wait for: by atomics, as locks do.
func (x *explainer) givesWay(t *wait) bool {
	return t.round != nil && slices.ContainsFunc(t.round.steps, func(pc int32) bool { return t.round.last[pc].wrote && x.p.Code[pc].Op.IsAtomic() })
}

// causeText says why threads do not end a wait, if that has a reason of its own and is not another
// wait.
func (x *explainer) causeText(s *set, e *edge, r *device.Residency) string {
	who := e.who.plain()
	if e.text != "" {
		return e.text
	}
	switch e.cause {
	case device.CauseNotReleased, device.CauseReused:
		return x.closedText(s)
	case device.CauseNotResident:
		text := fmt.Sprintf("%s would execute %s, but cannot start before another block ends", blocksText(who.Blocks, x.g), x.line(e.writer.pc))
		// Otherwise all blocks fit, and something else holds them back: a schedule, a progress model, another launch.
		if r != nil && r.LargestGrid > 0 && r.LargestGrid < r.Blocks {
			text += fmt.Sprintf(". %s of %s blocks fit at once: %d on each of %d SMs, where %s", format.Thousands(r.LargestGrid), format.Thousands(r.Blocks), r.PerSM, r.SMs, full(r))
		}
		return text
	case device.CauseStale:
		w := x.word(s)
		return fmt.Sprintf("%s is %s in memory, but this SM's L1 still has %s, and the load may take it from there for ever", wordName(w), listOf(w.Values), listOf(w.Cached))
	case device.CauseOverwritten:
		if s.closed != nil {
			return x.closedText(s)
		}
		return x.overwritten(s, e)
	case device.CauseNoWriter:
		text := x.noWriter(s)
		// A line of another launch is a reason of its own, which causes lists.
		for _, w := range x.elsewhere(s) {
			if w.line.Ends {
				return ""
			}
			text += fmt.Sprintf("; %s of %s %s", lineOf(&w.line), w.line.Of, w.line.Why)
		}
		return text
	case device.CauseUnexamined:
		return x.unexamined(s)
	case device.CauseExited:
		if s.waits[0].kind == device.WaitNamed {
			return fmt.Sprintf("%s have left the kernel, and never come to barrier %d, which expects %d threads of each block", x.threadsText(&e.who), s.waits[0].g.Barrier, s.waits[0].g.Expected)
		}
		return x.leftText(&e.who, e.writer.pc)
	case device.CauseBarrier:
		switch {
		case e.to == nil:
			return fmt.Sprintf("barrier %d expects %d threads, and fewer come to it", s.waits[0].g.Barrier, s.waits[0].g.Expected)
		case s.waits[0].g.Mixed && s.waits[0].kind == device.WaitBarrier:
			return "threads of a block wait at barriers of different kinds, which do not match each other"
		}
	case device.CauseHeld:
		if e.to == nil {
			return fmt.Sprintf("%s never lets [%d] go on", s.waits[0].g.Held, s.id)
		}
	case device.CauseRunning:
		return x.runningText(s, e)
	}
	return ""
}

// runningText says why threads that run do not end a wait, or go round themselves; "" if that is the cause of another group.
func (x *explainer) runningText(s *set, e *edge) string {
	first := s.waits[0]
	switch {
	case e.to != nil && e.to != s && first.kind == device.WaitMemory:
		return ""
	case s.contested:
		return x.contested(s)
	case first.gate != nil:
		return x.gateText(s)
	case len(first.changes) > 0 && x.Livelock:
		again := "for ever"
		if x.Likely {
			again = "again and again"
		}
		text := fmt.Sprintf("[%d] changes %s and comes back to where it was, %s: what it tries fails each time", s.id, changedWords(first.changes), again)
		if x.futile(s) {
			return text + "; no value of a word that it reads was found with which it leaves its loop"
		}
		return text + ", since the others do the same at the same time"
	case len(first.changes) > 0:
		return fmt.Sprintf("[%d] goes on changing %s, so it is not known what it waits for", s.id, changedWords(first.changes))
	case first.kind == device.WaitLoop && x.Decided && x.copyOf(s) != "":
		return fmt.Sprintf("[%d] goes round in a loop for ever, and waits for nobody: %s", s.id, x.copyOf(s))
	case first.kind == device.WaitLoop:
		return fmt.Sprintf("[%d] goes round in a loop for ever, and waits for nobody", s.id)
	case e.to == nil:
		return fmt.Sprintf("[%d] was running, and may end or not", s.id)
	}
	return ""
}

// overwritten says who stored the value that is waited for, and which lines can have replaced it.
func (x *explainer) overwritten(s *set, e *edge) string {
	word := x.word(s)
	var others []string
	for _, o := range s.writers {
		if o.pc != e.writer.pc && !o.never {
			others = append(others, x.line(o.pc))
		}
	}
	text := fmt.Sprintf("%s had the value waited for: %s stored %s at %s; it was replaced before the threads that wait had read it", wordName(word), x.threadsText(&e.who), e.writer.value, x.line(e.writer.pc))
	if len(others) > 0 {
		text += ", by " + strings.Join(others, " or ")
	}
	return text
}

// unexamined says of which lines it is not known whether threads would execute them.
func (x *explainer) unexamined(s *set) string {
	var lines []string
	most := 0
	for _, o := range s.writers {
		if o.unseen > 0 {
			lines, most = append(lines, x.line(o.pc)), max(most, o.unseen)
		}
	}
	return fmt.Sprintf("it is not known who would write %s: no thread that was examined executes %s for it, and %s of %s threads of the launch were not examined",
		x.allWords(s), strings.Join(lines, " or "), format.Thousands(most), format.Thousands(x.g.Blocks*x.g.Threads))
}

// noWriter says why no line of the kernel can end a wait.
func (x *explainer) noWriter(s *set) string {
	if len(s.writers) == 0 {
		return "no line of the kernel writes " + x.allWords(s)
	}
	var texts []string
	for _, line := range s.writers {
		text := x.line(line.pc)
		switch {
		case s.waits[0].round.in[line.pc]:
			continue // the loop's own compare-and-swap
		case line.vain:
			text += " stores a value that does not end the wait"
		case line.done:
			text += " is executed by no thread any more"
		case line.other:
			text += " writes other elements"
			if other := x.written(line.pc); other != "" {
				text += " (" + other + ")"
			}
			if who := x.missedText(s, line.pc); who != "" {
				text += ": " + who
			}
		default:
			text += " is executed by no thread of this launch"
			if g := x.guardOf(line.pc); g != "" {
				text += ": only if " + g
			}
		}
		if !slices.Contains(texts, text) { // a loop that was unrolled has a line several times
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "no line but that of the loop writes " + x.allWords(s)
	}
	return fmt.Sprintf("nothing sets %s to what is waited for: %s", x.allWords(s), strings.Join(texts, "; "))
}

// allWords names the words on which a set waits.
func (x *explainer) allWords(s *set) string {
	names := []string{wordName(x.word(s))}
	for addr, pc := range s.words() {
		if pc != s.waits[0].read {
			names = distinct(names, x.place(addr).String())
		}
	}
	slices.Sort(names[1:])
	return strings.Join(names, " or ")
}

// line names the source line of an instruction.
func (x *reader) line(pc int32) string {
	in := &x.p.Code[pc]
	at := x.g.At(in)
	if len(at) == 0 {
		return opName(in)
	}
	return fmt.Sprintf("%s:%d (%s)", at[0].File, at[0].Line, opName(in))
}

// residency says how the launch fits.
func (x *explainer) residency() *device.Residency {
	o := &x.Occupancy
	if o.BlocksPerSM == 0 {
		return nil
	}
	out := &device.Residency{
		Blocks: x.g.Blocks, PerSM: o.BlocksPerSM, SMs: o.SMs, Limit: o.Limit, LargestGrid: o.BlocksPerSM * o.SMs,
		Registers: o.Regs, Shared: o.Shared, ThreadsPerBlock: x.g.Threads,
	}
	live := map[int]bool{}
	for i := range x.Warps {
		live[x.Warps[i].Block.ID] = true
	}
	for b := range x.g.Blocks {
		if x.Started(b) {
			out.Placed++
		}
	}
	out.Ended = out.Placed - len(live)
	if o.Limit == "registers" && x.Fit != nil {
		// Registers are allocated in units, so that fewer per thread may change nothing (CUDA Occupancy Calculator): each
		// number is asked for.
		for regs := o.Regs - 1; regs > 0; regs-- {
			fit, err := x.Fit(regs)
			if err != nil || fit.BlocksPerSM <= o.BlocksPerSM {
				continue
			}
			if out.FewerRegisters == 0 {
				out.FewerRegisters = regs
			}
			if fit.BlocksPerSM*fit.SMs >= x.g.Blocks {
				out.EnoughRegisters = regs
				break
			}
		}
	}
	return out
}

// full says which resource keeps another block from fitting on an SM.
func full(r *device.Residency) string {
	switch r.Limit {
	case "registers":
		return fmt.Sprintf("registers are full (%d per thread, %d threads per block)", r.Registers, r.ThreadsPerBlock)
	case "shared memory":
		return fmt.Sprintf("shared memory is full (%d bytes per block)", r.Shared)
	case "warps":
		return fmt.Sprintf("places for warps are full (%d threads per block)", r.ThreadsPerBlock)
	case "blocks":
		return "places for blocks are full"
	case "barriers":
		return "named barriers are full"
	}
	return "the limit is " + r.Limit
}

// causeOf says why a waiting group does not go on.
func causeOf(t *wait) device.CauseKind {
	switch t.kind {
	case device.WaitReconverge:
		return device.CauseReconverge
	case device.WaitBarrier, device.WaitNamed:
		return device.CauseBarrier
	case device.WaitWarp:
		return device.CauseMaskMismatch
	case device.WaitHeld:
		return device.CauseHeld
	case device.WaitTurn, device.WaitLoop:
		return device.CauseRunning
	}
	return device.CauseWaitsItself
}

// rank orders causes: those that name what to change come first.
func rank(c device.CauseKind, own bool) int {
	order := []device.CauseKind{
		device.CauseStale, device.CauseHeld, device.CauseNotResident, device.CauseReconverge, device.CauseMaskMismatch,
		device.CauseNotReleased, device.CauseNotPassed, device.CauseReused, device.CauseOverwritten,
		device.CauseNoWriter, device.CauseUnexamined, device.CauseExited, device.CauseBarrier, device.CauseCycle, device.CauseWaitsItself, device.CauseRunning,
	}
	n := slices.Index(order, c)
	// Threads that wait for the word themselves are the last whom one would blame.
	if own {
		n += len(order)
	}
	return n
}
