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
	"github.com/weft-gpu/weft/internal/core/simt"
)

// advice says what would make the kernel end.
func (a *advisor) advice(graph *device.WaitGraph) []device.Advice {
	for _, cause := range graph.Causes {
		group := a.sets[cause.Waiters[0]]
		switch cause.Kind {
		case device.CauseNotResident:
			a.residencyAdvice(graph.Residency)
		case device.CauseHeld:
			a.say("nothing, where threads that can run get a turn some time; else let no thread wait for one that need not run (weft progress says which progress models let the kernel end)")
		case device.CauseStale:
			a.try(fmt.Sprintf("read it with %s of device scope, which L1 does not serve, or put a %s into the loop", a.inSource("gpu.Load or gpu.LoadAcquire", "an atomic load"), a.inSource("gpu.Fence", "__threadfence()")), endsWithIt, withDeviceScope(group.waits[0].read))
		case device.CauseReconverge:
			a.say(a.lanesAdvice(cause.Waiters)...)
		case device.CauseNotReleased:
			for _, id := range cause.Waiters {
				a.releaseAdvice(a.sets[id])
			}
		case device.CauseNotPassed:
			a.turnAdvice(group)
		case device.CauseReused:
			if a.phases(cause.Waiters) {
				a.phaseAdvice(cause.Kind, group)
				continue
			}
			a.say("let " + a.wordsOf(cause.Waiters) + " only grow, and wait for at least a number that is larger for each use (a generation), or let each use have a word or a sense of its own")
		case device.CauseOverwritten:
			a.keepAdvice(cause.Waiters)
		case device.CauseWaitsItself:
			a.otherAdvice(cause.Waiters)
		case device.CauseNoWriter, device.CauseExited:
			a.writeAdvice(cause.Kind, cause.Waiters)
		case device.CauseBarrier:
			a.barrierAdvice(cause.Waiters)
		case device.CauseMaskMismatch:
			a.try("let all lanes that the mask names call it, or name only those that do", "with a mask of the lanes that are there the launch ends", a.withMask(cause.Waiters))
		case device.CauseRegisters:
			a.say("let a warpgroup of the block give back as many registers as others take, by " + a.inSource("t.GiveRegisters", "setmaxnreg.dec") + " before it waits for them or ends, or take fewer")
		case device.CauseRunning:
			a.loopAdvice(cause.Waiters)
		case device.CauseCycle:
			if a.retries(cause.Waiters) && !(len(cause.Waiters) == 1 && a.counter(group) != nil) {
				a.loopAdvice(cause.Waiters)
				continue
			}
			if a.phases(cause.Waiters) {
				a.phaseRingAdvice(cause.Waiters)
				continue
			}
			a.ringAdvice(cause.Waiters)
		case device.CauseArrivals, device.CauseBytes, device.CausePhase, device.CauseEarly:
			a.phaseAdvice(cause.Kind, group)
		}
	}
	if len(a.list) > 0 {
		a.list[0].Text = strings.TrimPrefix(a.list[0].Text, "or ")
	}
	return a.list
}

// keepAdvice is for a value that was replaced before those that wait for it had read it.
func (a *advisor) keepAdvice(ids []int) {
	for _, id := range ids {
		if w := a.sets[id].closed; w != nil && a.p.Code[w.pc].NDst == 0 {
			a.only(fmt.Sprintf("do not execute %s after the signal", a.line(w.pc)), "without it the launch ends", without(w.pc))
		}
	}
	a.say("keep the value until the waiting threads have answered, or let the word count (" + a.inSource("gpu.AtomicAdd", "atomicAdd") + ") and wait for at least a number, so that no signal can be missed")
}

// otherAdvice is for words that threads of another launch would write, which wait themselves.
func (a *advisor) otherAdvice(ids []int) {
	for _, id := range ids {
		for _, foreign := range a.elsewhere(a.sets[id]) {
			if foreign.line.Ends && foreign.of.Advice != "" {
				a.say(foreign.of.Advice)
			}
		}
	}
}

