package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// sharedMemory is the shared memory of an SM: its data stage, which L1 may use as well, and the locks of words.
type sharedMemory struct {
	sm    *sm
	times *sharedTimes
	stage shared.Stage // delivers the data of shared memory, and of L1 if both are one array
	locks lockTable
}

// sharedTimes are the parameters of shared memory in ticks.
type sharedTimes struct {
	latency, atomLatency timing.Tick
	arrive               timing.Tick // latency of arrivals at mbarriers
	issue, atomIssue     timing.Tick // at least, of a sub-core's path
	conflict             timing.Tick // of latency and of a sub-core's path, for each pass
	way                  timing.Tick // of the data stage, for each pass
	casRound, casHold    uint64      // cycles
	casBank, casWider    uint64
	banks                uint64
	oneStage             bool // L1 uses the data stage, too
}

func newSharedTimes(cfg *config.Shared, mbar *config.MBar) sharedTimes {
	return sharedTimes{
		arrive:  timing.Ticks(float64(mbar.Arrive)),
		latency: timing.Ticks(float64(cfg.Latency)), atomLatency: timing.Ticks(float64(cfg.AtomicLatency)),
		issue: timing.Ticks(cfg.Issue), atomIssue: timing.Ticks(cfg.AtomicIssue),
		conflict: timing.Ticks(cfg.Conflict), way: timing.Ticks(cfg.Way),
		casRound: uint64(cfg.CASRound), casHold: uint64(cfg.CASHold), casBank: uint64(cfg.CASBank), casWider: uint64(cfg.CASWide),
		banks: uint64(cfg.Banks), oneStage: cfg.OneStage,
	}
}

// sharedQueue is a sub-core's queue of instructions for shared memory. They leave it in the order in which they were
// issued, so that no warp waits longer than those that came before it, whatever the scheduler prefers.
type sharedQueue struct {
	leave []uint64 // a ring of the cycles at which the latest instructions leave, as many as the queue holds
	first int      // the earliest of them
	path  timing.Tick
}

// next returns the cycle from which the queue accepts an instruction.
func (q *sharedQueue) next() uint64 { return q.leave[q.first] }

// enter puts an instruction into a sub-core's queue, from which it occupies the path for some ticks, and the data stage
// for passes. It returns when the first pass begins.
func (u *sharedMemory) enter(q *sharedQueue, passes int, path timing.Tick) timing.Tick {
	now := timing.At(u.sm.now)
	start := max(u.stage.Take(now, passes, u.times.way), q.path)
	q.path = max(now, q.path) + path
	q.leave[q.first] = start.Cycle()
	if q.first++; q.first == len(q.leave) {
		q.first = 0
	}
	return start
}

// sharedKind returns how shared memory serves an instruction.
func sharedKind(p *ir.Program, in *ir.Inst) shared.Kind {
	switch {
	case in.Op.Action() == ir.ActLoad, in.Op.IsMBarrierWait(): // one word for all lanes, which nobody changes
		return shared.Load
	case in.Op.IsMBarrier(): // on one mbarrier, a warp takes as long as a lane does (results/hw/asynchronous)
		return shared.Count
	case in.Op.Stores():
		return shared.Store
	case in.Op == ir.OpAtomCAS:
		return shared.Swap
	case in.Op == ir.OpAtomAdd && in.NDst == 0 && in.Mem.Kind == ir.U32 && in.Mem.Space == ir.Shared && isOne(p, in.Src[1]):
		return shared.Count // ATOMS.POPC.INC; ptxas does not use it for signed numbers
	}
	return shared.Atomic
}

// isOne reports whether o is the constant 1.
func isOne(p *ir.Program, o ir.Operand) bool {
	i := int(^o)
	return o < 0 && i < len(p.Uniforms) && p.Uniforms[i].Leaf < 0 && p.Uniforms[i].Space == 0 && p.Uniforms[i].Bits == 1
}

// isCASLoop reports whether in is an atomic that no unit of shared memory performs: floating point of any width, or 64 bits
// wide and not a swap. ptxas makes it a loop of a load, the operation and a compare-and-swap.
func isCASLoop(in *ir.Inst) bool {
	if !in.Op.IsAtomic() || in.Op == ir.OpAtomCAS || in.Op == ir.OpAtomExch || in.Op.IsMBarrier() {
		return false
	}
	return in.Mem.Kind.Float() || in.Op.Halves() || in.Mem.Kind.Bytes() == 8
}

