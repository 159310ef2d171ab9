package run

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

const (
	warp = simt.Lanes
	none = ir.Operand(ir.NoReg)
	// roleShift is the position of the role in an entry of cast, above the instance.
	roleShift = 26
	// fine is how many of the cycles of a delay pass while the warp looks at the clock.
	fine = 384
	// grace is how many nanoseconds pass between the mark that barriers will be released and the release.
	grace = 50_000
	// spare is the entry of a lane without a part.
	spare = ^uint32(0)
)

// harness is the kernel around a test. Its parameters, where w is the index of a warp in the grid:
//
//	cells    the memory of the test
//	where    by location and instance: the index of the location's word in cells; the word beside it is free
//	cast     by thread: role<<roleShift + instance, or spare. The roles are the threads of the test, and after them
//	         one for each of its blocks: a warp that releases barriers at which others have waited too long
//	gang     by w: the gang of the warp; gangs + n for a bystander at location word n of where; more for no part.
//	         The warps of a gang execute the same instances and start at the same time
//	delay    by w: how many cycles it waits then
//	warm     by w: bit v is set if it reads the word beside location v first, so that L1 holds the line
//	ready    by gang: how many of its warps are there (initially 0)
//	out      by register slot, role and instance: the final value
//	done     by role and instance: 1 at the end, or more if barriers of the gang were about to be released
//	ended    by gang and block of the test: how many warps are done; only with barriers
//	hung     by gang: how many warps release barriers, or are about to; only with barriers
//	n        instances
//	parts    n times the threads of the test
//	gangs    number of gangs
//	need     warps of a gang
//	words    number of words in where
//	rounds   how often a bystander stores
//	zero     0
//	patience how many nanoseconds pass before barriers are released
type harness struct {
	*asm
	*program
	single bool // a warp executes one instance, in its first lane; the others follow it

	cells, where, ready, out, done, ended, hung array
	n, parts, patience                          ir.Operand
	gang, role, instance, cta                   ir.Operand
	leader                                      ir.Operand // set in the first lane
	word                                        map[string]ir.Operand
	slot                                        []ir.Operand
}

// kernel makes the kernel of a test.
func (p *program) kernel(single bool) *device.Kernel {
	h := &harness{asm: newAsm("litmus." + p.test.Name), program: p, single: single, word: map[string]ir.Operand{}}
	h.cells, h.where = h.slice("cells"), h.slice("where")
	cast, gang, delay, warm := h.slice("cast"), h.slice("gang"), h.slice("delay"), h.slice("warm")
	h.ready, h.out, h.done, h.ended, h.hung = h.slice("ready"), h.slice("out"), h.slice("done"), h.slice("ended"), h.slice("hung")
	h.n, h.parts = h.scalar("n"), h.scalar("parts")
	gangs, need, words, rounds, zero := h.scalar("gangs"), h.scalar("need"), h.scalar("words"), h.scalar("rounds"), h.scalar("zero")
	h.patience = h.scalar("patience")

	thread := h.op(ir.OpMad, h.special(ir.CTAID), h.special(ir.NTID), h.special(ir.TID))
	w := h.op(ir.OpShr, thread, h.number(5))
	h.leader = h.compare(ir.OpEq, ir.U32, h.special(ir.LaneID), h.number(0))
	h.gang = h.load(gang, w)
	h.branch(h.compare(ir.OpGe, ir.U32, h.gang, gangs), "bystander")
	part := h.load(cast, thread)
	h.branch(h.compare(ir.OpEq, ir.U32, part, h.number(-1)), "exit")
	h.role = h.op(ir.OpShr, part, h.number(roleShift))
	h.instance = h.op(ir.OpAnd, part, h.number(1<<roleShift-1))
	if p.barriers.used {
		for c := range p.ctas {
			h.branch(h.compare(ir.OpEq, ir.U32, h.role, h.number(int32(len(p.test.Threads)+c))), fmt.Sprintf("release%d", c))
		}
	}
	h.warmUp(w, warm, delay, zero, need)
	for s := 0; s < p.slots; s++ {
		h.slot = append(h.slot, h.row())
	}
	h.cta = h.row()
	for i := len(p.test.Threads) - 1; i > 0; i-- {
		h.branch(h.compare(ir.OpEq, ir.U32, h.role, h.number(int32(i))), fmt.Sprintf("P%d", i))
	}
	for i := range p.test.Threads {
		h.label(fmt.Sprintf("P%d", i))
		h.emit(ir.OpMov, ir.U32, h.cta, h.number(int32(slices.Index(p.ctas, p.test.Threads[i].CTA))))
		h.body(i)
		h.jump("done")
	}
	h.finish()
	h.bystander(gangs, words, rounds)
	if p.barriers.used {
		for c := range p.ctas {
			h.release(c)
		}
	}
	h.label("exit")
	h.exit()
	return h.asm.kernel()
}

