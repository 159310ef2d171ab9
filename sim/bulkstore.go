package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// store issues a part of a copy in bulk to global memory by the lanes of mask, or of a reduction, as bulk does. A pass of shared memory
// reads the part, of bulkPart bytes of a copy and of an element for each lane of a warp of a reduction; then the load-store unit sends it
// as it sends stores, or atomics without a result. It reports whether the warp may go on.
func (u *copyUnit) store(wp *warp, d *decoded, mask uint32) bool {
	w, in, copies := wp.w, d.in, &wp.copies
	to, from, bytes := w.Row(in.Src[0]), w.Row(in.Src[1]), w.Row(in.Src[2])
	if copies.todo == 0 {
		source, check := simt.Source(in), u.checkStore
		if in.Op.TensorDims() > 0 {
			check = u.checkStoreBox
		}
		if over, goesOn := u.take(wp, mask, bytes, func(lane int) *device.Fault {
			return check(wp, in, &source, lane, to[lane]+uint64(in.Imm), from[lane], bytes[lane])
		}); over {
			return goesOn
		}
		if h := u.sm.hooks; h != nil {
			h.storesBulk(wp, in, copies.todo)
		}
	}
	size, words := in.Mem.Kind.Bytes(), 1
	if in.Op == ir.OpBulkStore {
		size, words = bulkWord, int(in.Mem.Vec)
	}
	lane := bits.TrailingZeros32(copies.todo) & 31
	var box tensormap.Box
	if in.Op.TensorDims() > 0 {
		box = w.Box(in, lane)
	}
	if copies.sent == 0 {
		copies.number++
		entry := copies.add(1 << lane)
		entry.number, entry.done, entry.read, entry.stores = copies.number, never, never, true
		entry.left = int32((bytes[lane] + uint64(simt.Lanes*size) - 1) / uint64(simt.Lanes*size))
		if box.Map != nil {
			entry.left = parts(&box)
		}
		if entry.group = [simt.Lanes]uint32{}; copies.stores != nil {
			entry.group = *copies.stores
		}
		u.keeps(bytes[lane], &box)
	}
	read := uint64(0)
	if box.Map != nil {
		read = u.storePart(wp, d, lane, &box, to[lane]+uint64(in.Imm), from[lane])
	} else {
		read = u.storeLine(wp, d, lane, to[lane]+uint64(in.Imm), from[lane], bytes[lane], size, words)
	}
	if copies.sent == bytes[lane] {
		entry := &copies.list[len(copies.list)-1]
		// A GPU does not wait for the L2: the source may be written again, and the group is complete, when all has left the SM. A later
		// release waits, as for other stores.
		left := max(read, u.stores, u.sm.port.send.Cycle())
		entry.done, entry.read = left+storeLatency, left+readLatency
		copies.sent = 0
		copies.todo &^= 1 << lane
	}
	if copies.todo == 0 {
		w.Next()
	}
	return true
}

// What a copy in bulk to global memory takes, in cycles of an H200 (results/hw/asynchronous): from its issue until its group is
// complete, or until it is known that its source has been read, beside a cycle for each storeRate bytes; a row of a box of 16 bytes takes as long as
// one of 64.
const (
	storeLatency, readLatency = 29, 49
	storeRate                 = 32
	shortRow, shortRowCost    = 16, 2
)

// keeps lets a copy of so many bytes, which begins now, keep the unit.
func (u *copyUnit) keeps(bytes uint64, box *tensormap.Box) {
	takes := bytes / storeRate
	if box.Map != nil && box.Box[0]*box.Elem == shortRow {
		takes = bytes / shortRow * shortRowCost
	}
	u.stores = max(u.stores, u.sm.now) + takes
}

// storeLine issues the next part of a lane's copy of so many bytes, with pieces of size bytes, each of so many words, and returns when its
// source has been read.
func (u *copyUnit) storeLine(wp *warp, d *decoded, lane int, to, from, bytes uint64, size, words int) (read uint64) {
	w, in, copies := wp.w, d.in, &wp.copies
	data, off, _ := w.Resolve(lane, from+copies.sent)
	n := int(min((bytes-copies.sent)/uint64(size), simt.Lanes))
	for i := range n {
		at := i * size
		u.sm.addrs[i], u.dst[i] = to+copies.sent+uint64(at), from+copies.sent+uint64(at)
		for word := range words {
			u.values[word][i] = simt.Load(data, off+at+word*size/words, in.Mem.Kind)
		}
	}
	copies.sent += uint64(n * size)
	return u.send(wp, d, n, size)
}

// send lets shared memory read n pieces of size bytes each, which are in chip.addrs, u.dst and u.values, and the load-store unit store them.
// It returns when they have been read.
func (u *copyUnit) send(wp *warp, d *decoded, n, size int) (read uint64) {
	part := uint32(1<<n - 1)
	passed := u.pass(part, size)
	u.sm.lsu.free = max(u.sm.lsu.free, passed)
	u.sm.lsu.enqueue(wp, d, part, part, passed.Cycle())
	return passed.Cycle()
}

// pass lets shared memory read the parts of size bytes each at the addresses in u.dst of some lanes, and returns when it has.
func (u *copyUnit) pass(lanes uint32, size int) timing.Tick {
	stats, stage := &u.sm.stats, &u.sm.shared
	passes := u.sm.banks.Of(shared.Load, lanes, (*[simt.Lanes]uint64)(&u.dst), size, stage.times.banks)
	took := timing.Tick(passes.Cycles) * stage.times.way
	stats.Busy.Shared += uint64(took)
	return stage.stage.Take(timing.At(u.sm.now), passes.Cycles, stage.times.way) + took
}

// checkStore returns the fault of a lane's copy in bulk to global memory; nil if it has none.
func (u *copyUnit) checkStore(wp *warp, in, source *ir.Inst, lane int, to, from, bytes uint64) *device.Fault {
	w := wp.w
	if fault := w.CheckBulkStore(in, source, lane, to, from, bytes); fault != nil || !u.sm.strict || bytes == 0 {
		return fault
	}
	if fault := wp.block.written.DefinedBytes(w, source, lane, from, bytes); fault != nil {
		return fault
	}
	if in.Op.Updates() != ir.OpInvalid {
		if fault := w.DefinedBytes(in, lane, to, bytes); fault != nil {
			return fault
		}
	}
	w.DefineBytes(to, bytes)
	if wp.block.pending == nil {
		return nil
	}
	return wp.block.pendStore(w, in, source, lane, to, from, bytes)
}
