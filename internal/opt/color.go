package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
)

// allocate gives each virtual register a row or predicate. Phis share the row
// of their operands where these do not interfere (innermost loops first); the
// others become copies on the edges. There are as many rows as are needed, so
// nothing spills.
func (m *machine) allocate() {
	n := len(m.regs)
	inter := m.interference()
	class := make([]int32, n)
	members := newBitsets(n, n)
	for i := range class {
		class[i] = int32(i)
		members[i].add(int32(i))
	}
	find := func(r int32) int32 {
		for class[r] != r {
			class[r] = class[class[r]]
			r = class[r]
		}
		return r
	}
	join := func(a, b int32) {
		a, b = find(a), find(b)
		if a == b || m.regs[a].Bits() != m.regs[b].Bits() || inter[a].meets(members[b]) {
			return
		}
		class[b] = a
		inter[a].union(inter[b])
		members[a].union(members[b])
	}
	edges := make([]*mblock, 0, len(m.blocks))
	for _, b := range m.blocks {
		if len(b.args) > 0 {
			edges = append(edges, b)
		}
	}
	slices.SortStableFunc(edges, func(a, b *mblock) int { return b.depth - a.depth })
	for _, e := range edges {
		for i, a := range e.args {
			if r := m.reg[a.ID]; r >= 0 {
				join(m.reg[e.phisOf.phis[i].ID], r)
			}
		}
	}
	m.colour(inter, members, find)
}

// colour assigns rows greedily in the order of definition.
func (m *machine) colour(inter, members []bitset, find func(int32) int32) {
	n := len(m.regs)
	m.row = make([]int32, n)
	for i := range m.row {
		m.row[i] = -1
	}
	taken := newBitset(n + 1)
	assign := func(r int32) {
		c := find(r)
		if m.row[c] >= 0 {
			return
		}
		clear(taken)
		pred := m.regs[c] == ir.Pred
		inter[c].each(func(o int32) {
			if x := m.row[o]; x >= 0 && (m.regs[o] == ir.Pred) == pred {
				taken.add(x)
			}
		})
		row := int32(0)
		for taken.has(row) {
			row++
		}
		members[c].each(func(o int32) { m.row[o] = row })
		if pred {
			m.numPreds = max(m.numPreds, int(row)+1)
		} else {
			m.numRegs = max(m.numRegs, int(row)+1)
		}
	}
	var d []int32
	for _, i := range m.order() {
		b := m.blocks[i]
		for _, p := range b.phis {
			assign(m.reg[p.ID])
		}
		for _, v := range b.ins {
			d = m.defs(v, d[:0])
			for _, r := range d {
				assign(r)
			}
		}
	}
}

// move is one copy of a parallel copy.
type move struct {
	dst int32
	src ir.Operand
	k   ir.Kind
}

// sequence orders the copies of a parallel copy so that none overwrites what
// another still reads; the copies of one call are all predicates or all rows.
// A cycle goes through the row temp; the result says whether it was needed.
func sequence(pending []move, temp int32, emit func(move)) (usedTemp bool) {
	for len(pending) > 0 {
		progress := false
		for i := 0; i < len(pending); i++ {
			c := pending[i]
			blocked := false
			for j, o := range pending {
				if j != i && o.src == ir.Operand(c.dst) {
					blocked = true
					break
				}
			}
			if !blocked {
				emit(c)
				pending = append(pending[:i], pending[i+1:]...)
				progress = true
				i--
			}
		}
		if !progress {
			c := pending[0]
			emit(move{temp, c.src, c.k})
			usedTemp = true
			for i := range pending {
				if pending[i].src == c.src {
					pending[i].src = ir.Operand(temp)
				}
			}
		}
	}
	return usedTemp
}
