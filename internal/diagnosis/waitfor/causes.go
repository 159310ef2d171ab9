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
func (x *explainer) causes(residency *device.Residency) []device.WaitingCause {
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
			if text := x.causeText(group, &edge, residency); text != "" {
				put(edge.cause, text, group.id)
				if edge.cause == device.CauseNotResident {
					absent = len(list) - 1
				}
			}
		}
	}
	for _, group := range x.sets {
		for _, foreign := range x.elsewhere(group) {
			switch {
			case foreign.of.Runs:
				put(device.CauseRunning, fmt.Sprintf("%s of %s would end the wait of [%d], %s", lineOf(&foreign.line), foreign.line.Of, group.id, foreign.line.Why), group.id)
			case foreign.line.Ends:
				put(device.CauseWaitsItself, fmt.Sprintf("%s of %s could end the wait of [%d], %s", lineOf(&foreign.line), foreign.line.Of, group.id, foreign.line.Why), group.id)
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
func (x *explainer) causeText(set *set, edge *edge, residency *device.Residency) string {
	who := edge.who.plain()
	if edge.text != "" {
		return edge.text
	}
	switch edge.cause {
	case device.CauseNotReleased, device.CauseReused:
		return x.closedText(set)
	case device.CauseNotResident:
		text := fmt.Sprintf("%s would execute %s, but cannot start before another block ends", blocksText(who.Blocks, x.g), x.line(edge.writer.pc))
		// Otherwise all blocks fit, and something else holds them back: a schedule, a progress model, another launch.
		if residency != nil && residency.LargestGrid > 0 && residency.LargestGrid < residency.Blocks {
			text += fmt.Sprintf(". %s of %s blocks fit at once: %d on each of %d SMs, where %s", format.Thousands(residency.LargestGrid), format.Thousands(residency.Blocks), residency.PerSM, residency.SMs, full(residency))
		}
		return text
	case device.CauseStale:
		w := x.word(set)
		return fmt.Sprintf("%s is %s in memory, but this SM's L1 still has %s, and the load may take it from there for ever", wordName(w), listOf(w.Values), listOf(w.Cached))
	case device.CauseOverwritten:
		if set.closed != nil {
			return x.closedText(set)
		}
		return x.overwritten(set, edge)
	case device.CauseNoWriter:
		text := x.noWriter(set)
		// A line of another launch is a reason of its own, which causes lists.
		for _, foreign := range x.elsewhere(set) {
			if foreign.line.Ends {
				return ""
			}
			text += fmt.Sprintf("; %s of %s %s", lineOf(&foreign.line), foreign.line.Of, foreign.line.Why)
		}
		return text
	case device.CauseUnexamined:
		return x.unexamined(set)
	case device.CauseExited:
		if set.waits[0].kind == device.WaitNamed {
			return fmt.Sprintf("%s have left the kernel, and never come to barrier %d, which expects %d threads of each block", x.threadsText(&edge.who), set.waits[0].g.Barrier, set.waits[0].g.Expected)
		}
		return x.leftText(&edge.who, edge.writer.pc)
	case device.CauseBarrier:
		switch {
		case edge.to == nil:
			return fmt.Sprintf("barrier %d expects %d threads, and fewer come to it", set.waits[0].g.Barrier, set.waits[0].g.Expected)
		case set.waits[0].g.Mixed && set.waits[0].kind == device.WaitBarrier:
			return "threads of a block wait at barriers of different kinds, which do not match each other"
		}
	case device.CauseHeld:
		if edge.to == nil {
			return fmt.Sprintf("%s never lets [%d] go on", set.waits[0].g.Held, set.id)
		}
	case device.CauseRunning:
		return x.runningText(set, edge)
	}
	return ""
}

// runningText says why threads that run do not end a wait, or go round themselves; "" if that is the cause of another group.
func (x *explainer) runningText(set *set, edge *edge) string {
	first := set.waits[0]
	switch {
	case edge.to != nil && edge.to != set && first.kind == device.WaitMemory:
		return ""
	case set.contested:
		return x.contested(set)
	case first.gate != nil:
		return x.gateText(set)
	case len(first.changes) > 0 && x.Livelock:
		again := "for ever"
		if x.Likely {
			again = "again and again"
		}
		text := fmt.Sprintf("[%d] changes %s and comes back to where it was, %s: what it tries fails each time", set.id, changedWords(first.changes), again)
		if x.futile(set) {
			return text + "; no value of a word that it reads was found with which it leaves its loop"
		}
		return text + ", since the others do the same at the same time"
	case len(first.changes) > 0:
		return fmt.Sprintf("[%d] goes on changing %s, so it is not known what it waits for", set.id, changedWords(first.changes))
	case first.kind == device.WaitLoop && x.Decided && x.copyOf(set) != "":
		return fmt.Sprintf("[%d] goes round in a loop for ever, and waits for nobody: %s", set.id, x.copyOf(set))
	case first.kind == device.WaitLoop:
		return fmt.Sprintf("[%d] goes round in a loop for ever, and waits for nobody", set.id)
	case edge.to == nil:
		return fmt.Sprintf("[%d] was running, and may end or not", set.id)
	}
	return ""
}

// overwritten says who stored the value that is waited for, and which lines can have replaced it.
func (x *explainer) overwritten(set *set, edge *edge) string {
	word := x.word(set)
	var others []string
	for _, other := range set.writers {
		if other.pc != edge.writer.pc && !other.never {
			others = append(others, x.line(other.pc))
		}
	}
	text := fmt.Sprintf("%s had the value waited for: %s stored %s at %s; it was replaced before the threads that wait had read it", wordName(word), x.threadsText(&edge.who), edge.writer.value, x.line(edge.writer.pc))
	if len(others) > 0 {
		text += ", by " + strings.Join(others, " or ")
	}
	return text
}

// unexamined says of which lines it is not known whether threads would execute them.
func (x *explainer) unexamined(set *set) string {
	var lines []string
	most := 0
	for _, other := range set.writers {
		if other.unseen > 0 {
			lines, most = append(lines, x.line(other.pc)), max(most, other.unseen)
		}
	}
	return fmt.Sprintf("it is not known who would write %s: no thread that was examined executes %s for it, and %s of %s threads of the launch were not examined",
		x.allWords(set), strings.Join(lines, " or "), format.Thousands(most), format.Thousands(x.g.Blocks*x.g.Threads))
}

// noWriter says why no line of the kernel can end a wait.
func (x *explainer) noWriter(set *set) string {
	if len(set.writers) == 0 {
		return "no line of the kernel writes " + x.allWords(set)
	}
	var texts []string
	for _, line := range set.writers {
		text := x.line(line.pc)
		switch {
		case set.waits[0].round.in[line.pc]:
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
			if who := x.missedText(set, line.pc); who != "" {
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
		return "no line but that of the loop writes " + x.allWords(set)
	}
	return fmt.Sprintf("nothing sets %s to what is waited for: %s", x.allWords(set), strings.Join(texts, "; "))
}

// allWords names the words on which a set waits.
func (x *explainer) allWords(set *set) string {
	names := []string{wordName(x.word(set))}
	for addr, pc := range set.words() {
		if pc != set.waits[0].read {
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
func full(residency *device.Residency) string {
	switch residency.Limit {
	case "registers":
		return fmt.Sprintf("registers are full (%d per thread, %d threads per block)", residency.Registers, residency.ThreadsPerBlock)
	case "shared memory":
		return fmt.Sprintf("shared memory is full (%d bytes per block)", residency.Shared)
	case "warps":
		return fmt.Sprintf("places for warps are full (%d threads per block)", residency.ThreadsPerBlock)
	case "blocks":
		return "places for blocks are full"
	case "barriers":
		return "named barriers are full"
	}
	return "the limit is " + residency.Limit
}

// causeOf says why a waiting group does not go on.
func causeOf(t *wait) device.CauseKind {
	switch t.kind {
	case device.WaitReconverge:
		return device.CauseReconverge
	case device.WaitBarrier, device.WaitNamed, device.WaitCluster:
		return device.CauseBarrier
	case device.WaitWarp:
		return device.CauseMaskMismatch
	case device.WaitRegisters:
		return device.CauseRegisters
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
		device.CauseStale, device.CauseHeld, device.CauseNotResident, device.CauseReconverge, device.CauseMaskMismatch, device.CauseRegisters,
		device.CauseNotReleased, device.CauseNotPassed, device.CauseReused, device.CauseOverwritten,
		device.CauseEarly, device.CauseBytes, device.CauseArrivals, device.CausePhase,
		device.CauseNoWriter, device.CauseUnexamined, device.CauseExited, device.CauseBarrier, device.CauseCycle, device.CauseWaitsItself, device.CauseRunning,
	}
	n := slices.Index(order, c)
	// Threads that wait for the word themselves are the last whom one would blame.
	if own {
		n += len(order)
	}
	return n
}
