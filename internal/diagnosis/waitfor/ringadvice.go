package waitfor

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// Advice for threads that wait for each other, for what another one has taken, or for lanes of their own warp.

// releaseAdvice says how what was taken would be given back.
func (a *advisor) releaseAdvice(s *set) {
	closed := s.closed
	var lines []string
	odd := a.unbalanced(s) != ""
	if odd {
		lines = a.undone(s)
	} else if closed != nil {
		lines = a.openers(s)
	}
	switch {
	case odd && len(lines) > 0:
		a.say("execute " + strings.Join(lines, " or ") + " on every path by which a thread leaves")
	// Locks of kernels are not recursive: a thread that has one waits for itself.
	case closed != nil && closed.self:
		a.try(fmt.Sprintf("do not take %s again in a thread that has it: take it once, outside, or give it back before %s", closed.word, a.line(s.waits[0].pc)), "without that wait the launch ends", a.leaving(s.waits[0]))
	case len(lines) > 0:
		where, exit := "", int32(-1)
		if pc, ok := a.past.left[closed.by]; ok {
			if exit = pc; a.exitText(closed.by, pc) != "" {
				where = ", also on that" + a.exitText(closed.by, pc)
			}
		}
		text := fmt.Sprintf("execute %s on every path by which a thread leaves%s", strings.Join(lines, " or "), where)
		var change *remedy.Change
		if exit >= 0 {
			change = a.storeAtExit([]*set{s}, exit)
		}
		a.try(text, endsWithIt, change)
	case closed != nil && a.p.Code[closed.pc].Op != ir.OpAtomAdd:
		var change *remedy.Change
		for _, writer := range s.writers {
			if change == nil && writer.other && writer.never {
				change = a.givingBack(s, writer.pc)
			}
		}
		a.try(fmt.Sprintf("give %s back in the thread that has taken it, as it was", closed.word), endsWithIt, change)
	default:
		a.say("undo the change of " + a.wordsOf([]int{s.id}) + " on every path by which a thread leaves")
	}
}

