package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/ir"
)

// counters are what the machine counts as it goes, over all launches. The L2 and
// DRAM count for themselves; that is taken over when a report is made.
type counters struct {
	counter.Raw
	seconds        float64
	copiedToDevice uint64
	copiedToHost   uint64
}

// countRequest counts an instruction at the load-store unit: with what it asks
// of global memory, and apart from that with what it asks of local memory.
func (m *machine) countRequest(e *lsuEntry) {
	if m.prof != nil {
		m.profileRequest(e)
	}
	var global, local counter.Traffic
	for i := range e.lines[:e.n] {
		t := &global
		if e.lines[i].local {
			t = &local
		}
		t.Insts = 1
		t.Lines++
		t.Sectors += uint64(bits.OnesCount8(e.lines[i].sectors))
	}
	if local.Insts != 0 {
		m.stats.Local.Add(local)
	}
	switch e.kind {
	case packLoad:
		m.stats.Load.Add(global)
	case packStore:
		m.stats.Store.Add(global)
	default:
		global.Sectors = 0 // counted where the unit serves them: counter.L2.FromSM
		if e.kind == packAtomic {
			m.stats.Atom.Add(global)
		} else {
			m.stats.Red.Add(global)
		}
	}
}

// countIdle counts an access whose guard holds for no lane: an instruction that
// is executed, and asks for nothing. Machine code has a branch around atomics
// instead of a guard: an H200 counts as many as ask for something.
func (m *machine) countIdle(wp *warp, in *ir.Inst) {
	space := in.Mem.Space
	if in.Root >= 0 {
		space = wp.job.grid.Prog.Roots[in.Root].Space
	}
	st := &m.stats
	switch {
	case space == ir.Local, in.Op.IsAtomic() && m.cfg.Issue.Lowering == "sass":
	case space == ir.Shared && in.Op == ir.OpLoad:
		st.SharedLoads++
		st.SharedAccesses++
	case space == ir.Shared && in.Op == ir.OpStore:
		st.SharedStores++
		st.SharedAccesses++
	case space == ir.Shared:
		st.SharedAtomics++
		st.SharedAccesses++
	default:
		st.Idle[requestKind(in)]++
	}
}

// requestKind is the kind of an access to global memory, among the kinds that package counter tells apart.
func requestKind(in *ir.Inst) int {
	switch {
	case in.Op == ir.OpLoad:
		return counter.Load
	case in.Op == ir.OpStore:
		return counter.Store
	case in.NDst > 0:
		return counter.Atomic
	}
	return counter.Red
}

// sectors is how many an instruction asks for in a line. Of an atomic a sector
// counts once for each lane on its most wanted address, since it goes there as
// often: so does an H200.
func (m *machine) sectors(e *lsuEntry, r *lineRequest) uint64 {
	if e.kind < packAtomic {
		return uint64(bits.OnesCount8(r.sectors))
	}
	op := &m.ops.items[e.op]
	return atomicSteps(acts(&m.warps[op.warp].job.code[op.pc], r.lanes), &op.off).times()
}

// snapshot is the counters with what other parts count for themselves.
func (m *machine) snapshot() counters {
	c := m.stats
	c.Stalled[counter.StallSelected] = c.Insts - c.Dual
	c.L2 = m.l2.stats
	for i := range m.l2.slices {
		c.AtomicTicks += uint64(m.l2.slices[i].atomic.busy)
	}
	c.DRAMRead, c.DRAMWritten = m.dram.Counts.Read, m.dram.Counts.Written
	c.RowHits, c.RowMisses = m.dram.Counts.RowHits, m.dram.Counts.RowMisses
	for i := range m.sms {
		s := &m.sms[i]
		c.WarpCycles += uint64(s.warps) * (m.now - s.warpsFrom)
		if s.resident > 0 {
			c.SMActive += m.now - s.activeFrom
		}
	}
	for i := range m.subs {
		if s := &m.subs[i]; s.resident != 0 {
			c.SubActive += m.now - s.activeFrom
		}
	}
	return c
}
