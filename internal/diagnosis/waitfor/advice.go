package waitfor

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// advice says what would make the kernel end.
func (x *explainer) advice(g *device.WaitGraph) []device.Advice {
	a := &advisor{x: x, list: []device.Advice{}}
	for _, c := range g.Causes {
		s := x.sets[c.Waiters[0]]
		switch c.Kind {
		case device.CauseNotResident:
			x.residencyAdvice(a, g.Residency)
		case device.CauseHeld:
			a.say("nothing, where threads that can run get a turn some time; else let no thread wait for one that need not run (weft progress says which progress models let the kernel end)")
		case device.CauseStale:
			a.try("read it with gpu.Load or gpu.LoadAcquire of device scope, which L1 does not serve, or put a gpu.Fence into the loop", endsWithIt, withDeviceScope(s.waits[0].read))
		case device.CauseReconverge:
			a.say(x.lanesAdvice(c.Waiters)...)
		case device.CauseNotReleased:
			for _, id := range c.Waiters {
				x.releaseAdvice(a, x.sets[id])
			}
		case device.CauseNotPassed:
			x.turnAdvice(a, s)
		case device.CauseReused:
			a.say("let " + x.wordsOf(c.Waiters) + " only grow, and wait for at least a number that is larger for each use (a generation), or let each use have a word or a sense of its own")
		case device.CauseOverwritten:
			for _, id := range c.Waiters {
				if w := x.sets[id].closed; w != nil && x.p.Code[w.pc].NDst == 0 {
					a.only(fmt.Sprintf("do not execute %s after the signal", x.line(w.pc)), "without it the launch ends", without(w.pc))
				}
			}
			a.say("keep the value until the waiting threads have answered, or let the word count (gpu.AtomicAdd) and wait for at least a number, so that no signal can be missed")
		case device.CauseWaitsItself:
			for _, id := range c.Waiters {
				for _, w := range x.elsewhere(x.sets[id]) {
					if w.line.Ends && w.of.Advice != "" {
						a.say(w.of.Advice)
					}
				}
			}
		case device.CauseNoWriter, device.CauseExited:
			x.writeAdvice(a, c.Kind, c.Waiters)
		case device.CauseBarrier:
			x.barrierAdvice(a, c.Waiters)
		case device.CauseMaskMismatch:
			a.try("let all lanes that the mask names call it, or name only those that do", "with a mask of the lanes that are there the launch ends", x.withMask(c.Waiters))
		case device.CauseRunning:
			x.loopAdvice(a, c.Waiters)
		case device.CauseCycle:
			if x.retries(c.Waiters) && !(len(c.Waiters) == 1 && x.counter(s) != nil) {
				x.loopAdvice(a, c.Waiters)
				continue
			}
			x.ringAdvice(a, c.Waiters)
		}
	}
	if len(a.list) > 0 {
		a.list[0].Text = strings.TrimPrefix(a.list[0].Text, "or ")
	}
	return a.list
}

// loopAdvice is for threads that go round in loops in which they change memory, or that depend on no word.
func (x *explainer) loopAdvice(a *advisor, ids []int) {
	s := x.sets[ids[0]]
	if t := s.waits[0]; t.kind == device.WaitLoop && t.round != nil && len(t.changes) == 0 {
		if _, word, _, load, head := x.copyText(t); word != "" {
			a.try(fmt.Sprintf("read %s in the loop, with gpu.Load or gpu.LoadAcquire: put %s there", word, x.line(load)), endsWithIt, x.readAgain(load, head))
		}
	}
	if !x.Livelock && !s.contested || !x.retries(ids) {
		return
	}
	never := x.starves(s)
	if never {
		a.say("let the threads that change " + x.wordsOf(ids[:1]) + " hold off while [" + fmt.Sprint(s.id) + "] waits: let it announce itself in a word that they look at before they begin again, or let all come in the order of numbers that they draw")
	}
	// A trial of several times the length that has not ended is one that did not help.
	pause, useless := x.backOff(x.all()), false
	if pause != nil && x.Try != nil && x.trials < maxTrials {
		useless = !a.only(livelockAdvice[0], endsWithIt, pause)
	} else if !never {
		a.try(livelockAdvice[0], endsWithIt, pause)
	}
	switch {
	case never:
	case useless && slices.ContainsFunc(ids, func(id int) bool { return x.futile(x.sets[id]) }):
		a.say(fmt.Sprintf("let what [%d] tests be a condition that some value meets: waiting in between does not help, and no value was found with which it goes on", ids[0]))
	case !useless:
		a.say(livelockAdvice[1])
	}
}

