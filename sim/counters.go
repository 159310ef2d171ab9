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
func (u *lsu) count(entry *lsuEntry) {
	if h := u.sm.hooks; h != nil {
		h.queued(u, entry)
	}
	var global, local counter.Traffic
	for i := range entry.lines[:entry.n] {
		traffic := &global
		if entry.lines[i].local {
			traffic = &local
		}
		traffic.Insts = 1
		traffic.Lines++
		traffic.Sectors += uint64(bits.OnesCount8(entry.lines[i].sectors))
	}
	if local.Insts != 0 {
		u.sm.stats.Local.Add(local)
	}
	switch entry.kind {
	case packLoad:
		if entry.async {
			u.sm.stats.Copy.Add(global)
		} else {
			u.sm.stats.Load.Add(global)
		}
	case packStore:
		u.sm.stats.Store.Add(global)
	default:
		global.Sectors = 0 // counted where the unit serves them: counter.L2.FromSM
		if entry.kind == packAtomic {
			u.sm.stats.Atom.Add(global)
		} else {
			u.sm.stats.Red.Add(global)
		}
	}
}

// countIdle counts an access whose guard is false for all lanes: the instruction is executed but requests nothing.
// Machine code branches around atomics instead of guarding them, so an H200 counts only those that request something.
func (s *sm) countIdle(wp *warp, in *ir.Inst) {
	// Without an address to look at, the parameter from which it derives says where a generic access would have gone.
	space := in.Mem.Space
	if in.Root >= 0 {
		space = wp.job.grid.Prog.Roots[in.Root].Space
	}
	st := &s.stats
	switch {
	case space == ir.Local, in.Op.IsAtomic() && s.cfg.Issue.Lowering == "sass":
	case space == ir.Shared && in.Op.Action() == ir.ActLoad:
		st.SharedLoads++
		st.SharedAccesses++
	case space == ir.Shared && in.Op.Stores():
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
func (u *lsu) sectors(e *lsuEntry, r *lineRequest) uint64 {
	if e.kind < packAtomic {
		return uint64(bits.OnesCount8(r.sectors))
	}
	op := &u.ops.items[e.op]
	return atomicSteps(acts(&u.warpOf(op).job.code[op.pc], r.lanes), &op.off).times()
}

// snapshot returns the counters, including those of SMs, L2 and DRAM.
func (m *machine) snapshot() counters {
	c := m.stats
	for i := range m.sms {
		if s := &m.sms[i]; s.ran {
			now := s.counted()
			c.Raw = c.Raw.Plus(&now)
		}
	}
	c.Stalled[counter.StallSelected] = c.Insts - c.Dual
	asked := c.L2.FromSM // SMs count them
	c.L2 = m.l2.stats
	c.L2.FromSM = asked
	for i := range m.l2.slices {
		c.AtomicTicks += uint64(m.l2.slices[i].atomic.busy)
		c.Busy.L2 += uint64(m.l2.slices[i].busy)
	}
	dram := &m.l2.mem.Counts
	c.DRAMRead, c.DRAMWritten, c.RowHits, c.RowMisses = dram.Read, dram.Written, dram.RowHits, dram.RowMisses
	c.Raw = c.Raw.Plus(&m.extra)
	return c
}

// settleCounts adds the counters of the SMs to those of launches that have ended, and returns how many SMs have had a
// block.
func (m *machine) settleCounts() (used uint64) {
	for i := range m.sms {
		s := &m.sms[i]
		if !s.ran {
			continue
		}
		used++
		now := s.counted()
		m.stats.Raw = m.stats.Plus(&now)
		s.stats, s.ran, s.split = counter.Raw{}, false, false
	}
	return used
}

// steps returns how many warp instructions and packets have been simulated.
func (m *machine) steps() (insts, packets uint64) {
	insts, packets = m.stats.Insts, m.stats.Packets
	for i := range m.sms {
		if s := &m.sms[i]; s.ran {
			insts, packets = insts+s.stats.Insts, packets+s.stats.Packets
		}
	}
	return insts, packets
}

// work returns how much has been simulated, for comparing its cost with that of something else.
func (m *machine) work() uint64 {
	insts, packets := m.steps()
	return insts + packets
}
