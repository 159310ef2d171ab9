package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
)

// counters holds what the machine counts, over all launches. The L2 and DRAM have counters of their own, which are
// added when a report is made.
type counters struct {
	counter.Raw
	seconds        float64
	copiedToDevice uint64
	copiedToHost   uint64
}

// add adds the counts of another machine.
func (c *counters) add(o *counters) {
	c.Raw = c.Raw.Plus(&o.Raw)
	c.seconds += o.seconds
	c.copiedToDevice += o.copiedToDevice
	c.copiedToHost += o.copiedToHost
}

// countRequest counts an instruction at the load-store unit, with its traffic to global memory and, separately, its
// traffic to local memory.
func (m *machine) countRequest(e *lsuEntry) {
	if h := m.hooks; h != nil {
		h.queued(e)
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

// countIdle counts an access whose guard is false for all lanes: the instruction is executed but requests nothing.
// Machine code branches around atomics instead of guarding them, so an H200 counts only those that request something.
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

// requestKind returns the kind of an access to global memory, one of those that package counter distinguishes.
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

// sectors returns how many sectors an instruction requests in a line. A sector of an atomic counts once for each lane
// on its most contended address, because it is accessed as often; an H200 counts in the same way.
func (m *machine) sectors(e *lsuEntry, r *lineRequest) uint64 {
	if e.kind < packAtomic {
		return uint64(bits.OnesCount8(r.sectors))
	}
	op := &m.ops.items[e.op]
	return atomicSteps(acts(&m.warps[op.warp].job.code[op.pc], r.lanes), &op.off).times()
}

// snapshot returns the counters, including those of the L2 and DRAM.
func (m *machine) snapshot() counters {
	c := m.stats
	c.Stalled[counter.StallSelected] = c.Insts - c.Dual
	c.L2 = m.l2.stats
	for i := range m.l2.slices {
		c.AtomicTicks += uint64(m.l2.slices[i].atomic.busy)
		c.Busy.L2 += uint64(m.l2.slices[i].busy)
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
