package opt

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// uses calls f with each register that v reads.
func (m *machine) uses(v *ir.Value, f func(r int32)) {
	for _, a := range v.Args {
		if r := m.reg[m.res(a).ID]; r >= 0 {
			f(r)
		}
	}
	if v.Guard != nil {
		g, _ := m.plainPred(v.Guard, false)
		if r := m.reg[g.ID]; r >= 0 {
			f(r)
		}
	}
}

// defs appends the registers that v writes.
func (m *machine) defs(v *ir.Value, d []int32) []int32 {
	if l := m.lane[v.ID]; l >= 0 {
		return append(d, m.tmp[l][:v.Mem.Vec]...)
	}
	if r := m.reg[v.ID]; r >= 0 {
		return append(d, r)
	}
	return d
}

// eachAtEnd calls f with each register that the end of b reads: its condition
// and the operands of phis.
func (m *machine) eachAtEnd(b *mblock, f func(r int32)) {
	for _, a := range b.args {
		if r := m.reg[a.ID]; r >= 0 {
			f(r)
		}
	}
	if b.cond != nil {
		if r := m.reg[b.cond.ID]; r >= 0 {
			f(r)
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
	n := len(m.blocks)
	preds, uses, def := make([][]int32, n), make([][]int32, len(m.regs)), index(len(m.regs))
	for _, i := range order {
		for _, s := range m.blocks[i].succs {
			preds[s] = append(preds[s], i)
		}
	}
	var d []int32
	for _, i := range order {
		b := m.blocks[i]
		for _, p := range b.phis {
			def[m.reg[p.ID]] = i
		}
		for _, v := range b.ins {
			d = m.defs(v, d[:0])
			for _, r := range d {
				def[r] = i
			}
		}
	}
	for _, i := range order {
		use := func(r int32) {
			if u := uses[r]; def[r] != i && (len(u) == 0 || u[len(u)-1] != i) {
				uses[r] = append(u, i)
			}
		}
		b := m.blocks[i]
		for _, v := range b.ins {
			m.uses(v, use)
		}
		m.eachAtEnd(b, use)
	}
	out := make([][]int32, n)
	in := index(n) // by block: the last register that was found to be live at its start
	var work []int32
	for r := range int32(len(m.regs)) {
		for _, u := range uses[r] {
			if in[u] != r {
				in[u] = r
				work = append(work, u)
			}
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, p := range preds[b] {
				if o := out[p]; len(o) == 0 || o[len(o)-1] != r {
					if len(o) == maxAtOnce {
						m.tooLarge = tooManyLive(m.blocks[p].pos)
						return nil
					}
					out[p] = append(o, r)
				}
				if p != def[r] && in[p] != r {
					in[p] = r
					work = append(work, p)
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
	for i, b := range m.blocks {
		succs[i] = b.succs
		if len(b.succs) == 2 && m.blocks[b.succs[0]].depth < m.blocks[b.succs[1]].depth {
			succs[i] = []int32{b.succs[1], b.succs[0]}
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
	for _, e := range n.edges {
		n.ends[e.a]++
		n.ends[e.b]++
	}
	sum := int32(0)
	for i, c := range n.ends {
		sum += c
		n.ends[i] = sum
	}
	n.of = make([]int32, sum)
	for _, e := range n.edges {
		n.ends[e.a]--
		n.of[n.ends[e.a]] = e.b
		n.ends[e.b]--
		n.of[n.ends[e.b]] = e.a
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
	size := func(r int32) int {
		if m.regs[r] == ir.Pred {
			return 0
		}
		return (m.regs[r].Bits() + 31) / 32
	}
	start := func(r int32) {
		if live.add(r) {
			weight += size(r)
		}
	}
	define := func(d []int32) {
		for _, r := range d {
			start(r)
		}
		m.maxLive = max(m.maxLive, weight)
		for _, r := range d {
			live.remove(r)
			weight -= size(r)
			for _, o := range live.list {
				inter.edges = append(inter.edges, interferes{r, o})
			}
		}
	}
	var d []int32
	for i, b := range m.blocks {
		live.set(out[i])
		m.atEnd(b, live)
		weight = 0
		for _, r := range live.list {
			weight += size(r)
		}
		m.maxLive = max(m.maxLive, weight)
		for j := len(b.ins) - 1; j >= 0; j-- {
			if d = m.defs(b.ins[j], d[:0]); len(d) > 0 {
				define(d)
			}
			m.uses(b.ins[j], start)
			m.maxLive = max(m.maxLive, weight)
			if len(live.list) > maxAtOnce || len(inter.edges) > maxInterferes {
				m.tooLarge = tooManyLive(b.ins[j].Pos)
				return nil
			}
		}
		if len(b.phis) > 0 {
			d = d[:0]
			for _, p := range b.phis {
				d = append(d, m.reg[p.ID])
			}
			define(d)
		}
	}
	inter.index(len(m.regs))
	return inter
}
