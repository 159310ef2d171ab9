package waitfor

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// cures makes the changes of a program that stand for advice.
type cures struct{ *explainer }

// The changes of a program that stand for advice. Each returns nil if the program does not have the form that it needs.

// backOff lets threads wait before each round of their loops: for a time that differs from thread to thread, and that
// grows.
func (x *cures) backOff(ids []int) *remedy.Change {
	var heads []int32
	for _, id := range ids {
		for _, wait := range x.sets[id].waits {
			if wait.round == nil {
				continue
			}
			if l := x.around(wait.round.steps, true); l != nil && !slices.Contains(heads, l.head) {
				heads = append(heads, l.head)
			}
		}
	}
	if len(heads) == 0 {
		return nil
	}
	return edited("wait for a time of its own", func(edit *remedy.Edit) {
		c := &code{e: edit}
		// Each thread starts with another number, its block and its lane, and adds them up in each round: threads that went in
		// step do not any more, and the time grows.
		zero, one, most, step := edit.Constant(ir.U32, 0), edit.Constant(ir.U32, 1), edit.Constant(ir.U32, 1<<11-1), edit.Constant(ir.U32, 64)
		own := c.put(ir.OpMov, ir.U32, zero)
		edit.Before(0, c.list...)
		for _, head := range heads {
			c := &code{e: edit, pos: x.p.Code[head].Pos}
			block, lane := c.special(ir.CTAID), c.special(ir.TID)
			c.into(own, ir.OpAdd, ir.U32, own, block)
			c.into(own, ir.OpAdd, ir.U32, own, lane)
			left := c.put(ir.OpAnd, ir.U32, own, most)
			sleep := c.blank(ir.OpSleep, ir.Void)
			sleep.NSrc, sleep.Src[0], sleep.ArgK = 1, step, ir.U32
			c.list = append(c.list, sleep)
			again := c.compare(ir.OpNe, ir.U32, left, zero)
			c.into(left, ir.OpSub, ir.U32, left, one)
			c.back(3, again) // to the sleep: a device without a clock counts sleeps
			edit.Before(head, c.list...)
		}
	})
}

// slice appends copies of the instructions that compute an operand from the thread's place and the arguments.
func (x *cures) slice(code *code, u use, depth int) (ir.Operand, bool) {
	operand, pred := x.operand(u)
	if operand < 0 {
		return operand, true
	}
	def := x.definition(u)
	if def < 0 || pred || depth == 0 {
		return 0, false
	}
	in := x.p.Code[def]
	// What reads memory might read something else at another place of the program.
	if in.Op != ir.OpSpecial && !in.Op.Scalar() || in.Guard != ir.NoGuard || in.NDst != 1 {
		return 0, false
	}
	for i := range int(in.NSrc) {
		src, ok := x.slice(code, use{def, i}, depth-1)
		if !ok {
			return 0, false
		}
		in.Src[i] = src
	}
	in.Dst[0] = code.e.Register()
	code.list = append(code.list, in)
	return ir.Operand(in.Dst[0]), true
}

// sameOrder lets threads take two locks in the order of their addresses: those that wait at second for a lock that
// others have taken at first. between are loops in which they wait for something else while they have the one lock.
func (x *cures) sameOrder(pairs [][2]int32, between []*loop) *remedy.Change {
	if len(pairs) == 0 {
		return nil
	}
	ok := true
	change := edited("in the order of addresses", func(edit *remedy.Edit) {
		for _, pair := range pairs {
			for which, pc := range pair {
				change := &code{e: edit, pos: x.p.Code[pc].Pos}
				var at [2]ir.Operand
				for other, lock := range pair {
					a, known := x.slice(change, use{lock, 0}, maxDepth)
					if !known {
						ok = false
						return
					}
					at[other] = change.put(ir.OpAdd, ir.U64, a, edit.Constant(ir.U64, uint64(x.p.Code[lock].Imm)))
				}
				// The first lock is then the one of the smaller address for all threads: a ring of waits cannot close
				// (Coffman's circular wait).
				to := change.put([2]ir.Op{ir.OpMin, ir.OpMax}[which], ir.U64, at[0], at[1])
				edit.Before(pc, change.list...)
				edit.Address(pc, to, x.p.Code[pc].Root)
			}
		}
		for _, l := range between {
			ok = x.leave(edit, l) && ok
		}
	})
	// ok is known once the change has been made: it is made here on trial.
	if _, err := change.Program(x.p); err != nil || !ok {
		return nil
	}
	return change
}