// warmUp finds the words of the instance, reads those beside them, and waits: for the gang, and then for the delay.
func (h *harness) warmUp(w ir.Operand, warm, delay array, zero, need ir.Operand) {
	bits := h.load(warm, w)
	sum := h.row()
	h.emit(ir.OpMov, ir.U32, sum, h.number(0))
	for v := range h.test.Locations {
		at := h.load(h.where, h.op(ir.OpMad, h.n, h.number(int32(v)), h.instance))
		h.word[h.test.Locations[v].Name] = h.address(h.cells, at)
		beside := h.address(h.cells, h.op(ir.OpXor, at, h.number(1)))
		chosen := h.compare(ir.OpNe, ir.U32, h.op(ir.OpAnd, bits, h.number(1<<v)), h.number(0))
		read := h.row()
		h.emit(ir.OpMov, ir.U32, read, h.number(0))
		h.guard = chosen
		h.access(ir.OpLoad, h.cells, ir.Weak, ir.NoScope, read, beside)
		h.guard = ir.NoGuard
		h.emit(ir.OpOr, ir.U32, sum, sum, read)
	}
	// Nobody knows that zero is 0, so the reads must be done before the wait begins.
	cycles := h.op(ir.OpOr, h.load(delay, w), h.op(ir.OpAnd, sum, zero))
	wait := h.row()
	in := h.emit(ir.OpCvt, ir.U64, wait, cycles)
	in.ArgK = ir.U32

	ready := h.address(h.ready, h.gang)
	h.guard = h.leader
	h.access(ir.OpAtomAdd, h.ready, ir.Relaxed, ir.ScopeDevice, none, ready, h.number(1))
	h.guard = ir.NoGuard
	h.label("meet")
	there := h.row()
	h.access(ir.OpLoad, h.ready, ir.Relaxed, ir.ScopeDevice, there, ready)
	h.branch(h.compare(ir.OpLt, ir.U32, there, need), "meet")

	start := h.special(ir.Clock64)
	// A clock that is read again and again is slow to simulate. GPUs have less than two cycles a nanosecond.
	h.guard = h.compare(ir.OpGt, ir.U32, cycles, h.number(fine))
	h.emit(ir.OpSleep, ir.Void, none, h.op(ir.OpShr, h.op(ir.OpSub, cycles, h.number(fine)), h.number(1)))
	h.guard = ir.NoGuard
	h.label("wait")
	now := h.special(ir.Clock64)
	h.emit(ir.OpSub, ir.U64, now, now, start)
	h.branch(h.compare(ir.OpLt, ir.U64, now, wait), "wait")
}

// leaderOnly restricts the instructions that follow to the first lane, where a warp executes one instance, until the
// function that it returns is called.
func (h *harness) leaderOnly() (end func()) {
	if h.single {
		h.guard = h.leader
	}
	return func() { h.guard = ir.NoGuard }
}

// finish stores the registers, and says that the thread has ended.
func (h *harness) finish() {
	h.label("done")
	part := h.op(ir.OpMad, h.role, h.n, h.instance)
	mark := h.op(ir.OpMov, h.number(1))
	if h.barriers.used {
		hung := h.row()
		h.access(ir.OpLoad, h.hung, ir.Relaxed, ir.ScopeDevice, hung, h.address(h.hung, h.gang))
		h.emit(ir.OpAdd, ir.U32, mark, mark, hung)
	}
	end := h.leaderOnly()
	for s, reg := range h.slot {
		h.store(h.out, h.op(ir.OpMad, h.parts, h.number(int32(s)), part), reg)
	}
	h.store(h.done, part, mark)
	end()
	if h.barriers.used {
		at := h.address(h.ended, h.op(ir.OpMad, h.gang, h.number(int32(len(h.ctas))), h.cta))
		h.guard = h.leader
		h.access(ir.OpAtomAdd, h.ended, ir.Relaxed, ir.ScopeDevice, none, at, h.number(1))
		h.guard = ir.NoGuard
	}
	h.jump("exit")
}

