package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// line lays out the blocks of m linearly: it removes empty blocks, lets blocks
// fall through where possible, makes threads that are done exit at once, and
// sets for every branch where its two sides reconverge.
func line(m *machine, prog *ir.Program) {
	m.thread()
	// First thread, so that a branch to a chain of empty blocks is seen as a
	// branch to the exit.
	m.exitEarly()
	m.hoistMoves()
	// Again: exits and hoisted moves leave empty blocks behind.
	m.thread()
	// From here on no edge changes: order, places and reconvergence points must
	// agree.
	order := m.order()
	meet := m.meetings(order)

	next := index(len(m.blocks)) // by block: the block laid out after it
	for i, b := range order[:len(order)-1] {
		next[b] = order[i+1]
	}
	// Targets are indices into the final code, so the size of each block, with
	// its control instructions, must be known before the first is emitted. ends
	// must agree with the switch below.
	start := make([]int32, len(m.blocks))
	size := int32(0)
	for _, i := range order {
		start[i] = size
		size += int32(len(m.blocks[i].code)) + ends(m.blocks[i], next[i])
	}
	prog.Code = make([]ir.Inst, 0, size)
	for _, i := range order {
		b := m.blocks[i]
		prog.Code = append(prog.Code, b.code...)
		jump := func(to int32) {
			in := newInst(ir.OpJmp, ir.Void, b.pos)
			in.Target = start[to]
			prog.Code = append(prog.Code, in)
		}
		control := func(op ir.Op, not bool) *ir.Inst {
			in := newInst(op, ir.Void, b.pos)
			in.Guard, in.GuardNot = ir.Operand(m.row[m.reg[b.cond.ID]]), not
			prog.Code = append(prog.Code, in)
			return &prog.Code[len(prog.Code)-1]
		}
		branch := func(to int32, not bool) {
			in := control(ir.OpBra, not)
			in.Target = start[to]
			if recon := meet[i]; recon >= 0 {
				in.Recon = start[recon]
			}
		}
		switch {
		case len(b.succs) == 0:
			prog.Code = append(prog.Code, newInst(ir.OpExit, ir.Void, b.pos))
		case b.exits && b.succs[0] == next[i]:
			control(ir.OpExit, b.condNot)
		case b.exits:
			// Threads that stay branch away, so that the exit needs no guard.
			branch(b.succs[0], !b.condNot)
			prog.Code = append(prog.Code, newInst(ir.OpExit, ir.Void, b.pos))
		case len(b.succs) == 1:
			if b.succs[0] != next[i] {
				jump(b.succs[0])
			}
		// The first successor falls through, so the branch goes to the second,
		// under the opposite condition.
		case b.succs[0] == next[i]:
			branch(b.succs[1], !b.condNot)
		default:
			branch(b.succs[0], b.condNot)
			if b.succs[1] != next[i] {
				jump(b.succs[1])
			}
		}
	}
}

// ends returns how many control instructions end b if next is laid out after
// it.
func ends(b *mblock, next int32) int32 {
	falls := slices.Contains(b.succs, next)
	switch {
	case len(b.succs) == 1 && falls && !b.exits:
		return 0
	case len(b.succs) > 0 && !falls && (len(b.succs) == 2 || b.exits):
		return 2
	}
	return 1
}

// thread redirects edges around blocks without code and removes branches whose
// sides have become the same. Empty returns are merged into one.
func (m *machine) thread() {
	exit := m.emptyExit()
	final := func(i int32) int32 {
		for range m.blocks { // an empty endless loop never leads out
			b := m.blocks[i]
			if len(b.code) > 0 || len(b.succs) != 1 || b.exits {
				break
			}
			i = b.succs[0]
		}
		if b := m.blocks[i]; len(b.succs) == 0 && len(b.code) == 0 {
			return exit
		}
		return i
	}
	for again := true; again; {
		again = false
		for _, b := range m.blocks {
			for j := range b.succs {
				b.succs[j] = final(b.succs[j])
			}
			// The branch has become a jump; if the block has no code, it can
			// now be bypassed too.
			if len(b.succs) == 2 && b.succs[0] == b.succs[1] {
				b.succs, b.cond = b.succs[:1], nil
				again = again || len(b.code) == 0
			}
		}
	}
}

// emptyExit returns a block that only ends the thread; -1 if there is none.
func (m *machine) emptyExit() int32 {
	return int32(slices.IndexFunc(m.blocks, func(b *mblock) bool { return len(b.succs) == 0 && len(b.code) == 0 }))
}

// exitEarly lets threads exit as soon as they are done: a jump to an empty
// return becomes an exit, and a branch to one becomes a guarded exit. Exited
// threads do not delay the reconvergence of others and do not count in barriers
// and collectives.
func (m *machine) exitEarly() {
	exit := m.emptyExit()
	if exit < 0 {
		return
	}
	for _, b := range m.blocks {
		switch {
		case len(b.succs) == 1 && b.succs[0] == exit && !b.exits:
			b.succs = nil
		case len(b.succs) == 2 && b.succs[0] == exit:
			b.exits, b.succs = true, b.succs[1:]
		case len(b.succs) == 2 && b.succs[1] == exit:
			b.exits, b.succs, b.condNot = true, b.succs[:1], !b.condNot
		}
	}
}
