package opt

import "github.com/weft-gpu/weft/internal/ir"

// line puts the blocks of m in a line: empty blocks vanish, blocks fall
// through where they can, and every branch learns where its two sides meet.
func line(m *machine, p *ir.Program) {
	m.thread()
	order := m.order()
	g := make([][]int32, len(m.blocks))
	for i, b := range m.blocks {
		g[i] = b.succs
	}
	ipdom := ir.NewGraph(g).PostDominators()

	next := make([]int32, len(m.blocks)) // the block laid out behind
	for i := range next {
		next[i] = -1
	}
	for i, b := range order[:len(order)-1] {
		next[b] = order[i+1]
	}
	start := make([]int32, len(m.blocks))
	n := int32(0)
	for _, i := range order {
		start[i] = n
		n += int32(len(m.blocks[i].code)) + ends(m.blocks[i], next[i])
	}
	p.Code = make([]ir.Inst, 0, n)
	for _, i := range order {
		b := m.blocks[i]
		p.Code = append(p.Code, b.code...)
		jump := func(to int32) {
			in := newInst(ir.OpJmp, ir.Void, b.pos)
			in.Target = start[to]
			p.Code = append(p.Code, in)
		}
		switch len(b.succs) {
		case 0:
			p.Code = append(p.Code, newInst(ir.OpExit, ir.Void, b.pos))
		case 1:
			if b.succs[0] != next[i] {
				jump(b.succs[0])
			}
		case 2:
			in := newInst(ir.OpBra, ir.Void, b.pos)
			in.Guard, in.GuardNot = ir.Operand(m.row[m.reg[b.cond.ID]]), b.condNot
			to, other := b.succs[0], b.succs[1]
			if to == next[i] {
				to, other = other, to
				in.GuardNot = !in.GuardNot
			}
			in.Target = start[to]
			if r := ipdom[i]; r >= 0 {
				in.Recon = start[r]
			}
			p.Code = append(p.Code, in)
			if other != next[i] {
				jump(other)
			}
		}
	}
}

// ends is how many control instructions end b when next is laid out behind it.
func ends(b *mblock, next int32) int32 {
	switch {
	case len(b.succs) == 1 && b.succs[0] == next:
		return 0
	case len(b.succs) == 2 && b.succs[0] != next && b.succs[1] != next:
		return 2
	}
	return 1
}

// thread routes edges around blocks without code; branches whose sides are
// then the same go. Empty returns become one, where threads meet again.
func (m *machine) thread() {
	exit := int32(-1)
	for i, b := range m.blocks {
		if len(b.succs) == 0 && len(b.code) == 0 && exit < 0 {
			exit = int32(i)
		}
	}
	final := func(i int32) int32 {
		for range m.blocks { // an empty endless loop ends nowhere
			b := m.blocks[i]
			if len(b.code) > 0 || len(b.succs) != 1 {
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
			if len(b.succs) == 2 && b.succs[0] == b.succs[1] {
				b.succs, b.cond = b.succs[:1], nil
				again = again || len(b.code) == 0
			}
		}
	}
}