// bystander stores again and again to the word beside one of a test, so that the accesses of others queue there.
func (h *harness) bystander(gangs, words, rounds ir.Operand) {
	h.label("bystander")
	h.branchNot(h.leader, "exit")
	b := h.op(ir.OpSub, h.gang, gangs)
	h.branch(h.compare(ir.OpGe, ir.U32, b, words), "exit")
	h.branch(h.compare(ir.OpEq, ir.U32, rounds, h.number(0)), "exit")
	at := h.address(h.cells, h.op(ir.OpXor, h.load(h.where, b), h.number(1)))
	r := h.row()
	h.emit(ir.OpMov, ir.U32, r, h.number(0))
	h.label("hammer")
	h.access(ir.OpStore, h.cells, ir.Relaxed, ir.ScopeDevice, none, at, r)
	h.emit(ir.OpAdd, ir.U32, r, r, h.number(1))
	h.branch(h.compare(ir.OpLt, ir.U32, r, rounds), "hammer")
	h.jump("exit")
}

// release is for devices that cannot decide whether a kernel hangs. It waits until the threads of a block of the test
// have ended. If they take too long, it marks the gang as hung and arrives at their barriers in place of those that do
// not come, until all have ended. So the launch ends, and all that ended before keep their results.
//
// Threads that pass a barrier by themselves just then may end partly before the mark and partly after it. So the warp
// waits a little after the mark, and takes it back if all have ended. It has no fence, which would empty the L1 of its
// SM and so let others go on that wait for a line to leave it: the barrier orders the mark before what the others read.
func (h *harness) release(cta int) {
	l := func(s string) string { return fmt.Sprintf("release%d%s", cta, s) }
	h.label(l(""))
	at := h.address(h.ended, h.op(ir.OpMad, h.gang, h.number(int32(len(h.ctas))), h.number(int32(cta))))
	all := int32(0)
	for i := range h.test.Threads {
		if h.test.Threads[i].CTA == h.ctas[cta] {
			all++
		}
	}
	ended := h.row()
	over := func() {
		h.access(ir.OpLoad, h.ended, ir.Relaxed, ir.ScopeDevice, ended, at)
		h.branch(h.compare(ir.OpGe, ir.U32, ended, h.number(all)), "exit")
	}
	start := h.special(ir.GlobalTimer)
	patience := h.row()
	in := h.emit(ir.OpCvt, ir.U64, patience, h.patience)
	in.ArgK = ir.U32
	h.label(l(".wait"))
	over()
	h.emit(ir.OpSleep, ir.Void, none, h.number(1000))
	now := h.special(ir.GlobalTimer)
	h.emit(ir.OpSub, ir.U64, now, now, start)
	h.branch(h.compare(ir.OpLt, ir.U64, now, patience), l(".wait"))
	mark := func(by int32) {
		h.guard = h.leader
		h.access(ir.OpAtomAdd, h.hung, ir.Relaxed, ir.ScopeDevice, none, h.address(h.hung, h.gang), h.number(by))
		h.guard = ir.NoGuard
	}
	mark(1)
	h.emit(ir.OpSleep, ir.Void, none, h.number(grace))
	h.access(ir.OpLoad, h.ended, ir.Relaxed, ir.ScopeDevice, ended, at)
	h.branch(h.compare(ir.OpLt, ir.U32, ended, h.number(all)), l(".again"))
	mark(-1)
	h.jump("exit")
	h.label(l(".again"))
	for _, c := range h.barriers.calls[h.ctas[cta]] {
		h.emit(ir.OpBarArrive, ir.Void, none, h.number(-1), h.number(c.number), h.number(c.threads*warp))
	}
	h.emit(ir.OpSleep, ir.Void, none, h.number(1000))
	over()
	h.jump(l(".again"))
}
