package sim

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// Values that lanes send to shared memory of a block of the cluster take the network between SMs as remote stores and atomics do, a packet for each
// sector. They take effect, and count at their mbarriers, when the last packet of their instruction is there: no fence waits for them.

// sendValues sends what the lanes of mask have. It reports whether the warp may go on.
func (u *copyUnit) sendValues(wp *warp, d *decoded, mask uint32) bool {
	w, in, s := wp.w, d.in, u.sm
	if mask == 0 {
		w.Next()
		return true
	}
	if from := s.remoteFrom(); from > s.now {
		s.pause(wp, warpTimed, counter.StallShort)
		s.at(from, evWake|event(wp.id))
		return false
	}
	copies, dst, barrier := &wp.copies, w.Row(in.Src[1]), w.Row(in.Src[3])
	copies.tidy(s.now)
	copies.number++
	at := len(copies.list)
	entry := copies.add(mask)
	entry.number, entry.bulk, entry.done = copies.number, true, never
	bytes, what := uint64(in.Mem.Bytes()), remoteStore
	if in.Op.Updates() != ir.OpInvalid {
		what = remoteAtomic
	}
	var sent [simt.Lanes]uint64 // the sectors of packets
	n, now, done := 0, timing.At(s.now), timing.At(s.now)
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if fault := u.checkSendValue(wp, in, lane, dst[lane], barrier[lane], bytes); fault != nil {
			s.fault(fault)
			return false
		}
		known := uint32(0)
		if h := s.hooks; h != nil {
			known = h.bulk(wp, in, lane)
		}
		wp.block.pendBulk(w, in, lane, copies.number)
		rank := w.RankOf(dst[lane])
		arrival := copies.add(1 << lane)
		arrival.number, arrival.bulk, arrival.bytes, arrival.arrives, arrival.pc = copies.number, true, bytes, in, w.PC
		arrival.at[lane], arrival.known, arrival.search = barrier[lane], known, s.search.began()
		arrival.ranks, arrival.to, arrival.value = 1<<rank, dst[lane], w.Sent(in, lane)
		sector := ir.MapShared(dst[lane], uint64(rank)) / sectorBytes
		if slices.Contains(sent[:n], sector) {
			continue
		}
		sent[n] = sector
		n++
		done = max(done, u.sendPacket(wp, rank, now, what))
	}
	s.stats.SharedAccesses++
	cycle := done.Cycle()
	copies.list[at].done = cycle
	copies.until = max(copies.until, cycle)
	s.at(max(cycle, s.now+1), evCopied|event(wp.id))
	w.Next()
	return true
}

// sendPacket sends a packet to the SM of the block with a rank, and returns when it is there. To the own block it does not leave the SM.
func (u *copyUnit) sendPacket(wp *warp, rank int, now timing.Tick, what int) timing.Tick {
	s, to := u.sm, wp.block.cluster.blocks[rank].sm
	if to == s {
		return now + s.shared.times.latency
	}
	times := &s.dispatcher.clusters
	s.remote.free = max(s.remote.free, now) + times.each[what]
	to.remote.served = max(to.remote.served, s.remote.free-times.each[what]) + times.each[what]
	return to.remote.served + times.latency
}

// checkSendValue returns the fault of values that a lane sends; nil if they have none.
func (u *copyUnit) checkSendValue(wp *warp, in *ir.Inst, lane int, dst, barrier, bytes uint64) *device.Fault {
	to := simt.Destination(in)
	if fault := wp.w.CheckSendValue(in, &to, lane, dst, barrier); fault != nil || !u.sm.strict {
		return fault
	}
	rank, own := wp.w.RankOf(dst), simt.Own(dst)
	if in.Op.Updates() != ir.OpInvalid {
		if fault := wp.block.cluster.blocks[rank].written.DefinedBytes(wp.w, &to, lane, own, bytes); fault != nil {
			return fault
		}
	}
	return u.checkTargets(wp, &to, lane, 1<<rank, own, bytes)
}

// deliveredValue lets what a lane has sent take effect, which is there now.
func (u *copyUnit) deliveredValue(wp *warp, arrival *asyncCopy, lane int) {
	wp.block.eachTarget(arrival.ranks, func(rank int, owner *block) {
		data, off, _ := wp.w.Resolve(lane, wp.w.InBlock(arrival.to, rank))
		if simt.WriteBulk(arrival.arrives, data, off, arrival.value[:arrival.bytes], nil) {
			u.sm.progress()
		}
		stats, stage := &owner.sm.stats, &owner.sm.shared
		stats.CopiedBytes += arrival.bytes
		stats.Busy.Shared += uint64(stage.times.way)
		stage.stage.Take(timing.At(u.sm.now), 1, stage.times.way)
	})
}
