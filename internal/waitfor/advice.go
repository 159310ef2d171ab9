package waitfor

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// advice says what would make the kernel end.
func (x *explainer) advice(g *device.WaitGraph) []string {
	list := []string{}
	add := func(text string) {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	for _, c := range g.Causes {
		switch c.Kind {
		case device.CauseNotResident:
			for _, text := range x.residencyAdvice(g.Residency) {
				add(text)
			}
		case device.CauseHeld:
			add("nothing, where threads that can run get a turn some time; else let no thread wait for one that need not run (weft progress says which progress models let the kernel end)")
		case device.CauseStale:
			add(x.checked("read it with gpu.Load or gpu.LoadAcquire of device scope, which L1 does not serve, or put a gpu.Fence into the loop", withDeviceScope(x.sets[c.Waiters[0]].waits[0].read)))
		case device.CauseReconverge:
			for _, text := range x.lanesAdvice(c.Waiters) {
				add(text)
			}
		case device.CauseNotReleased:
			for _, text := range x.releaseAdvice(c.Waiters) {
				add(text)
			}
		case device.CauseNotPassed:
			add("let every thread that draws a number pass the turn on, on every path by which it leaves, or draw only when it is sure to wait")
		case device.CauseReused:
			add("let " + x.wordsOf(c.Waiters) + " only grow, and wait for at least a number that is larger for each use (a generation), or let each use have a word or a sense of its own")
		case device.CauseOverwritten:
			for _, id := range c.Waiters {
				if w := x.sets[id].closed; w != nil && x.p.Code[w.pc].NDst == 0 {
					if helps, _ := x.try(without(w.pc)); helps {
						add(fmt.Sprintf("do not execute %s after the signal (checked: without it the launch ends)", x.line(w.pc)))
					}
				}
			}
			add("keep the value until the waiting threads have answered, or let the word count (gpu.AtomicAdd) and wait for at least a number, so that no signal can be missed")
		case device.CauseWaitsItself:
			for _, id := range c.Waiters {
				for _, w := range x.elsewhere(x.sets[id]) {
					if w.line.Ends && w.of.Advice != "" {
						add(w.of.Advice)
					}
				}
			}
		case device.CauseNoWriter:
			add("let a thread write " + x.wordsOf(c.Waiters) + " on every path, or do not wait for it")
			for _, id := range c.Waiters {
				s := x.sets[id]
				if slices.ContainsFunc(s.writers, func(w *writer) bool { return w.done && !w.vain && !s.waits[0].round.in[w.pc] }) {
					w := x.word(s)
					add(fmt.Sprintf("or wait for a value that it gets: %s is %s when all have written it", wordName(w), listOf(w.Values)))
				}
			}
		case device.CauseExited:
			if x.sets[c.Waiters[0]].waits[0].kind == device.WaitNamed {
				add("pass the number of threads that come, let those that leave call ArriveNamed first, or let them stay until the barrier; Sync does not wait for threads that have left")
			} else {
				add("let these threads execute that line on every path before they leave")
			}
		case device.CauseBarrier:
			add("move the barrier to where all threads of the block come to the same one: not into a branch that some take, and not before what others wait for")
		case device.CauseMaskMismatch:
			add("let all lanes that the mask names call it, or name only those that do")
		case device.CauseRunning:
			if x.Livelock && x.retries(c.Waiters) {
				for _, text := range livelockAdvice {
					add(text)
				}
			}
		case device.CauseCycle:
			if x.retries(c.Waiters) {
				for _, text := range livelockAdvice {
					add(text)
				}
				continue
			}
			for _, text := range x.ringAdvice(c.Waiters) {
				add(text)
			}
		}
	}
	if len(list) > 0 {
		list[0] = strings.TrimPrefix(list[0], "or ")
	}
	return list
}

// releaseAdvice says how what was taken would be given back.
func (x *explainer) releaseAdvice(ids []int) (list []string) {
	for _, id := range ids {
		s := x.sets[id]
		c := s.closed
		lines := []string(nil)
		odd := x.unbalanced(s) != ""
		if odd {
			lines = x.undone(s)
		} else if c != nil {
			lines = x.openers(s)
		}
		switch {
		case odd && len(lines) > 0:
			list = append(list, "execute "+strings.Join(lines, " or ")+" on every path by which a thread leaves")
		case c != nil && c.self:
			list = append(list, fmt.Sprintf("do not take %s again in a thread that has it: take it once, outside, or give it back before %s", c.word, x.line(s.waits[0].pc)))
		case len(lines) > 0:
			where := ""
			if pc, ok := x.past.left[c.by]; ok && x.exitText(c.by, pc) != "" {
				where = ", also on that" + x.exitText(c.by, pc)
			}
			list = append(list, fmt.Sprintf("execute %s on every path by which a thread leaves%s%s", strings.Join(lines, " or "), where, x.checkedRelease(s)))
		case c != nil && x.p.Code[c.pc].Op != ir.OpAtomAdd:
			list = append(list, fmt.Sprintf("give %s back in the thread that has taken it, as it was", c.word))
		default:
			list = append(list, "undo the change of "+x.wordsOf(ids)+" on every path by which a thread leaves")
		}
	}
	return list
}

// checkedRelease tries to give back what a thread has taken that has left.
func (x *explainer) checkedRelease(s *set) string {
	exit, ok := x.past.left[s.closed.by]
	for _, w := range s.writers {
		if w.vain || w.never || !ok {
			continue
		}
		if c, fits := x.releaseBeforeExit(w.pc, exit); fits {
			if helps, _ := x.try(c); helps {
				return " (checked: with that the launch ends)"
			}
		}
	}
	return ""
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

func (x *explainer) residencyAdvice(r *device.Residency) (list []string) {
	if r == nil || r.LargestGrid == 0 {
		return []string{"launch fewer blocks, so that all are resident at the same time"}
	}
	if r.LargestGrid >= r.Blocks { // a progress model, a schedule or another launch holds blocks back
		return []string{
			fmt.Sprintf("let blocks wait only for blocks that have begun, such as by numbers in the order in which they come (gpu.AtomicAdd): all %s blocks fit on this machine, but do not start together", format.Thousands(r.Blocks)),
			"or launch cooperatively (--cooperative): then all blocks run at the same time",
		}
	}
	if text := x.checked(fmt.Sprintf("launch at most %s blocks (--grid): the largest grid whose blocks are all resident at once", format.Thousands(r.LargestGrid)), withGrid(r.LargestGrid)); text != "" {
		list = append(list, text)
	}
	switch {
	case r.EnoughRegisters > 0:
		list = append(list, x.checked(fmt.Sprintf("or use at most %d registers per thread instead of %d: then all %d blocks fit", r.EnoughRegisters, r.Registers, r.Blocks), withRegisters(r.EnoughRegisters)))
	case r.FewerRegisters > 0:
		list = append(list, fmt.Sprintf("or use at most %d registers per thread instead of %d: then one more block fits on each SM", r.FewerRegisters, r.Registers))
	case r.Limit == "shared memory":
		list = append(list, fmt.Sprintf("or use less than %d bytes of shared memory per block", r.Shared))
	case r.Limit == "warps":
		list = append(list, fmt.Sprintf("or use fewer than %d threads per block", r.ThreadsPerBlock))
	case r.Limit == "blocks":
		list = append(list, "or give the same threads to fewer, larger blocks")
	}
	return append(list, "or launch cooperatively (--cooperative): a grid that does not fit is then refused")
}

// ringAdvice says how threads would not come to wait for each other.
func (x *explainer) ringAdvice(ids []int) []string {
	threads, signals := 0, true // what they wait for is the same value from each thread, as from one that gives up a lock
	for _, id := range ids {
		s := x.sets[id]
		threads += s.threads()
		signals = signals && !slices.ContainsFunc(s.edges, func(e edge) bool { return e.writer != nil && !x.signal(e.writer) })
	}
	switch {
	case len(ids) > 1 && signals:
		return []string{"let all threads wait in the same order, such as taking the lock of the smaller index first, or give up the first one while waiting for the second one"}
	case threads == 1 || signals:
		return []string{"let a thread that does not wait for " + x.wordsOf(ids) + " write it"}
	}
	return []string{
		"let these threads stop waiting when nobody is left who would write " + x.wordsOf(ids) + ": count what is unfinished (gpu.AtomicAdd), from before it is handed on until it is done with all that follows from it, and leave when the count is 0",
		"or let a thread that does not wait write it",
	}
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
