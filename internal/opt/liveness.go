package opt

import "github.com/weft-gpu/weft/internal/ir"

// uses calls f with the registers that v reads.
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

// atEnd adds to live what the end of b reads: its condition and what it hands
// to phis.
func (m *machine) atEnd(b *mblock, live bitset) {
	for _, a := range b.args {
		if r := m.reg[a.ID]; r >= 0 {
			live.add(r)
		}
	}
	if b.cond != nil {
		if r := m.reg[b.cond.ID]; r >= 0 {
			live.add(r)
		}
	}
}

// liveOut is the registers that live on after each block, phis excluded.
func (m *machine) liveOut() []bitset {
	n := len(m.regs)
	in, out := newBitsets(len(m.blocks), n), newBitsets(len(m.blocks), n)
	live := newBitset(n)
	var d []int32
	order := m.order()
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			b := m.blocks[order[i]]
			o := out[order[i]]
			for _, s := range b.succs {
				o.union(in[s])
			}
			copy(live, o)
			m.atEnd(b, live)
			for j := len(b.ins) - 1; j >= 0; j-- {
				d = m.defs(b.ins[j], d[:0])
				for _, r := range d {
					live.remove(r)
				}
				m.uses(b.ins[j], live.add)
			}
			for _, p := range b.phis {
				live.remove(m.reg[p.ID])
			}
			if !live.equal(in[order[i]]) {
				copy(in[order[i]], live)
				changed = true
			}
		}
	}
	return out
}

// order is the reachable blocks in reverse post-order, as they are laid out:
// of two successors the one deeper in loops follows.
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

// interference relates registers that hold different values at one time, and
// measures the pressure.
func (m *machine) interference() []bitset {
	out := m.liveOut()
	n := len(m.regs)
	inter := newBitsets(n, n)
	live := newBitset(n)
	weight := 0
	size := func(r int32) int {
		if m.regs[r] == ir.Pred {
			return 0
		}
		return (m.regs[r].Bits() + 31) / 32
	}
	start := func(r int32) {
		if !live.has(r) {
			live.add(r)
			weight += size(r)
		}
	}
	define := func(d []int32) {
		for _, r := range d {
			start(r)
		}
		m.maxLive = max(m.maxLive, weight)
		for _, r := range d {
			inter[r].union(live)
			live.each(func(o int32) { inter[o].add(r) })
			inter[r].remove(r)
		}
		for _, r := range d {
			live.remove(r)
			weight -= size(r)
		}
	}
	var d []int32
	for i, b := range m.blocks {
		copy(live, out[i])
		m.atEnd(b, live)
		weight = 0
		live.each(func(r int32) { weight += size(r) })
		m.maxLive = max(m.maxLive, weight)
		for j := len(b.ins) - 1; j >= 0; j-- {
			if d = m.defs(b.ins[j], d[:0]); len(d) > 0 {
				define(d)
			}
			m.uses(b.ins[j], start)
			m.maxLive = max(m.maxLive, weight)
		}
		if len(b.phis) > 0 {
			d = d[:0]
			for _, p := range b.phis {
				d = append(d, m.reg[p.ID])
			}
			define(d)
		}
	}
	return inter
}