// ringAdvice says how threads would not come to wait for each other.
func (a *advisor) ringAdvice(ids []int) {
	threads, signals, words, locks := 0, true, map[uint64]bool{}, true
	for _, id := range ids {
		set := a.sets[id]
		threads += set.threads()
		// What they wait for is the same value from each thread, as from one that gives up a lock.
		signals = signals && !slices.ContainsFunc(set.edges, func(e edge) bool { return e.writer != nil && !a.signal(e.writer) })
		locks = locks && set.waits[0].read >= 0 && a.p.Code[set.waits[0].read].Op.IsAtomic()
		for addr := range set.words() {
			words[addr] = true
		}
	}
	const order = "let all threads wait in the same order, such as taking the lock of the smaller index first, or give up the first one while waiting for the second one"
	switch {
	case len(ids) == 1 && a.counter(a.sets[ids[0]]) != nil && a.guardOf(a.counter(a.sets[ids[0]]).pc) != "":
		pc := a.counter(a.sets[ids[0]]).pc
		a.say(fmt.Sprintf("execute %s on every path that is counted: now it is only if %s", a.line(pc), a.guardOf(pc)))
	case len(ids) > 1 && len(words) == 1 && !locks:
		a.say("let what is stored to " + a.wordsOf(ids[:1]) + " be what the next one waits for: " + a.wants(ids))
	// Constants, as a lock has: what one gives back is the same for each, so that an order among the locks helps.
	case len(ids) > 1 && signals:
		pairs, between := a.locks(ids)
		if !a.try(order, endsWithIt, a.sameOrder(pairs, nil)) || len(between) == 0 {
			return
		}
		var lines []string
		for _, l := range between {
			if line := a.loopLine(l); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
		what := strings.Join(lines, " and ")
		a.try("let all threads take the locks in the same order, such as that of the smaller index first, and not wait for each other between the two, at "+what, "with both the launch ends", a.sameOrder(pairs, between))
	case threads == 1 || signals:
		a.say("let a thread that does not wait for " + a.wordsOf(ids) + " write it")
	case len(ids) > 1 && a.roomAdvice(ids):
	default:
		a.say("let these threads stop waiting when nobody is left who would write "+a.wordsOf(ids)+": count what is unfinished ("+a.inSource("gpu.AtomicAdd", "atomicAdd")+"), from before it is handed on until it is done with all that follows from it, and leave when the count is 0",
			"or let a thread that does not wait write it")
	}
}

// wants lists for which values the groups of a ring wait.
func (a *advisor) wants(ids []int) string {
	var parts []string
	for _, id := range ids {
		parts = append(parts, fmt.Sprintf("[%d] waits until %s", id, a.word(a.sets[id]).Until))
	}
	w := a.word(a.sets[ids[0]])
	text := strings.Join(parts, ", ") + ", and it is " + listOf(w.Values)
	if e := a.wrote(a.sets[ids[0]]); e != nil {
		text += fmt.Sprintf(", which %s stored at %s", a.threadText(e.by), a.line(e.pc))
	}
	return text
}

// roomAdvice is for groups that wait for counters of each other, as the two sides of a ring do whose capacity is smaller
// than what is taken at once.
func (a *advisor) roomAdvice(ids []int) bool {
	for _, id := range ids {
		s := a.sets[id]
		first := s.waits[0]
		pc, i, ok := a.comparison(first)
		if !ok || !(a.p.Code[pc].Op == ir.OpLt || a.p.Code[pc].Op == ir.OpLe || a.p.Code[pc].Op == ir.OpGt || a.p.Code[pc].Op == ir.OpGe) {
			continue
		}
		limit, ok := a.valueConstant(use{pc, i})
		// A capacity is a small number. Larger ones are sentinels.
		if !ok || limit == 0 || limit > 1<<20 {
			continue
		}
		// Buffers are made larger by doubling; 16 times as large without success is another fault.
		for n := 2 * limit; n <= 16*limit; n *= 2 {
			if a.only(fmt.Sprintf("let [%d] wait only from %d on, not from %d: what it fills holds less than what the other side takes at once (or let that side take less)", id, n, limit),
				fmt.Sprintf("with %d at %s the launch ends", n, a.line(first.read)), a.comparing(first, n)) {
				return true
			}
		}
	}
	return false
}

// loopLine names the line where a loop waits.
func (a *advisor) loopLine(loop *loop) string {
	for pc, in := range loop.in {
		if at := &a.p.Code[pc]; in && (at.Op.IsAtomic() || at.Op == ir.OpLoad && at.Mem.Order != ir.Weak) {
			return a.line(int32(pc))
		}
	}
	return a.line(loop.head)
}

// signal reports whether a line stores a constant.
func (a *advisor) signal(writer *writer) bool {
	in := &a.p.Code[writer.pc]
	operand := 1
	switch in.Op {
	case ir.OpStore, ir.OpAtomExch:
	case ir.OpAtomCAS:
		operand = 2
	default:
		return true
	}
	_, ok := a.valueConstant(use{writer.pc, operand})
	return ok
}

// lanesAdvice says what would let lanes go on that a reconvergence stack holds back, while others of their warp wait
// for them.
func (a *advisor) lanesAdvice(ids []int) (list []string) {
	collective := int32(-1) // at which they would wait for the others on any machine
	passed := false         // they have come out of the loop in which the others are
	for _, id := range ids {
		group := a.sets[id]
		for _, edge := range group.edges {
			if edge.cause != device.CauseReconverge || edge.writer == nil || edge.to == nil {
				continue
			}
			held := edge.to.waits[0]
			// The lanes that would end the wait have to meet the others first, on any machine: independent progress would not
			// help.
			if pc := a.collectiveBefore(held, edge.writer.pc); pc >= 0 {
				collective = pc
			}
			ends := func(p simt.Path) bool { return p.Recon == held.g.PC }
			passed = passed || ends(group.waits[0].g.Path) || slices.ContainsFunc(group.waits[0].g.Stack, ends)
		}
	}
	switch {
	case collective >= 0:
		in := &a.p.Code[collective]
		list = append(list, fmt.Sprintf("let the lanes that wait come to the %s of %s first, and wait behind it", collectiveName(in), a.g.At(in)[0]))
		if a.Stack && in.Op.Masked() {
			list = append(list, "or let all lanes that its mask names call it, or name only those that do: lanes that progress independently (Volta and later) wait there for all of these, so that the kernel hangs on such a machine, too")
		}
		return list
	case passed:
		list = append(list, "do the work of the lane that has got on inside the loop, before the lanes meet again: for !done { if try() { work(); give(); done = true } }")
	default:
		list = append(list, "let the lanes wait after the end of the branch, where those have come that write the word")
	}
	list = append(list, "or let one lane of each warp wait for all of them")
	if a.Stack {
		list = append(list, "or use a machine whose lanes progress independently (Volta and later, such as sim:v100): this one runs one side of a branch to its end first")
	}
	return list
}

// collectiveBefore returns a collective that lanes which are held back have to pass before they get to an instruction,
// and that needs other lanes of their warp; -1 if there is none.
func (a *advisor) collectiveBefore(wait *wait, pc int32) int32 {
	first := int32(-1)
	needs := func(at int32) bool {
		in := &a.p.Code[at]
		switch {
		case in.Op.Masked():
			lane := bits.TrailingZeros32(wait.g.Mask)
			mask, ok := a.value(use{at, 0}, thread{wait.w.Block.ID, wait.w.Index*simt.Lanes + lane})
			// Lanes that have left need not come: all that the mask names and that have not exited have to execute it (CUDA C++
			// Programming Guide, "Warp Vote Functions").
			return ok && uint32(mask)&wait.w.Exists&^wait.w.Exited&^wait.g.Mask != 0
		case ir.Ops[in.Op].Action == ir.ActBarrier:
			return true
		}
		return false
	}
	reached := a.reach([]int32{wait.g.PC}, nil, func(at int32) bool {
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
