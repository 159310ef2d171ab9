package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// A copy in bulk to shared memory of a block of the cluster takes the queue of those to global memory, since one unit reads shared memory for both,
// and the ports of both SMs to the network between them, as remote stores do. Its bytes and what they bring to the mbarrier are there when the last
// packet is; a part of bulkPart is read when it is issued. A copy from global memory to several blocks is asked of the L2 once: the answer comes to
// all of their SMs in one cycle, and takes a pass of the shared memory of each.

// sendBulk issues a part of a copy in bulk to a block of the cluster by the lanes of mask, as bulk does. It reports whether the warp may go on.
func (u *copyUnit) sendBulk(wp *warp, d *decoded, mask uint32) bool {
	w, in, copies := wp.w, d.in, &wp.copies
	from, dst, bytes, barrier := w.Row(in.Src[0]), w.Row(in.Src[1]), w.Row(in.Src[2]), w.Row(in.Src[3])
	if copies.todo == 0 {
		if over, goesOn := u.take(wp, mask, bytes, func(lane int) *device.Fault {
			return u.checkSend(wp, in, lane, from[lane]+uint64(in.Imm), dst[lane], bytes[lane], barrier[lane])
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
	arrival := &copies.list[len(copies.list)-1]
	n := min(bytes[lane]-copies.sent, bulkPart)
	data, off, _ := w.Resolve(lane, from[lane]+uint64(in.Imm)+copies.sent)
	arrival.held = append(arrival.held, data[off:off+int(n)]...)
	for i := range n / bulkWord {
		u.dst[i] = from[lane] + uint64(in.Imm) + copies.sent + i*bulkWord
	}
	done := u.over(wp, arrival.ranks, u.pass(uint32(1<<(n/bulkWord)-1), bulkWord), n)
	if copies.sent += n; copies.sent == bytes[lane] {
		entry := &copies.list[len(copies.list)-2]
		entry.left, entry.done = 0, done
		copies.until = max(copies.until, done)
		u.sm.at(done, evCopied|event(wp.id))
		copies.sent = 0
		copies.todo &^= 1 << lane
	}
	if copies.todo == 0 {
		w.Next()
	}
	return true
}

// What a copy in bulk to another block takes of an H200 (results/hw/asynchronous): 3 cycles for 64 bytes, and more than a store to the block: 50, if two blocks send
// to each other in turn (sends.cu), or 0, if the other one answers with an arrival (arrivals.cu).
const (
	sendCycles, sendBytes = 3, 64
	sendLatency           = 25
)

// over takes n bytes, which shared memory has delivered at some time, over the network to the SM of the block with the rank that is a bit of ranks, and
// returns the cycle in which they are there.
func (u *copyUnit) over(wp *warp, ranks uint32, read timing.Tick, n uint64) uint64 {
	s, to := u.sm, wp.block.cluster.blocks[bits.TrailingZeros32(ranks)].sm
	start := max(read, timing.At(u.stores))
	u.stores = start.Cycle() + n*sendCycles/sendBytes
	if to == s { // it does not leave the SM
		return u.stores + uint64(s.shared.times.latency/timing.TicksPerCycle)
	}
	times := &s.dispatcher.clusters
	takes := times.each[remoteStore] * timing.Tick((n+sectorBytes-1)/sectorBytes)
	s.remote.free = max(s.remote.free, start) + takes
	to.remote.served = max(to.remote.served, s.remote.free-takes) + takes
	return (max(to.remote.served, timing.At(u.stores)) + times.latency).Cycle() + sendLatency
}

// checkSend returns the fault of a lane's copy in bulk to a block of the cluster; nil if it has none.
func (u *copyUnit) checkSend(wp *warp, in *ir.Inst, lane int, from, dst, bytes, barrier uint64) *device.Fault {
	w, b := wp.w, wp.block
	source, to := simt.Origin(in), simt.Destination(in)
	if fault := w.CheckSend(in, &to, lane, from, dst, bytes, barrier); fault != nil || !u.sm.strict || bytes == 0 {
		return fault
	}
	if fault := b.written.DefinedBytes(w, source, lane, from, bytes); fault != nil {
		return fault
	}
	if b.pending != nil {
		if fault := b.pending.SendFrom(w, in, source, lane, from, bytes); fault != nil {
			return fault
		}
	}
	return u.checkTargets(wp, &to, lane, w.Ranks(in, lane), simt.Own(dst), bytes)
}

// checkTargets returns the fault of a lane's copy of some bytes to an address of the blocks of the cluster with some ranks that a pending one there makes
// undefined; nil if none does. The machine is strict.
func (u *copyUnit) checkTargets(wp *warp, to *ir.Inst, lane int, ranks uint32, dst, bytes uint64) *device.Fault {
	for ; ranks != 0; ranks &= ranks - 1 {
		owner := wp.block.cluster.blocks[bits.TrailingZeros32(ranks)]
		owner.written.DefineBytes(dst, bytes)
		if owner.pending == nil {
			continue
		}
		if fault := owner.pending.SendTo(wp.w, to, lane, dst, bytes); fault != nil {
			return fault
		}
	}
	return nil
}

// checkMulticast returns the fault of a lane's copy of bytes of global memory, or of a box of the tensor there, to several blocks that a pending copy makes
// undefined; nil if none does. The machine is strict.
func (u *copyUnit) checkMulticast(wp *warp, in, to *ir.Inst, lane int, box *tensormap.Box, from, dst, bytes uint64) *device.Fault {
	if p := wp.block.pending; p != nil {
		if fault := p.ReadsBulk(wp.w, in, lane, box, from, bytes); fault != nil {
			return fault
		}
	}
	return u.checkTargets(wp, to, lane, wp.w.Ranks(in, lane), dst, bytes)
}

// pendTo lets a lane's copy in bulk be pending in the blocks of the cluster with some ranks.
func (b *block) pendTo(c async.Copy, lane int, ranks uint32) {
	if c.In.Op == ir.OpBulkSend {
		b.pending.Sends(&c, lane)
	}
	c.To[lane], c.Barrier[lane] = simt.Own(c.To[lane]), simt.Own(c.Barrier[lane])
	for ; ranks != 0; ranks &= ranks - 1 {
		if owner := b.cluster.blocks[bits.TrailingZeros32(ranks)]; owner.pending != nil {
			owner.pending.IssueTo(c, lane, owner != b)
		}
	}
}

// eachTarget calls do for the blocks of the cluster with some ranks that have not ended.
func (b *block) eachTarget(ranks uint32, do func(rank int, owner *block)) {
	for ; ranks != 0; ranks &= ranks - 1 {
		if rank := bits.TrailingZeros32(ranks); !b.cluster.Ended(rank) {
			do(rank, b.cluster.blocks[rank])
		}
	}
}

// delivered writes what a copy to a block of the cluster has brought, which is there now.
func (u *copyUnit) delivered(wp *warp, arrival *asyncCopy, lane int) {
	wp.block.eachTarget(arrival.ranks, func(rank int, owner *block) {
		if wp.w.LandBytes(wp.w.InBlock(arrival.to, rank), arrival.held) {
			u.sm.progress()
		}
		stats, stage := &owner.sm.stats, &owner.sm.shared
		passes := (len(arrival.held) + lineBytes - 1) / lineBytes // the bytes of a line are on all banks once
		stats.CopiedBytes += uint64(len(arrival.held))
		stats.Busy.Shared += uint64(timing.Tick(passes) * stage.times.way)
		stage.stage.Take(timing.At(u.sm.now), passes, stage.times.way)
	})
}

// landAll writes what some lanes of a copy to several blocks bring, which is in a line, to the shared memory of each. It returns when it is there.
func (u *copyUnit) landAll(wp *warp, op *memOp, lanes uint32, line []byte, dst, reads *simt.Row, size int) (done uint64) {
	wp.block.eachTarget(wp.copies.ranks(op.copied), func(rank int, owner *block) {
		for left := lanes; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			from := int(op.off[lane])
			if wp.w.LandBytes(wp.w.InBlock(dst[lane], rank), line[from:from+int(reads[lane])]) {
				u.sm.progress()
			}
		}
		stats, stage := &owner.sm.stats, &owner.sm.shared
		stats.CopiedBytes += uint64(size * bits.OnesCount32(lanes))
		stats.Busy.Shared += uint64(stage.times.way)
		start := stage.stage.Take(timing.At(u.sm.now), 1, stage.times.way)
		done = max(done, (start + stage.times.way).Cycle())
	})
	return done
}

// ranks returns the ranks of the blocks to which a copy of a number goes, as bits.
func (c *warpCopies) ranks(number int32) uint32 {
	for i := range c.list {
		if c.list[i].number == number && c.list[i].bulk && c.list[i].arrives != nil {
			return c.list[i].ranks
		}
	}
	return 0
}