// What operations on mbarriers take of an H200's SM, in cycles (results/hw/asynchronous): a look at a phase is there so soon, and looks, and
// arrivals, of many warps are so far apart; an arrival that ends a phase takes more. With W warps that arrive, of which the last one ends a phase, a round takes 6 + 2 W cycles there.
const (
	lookLatency, lookCycles = 22, 4
	arriveCycles, endCycles = 2, 6
)

// serve performs an access, in lane order, and reserves its time; see shared.Banks. It returns
// the cycle in which the access is done.
func (u *sharedMemory) serve(s *subcore, wp *warp, inst *decoded, mask uint32) uint64 {
	in, times := inst.in, u.times
	phases := wp.block.phases
	// PTX leaves open which of several lanes that store to one word wins; here it is the last one.
	switch {
	case in.Op == ir.OpLoad && u.sm.hooks.record() == nil:
		wp.w.LoadShared(in, mask, &u.sm.addrs)
	case in.Op.IsLoadMatrix():
		if fault := wp.w.LoadMatrices(in, &u.sm.addrs); fault != nil {
			u.sm.fault(fault)
			return u.sm.now
		}
	case in.Op.IsStoreMatrix():
		u.storeMatrices(wp, in, mask)
	default:
		for l := mask; l != 0; l &= l - 1 {
			u.sm.access(wp, in, bits.TrailingZeros32(l))
		}
	}
	st := &u.sm.stats
	st.SharedAccesses++
	lanes, atomic := mask, in.Op.IsAtomic()
	if atomic {
		lanes = acts(inst, mask)
	}
	passes := u.sm.banks.Of(inst.shared, lanes, (*[simt.Lanes]uint64)(&u.sm.addrs), in.Mem.Bytes(), times.banks)
	if in.Op.OnMatrix() { // one of fewer than four matrices takes fewer passes
		passes.Cycles = passes.Count
	}
	st.Busy.Shared += uint64(timing.Tick(passes.Cycles) * times.way)
	st.BankConflicts += uint64(passes.Conflicts)
	latency, path, cycles := times.latency, times.issue, passes.Cycles
	switch {
	case in.Op.IsMBarrierWait() && wp.woken: // hardware has looked for it
		latency, path, cycles = 0, 0, 0
	case in.Op.IsMBarrierWait():
		latency, cycles = lookLatency*timing.TicksPerCycle, lookCycles
	case in.Op.IsMBarrier():
		latency, path, cycles = times.arrive, times.atomIssue, arriveCycles+endCycles*int(wp.block.phases-phases)
	case atomic:
		latency, path = times.atomLatency, times.atomIssue
	}
	wp.woken = false
	// The sub-core's path is busy for a time of its own even without conflicts.
	path = max(path, timing.Tick(passes.Cycles)*times.conflict)
	start := u.enter(&s.shared, cycles, path)
	switch {
	case atomic:
		st.SharedAtomics++
		st.SharedAtomWays += uint64(passes.Count)
		if h := u.sm.hooks; h != nil {
			each := times.conflict
			if inst.shared == shared.Count {
				each = 0 // the lanes on one address do not wait for each other
			}
			h.sharedAtomics(wp, lanes, start, each)
		}
	case in.Op.Stores():
		st.SharedStores++
		st.ConflictsStore += uint64(passes.Conflicts)
		st.SharedWays += uint64(passes.Count)
	default:
		st.SharedLoads++
		st.ConflictsLoad += uint64(passes.Conflicts)
		st.SharedWays += uint64(passes.Count)
	}
	if h := u.sm.hooks; h != nil && !atomic {
		h.passes(wp, passes)
	}
	if atomic {
		st.Busy.Pipes[pipeShared] += path.Cycle()
	}
	// The latency includes the first pass.
	done := start + latency + timing.Tick(passes.Cycles-1)*times.conflict
	if in.Op.IsMBarrierWait() {
		done = max(done, timing.At(wp.block.knows(mask)))
	}
	if inst.numDst > 0 {
		wp.board.set(inst, done.Cycle()+uint64(inst.latency), counter.StallShort)
	}
	return done.Cycle()
}

// storeMatrices performs a store of matrices, of which the lanes of mask have the addresses.
func (u *sharedMemory) storeMatrices(wp *warp, in *ir.Inst, mask uint32) {
	if h := u.sm.hooks.record(); h != nil {
		h.Accesses(wp.w, in, mask, wp.w.Row(in.Src[0]))
	}
	changed, fault := wp.w.StoreMatrices(in, &u.sm.addrs)
	switch {
	case fault != nil:
		u.sm.fault(fault)
	case changed:
		u.sm.progress()
	}
}