// loopAdvice is for threads that go round in loops in which they change memory, or that depend on no word.
func (a *advisor) loopAdvice(ids []int) {
	group := a.sets[ids[0]]
	if t := group.waits[0]; t.kind == device.WaitLoop && t.round != nil && len(t.changes) == 0 {
		if _, word, _, load, head := a.copyText(t); word != "" {
			a.try(fmt.Sprintf("read %s in the loop, with %s: put %s there", word, a.inSource("gpu.Load or gpu.LoadAcquire", "an atomic load or a volatile one"), a.line(load)), endsWithIt, a.readAgain(load, head))
		}
	}
	if !a.Livelock && !group.contested || !a.retries(ids) {
		return
	}
	// To wait in between does not help where the value never comes, however rarely others change the word.
	never := a.starves(group)
	if never {
		a.say("let the threads that change " + a.wordsOf(ids[:1]) + " hold off while [" + fmt.Sprint(group.id) + "] waits: let it announce itself in a word that they look at before they begin again, or let all come in the order of numbers that they draw")
	}
	// A trial of several times the length that has not ended is one that did not help.
	pause, useless := a.backOff(a.all()), false
	if pause != nil && a.Try != nil && a.trials < maxTrials {
		useless = !a.only(livelockAdvice[0], endsWithIt, pause)
	} else if !never {
		a.try(livelockAdvice[0], endsWithIt, pause)
	}
	switch {
	case never:
	case useless && slices.ContainsFunc(ids, func(id int) bool { return a.futile(a.sets[id]) }):
		a.say(fmt.Sprintf("let what [%d] tests be a condition that some value meets: waiting in between does not help, and no value was found with which it goes on", ids[0]))
	case !useless:
		a.say(livelockAdvice[1])
	}
}

