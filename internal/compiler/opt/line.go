package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// line lays out the blocks of the machine code linearly: it removes empty blocks, lets blocks
// fall through where possible, makes threads that are done exit at once, and
// sets for every branch where its two sides reconverge.
func line(machine *machine, prog *ir.Program) {
	machine.thread()
	// First thread, so that a branch to a chain of empty blocks is seen as a
	// branch to the exit.
	machine.exitEarly()
	machine.hoistMoves()
	// Again: exits and hoisted moves leave empty blocks behind.
	machine.thread()
	// From here on no edge changes: order, places and reconvergence points must
	// agree.
	order := machine.order()
	meet := machine.meetings(order)

	next := index(len(machine.blocks)) // by block: the block laid out after it
	for i, b := range order[:len(order)-1] {
		next[b] = order[i+1]
	}
	// Targets are indices into the final code, so the size of each block, with
	// its control instructions, must be known before the first is emitted. ends
	// must agree with the switch below.
	start := make([]int32, len(machine.blocks))
	size := int32(0)
	for _, i := range order {
		start[i] = size
		size += int32(len(machine.blocks[i].code)) + ends(machine.blocks[i], next[i])
	}
	prog.Code = make([]ir.Inst, 0, size)
	for _, i := range order {
		block := machine.blocks[i]
		prog.Code = append(prog.Code, block.code...)
		jump := func(to int32) {
			in := newInst(ir.OpJmp, ir.Void, block.pos)
			in.Target = start[to]
			prog.Code = append(prog.Code, in)
		}
		control := func(op ir.Op, not bool) *ir.Inst {
			in := newInst(op, ir.Void, block.pos)
			in.Guard, in.GuardNot = ir.Operand(machine.row[machine.reg[block.cond.ID]]), not
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
		case len(block.succs) == 0:
			prog.Code = append(prog.Code, newInst(ir.OpExit, ir.Void, block.pos))
		case block.exits && block.succs[0] == next[i]:
			control(ir.OpExit, block.condNot)
		case block.exits:
			// Threads that stay branch away, so that the exit needs no guard.
			branch(block.succs[0], !block.condNot)
			prog.Code = append(prog.Code, newInst(ir.OpExit, ir.Void, block.pos))
		case len(block.succs) == 1:
			if block.succs[0] != next[i] {
				jump(block.succs[0])
			}
		// The first successor falls through, so the branch goes to the second,
		// under the opposite condition.
		case block.succs[0] == next[i]:
			branch(block.succs[1], !block.condNot)
		default:
			branch(block.succs[0], block.condNot)
			if block.succs[1] != next[i] {
				jump(block.succs[1])
			}
		}
	}
}

// ends returns how many control instructions end the block if next is laid out after
// it.
func ends(block *mblock, next int32) int32 {
	falls := slices.Contains(block.succs, next)
	switch {
	case len(block.succs) == 1 && falls && !block.exits:
		return 0
	case len(block.succs) > 0 && !falls && (len(block.succs) == 2 || block.exits):
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
			block := m.blocks[i]
			if len(block.code) > 0 || len(block.succs) != 1 || block.exits {
				break
			}
			i = block.succs[0]
		}
		if b := m.blocks[i]; len(b.succs) == 0 && len(b.code) == 0 {
			return exit
		}
		return i
	}
	for again := true; again; {
		again = false
		for _, block := range m.blocks {
			for j := range block.succs {
				block.succs[j] = final(block.succs[j])
			}
			// The branch has become a jump; if the block has no code, it can
			// now be bypassed too.
			if len(block.succs) == 2 && block.succs[0] == block.succs[1] {
				block.succs, block.cond = block.succs[:1], nil
				again = again || len(block.code) == 0
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
	for _, block := range m.blocks {
		switch {
		case len(block.succs) == 1 && block.succs[0] == exit && !block.exits:
			block.succs = nil
		case len(block.succs) == 2 && block.succs[0] == exit:
			block.exits, block.succs = true, block.succs[1:]
		case len(block.succs) == 2 && block.succs[1] == exit:
			block.exits, block.succs, block.condNot = true, block.succs[:1], !block.condNot
		}
	}
}
