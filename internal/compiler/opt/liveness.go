package opt

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// uses calls do with each register that the value reads, or that products read until it.
func (m *machine) uses(value *ir.Value, do func(r int32)) {
	for _, a := range value.Args {
		if r := m.reg[m.res(a).ID]; r >= 0 {
			do(r)
		}
	}
	if value.Guard != nil {
		g, _ := m.plainPred(value.Guard, false)
		if r := m.reg[g.ID]; r >= 0 {
			do(r)
		}
	}
	for _, r := range m.held[value] {
		do(r)
	}
}

// defs appends the registers that the value writes.
func (m *machine) defs(value *ir.Value, d []int32) []int32 {
	if l := m.lane[value.ID]; l >= 0 {
		// The hardware writes all elements of a vector, so that even the
		// unused ones need rows.
		return append(d, m.tmp[l][:value.Results()]...)
	}
	if r := m.reg[value.ID]; r >= 0 {
		return append(d, r)
	}
	return d
}

// eachAtEnd calls do with each register that the end of the block reads: its condition
// and the operands of phis.
func (m *machine) eachAtEnd(block *mblock, do func(r int32)) {
	for _, a := range block.args {
		if r := m.reg[a.ID]; r >= 0 {
			do(r)
		}
	}
	if block.cond != nil {
		if r := m.reg[block.cond.ID]; r >= 0 {
			do(r)
		}
	}
}

// atEnd adds to live the registers that the end of b reads.
func (m *machine) atEnd(b *mblock, live *liveSet) {
	m.eachAtEnd(b, func(r int32) { live.add(r) })
}

// maxAtOnce is how many registers may be live at one place. A GPU thread has
// 255 registers of 32 bits; a multiple of that would be in local memory.
const maxAtOnce = 1024

// tooManyLive returns the error for a kernel that needs more than maxAtOnce
// registers at pos.
func tooManyLive(pos ir.Pos) *LimitError {
	return &LimitError{pos, fmt.Sprintf("more than %d values are needed at once here, and a GPU keeps 255 registers for a thread; keep arrays in gpu.Shared or in a buffer, or split the kernel", maxAtOnce)}
}

// liveOut returns the registers that are live at the end of each block, without
// phis; nil if they are more than maxAtOnce. It walks from each use of a
// register back to the definition, so that its time is proportional to the
// length of the result and does not grow with the product of blocks and
// registers.
func (m *machine) liveOut() [][]int32 {
	order := m.order()
	blocks := len(m.blocks)
	preds, uses, def := make([][]int32, blocks), make([][]int32, len(m.regs)), index(len(m.regs))
	for _, i := range order {
		for _, succ := range m.blocks[i].succs {
			preds[succ] = append(preds[succ], i)
		}
	}
	var defined []int32
	for _, i := range order {
		block := m.blocks[i]
		for _, phi := range block.phis {
			// A phi is defined at the start of its block; what it reads is a
			// use at the end of each predecessor (eachAtEnd).
			def[m.reg[phi.ID]] = i
		}
		for _, v := range block.ins {
			defined = m.defs(v, defined[:0])
			for _, reg := range defined {
				def[reg] = i
			}
		}
	}
	for _, i := range order {
		use := func(reg int32) {
			// Uses in the defining block need no walk, and one entry per block
			// is enough: blocks come one after the other, so the last entry
			// shows whether this one is there.
			if list := uses[reg]; def[reg] != i && (len(list) == 0 || list[len(list)-1] != i) {
				uses[reg] = append(list, i)
			}
		}
		block := m.blocks[i]
		for _, v := range block.ins {
			m.uses(v, use)
		}
		m.eachAtEnd(block, use)
	}
	out := make([][]int32, blocks)
	in := index(blocks) // by block: the last register that was found to be live at its start
	var work []int32
	for reg := range int32(len(m.regs)) {
		for _, user := range uses[reg] {
			if in[user] != reg {
				in[user] = reg
				work = append(work, user)
			}
		}
		for len(work) > 0 {
			block := work[len(work)-1]
			work = work[:len(work)-1]
			for _, pred := range preds[block] {
				if list := out[pred]; len(list) == 0 || list[len(list)-1] != reg {
					if len(list) == maxAtOnce {
						m.tooLarge = tooManyLive(m.blocks[pred].pos)
						return nil
					}
					out[pred] = append(list, reg)
				}
				// Above its definition the register is not live; in[] ends the
				// walk around a loop.
				if pred != def[reg] && in[pred] != reg {
					in[pred] = reg
					work = append(work, pred)
				}
			}
		}
	}
	return out
}

