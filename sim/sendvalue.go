package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	clusters "github.com/weft-gpu/weft/internal/cluster"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// Values that lanes send to shared memory of a block of the cluster take the network between SMs, also those to the own block. They take effect, and count at
// their mbarriers, when all of their instruction are there: no fence waits for them.

// What an instruction that sends values takes of the network of an H200, in cycles (results/hw/asynchronous/h200-values.csv, 32 lanes of 32 warps): 2.5, and for its bytes as much as a
// copy in bulk to another block does, or half as much again if they update memory; updates of one word take 1.5 each.
const (
	valueCycles  = 2.5
	updateFactor = 1.5
	sameCycles   = 1.5
)

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
	bytes := uint64(in.Mem.Bytes())
	var lanes [clusters.MaxBlocks]int // by rank
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
		lanes[rank]++
	}
	s.stats.SharedAccesses++
	cycle := u.sendsTo(wp, in, &lanes, mostOnOne(mask, dst)).Cycle()
	copies.list[at].done = cycle
	copies.until = max(copies.until, cycle)
	s.at(max(cycle, s.now+1), evCopied|event(wp.id))
	w.Next()
	return true
}

// sendsTo takes the network for values of so many lanes for the block of each rank, of which some lanes update one word, and returns when all are there.
func (u *copyUnit) sendsTo(wp *warp, in *ir.Inst, lanes *[clusters.MaxBlocks]int, same int) (done timing.Tick) {
	s, times := u.sm, &u.sm.dispatcher.clusters
	start := max(s.remote.free, timing.At(s.now))
	s.remote.free = start + timing.Ticks(valueCycles)
	for rank, n := range lanes {
		if n == 0 {
			continue
		}
		takes := float64(n*in.Mem.Bytes()) * sendCycles / sendBytes
		if in.Op.Updates() != ir.OpInvalid {
			takes = max(takes*updateFactor, float64(same)*sameCycles)
		}
		s.remote.free += timing.Ticks(takes)
		to := wp.block.cluster.blocks[rank].sm
		if to != s {
			to.remote.served = max(to.remote.served, start) + timing.Ticks(takes)
			done = max(done, to.remote.served)
		}
		done = max(done, s.remote.free)
	}
	return done + times.latency
}

// mostOnOne returns how many lanes send to the address to which most do.
func mostOnOne(mask uint32, dst *simt.Row) (most int) {
	for left := mask; left != 0; {
		at, n := dst[bits.TrailingZeros32(left)&31], 0
		for o := left; o != 0; o &= o - 1 {
			if lane := bits.TrailingZeros32(o) & 31; dst[lane] == at {
				n++
				left &^= 1 << lane
			}
		}
		most = max(most, n)
	}
	return most
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
func deliveredValue(wp *warp, arrival *asyncCopy, lane int) {
	wp.block.eachTarget(arrival.ranks, func(rank int, owner *block) {
		data, off, _ := wp.w.Resolve(lane, wp.w.InBlock(arrival.to, rank))
		if simt.WriteBulk(arrival.arrives, data, off, arrival.value[:arrival.bytes], nil) {
			owner.sm.progress()
		}
		owner.sm.stats.CopiedBytes += arrival.bytes
	})
}
