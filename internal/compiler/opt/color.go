package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// classes groups virtual registers that share a row.
type classes struct {
	inter  *neighbours
	parent []int32
	last   []int32 // by root: the last member
	next   []int32 // by register: the next member of its class, or -1
	size   []int32 // by root: sum of the neighbour counts of all members
	apart  map[interferes]bool
}

func newClasses(inter *neighbours, n int) *classes {
	c := &classes{inter, make([]int32, n), make([]int32, n), index(n), make([]int32, n), map[interferes]bool{}}
	for i := range c.parent {
		c.parent[i], c.last[i] = int32(i), int32(i)
		c.size[i] = inter.ends[i+1] - inter.ends[i]
	}
	return c
}

// find returns the root of the class of reg, which is its first member.
func (c *classes) find(reg int32) int32 {
	for c.parent[reg] != reg {
		// Path halving keeps the trees flat without a second walk.
		c.parent[reg] = c.parent[c.parent[reg]]
		reg = c.parent[reg]
	}
	return reg
}

// interfere reports whether members of the classes with roots small and large are live
// at the same time. It visits the neighbours of the smaller class and caches a
// positive answer: classes that interfere still do after they have grown.
func (c *classes) interfere(small, large int32) bool {
	if c.size[small] > c.size[large] || c.size[small] == c.size[large] && small > large {
		small, large = large, small
	}
	// Both orders are looked up because the pair was stored by the sizes at
	// that time, which have grown since.
	if c.apart[interferes{small, large}] || c.apart[interferes{large, small}] {
		return true
	}
	for member := small; member >= 0; member = c.next[member] {
		if !c.inter.with(member, func(other int32) bool { return c.find(other) != large }) {
			c.apart[interferes{small, large}] = true
			return true
		}
	}
	return false
}

// join merges the classes with roots a and b. The larger class keeps its root.
func (c *classes) join(a, b int32) {
	if c.size[a] < c.size[b] {
		a, b = b, a
	}
	c.parent[b] = a
	// The root is the head of its list: colour and interfere walk the class
	// from the root.
	c.next[c.last[a]] = b
	c.last[a] = c.last[b]
	c.size[a] += c.size[b]
}

// allocate assigns each virtual register a row or predicate. A phi shares the
// row of its operands if they do not interfere (innermost loops first); other
// operands are copied on the edges. It uses as many rows as needed and never
// spills.
func (m *machine) allocate() error {
	inter := m.interference()
	if inter == nil {
		return m.tooLarge
	}
	groups := newClasses(inter, len(m.regs))
	join := func(a, b int32) {
		a, b = groups.find(a), groups.find(b)
		if a != b && m.regs[a].Bits() == m.regs[b].Bits() && !groups.interfere(a, b) {
			groups.join(a, b)
		}
	}
	edges := make([]*mblock, 0, len(m.blocks))
	for _, block := range m.blocks {
		// Only blocks that end in copies for phis matter: each pair that joins
		// a class saves one copy.
		if len(block.args) > 0 {
			edges = append(edges, block)
		}
	}
	// Copies of the innermost loop execute most often, so their pairs join
	// first. The sort is stable: the code must not depend on anything but the
	// kernel.
	slices.SortStableFunc(edges, func(a, b *mblock) int { return b.depth - a.depth })
	for _, edge := range edges {
		for i, arg := range edge.args {
			if reg := m.reg[arg.ID]; reg >= 0 {
				join(m.reg[edge.phisOf.phis[i].ID], reg)
			}
		}
	}
	m.colour(groups)
	return nil
}

// colour assigns rows greedily in definition order.
func (m *machine) colour(groups *classes) {
	m.row = index(len(m.regs))
	var taken []int32 // by row: the class that must not use it
	assign := func(reg int32) {
		root := groups.find(reg)
		// The class got its row with its first definition.
		if m.row[root] >= 0 {
			return
		}
		pred := m.regs[root] == ir.Pred
		for member := root; member >= 0; member = groups.next[member] {
			groups.inter.with(member, func(other int32) bool {
				if held := m.row[other]; held >= 0 && (m.regs[other] == ir.Pred) == pred {
					for int(held) >= len(taken) {
						taken = append(taken, -1)
					}
					// Marking with the root avoids clearing taken for each
					// class.
					taken[held] = root
				}
				return true
			})
		}
		row := int32(0)
		for int(row) < len(taken) && taken[row] == root {
			row++
		}
		for member := root; member >= 0; member = groups.next[member] {
			m.row[member] = row
		}
		if pred {
			m.numPreds = max(m.numPreds, int(row)+1)
		} else {
			m.numRegs = max(m.numRegs, int(row)+1)
		}
	}
	var defined []int32
	for _, i := range m.order() {
		block := m.blocks[i]
		for _, phi := range block.phis {
			assign(m.reg[phi.ID])
		}
		for _, v := range block.ins {
			defined = m.defs(v, defined[:0])
			for _, reg := range defined {
				assign(reg)
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

// sequence orders the copies of a parallel copy so that no copy overwrites a
// source that a later one reads. The copies of one call are all predicates or
// all rows. A cycle is broken with the row temp; the result reports whether
// temp was used.
func sequence(pending []move, temp int32, emit func(move)) (usedTemp bool) {
	for len(pending) > 0 {
		progress := false
		for i := 0; i < len(pending); i++ {
			next := pending[i]
			blocked := false
			for j, other := range pending {
				// A move that reads its own destination does not block itself.
				if j != i && other.src == ir.Operand(next.dst) {
					blocked = true
					break
				}
			}
			if !blocked {
				emit(next)
				pending = append(pending[:i], pending[i+1:]...)
				progress = true
				i--
			}
		}
		if !progress {
			first := pending[0]
			// Only cycles are left. Once the readers of this source read temp
			// instead, the move that overwrites the source is free and the
			// whole cycle unwinds, so that the next cycle can use temp again.
			emit(move{temp, first.src, first.k})
			usedTemp = true
			for i := range pending {
				if pending[i].src == first.src {
					pending[i].src = ir.Operand(temp)
				}
			}
		}
	}
	return usedTemp
}
