package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/ir"
)

// stall is why a warp does not issue in a cycle.
type stall uint8

const (
	stallStart       stall = iota // its block was placed, it has not begun
	stallNotSelected              // ready, another warp of the sub-core issued
	stallWait                     // a result of fixed latency
	stallShort                    // shared memory, special functions, shuffles
	stallLong                     // global or local memory
	stallBarrier
	stallMembar
	stallBranch
	stallMath // the pipe is busy
	stallLG   // the load-store unit's queue is full
	stallMIO  // the shared memory pipe is busy
	stallSleeping
	stallDrain    // exited, accesses under way
	stallSelected // it issues
	numStalls
)

// counters are what the machine counts as it goes, over all launches.
type counters struct {
	insts, threadInsts, predOn uint64
	dual                       uint64 // of insts: the second in its cycle
	branches, divergent        uint64
	blocks, warpsLaunched      uint64
	smActive                   uint64 // cycles with a resident block, over SMs
	subActive                  uint64 // cycles with a resident warp, over sub-cores
	warpCycles                 uint64 // resident warps times cycles, over SMs
	stalled                    [numStalls]uint64
	l1Hits, l1Joined           uint64 // sectors that were there, and that were under way
	ld, st, red, atom, local   traffic
	sharedAccesses             uint64
	sharedAtomics              uint64
	sharedLoads, sharedStores  uint64
	l1GlobalHits               uint64 // sectors, of l1Hits
	l1GlobalJoined             uint64 // sectors, of l1Joined
	sharedWays                 uint64 // of loads and stores
	sharedAtomWays             uint64
	bankConflicts              uint64
	idle                       [4]uint64 // global accesses that no lane takes part in: load, store, atomic, red
	conflictsLoad              uint64
	conflictsStore             uint64
	packets                    uint64
	atomicBusy                 tick // taken over from the L2, like what follows below
	barriers                   uint64
	// cycles, kernels and time over all launches.
	cycles      uint64 // from the first block's placement to the last store
	elapsed     uint64 // these with the start and end of each launch
	nanoseconds uint64 // rounded for each launch
	launches    uint64
	seconds     float64
	// taken over from the L2 and DRAM when a report is made
	l2             l2stats
	dramRead       uint64
	dramWritten    uint64
	rowHits        uint64
	rowMisses      uint64
	copiedToDevice uint64
	copiedToHost   uint64
}

// traffic is what one kind of access asks of L1.
type traffic struct {
	insts, lines, sectors uint64 // no sectors of atomics
}

// countRequest counts an instruction at the load-store unit: with what it asks
// of global memory, and apart from that with what it asks of local memory.
func (m *machine) countRequest(e *lsuEntry) {
	if m.prof != nil {
		m.profileRequest(e)
	}
	var global, local traffic
	for i := range e.lines[:e.n] {
		t := &global
		if e.lines[i].local {
			t = &local
		}
		t.insts = 1
		t.lines++
		t.sectors += uint64(bits.OnesCount8(e.lines[i].sectors))
	}
	if local.insts != 0 {
		m.stats.local.add(local)
	}
	switch e.kind {
	case packLoad:
		m.stats.ld.add(global)
	case packStore:
		m.stats.st.add(global)
	default:
		global.sectors = 0 // counted where the unit serves them: l2stats.fromSM
		if e.kind == packAtomic {
			m.stats.atom.add(global)
		} else {
			m.stats.red.add(global)
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
		st.sharedLoads++
		st.sharedAccesses++
	case space == ir.Shared && in.Op == ir.OpStore:
		st.sharedStores++
		st.sharedAccesses++
	case space == ir.Shared:
		st.sharedAtomics++
		st.sharedAccesses++
	default:
		st.idle[requestKind(in)]++
	}
}

// requestKind is the kind of an access to global memory, among idle counters.
func requestKind(in *ir.Inst) int {
	switch {
	case in.Op == ir.OpLoad:
		return 0
	case in.Op == ir.OpStore:
		return 1
	case in.NDst > 0:
		return 2
	}
	return 3
}

func (t *traffic) add(n traffic) {
	t.insts += n.insts
	t.lines += n.lines
	t.sectors += n.sectors
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
	c.stalled[stallSelected] = c.insts - c.dual
	c.l2 = m.l2.stats
	for i := range m.l2.slices {
		c.atomicBusy += m.l2.slices[i].atomic.busy
	}
	c.dramRead, c.dramWritten = m.dram.read, m.dram.written
	c.rowHits, c.rowMisses = m.dram.rowHits, m.dram.rowMisses
	for i := range m.sms {
		s := &m.sms[i]
		c.warpCycles += uint64(s.warps) * (m.now - s.warpsFrom)
		if s.resident > 0 {
			c.smActive += m.now - s.activeFrom
		}
	}
	for i := range m.subs {
		if s := &m.subs[i]; s.resident != 0 {
			c.subActive += m.now - s.activeFrom
		}
	}
	return c
}