// all are the numbers of all sets that go round.
func (x *explainer) all() (ids []int) {
	for _, s := range x.sets {
		if s.waits[0].round != nil {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// turnAdvice is for a turn that is nobody's any more.
func (x *explainer) turnAdvice(a *advisor, s *set) {
	draw := x.drawn(s.waits[0])
	steps, passes := x.strides(s, draw)
	if steps != 0 && passes != 0 && steps != passes {
		line := ""
		for _, w := range s.writers {
			if line == "" && !w.never {
				line = " at " + x.line(w.pc)
			}
		}
		a.say(fmt.Sprintf("pass on the turn as far as numbers are drawn: %s draws %d at once, and %s advances by %d%s", x.line(draw), steps, x.wordsOf([]int{s.id}), passes, line))
		return
	}
	a.try("let every thread that draws a number pass the turn on, on every path by which it leaves, or draw only when it is sure to wait", "with that before each exit the launch ends", x.passOn(s, draw, max(steps, 1)))
}

// writeAdvice is for words that nobody writes any more as others wait for it.
func (x *explainer) writeAdvice(a *advisor, kind device.CauseKind, ids []int) {
	first := x.sets[ids[0]]
	if kind == device.CauseExited && first.waits[0].kind == device.WaitNamed {
		a.try("pass the number of threads that come, let those that leave call ArriveNamed first, or let them stay until the barrier; Sync does not wait for threads that have left", "with the number of those that come the launch ends", x.withCount(first.waits[0].g.PC, first.waits[0].g.Arrived))
		return
	}
	var sets []*set
	for _, id := range ids {
		sets = append(sets, x.sets[id])
	}
	if x.countText(first) != "" {
		a.say("let all threads come to " + x.line(x.counter(first).pc) + " as often as the others: let those that have nothing left to do come there too, or let each round wait only for those that take part in it")
		return
	}
	line, exit, who := x.missedAt(sets)
	switch {
	case line >= 0:
		at := x.line(line)
		where := x.exitText(who, exit)
		if where != "" {
			where = ", also on that" + where
		}
		text := fmt.Sprintf("execute %s on every path by which a thread leaves%s", at, where)
		a.try(text, "with its value before the threads leave there the launch ends", x.storeAtExit(sets, exit))
	case kind == device.CauseExited:
		a.say("let these threads execute that line on every path before they leave")
	default:
		a.say("let a thread write " + x.wordsOf(ids) + " on every path, or do not wait for it")
	}
	for _, s := range sets {
		if kind == device.CauseNoWriter && slices.ContainsFunc(s.writers, func(w *writer) bool { return w.done && !w.vain && !s.waits[0].round.in[w.pc] }) {
			w, t := x.word(s), s.waits[0]
			text := fmt.Sprintf("or wait for a value that it gets: %s is %s when all have written it", wordName(w), listOf(w.Values))
			now, k := t.fresh[bits.TrailingZeros32(t.lanes)&31], x.p.Code[t.read].Mem.Kind
			if x.Try == nil || x.comparing(t, now) == nil {
				a.say(text)
				continue
			}
			for _, v := range []uint64{now, truncate(k, now-1), truncate(k, now+1)} {
				if a.only(text, fmt.Sprintf("with %s in place of the number that it waits for the launch ends", number(k, v)), x.comparing(t, v)) {
					break
				}
			}
		}
	}
}

// missedAt returns a line that a thread would have executed for a set and has not, with the exit by which it has left;
// -1 if there is none.
func (x *explainer) missedAt(sets []*set) (line, exit int32, who thread) {
	if x.past == nil {
		return -1, -1, who
	}
	for _, s := range sets {
		for _, w := range s.writers {
			if m := x.missed(s, w.pc); m != nil && m.left {
				return w.pc, m.exit, m.by
			}
		}
		for _, w := range s.writers {
			for _, h := range w.holders {
				if h.cause != device.CauseExited || w.vain {
					continue
				}
				for _, key := range slices.SortedFunc(maps.Keys(h.who.lanes), func(p, q [2]int) int { return slices.Compare(p[:], q[:]) }) {
					t := thread{key[0], key[1]*simt.Lanes + bits.TrailingZeros32(h.who.lanes[key])}
					if pc, ok := x.past.left[t]; ok {
						return w.pc, pc, t
					}
				}
			}
		}
	}
	return -1, -1, who
}

// barrierAdvice is for barriers to which not all threads come.
func (x *explainer) barrierAdvice(a *advisor, ids []int) {
	var pcs []int32
	for _, id := range ids {
		if t := x.sets[id].waits[0]; t.kind == device.WaitBarrier && !slices.Contains(pcs, t.g.PC) {
			pcs = append(pcs, t.g.PC)
		}
	}
	const text = "move the barrier to where all threads of the block come to the same one: not into a branch that some take, and not before what others wait for"
	if len(pcs) == 0 {
		a.say(text)
		return
	}
	what := "without " + x.line(pcs[0]) + " the launch ends"
	if len(pcs) > 1 {
		what = "without these barriers the launch ends"
	}
	if a.try(text, what, without(pcs...)) {
		a.say(text)
	}
}

// releaseAdvice says how what was taken would be given back.
func (x *explainer) releaseAdvice(a *advisor, s *set) {
	c := s.closed
	var lines []string
	odd := x.unbalanced(s) != ""
	if odd {
		lines = x.undone(s)
	} else if c != nil {
		lines = x.openers(s)
	}
	switch {
	case odd && len(lines) > 0:
		a.say("execute " + strings.Join(lines, " or ") + " on every path by which a thread leaves")
	case c != nil && c.self:
		a.try(fmt.Sprintf("do not take %s again in a thread that has it: take it once, outside, or give it back before %s", c.word, x.line(s.waits[0].pc)), "without that wait the launch ends", x.leaving(s.waits[0]))
	case len(lines) > 0:
		where, exit := "", int32(-1)
		if pc, ok := x.past.left[c.by]; ok {
			if exit = pc; x.exitText(c.by, pc) != "" {
				where = ", also on that" + x.exitText(c.by, pc)
			}
		}
		text := fmt.Sprintf("execute %s on every path by which a thread leaves%s", strings.Join(lines, " or "), where)
		var change *remedy.Change
		if exit >= 0 {
			change = x.storeAtExit([]*set{s}, exit)
		}
		a.try(text, endsWithIt, change)
	case c != nil && x.p.Code[c.pc].Op != ir.OpAtomAdd:
		var change *remedy.Change
		for _, w := range s.writers {
			if change == nil && w.other && w.never {
				change = x.givingBack(s, w.pc)
			}
		}
		a.try(fmt.Sprintf("give %s back in the thread that has taken it, as it was", c.word), endsWithIt, change)
	default:
		a.say("undo the change of " + x.wordsOf([]int{s.id}) + " on every path by which a thread leaves")
	}
}

// wordsOf names the words that groups wait for.
func (x *explainer) wordsOf(ids []int) string {
	var names []string
	for _, id := range ids {
		if s := x.sets[id]; s.waits[0].read >= 0 {
			names = distinct(names, wordName(x.word(s)))
		}
	}
	return cmp.Or(listOf(names), "it")
}

func (x *explainer) residencyAdvice(a *advisor, r *device.Residency) {
	if r == nil || r.LargestGrid == 0 {
		a.say("launch fewer blocks, so that all are resident at the same time")
		return
	}
	if r.LargestGrid >= r.Blocks { // a progress model, a schedule or another launch holds blocks back
		a.say(fmt.Sprintf("let blocks wait only for blocks that have begun, such as by numbers in the order in which they come (gpu.AtomicAdd): all %s blocks fit on this machine, but do not start together", format.Thousands(r.Blocks)),
			"or launch cooperatively (--cooperative): then all blocks run at the same time")
		return
	}
	a.try(fmt.Sprintf("launch at most %s blocks (--grid): the largest grid whose blocks are all resident at once", format.Thousands(r.LargestGrid)), endsWithIt, withGrid(r.LargestGrid))
	switch {
	case r.EnoughRegisters > 0:
		a.try(fmt.Sprintf("or use at most %d registers per thread instead of %d: then all %d blocks fit", r.EnoughRegisters, r.Registers, r.Blocks), endsWithIt, withRegisters(r.EnoughRegisters))
	case r.FewerRegisters > 0:
		a.say(fmt.Sprintf("or use at most %d registers per thread instead of %d: then one more block fits on each SM", r.FewerRegisters, r.Registers))
	case r.Limit == "shared memory":
		a.say(fmt.Sprintf("or use less than %d bytes of shared memory per block", r.Shared))
	case r.Limit == "warps":
		a.say(fmt.Sprintf("or use fewer than %d threads per block", r.ThreadsPerBlock))
	case r.Limit == "blocks":
		a.say("or give the same threads to fewer, larger blocks")
	}
	a.say("or launch cooperatively (--cooperative): a grid that does not fit is then refused")
}

// ringAdvice says how threads would not come to wait for each other.
func (x *explainer) ringAdvice(a *advisor, ids []int) {
	threads, signals, words, locks := 0, true, map[uint64]bool{}, true
	for _, id := range ids {
		s := x.sets[id]
		threads += s.threads()
		// What they wait for is the same value from each thread, as from one that gives up a lock.
		signals = signals && !slices.ContainsFunc(s.edges, func(e edge) bool { return e.writer != nil && !x.signal(e.writer) })
		locks = locks && s.waits[0].read >= 0 && x.p.Code[s.waits[0].read].Op.IsAtomic()
		for addr := range s.words() {
			words[addr] = true
		}
	}
	const order = "let all threads wait in the same order, such as taking the lock of the smaller index first, or give up the first one while waiting for the second one"
	switch {
	case len(ids) == 1 && x.counter(x.sets[ids[0]]) != nil && x.guardOf(x.counter(x.sets[ids[0]]).pc) != "":
		pc := x.counter(x.sets[ids[0]]).pc
		a.say(fmt.Sprintf("execute %s on every path that is counted: now it is only if %s", x.line(pc), x.guardOf(pc)))
	case len(ids) > 1 && len(words) == 1 && !locks:
		a.say("let what is stored to " + x.wordsOf(ids[:1]) + " be what the next one waits for: " + x.wants(ids))
	case len(ids) > 1 && signals:
		pairs, between := x.locks(ids)
		if !a.try(order, endsWithIt, x.sameOrder(pairs, nil)) || len(between) == 0 {
			return
		}
		var lines []string
		for _, l := range between {
			if line := x.loopLine(l); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
		what := strings.Join(lines, " and ")
		a.try("let all threads take the locks in the same order, such as that of the smaller index first, and not wait for each other between the two, at "+what, "with both the launch ends", x.sameOrder(pairs, between))
	case threads == 1 || signals:
		a.say("let a thread that does not wait for " + x.wordsOf(ids) + " write it")
	case len(ids) > 1 && x.roomAdvice(a, ids):
	default:
		a.say("let these threads stop waiting when nobody is left who would write "+x.wordsOf(ids)+": count what is unfinished (gpu.AtomicAdd), from before it is handed on until it is done with all that follows from it, and leave when the count is 0",
			"or let a thread that does not wait write it")
	}
}

// wants lists for which values the groups of a ring wait.
func (x *explainer) wants(ids []int) string {
	var parts []string
	for _, id := range ids {
		parts = append(parts, fmt.Sprintf("[%d] waits until %s", id, x.word(x.sets[id]).Until))
	}
	w := x.word(x.sets[ids[0]])
	text := strings.Join(parts, ", ") + ", and it is " + listOf(w.Values)
	if e := x.wrote(x.sets[ids[0]]); e != nil {
		text += fmt.Sprintf(", which %s stored at %s", x.threadText(e.by), x.line(e.pc))
	}
	return text
}

// roomAdvice is for groups that wait for counters of each other, as the two sides of a ring do whose capacity is smaller
// than what is taken at once.
func (x *explainer) roomAdvice(a *advisor, ids []int) bool {
	for _, id := range ids {
		s := x.sets[id]
		t := s.waits[0]
		pc, i, ok := x.comparison(t)
		if !ok || !(x.p.Code[pc].Op == ir.OpLt || x.p.Code[pc].Op == ir.OpLe || x.p.Code[pc].Op == ir.OpGt || x.p.Code[pc].Op == ir.OpGe) {
			continue
		}
		limit, ok := x.valueConstant(use{pc, i})
		if !ok || limit == 0 || limit > 1<<20 {
			continue
		}
		for n := 2 * limit; n <= 16*limit; n *= 2 {
			if a.only(fmt.Sprintf("let [%d] wait only from %d on, not from %d: what it fills holds less than what the other side takes at once (or let that side take less)", id, n, limit),
				fmt.Sprintf("with %d at %s the launch ends", n, x.line(t.read)), x.comparing(t, n)) {
				return true
			}
		}
	}
	return false
}

// loopLine names the line where a loop waits.
func (x *explainer) loopLine(l *loop) string {
	for pc, in := range l.in {
		if at := &x.p.Code[pc]; in && (at.Op.IsAtomic() || at.Op == ir.OpLoad && at.Mem.Order != ir.Weak) {
			return x.line(int32(pc))
		}
	}
	return x.line(l.head)
}

// signal reports whether a line stores a constant.
func (x *explainer) signal(w *writer) bool {
	in := &x.p.Code[w.pc]
	i := 1
	switch in.Op {
	case ir.OpStore, ir.OpAtomExch:
	case ir.OpAtomCAS:
		i = 2
	default:
		return true
	}
	_, ok := x.valueConstant(use{w.pc, i})
	return ok
}

// lanesAdvice says what would let lanes go on that a reconvergence stack holds back, while others of their warp wait
// for them.
func (x *explainer) lanesAdvice(ids []int) (list []string) {
	collective := int32(-1) // at which they would wait for the others on any machine
	passed := false         // they have come out of the loop in which the others are
	for _, id := range ids {
		s := x.sets[id]
		for _, e := range s.edges {
			if e.cause != device.CauseReconverge || e.writer == nil || e.to == nil {
				continue
			}
			held := e.to.waits[0]
			if pc := x.collectiveBefore(held, e.writer.pc); pc >= 0 {
				collective = pc
			}
			ends := func(p simt.Path) bool { return p.Recon == held.g.PC }
			passed = passed || ends(s.waits[0].g.Path) || slices.ContainsFunc(s.waits[0].g.Stack, ends)
		}
	}
	switch {
	case collective >= 0:
		in := &x.p.Code[collective]
		list = append(list, fmt.Sprintf("let the lanes that wait come to the %s of %s first, and wait behind it", collectiveName(in.Op), x.g.At(in)[0]))
		if x.Stack && in.Op.Masked() {
			list = append(list, "or let all lanes that its mask names call it, or name only those that do: lanes that progress independently (Volta and later) wait there for all of these, so that the kernel hangs on such a machine, too")
		}
		return list
	case passed:
		list = append(list, "do the work of the lane that has got on inside the loop, before the lanes meet again: for !done { if try() { work(); give(); done = true } }")
	default:
		list = append(list, "let the lanes wait after the end of the branch, where those have come that write the word")
	}
	list = append(list, "or let one lane of each warp wait for all of them")
	if x.Stack {
		list = append(list, "or use a machine whose lanes progress independently (Volta and later, such as sim:v100): this one runs one side of a branch to its end first")
	}
	return list
}

// collectiveBefore returns a collective that lanes which are held back have to pass before they get to an instruction,
// and that needs other lanes of their warp; -1 if there is none.
func (x *explainer) collectiveBefore(t *wait, pc int32) int32 {
	first := int32(-1)
	needs := func(at int32) bool {
		in := &x.p.Code[at]
		switch {
		case in.Op.Masked():
			lane := bits.TrailingZeros32(t.g.Mask)
			mask, ok := x.value(use{at, 0}, thread{t.w.Block.ID, t.w.Index*simt.Lanes + lane})
			return ok && uint32(mask)&t.w.Exists&^t.w.Exited&^t.g.Mask != 0
		case ir.Ops[in.Op].Action == ir.ActBarrier:
			return true
		}
		return false
	}
	reached := x.reach([]int32{t.g.PC}, nil, func(at int32) bool {
		if !needs(at) {
			return false
		}
		first = at
		return true
	})
	if reached[pc] {
		return -1
	}
	return first
}
