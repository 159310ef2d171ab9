package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// A GPU has a unit of its own for copies in bulk. Here their bytes pass the load-store unit in parts of bulkPart, past L1: each part is
// issued as a copy of 16 bytes by each of up to 32 lanes would be. How that compares with an H100 is in docs/asynchronous.md.
const bulkPart = simt.Lanes * bulkWord

// bulkGap is how many cycles after a copy in bulk to shared memory, of a block of the cluster too, an SM begins the next one: a thread that sends or copies 16
// bytes one time after the other issues one every 46 to 56 cycles on an H200 (results/hw/asynchronous/arrivals.cu).
const bulkGap = 46

// bulkWord is how many bytes of a part are one access.
const bulkWord = 16

// bulk issues a part of a copy in bulk by the lanes of mask, one lane after the other; the warp comes again until all are issued. It
// reports whether the warp may go on.
func (u *copyUnit) bulk(wp *warp, d *decoded, mask uint32) bool {
	w, in, copies := wp.w, d.in, &wp.copies
	from, dst, bytes, barrier := w.Row(in.Src[0]), w.Row(in.Src[1]), w.Row(in.Src[2]), w.Row(in.Src[3])
	if copies.todo == 0 {
		check := u.checkBulk
		if in.Op.TensorDims() > 0 {
			check = u.checkBox
		}
		if over, goesOn := u.take(wp, mask, bytes, func(lane int) *device.Fault {
			return check(wp, in, lane, from[lane]+uint64(in.Imm), dst[lane], bytes[lane], barrier[lane])
		}); over {
			return goesOn
		}
	}
	lane := bits.TrailingZeros32(copies.todo) & 31
	if copies.sent == 0 {
		if !u.mayBegin(wp) {
			return false
		}
		u.begin(wp, in, lane, bytes[lane], barrier[lane])
	}
	if in.Op.TensorDims() > 0 {
		u.copyPart(wp, d, lane, from[lane]+uint64(in.Imm), dst[lane])
	} else {
		n := min(bytes[lane]-copies.sent, bulkPart) / bulkWord
		for i := range n {
			at := copies.sent + i*bulkWord
			u.sm.addrs[i], u.dst[i], u.reads[i] = from[lane]+uint64(in.Imm)+at, dst[lane]+at, bulkWord
		}
		part := uint32(1<<n - 1)
		u.sm.lsu.enqueue(wp, d, part, part, u.sm.now)
		copies.sent += n * bulkWord
	}
	if copies.sent == bytes[lane] {
		copies.sent = 0
		copies.todo &^= 1 << lane
	}
	if copies.todo == 0 {
		w.Next()
	}
	return true
}

// mayBegin reports whether the SM begins another copy in bulk to shared memory now. If not, the warp asks again when it does.
func (u *copyUnit) mayBegin(wp *warp) bool {
	if u.starts > u.sm.now {
		u.sm.pause(wp, warpTimed, counter.StallLG)
		u.sm.at(u.starts, evWake|event(wp.id))
		return false
	}
	u.starts = u.sm.now + bulkGap
	return true
}

// take notes which lanes of mask have bytes to copy in bulk, all of which check has passed. It reports whether the instruction is over: by a fault, or
// since there is nothing to copy, with which the warp goes on.
func (u *copyUnit) take(wp *warp, mask uint32, bytes *simt.Row, check func(lane int) *device.Fault) (over, goesOn bool) {
	copies := &wp.copies
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if fault := check(lane); fault != nil {
			u.sm.fault(fault)
			return true, false
		}
		if bytes[lane] > 0 {
			copies.todo |= 1 << lane
		}
	}
	if copies.todo == 0 {
		wp.w.Next()
		return true, true
	}
	copies.tidy(u.sm.now)
	return false, false
}

// checkBulk returns the fault of a lane's copy in bulk; nil if it has none.
func (u *copyUnit) checkBulk(wp *warp, in *ir.Inst, lane int, from, dst, bytes, barrier uint64) *device.Fault {
	to := simt.Destination(in)
	if fault := wp.w.CheckBulk(in, &to, lane, from, dst, bytes, barrier); fault != nil || !u.sm.strict || bytes == 0 {
		return fault
	}
	if in.Op.Multicasts() {
		if fault := wp.w.DefinedBytes(in, lane, from, bytes); fault != nil {
			return fault
		}
		return u.checkMulticast(wp, in, &to, lane, nil, from, dst, bytes)
	}
	wp.block.written.DefineBytes(dst, bytes)
	if fault := wp.w.DefinedBytes(in, lane, from, bytes); fault != nil || wp.block.pending == nil {
		return fault
	}
	return wp.block.pending.BulkCopy(wp.w, in, &to, lane, from, dst, bytes)
}

// begin notes a lane's copy in bulk, and what it brings to an mbarrier.
func (u *copyUnit) begin(wp *warp, in *ir.Inst, lane int, bytes, barrier uint64) {
	copies, known := &wp.copies, uint32(0)
	if h := u.sm.hooks; h != nil {
		known = h.bulk(wp, in, lane)
	}
	copies.number++
	entry := copies.add(1 << lane)
	entry.number, entry.done, entry.bulk, entry.left = copies.number, never, true, int32((bytes+bulkPart-1)/bulkPart)
	if in.Op.TensorDims() > 0 {
		box := wp.w.Box(in, lane)
		entry.left = max(parts(&box), 1)
	}
	wp.block.pendBulk(wp.w, in, lane, copies.number)
	arrival := copies.add(1 << lane)
	arrival.number, arrival.bulk, arrival.bytes, arrival.arrives, arrival.pc = copies.number, true, bytes, in, wp.w.PC
	arrival.at[lane], arrival.known, arrival.search = barrier, known, u.sm.search.began()
	if in.Op.ToCluster() {
		arrival.ranks, arrival.to = wp.w.Ranks(in, lane), wp.w.Row(in.Src[1])[lane]
	}
}

// complete counts the bytes of a copy in bulk at its mbarrier, if it has landed.
func (u *copyUnit) complete(wp *warp, arrival *asyncCopy) {
	for i := range wp.copies.list {
		if entry := &wp.copies.list[i]; entry.arrives == nil && entry.number == arrival.number && entry.done > u.sm.now {
			return
		}
	}
	if arrival.lanes == 0 {
		return
	}
	lane := bits.TrailingZeros32(arrival.lanes) & 31
	switch {
	case arrival.arrives.Op.SendsValue():
		deliveredValue(wp, arrival, lane)
	case arrival.held != nil:
		u.delivered(wp, arrival, lane)
	}
	count := func(barrier uint64) {
		old, now, fault := wp.w.CompleteBulk(arrival.arrives, lane, barrier, arrival.bytes)
		if fault != nil {
			u.sm.fault(fault)
			return
		}
		u.arrived(wp, arrival, lane, barrier, old, now)
	}
	if arrival.ranks == 0 {
		count(arrival.at[lane])
	} else {
		wp.block.eachTarget(arrival.ranks, func(rank int, _ *block) { count(wp.w.InBlock(arrival.at[lane], rank)) })
	}
	arrival.lanes = 0
	u.sm.search.ended(arrival.search)
}
