package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/ir"
)

// arriveBarrier lets the active lanes of a warp wait at the block's barrier.
// The barrier opens when every thread that has not exited waits there. Where
// machines count by warp (before Volta), a warp arrives with all its lanes.
func (m *machine) arriveBarrier(wp *warp, d *decoded, mask uint32) {
	b, s := wp.block, wp.sub.sm
	m.exitParked(wp)
	m.pause(wp, warpBarrier, stallBarrier)
	wp.arrived = mask
	if m.cfg.Barrier.ByWarp {
		wp.arrived = wp.w.Live()
	}
	b.arrived += bits.OnesCount32(wp.arrived)
	s.barrier = max(s.barrier, at(m.now)) + tick(m.cfg.Barrier.Warp)*ticksPerCycle
	m.tryBarrier(b)
}

// exitParked ends the lanes of a warp that wait at an exit for others to meet
// them there: nothing keeps them, and the barrier must not wait for them.
func (m *machine) exitParked(wp *warp) {
	w, code := wp.w, m.run.code
	seen, gone := w.Mask|w.Exited, uint32(0)
	for i := len(w.Stack) - 1; i >= 0; i-- {
		p := &w.Stack[i]
		if d := &code[p.PC]; d.action == actExit && d.in.Guard == ir.NoGuard {
			gone |= p.Mask &^ seen
		}
		seen |= p.Mask
	}
	w.Exited |= gone
	wp.block.live -= bits.OnesCount32(gone)
}

// tryBarrier schedules the opening of a block's barrier when all have arrived.
func (m *machine) tryBarrier(b *block) {
	if b.arrived == 0 || b.arrived < b.live || b.opening {
		return
	}
	b.opening = true
	last := max(b.sm.barrier, at(m.now)).cycle()
	m.at(last+uint64(m.cfg.Barrier.Base)-1, evBarrier|event(b.id))
}

// openBarrier gives the waiting warps the result of the barrier and lets them go on.
func (m *machine) openBarrier(b *block) {
	b.opening, b.arrived = false, 0
	m.stats.barriers++
	m.progress()
	set := 0
	and := true
	for _, wp := range b.warps {
		if wp.state != warpBarrier || wp.block != b {
			continue
		}
		in := &m.run.grid.Prog.Code[wp.w.PC]
		if in.Op == ir.OpBar {
			continue
		}
		p := wp.w.Pred(in.Src[0]) & wp.w.Guarded(in)
		set += bits.OnesCount32(p)
		and = and && p == wp.w.Guarded(in)
	}
	for _, wp := range b.warps {
		if wp.state != warpBarrier || wp.block != b {
			continue
		}
		d := &m.run.code[wp.w.PC]
		w, in, mask := wp.w, d.in, wp.w.Guarded(d.in)
		switch in.Op {
		case ir.OpBarCount:
			r := &w.Regs[in.Dst[0]]
			for l := mask; l != 0; l &= l - 1 {
				r[bits.TrailingZeros32(l)] = uint64(set)
			}
		case ir.OpBarAnd:
			w.SetPred(in.Dst[0], spreadBit(and), mask)
		case ir.OpBarOr:
			w.SetPred(in.Dst[0], spreadBit(set > 0), mask)
		}
		wp.board.set(d, m.now+1, stallBarrier)
		w.Next()
		m.release(wp, m.now+1)
	}
}

func spreadBit(p bool) uint32 {
	if p {
		return ^uint32(0)
	}
	return 0
}

// fence lets a warp wait until its accesses are done and then for the cost of
// the fence.
func (m *machine) fence(wp *warp, mem ir.Mem) {
	if mem.Scope == ir.ScopeBlock {
		// All accesses of a block go through one L1 in order.
		m.follow(wp, m.now+uint64(m.cfg.Fence.Block), stallMembar)
		return
	}
	wp.acquire = true
	m.drain(wp, uint32(m.cfg.Fence.Device))
}

// drain pauses a warp until nothing is under way, and then for cost cycles.
func (m *machine) drain(wp *warp, cost uint32) {
	m.pause(wp, warpFence, stallMembar)
	wp.fenceCost = cost
	if wp.under == 0 {
		m.at(max(wp.doneAt, m.now+1), evAcked|event(wp.id))
	}
}