// order returns the reachable blocks in layout order, a reverse post-order in
// which, of two successors, the one with the deeper loop nesting comes next.
func (m *machine) order() []int32 {
	succs := make([][]int32, len(m.blocks))
	for i, block := range m.blocks {
		succs[i] = block.succs
		if len(block.succs) == 2 && m.blocks[block.succs[0]].depth < m.blocks[block.succs[1]].depth {
			// Graph.RPO places the first successor next. The deeper one
			// continues the loop, which so stays in one piece.
			succs[i] = []int32{block.succs[1], block.succs[0]}
		}
	}
	return ir.NewGraph(succs).RPO()
}

// neighbours is the interference graph: for each register, the registers that
// hold other values at the same time.
type neighbours struct {
	ends  []int32 // by register, plus one: where its neighbours begin in of
	of    []int32
	edges []interferes
}

// interferes is a pair of registers that are live at the same time.
type interferes struct{ a, b int32 }

// maxInterferes bounds the memory for these pairs: enough for a hundred
// thousand instructions with three hundred live values at each.
const maxInterferes = 30_000_000

// with calls do for each neighbour of r until do returns false.
func (n *neighbours) with(r int32, do func(o int32) bool) bool {
	for _, o := range n.of[n.ends[r]:n.ends[r+1]] {
		if !do(o) {
			return false
		}
	}
	return true
}

// index sorts the edges by register.
func (n *neighbours) index(regs int) {
	n.ends = make([]int32, regs+1)
	for _, edge := range n.edges {
		n.ends[edge.a]++
		n.ends[edge.b]++
	}
	sum := int32(0)
	for i, count := range n.ends {
		sum += count
		n.ends[i] = sum
	}
	n.of = make([]int32, sum)
	for _, edge := range n.edges {
		n.ends[edge.a]--
		n.of[n.ends[edge.a]] = edge.b
		n.ends[edge.b]--
		n.of[n.ends[edge.b]] = edge.a
	}
	n.edges = nil
}

// interference builds the interference graph and measures the register
// pressure. It returns nil if there are too many edges.
func (m *machine) interference() *neighbours {
	out := m.liveOut()
	if out == nil {
		return nil
	}
	inter := &neighbours{}
	live := newLiveSet(len(m.regs))
	weight := 0
	// Predicates have registers of their own and do not count against the 255 of a thread.
	size := func(reg int32) int { return m.rows[reg] }
	start := func(reg int32) {
		if live.add(reg) {
			weight += size(reg)
		}
	}
	define := func(defined []int32) {
		for _, reg := range defined {
			start(reg)
		}
		// Results that nobody reads are live for this moment only, and still
		// need a register.
		m.maxLive = max(m.maxLive, weight)
		for _, reg := range defined {
			// Removed before the edges are made, a register is no neighbour of
			// itself; later results of the same instruction still are.
			live.remove(reg)
			weight -= size(reg)
			for _, other := range live.list {
				inter.edges = append(inter.edges, interferes{reg, other})
			}
		}
	}
	var defined []int32
	for i, block := range m.blocks {
		live.set(out[i])
		m.atEnd(block, live)
		weight = 0
		for _, reg := range live.list {
			weight += size(reg)
		}
		m.maxLive = max(m.maxLive, weight)
		for j := len(block.ins) - 1; j >= 0; j-- {
			// Backwards: first the results end their lives, then the operands
			// begin theirs. An operand whose last use this is may share the row
			// of the result.
			if defined = m.defs(block.ins[j], defined[:0]); len(defined) > 0 {
				define(defined)
			}
			m.uses(block.ins[j], start)
			m.maxLive = max(m.maxLive, weight)
			if len(live.list) > maxAtOnce || len(inter.edges) > maxInterferes {
				m.tooLarge = tooManyLive(block.ins[j].Pos)
				return nil
			}
		}
		if len(block.phis) > 0 {
			defined = defined[:0]
			for _, phi := range block.phis {
				defined = append(defined, m.reg[phi.ID])
			}
			define(defined)
		}
	}
	inter.index(len(m.regs))
	return inter
}