// locks finds where threads of a ring take the lock that the next waits for, and where they wait for the next one; and
// the loops in between.
func (x *cures) locks(ids []int) (pairs [][2]int32, between []*loop) {
	if x.past == nil {
		return nil, nil
	}
	for _, id := range ids {
		group := x.sets[id]
		second := group.waits[0].read
		if second < 0 || !x.p.Code[second].Op.IsAtomic() || group.closed == nil {
			return nil, nil
		}
		for _, other := range ids {
			closed := x.sets[other].closed
			if closed == nil || closed.set != group || closed.pc == second {
				continue
			}
			// Locks of two arrays, or taken by two kinds of atomics, have no common order by address.
			if a, b := &x.p.Code[closed.pc], &x.p.Code[second]; !a.Op.IsAtomic() || a.Root != b.Root || a.Op != b.Op {
				return nil, nil
			}
			if pair := [2]int32{closed.pc, second}; !slices.Contains(pairs, pair) {
				pairs = append(pairs, pair)
			}
		}
	}
	for _, polled := range x.naturalLoops() {
		for _, p := range pairs {
			if polled.in[p[0]] || polled.in[p[1]] || slices.ContainsFunc(between, func(o *loop) bool { return o.head == polled.head }) {
				continue
			}
			// Between: behind the first lock, before the second, and never back before the first.
			inner := x.reach([]int32{p[0]}, nil, func(pc int32) bool { return pc == p[1] })
			if inner[polled.head] && x.reach([]int32{polled.head}, nil, nil)[p[1]] && !x.reach([]int32{polled.head}, nil, nil)[p[0]] && x.polls(&polled) {
				between = append(between, &polled)
			}
		}
	}
	return pairs, between
}

// polls reports whether a loop reads what others may write.
func (f *flow) polls(l *loop) bool {
	for pc, in := range l.in {
		if at := &f.p.Code[pc]; in && (at.Op.IsAtomic() || at.Op == ir.OpLoad && at.Mem.Order != ir.Weak) {
			return true
		}
	}
	return false
}

// passOn lets each thread that has drawn a number wait for its turn and pass it on before it leaves the kernel, unless it
// has done so.
func (x *cures) passOn(set *set, draw int32, by uint64) *remedy.Change {
	words := set.words()
	if len(words) != 1 || by == 0 {
		return nil
	}
	kind := x.p.Code[set.waits[0].read].Mem.Kind
	// Tickets are of 32 bits in all kernels that we know; others are advised and not tried.
	if kind != ir.U32 || x.p.Code[draw].K != ir.U32 || simt.SpaceOf(anyOf(words)) != ir.Global {
		return nil
	}
	var exits []int32
	for pc := range x.p.Code {
		if x.p.Code[pc].Op == ir.OpExit {
			exits = append(exits, int32(pc))
		}
	}
	return edited("pass the turn on", func(edit *remedy.Edit) {
		none, zero, step := edit.Constant(kind, 1<<32-1), edit.Constant(ir.S32, 0), edit.Constant(kind, by)
		made := &code{e: edit}
		mine := made.put(ir.OpMov, kind, none)
		edit.Before(0, made.list...)
		made = &code{e: edit, pos: x.p.Code[draw].Pos}
		made.into(mine, ir.OpMov, kind, ir.Operand(x.p.Code[draw].Dst[0]))
		made.list[0].Guard, made.list[0].GuardNot = x.p.Code[draw].Guard, x.p.Code[draw].GuardNot
		edit.After(draw, made.list...)
		for _, exit := range exits {
			leave := &x.p.Code[exit]
			made := &code{e: edit, pos: leave.Pos}
			mine := mine // of the lanes that leave here
			if leave.Guard != ir.NoGuard {
				all := mine
				mine = made.put(ir.OpMov, kind, none)
				made.into(mine, ir.OpMov, kind, all)
				last := &made.list[len(made.list)-1]
				last.Guard, last.GuardNot = leave.Guard, leave.GuardNot
			}
			read := x.p.Code[set.waits[0].read]
			read.Src[0], read.Imm = edit.Constant(ir.U64, anyOf(words)), 0
			now := ir.Operand(edit.Register())
			read.Dst[0] = int32(now)
			made.list = append(made.list, read)
			// The signed difference tells whether the turn is past, also after the number has wrapped around.
			ahead := made.put(ir.OpSub, kind, now, mine)
			signed := made.put(ir.OpBitcast, ir.S32, ahead)
			made.list[len(made.list)-1].ArgK = kind
			made.back(4, made.compare(ir.OpLt, ir.S32, signed, zero))
			next := made.put(ir.OpAdd, kind, mine, step)
			// Only if it is this thread's turn still: one that has passed it on itself finds another number, and changes
			// nothing.
			swap := made.blank(ir.OpAtomCAS, kind)
			swap.NSrc, swap.NDst, swap.Dst[0] = 3, 1, edit.Register()
			swap.Src[0], swap.Src[1], swap.Src[2] = read.Src[0], mine, next
			swap.Mem, swap.Root = ir.Mem{Kind: kind, Vec: 1, Space: ir.Global, Order: ir.Relaxed, Scope: ir.ScopeDevice}, read.Root
			made.list = append(made.list, swap)
			edit.Before(exit, made.list...)
		}
	})
}

