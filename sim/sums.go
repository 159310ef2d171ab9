package sim

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/mma"
)

// maxSumsGroups is of how many of a warp's latest groups the end is kept: a wait asks for none before them.
const maxSumsGroups = ir.MaxSumsPending + 1

// sums is what a warp knows of the products of its warpgroup that it has begun. The tensor core of its sub-core computes them one after the
// other, so that a group is done when its last product is.
type sums struct {
	last   uint64                // when the last product is done that has begun
	groups uint64                // how many groups there are
	done   [maxSumsGroups]uint64 // when each of the latest groups is done
}

// product executes what is about products of a warpgroup, all lanes of which have come, and reports whether the warp goes on.
func (s *subcore) product(wp *warp, d *decoded) bool {
	w, in, pending := wp.w, d.in, wp.block.pending
	if in.Op.IsGroupMMA() {
		fault := w.CheckProduct(in)
		if fault == nil && pending != nil {
			fault = pending.Product(w, in, true)
		}
		if fault != nil {
			s.sm.fault(fault)
			return false
		}
		wp.sums.last = s.free[pipeTensor] + uint64(d.latency)
		return true
	}
	if pending != nil {
		pending.SumsGroup(w, in)
	}
	if in.Op == ir.OpGroupMMACommit {
		wp.sums.done[wp.sums.groups%maxSumsGroups] = wp.sums.last
		wp.sums.groups++
	}
	return true
}

// added reports whether the groups are done for which a warp waits; otherwise the warp pauses.
func (s *subcore) added(wp *warp, in *ir.Inst) bool {
	pending := uint64(in.Imm)
	if wp.sums.groups <= pending {
		return true
	}
	until := wp.sums.done[(wp.sums.groups-1-pending)%maxSumsGroups]
	if until <= s.sm.now {
		return true
	}
	s.sm.pause(wp, warpTimed, counter.StallWait)
	s.sm.at(until, evWake|event(wp.id))
	return false
}

// encode adds what may still be waited for to the state of a launch.
func (p *sums) encode(e *encoder) {
	e.time(p.last)
	for i := range min(p.groups, maxSumsGroups) {
		e.time(p.done[(p.groups-1-i)%maxSumsGroups])
	}
}

// What passes from when the tensor cores are free of a product of a warpgroup until a warp that waits for it goes on, in cycles, with the first
// factor in shared memory and in registers: measured on an H200 (results/hw/asynchronous/h200-products.csv).
const groupLatency, groupLatencyFrom = 70, 75

// groupTiming returns the latency of a product of a warpgroup beyond the cycles for which it keeps the tensor cores, and these. By the peak of
// wgmma, which has twice the rate of mma.sync on the types that both have, a column takes half a cycle; but shared memory delivers 128 bytes a
// cycle: 64 rows of 32 bytes, and as many for each column. Few columns with rows in registers take 13 cycles and more. An H200 takes 18, 20, 22, 24,
// 28 and 32 cycles for 8, 16, 24, 32, 48 and 64 columns, 13, 14, 15 and 16 with rows in registers, and from then on half as many as columns.
// Sums in f16, and factors that are transposed or negated, were not measured: they read as many bytes.
func groupTiming(in *ir.Inst) (latency, interval uint32) {
	columns := uint32(in.GroupProduct().Columns(ir.SumsOf(in.Imm).Words))
	if in.Op == ir.OpGroupMMAFrom {
		return groupLatencyFrom, max(13+(columns-8)/8, columns/2)
	}
	return groupLatency, max(mma.GroupRows*32/128+columns*32/128, columns/2)
}