// all are the numbers of all sets that go round.
func (a *advisor) all() (ids []int) {
	for _, s := range a.sets {
		if s.waits[0].round != nil {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// turnAdvice is for a turn that is nobody's any more.
func (a *advisor) turnAdvice(set *set) {
	draw := a.drawn(set.waits[0])
	// A turn that advances by another number than is drawn skips some, and comes to nobody.
	steps, passes := a.strides(set, draw)
	if steps != 0 && passes != 0 && steps != passes {
		line := ""
		for _, writer := range set.writers {
			if line == "" && !writer.never {
				line = " at " + a.line(writer.pc)
			}
		}
		a.say(fmt.Sprintf("pass on the turn as far as numbers are drawn: %s draws %d at once, and %s advances by %d%s", a.line(draw), steps, a.wordsOf([]int{set.id}), passes, line))
		return
	}
	a.try("let every thread that draws a number pass the turn on, on every path by which it leaves, or draw only when it is sure to wait", "with that before each exit the launch ends", a.passOn(set, draw, max(steps, 1)))
}

// writeAdvice is for words that nobody writes any more as others wait for it.
func (a *advisor) writeAdvice(kind device.CauseKind, ids []int) {
	first := a.sets[ids[0]]
	if kind == device.CauseExited && first.waits[0].kind == device.WaitNamed {
		a.try(fmt.Sprintf("pass the number of threads that come, let those that leave call %s first, or let them stay until the barrier; %s does not wait for threads that have left", a.inSource("ArriveNamed", "bar.arrive"), a.inSource("Sync", "__syncthreads()")), "with the number of those that come the launch ends", a.withCount(first.waits[0].g.PC, first.waits[0].g.Arrived))
		return
	}
	var sets []*set
	for _, id := range ids {
		sets = append(sets, a.sets[id])
	}
	if a.countText(first) != "" {
		a.say("let all threads come to " + a.line(a.counter(first).pc) + " as often as the others: let those that have nothing left to do come there too, or let each round wait only for those that take part in it")
		return
	}
	line, exit, who := a.missedAt(sets)
	switch {
	case line >= 0:
		at := a.line(line)
		where := a.exitText(who, exit)
		if where != "" {
			where = ", also on that" + where
		}
		text := fmt.Sprintf("execute %s on every path by which a thread leaves%s", at, where)
		a.try(text, "with its value before the threads leave there the launch ends", a.storeAtExit(sets, exit))
	case kind == device.CauseExited:
		a.say("let these threads execute that line on every path before they leave")
	default:
		a.say("let a thread write " + a.wordsOf(ids) + " on every path, or do not wait for it")
	}
	for _, s := range sets {
		if kind == device.CauseNoWriter && slices.ContainsFunc(s.writers, func(w *writer) bool { return w.done && !w.vain && !s.waits[0].round.in[w.pc] }) {
			w, wait := a.word(s), s.waits[0]
			text := fmt.Sprintf("or wait for a value that it gets: %s is %s when all have written it", wordName(w), listOf(w.Values))
			now, k := wait.fresh[bits.TrailingZeros32(wait.lanes)&31], a.p.Code[wait.read].Mem.Kind
			if a.Try == nil || a.comparing(wait, now) == nil {
				a.say(text)
				continue
			}
			// The number that all came to, or one beside it: a count that is off by one.
			for _, v := range []uint64{now, truncate(k, now-1), truncate(k, now+1)} {
				if a.only(text, fmt.Sprintf("with %s in place of the number that it waits for the launch ends", number(k, v)), a.comparing(wait, v)) {
					break
				}
			}
		}
	}
}

// missedAt returns a line that a thread would have executed for a set and has not, with the exit by which it has left;
// -1 if there is none.
func (a *advisor) missedAt(sets []*set) (line, exit int32, who thread) {
	if a.past == nil {
		return -1, -1, who
	}
	for _, group := range sets {
		for _, writer := range group.writers {
			if m := a.missed(group, writer.pc); m != nil && m.left {
				return writer.pc, m.exit, m.by
			}
		}
		for _, writer := range group.writers {
			for _, holder := range writer.holders {
				if holder.cause != device.CauseExited || writer.vain {
					continue
				}
				for _, key := range slices.SortedFunc(maps.Keys(holder.who.lanes), func(p, q [2]int) int { return slices.Compare(p[:], q[:]) }) {
					t := thread{key[0], key[1]*simt.Lanes + bits.TrailingZeros32(holder.who.lanes[key])}
					if pc, ok := a.past.left[t]; ok {
						return writer.pc, pc, t
					}
				}
			}
		}
	}
	return -1, -1, who
}

// barrierAdvice is for barriers to which not all threads come.
func (a *advisor) barrierAdvice(ids []int) {
	var pcs []int32
	for _, id := range ids {
		if t := a.sets[id].waits[0]; t.kind == device.WaitBarrier && !slices.Contains(pcs, t.g.PC) {
			pcs = append(pcs, t.g.PC)
		}
	}
	const text = "move the barrier to where all threads of the block come to the same one: not into a branch that some take, and not before what others wait for"
	if len(pcs) == 0 {
		a.say(text)
		return
	}
	what := "without " + a.line(pcs[0]) + " the launch ends"
	if len(pcs) > 1 {
		what = "without these barriers the launch ends"
	}
	if a.try(text, what, without(pcs...)) {
		a.say(text)
	}
}

// wordsOf names the words that groups wait for.
func (a *advisor) wordsOf(ids []int) string {
	var names []string
	for _, id := range ids {
		if s := a.sets[id]; s.waits[0].read >= 0 {
			names = distinct(names, wordName(a.word(s)))
		}
	}
	return cmp.Or(listOf(names), "it")
}

func (a *advisor) residencyAdvice(residency *device.Residency) {
	if residency == nil || residency.LargestGrid == 0 {
		a.say("launch fewer blocks, so that all are resident at the same time")
		return
	}
	if residency.LargestGrid >= residency.Blocks { // a progress model, a schedule or another launch holds blocks back
		a.say(fmt.Sprintf("let blocks wait only for blocks that have begun, such as by numbers in the order in which they come (%s): all %s blocks fit on this machine, but do not start together", a.inSource("gpu.AtomicAdd", "atomicAdd"), format.Thousands(residency.Blocks)),
			"or launch cooperatively: then all blocks run at the same time")
		return
	}
	a.try(fmt.Sprintf("launch at most %s blocks: the largest grid whose blocks are all resident at once", format.Thousands(residency.LargestGrid)), endsWithIt, withGrid(residency.LargestGrid))
	switch {
	case residency.EnoughRegisters > 0:
		a.try(fmt.Sprintf("or use at most %d registers per thread instead of %d: then all %d blocks fit", residency.EnoughRegisters, residency.Registers, residency.Blocks), endsWithIt, withRegisters(residency.EnoughRegisters))
	case residency.FewerRegisters > 0:
		a.say(fmt.Sprintf("or use at most %d registers per thread instead of %d: then one more block fits on each SM", residency.FewerRegisters, residency.Registers))
	case residency.Limit == "shared memory":
		a.say(fmt.Sprintf("or use less than %d bytes of shared memory per block", residency.Shared))
	case residency.Limit == "warps":
		a.say(fmt.Sprintf("or use fewer than %d threads per block", residency.ThreadsPerBlock))
	case residency.Limit == "blocks":
		a.say("or give the same threads to fewer, larger blocks")
	}
	a.say("or launch cooperatively: a grid that does not fit is then refused")
}