// storeAtExit stores, before a thread leaves by an exit, the value with which the waits of some sets end.
func (x *cures) storeAtExit(sets []*set, exit int32) *remedy.Change {
	type cell struct {
		addr, v uint64
		read    int32
	}
	var cells []cell
	for _, group := range sets {
		for addr, pc := range group.words() {
			// Shared memory has no address that another block's exit could store to.
			if simt.SpaceOf(addr) != ir.Global {
				return nil
			}
			found := false
			for _, v := range x.openings(group, addr) {
				if x.opens(group.waits[0], addr, v) {
					cells, found = append(cells, cell{addr, v, pc}), true
					break
				}
			}
			if !found {
				return nil
			}
		}
	}
	if len(cells) == 0 || len(cells) > maxValues {
		return nil
	}
	return edited("store it before leaving", func(edit *remedy.Edit) {
		leave := x.p.Code[exit]
		made := &code{e: edit, pos: leave.Pos}
		for _, cell := range cells {
			read := &x.p.Code[cell.read]
			in := made.blank(ir.OpStore, read.Mem.Kind)
			if in.K = read.K; read.Op != ir.OpLoad {
				in.K = read.Mem.Kind
			}
			in.ArgK, in.Class = in.K, ir.ClassOf(ir.OpStore, in.K)
			in.NSrc, in.Src[0], in.Src[1] = 2, edit.Constant(ir.U64, cell.addr), edit.Constant(in.K, cell.v)
			in.Mem, in.Root = ir.Mem{Kind: read.Mem.Kind, Vec: 1, Space: ir.Global, Order: ir.Relaxed, Scope: ir.ScopeDevice}, read.Root
			// Only the lanes that leave store it.
			in.Guard, in.GuardNot = leave.Guard, leave.GuardNot
			made.list = append(made.list, in)
		}
		edit.Before(exit, made.list...)
	})
}

// openings are values that are tried for a word: those that lines store, what the loop compares with, and small numbers.
func (x *cures) openings(set *set, addr uint64) (list []uint64) {
	for _, line := range set.writers {
		in := &x.p.Code[line.pc]
		i := 1
		if in.Op == ir.OpAtomCAS {
			i = 2
		}
		if in.Op == ir.OpStore || in.Op == ir.OpAtomExch || in.Op == ir.OpAtomCAS {
			if v, ok := x.valueConstant(use{line.pc, i}); ok && !line.vain {
				list = append(list, v)
			}
		}
	}
	t := set.waits[0]
	if now := t.fresh[bits.TrailingZeros32(t.lanes)&31]; addr == t.addr[bits.TrailingZeros32(t.lanes)&31] {
		list = append(list, truncate(x.p.Code[t.read].Mem.Kind, now+1), truncate(x.p.Code[t.read].Mem.Kind, now-1))
	}
	return append(list, 1, 0)
}

// withMask names in the masks of the collectives at which groups wait only the lanes that are there.
func (x *cures) withMask(ids []int) *remedy.Change {
	var pcs []int32
	for _, id := range ids {
		if t := x.sets[id].waits[0]; t.kind == device.WaitWarp && x.p.Code[t.g.PC].Op.Masked() && !slices.Contains(pcs, t.g.PC) {
			pcs = append(pcs, t.g.PC)
		}
	}
	if len(pcs) == 0 {
		return nil
	}
	return edited("a mask of those that are there", func(edit *remedy.Edit) {
		for _, pc := range pcs {
			c := &code{e: edit, pos: x.p.Code[pc].Pos}
			// The lanes that are there at this moment (PTX ISA, activemask), which is right for a trial; in a program it need
			// not be those that come.
			lanes := c.put(ir.OpActiveMask, ir.U32)
			edit.Before(pc, c.list...).Source(pc, 0, lanes)
		}
	})
}

// withCount lets a named barrier wait for another number of threads.
func (x *cures) withCount(pc int32, n int) *remedy.Change {
	if op := x.p.Code[pc].Op; op != ir.OpBarSync && op != ir.OpBarArrive || n == 0 {
		return nil
	}
	return edited("another number of threads", func(edit *remedy.Edit) {
		for at := range x.p.Code {
			// All uses of the same barrier have to name the same number (PTX ISA, bar).
			if in := &x.p.Code[at]; in.Op.Action() == ir.ActNamed && in.Src[1] == x.p.Code[pc].Src[1] {
				edit.Source(int32(at), 2, edit.Constant(ir.U32, uint64(n)))
			}
		}
	})
}

// comparison finds the comparison of a loop's word with a value; value is the operand that is not the word.
func (x *cures) comparison(wait *wait) (pc int32, value int, ok bool) {
	if wait.cond == nil {
		return 0, 0, false
	}
	for _, e := range wait.cond.exits {
		for _, at := range wait.cond.sources(use{e.pc, guard}) {
			if !x.p.Code[at].Op.IsCompare() {
				continue
			}
			for i := range 2 {
				if len(wait.cond.reads(use{at, i}, nil, map[use]bool{})) == 0 {
					return at, i, true
				}
			}
		}
	}
	return 0, 0, false
}

// comparing lets a loop compare its word with another value.
func (x *cures) comparing(t *wait, value uint64) *remedy.Change {
	pc, i, ok := x.comparison(t)
	if !ok {
		return nil
	}
	return edited("compare with another value", func(e *remedy.Edit) { e.Source(pc, i, e.Constant(x.p.Code[pc].ArgK, value)) })
}

// leaving lets threads not wait in the loop of a wait.
func (x *cures) leaving(wait *wait) *remedy.Change {
	if wait.round == nil {
		return nil
	}
	loop := x.around(wait.round.steps, false)
	if loop == nil {
		return nil
	}
	c := edited("without that wait", func(e *remedy.Edit) { x.leave(e, loop) })
	return c
}

// givingBack lets a line write the word that a set waits for, and not another one.
func (x *cures) givingBack(s *set, pc int32) *remedy.Change {
	words := s.words()
	if len(words) != 1 || simt.SpaceOf(anyOf(words)) != ir.Global {
		return nil
	}
	return edited("write that word", func(e *remedy.Edit) { e.Address(pc, e.Constant(ir.U64, anyOf(words)), x.p.Code[pc].Root) })
}

// readAgain lets a loop read a word in each round that it reads before it now.
func (x *cures) readAgain(load, head int32) *remedy.Change {
	in := x.p.Code[load]
	return edited("read it in the loop", func(edit *remedy.Edit) {
		c := &code{e: edit, pos: in.Pos}
		if at, ok := x.slice(c, use{load, 0}, maxDepth); ok {
			again := in
			again.Src[0] = at
			c.list = append(c.list, again)
			edit.Before(head, c.list...)
		}
	})
}
