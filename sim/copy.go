package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/mbarrier"
	"github.com/weft-gpu/weft/sim/internal/shared"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// Asynchronous copies pass the load-store unit, L1 and L2 as loads do. What they bring goes to shared memory instead of a
// register, in a pass of its data stage when the answer comes.

// copyUnit completes the asynchronous copies of an SM.
type copyUnit struct {
	sm         *sm
	stores     uint64   // until when copies in bulk to global memory keep it busy
	starts     uint64   // from when it begins another copy in bulk to shared memory
	fences     uint64   // until when fences of the asynchronous proxy keep it busy
	dst, reads simt.Row // of the part of a copy in bulk that is sent; see bulk
	values     [4]simt.Row
}

// warpCopies are the asynchronous copies of a warp that have not landed, in the order in which they were issued, and arrivals at
// mbarriers behind them.
type warpCopies struct {
	list   []asyncCopy
	number int32               // of the last copy
	groups *[simt.Lanes]uint32 // how many groups each lane has committed; nil before the first one
	stores *[simt.Lanes]uint32 // the same of copies in bulk to global memory
	todo   uint32              // lanes whose copies in bulk have not been sent, while the instruction is executed
	sent   uint64              // bytes of the first of them
	until  uint64              // cycle in which the last one to a block of the cluster is there, for which the warp stays in its slot
}

// asyncCopy is a copy of some lanes, or their arrival at mbarriers when their copies before it have landed.
type asyncCopy struct {
	lanes   uint32
	number  int32              // of the warp, in the order of issue
	left    int32              // parts in flight
	bulk    bool               // a copy in bulk, or what it brings to an mbarrier: number is the same
	stores  bool               // a copy in bulk to global memory
	read    uint64             // of that: cycle from which its source has been read; never before its last part is issued
	bytes   uint64             // of that
	group   [simt.Lanes]uint32 // of each lane
	done    uint64             // cycle from which what it brings can be read; never while it is in flight
	arrives *ir.Inst           // nil for a copy
	pc      int32
	search  uint32   // of an arrival: see search.began
	known   uint32   // of an arrival: what package race says of the copies before it
	at      simt.Row // of an arrival: the mbarriers
	// Of an arrival of a copy to blocks of the cluster: their ranks as bits, and of one from shared memory the destination and what it has read.
	ranks uint32
	to    uint64
	held  []byte
	value [16]byte // of what sends values
}

// reset prepares c for another warp.
func (c *warpCopies) reset() {
	c.list, c.todo, c.sent, c.until = c.list[:0], 0, 0, 0
	if c.groups != nil {
		*c.groups = [simt.Lanes]uint32{}
	}
	if c.stores != nil {
		*c.stores = [simt.Lanes]uint32{}
	}
}

// add appends an entry of the lanes of mask.
func (c *warpCopies) add(mask uint32) *asyncCopy {
	c.list = append(c.list, asyncCopy{lanes: mask})
	entry := &c.list[len(c.list)-1]
	if c.groups != nil {
		entry.group = *c.groups
	}
	return entry
}

// eachArrival calls do for the arrivals.
func (c *warpCopies) eachArrival(do func(a *asyncCopy)) {
	for i := range c.list {
		if c.list[i].arrives != nil {
			do(&c.list[i])
		}
	}
}

// tidy removes copies that have landed by a cycle, and arrivals of which none is left.
func (c *warpCopies) tidy(now uint64) {
	kept := 0
	for i := range c.list {
		if entry := &c.list[i]; entry.lanes == 0 || entry.arrives == nil && entry.done <= now {
			continue
		}
		if kept != i {
			c.list[kept] = c.list[i]
		}
		kept++
	}
	c.list = c.list[:kept]
}

// copyAsync issues a copy of the lanes of mask. It reports whether the warp may go on.
func (s *subcore) copyAsync(wp *warp, d *decoded, mask uint32) bool {
	w, in, unit := wp.w, d.in, s.sm
	switch {
	case in.Op.SendsValue():
		return unit.copies.sendValues(wp, d, mask)
	case in.Op == ir.OpBulkSend:
		return unit.copies.sendBulk(wp, d, mask)
	case in.Op.BringsBulk():
		return unit.copies.bulk(wp, d, mask)
	case in.Op.Action() == ir.ActBulk:
		return unit.copies.store(wp, d, mask)
	}
	if mask == 0 {
		w.Next()
		return true
	}
	dst, reads := w.Row(in.Src[1]), w.Row(in.Src[2])
	whole, some := uint32(0), uint32(0)
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if reads[lane] != 0 {
			some |= 1 << lane
		}
		if reads[lane] == uint64(in.Mem.Bytes()) {
			whole |= 1 << lane
		}
	}
	w.Addresses(in, mask, &unit.addrs)
	if fault := unit.copies.check(wp, in, mask, whole, dst); fault != nil {
		unit.fault(fault)
		return false
	}
	if h := unit.hooks; h != nil {
		h.copies(wp, in, mask, whole, dst)
	}
	// What reads nothing is zeros, for which nobody has to be asked.
	for left := mask &^ some; left != 0; left &= left - 1 {
		if w.LandCopy(in, dst[bits.TrailingZeros32(left)&31], nil) {
			unit.progress()
		}
	}
	if some != 0 {
		if len(wp.copies.list) >= 16 { // a warp that never waits
			wp.copies.tidy(unit.now)
		}
		wp.copies.number++
		entry := wp.copies.add(some)
		entry.number, entry.done, entry.left = wp.copies.number, never, 1
		unit.lsu.enqueue(wp, d, some, some, unit.now)
		s.sends = unit.now + uint64(d.sends)
	}
	w.Next()
	return true
}

// check returns the fault of a copy; nil if it has none. The addresses of the source are in chip.addrs.
func (u *copyUnit) check(wp *warp, in *ir.Inst, mask, whole uint32, dst *simt.Row) *device.Fault {
	to := simt.Destination(in)
	if fault := wp.w.CheckCopy(in, &to, mask, &u.sm.addrs, dst); fault != nil || !u.sm.strict {
		return fault
	}
	if fault := wp.w.Defined(in, &u.sm.addrs, 0, whole); fault != nil {
		return fault
	}
	wp.block.written.Define(&to, dst, 0, mask)
	if wp.block.pending == nil {
		return nil
	}
	return u.pendCopy(wp, in, &to, mask, whole, dst)
}

// landPasses: see land.
const landPasses = 2

// land writes what lanes of a copy bring, which is in a line, to shared memory.
func (u *lsu) land(wp *warp, op *memOp, lanes uint32, line []byte) {
	w, in := wp.w, wp.job.code[op.pc].in
	dst, reads := &u.rows.items[op.rows[0]], &u.rows.items[op.rows[1]]
	size, box := in.Mem.Bytes(), in.Op.TensorDims() > 0
	if box { // its pieces have one size
		size = int(reads[bits.TrailingZeros32(lanes)&31])
	}
	if in.Op.Multicasts() {
		op.doneAt = max(op.doneAt, u.sm.copies.landAll(wp, op, lanes, line, dst, reads, size))
		return
	}
	for left := lanes; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		from := int(op.off[lane])
		data := line[from : from+int(reads[lane])]
		if box && w.LandBytes(dst[lane], data) || !box && w.LandCopy(in, dst[lane], data) {
			u.sm.progress()
		}
	}
	stats, stage := &u.sm.stats, &u.sm.shared
	stats.CopiedBytes += uint64(size * bits.OnesCount32(lanes))
	passes := 1 // what copies in bulk bring of a line is on all banks once
	if !in.Op.BringsBulk() {
		// One SM of an H200 takes 2.8, 4.0 and 5.6 cycles for copies of 4, 8 and 16 bytes a lane from one, two and four lines in L1 (results/hw/asynchronous): a pass for
		// each line that is read, and landPasses for what the whole instruction writes. Conflicts of banks take more.
		passes = u.sm.banks.Of(shared.Store, lanes, (*[simt.Lanes]uint64)(dst), size, stage.times.banks).Count - 1
		if !op.landed {
			passes += landPasses
		}
		op.landed = true
	}
	stats.Busy.Shared += uint64(timing.Tick(passes) * stage.times.way)
	start := stage.stage.Take(timing.At(u.sm.now), passes, stage.times.way)
	op.doneAt = max(op.doneAt, (start + timing.Tick(passes)*stage.times.way).Cycle())
}

// done records that a copy of a warp has landed, and can be read from a cycle on.
func (u *copyUnit) done(wp *warp, number int32, cycle uint64) {
	arrivals := false
	for i := range wp.copies.list {
		entry := &wp.copies.list[i]
		if entry.arrives != nil {
			arrivals = true
		} else if entry.number == number {
			if entry.left--; entry.left == 0 && !entry.stores {
				entry.done = cycle
			}
		}
	}
	if arrivals {
		u.sm.at(max(cycle, u.sm.now+1), evCopied|event(wp.id))
	}
	if wp.state == warpMemory {
		u.sm.release(wp, u.sm.now)
	}
}

// landed reports whether the copies have landed for which the active lanes of a warp wait; otherwise the warp pauses.
func (u *copyUnit) landed(wp *warp, in *ir.Inst) bool {
	mask, groups, until := wp.w.Guarded(in), wp.copies.groups, uint64(0)
	stores := in.Op != ir.OpCopyWait
	if stores {
		groups = wp.copies.stores
	}
	if groups == nil {
		return true
	}
	for i := range wp.copies.list {
		entry := &wp.copies.list[i]
		if entry.arrives != nil || entry.bulk || entry.stores != stores {
			continue
		}
		done := entry.done
		if in.Op == ir.OpBulkWaitRead {
			done = entry.read
		}
		for left := entry.lanes & mask; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			if entry.group[lane]+uint32(in.Imm) < groups[lane] {
				until = max(until, done)
				break
			}
		}
	}
	switch {
	case until == never:
		u.sm.pause(wp, warpMemory, counter.StallLong)
		return false
	case until > u.sm.now:
		u.sm.pause(wp, warpTimed, counter.StallLong)
		u.sm.at(until, evWake|event(wp.id))
		return false
	}
	return true
}

// group executes what makes a group of copies, or has waited for groups.
func (u *copyUnit) group(wp *warp, in *ir.Inst, mask uint32) {
	copies := &wp.copies
	if h := u.sm.hooks; h != nil {
		h.grouped(wp, in, mask)
	}
	wp.block.pendGroup(wp.w, in, mask)
	groups := &copies.groups
	if in.Op.OfBulk() {
		groups = &copies.stores
	}
	switch in.Op {
	case ir.OpCopyCommit, ir.OpBulkCommit:
		if *groups == nil {
			*groups = new([simt.Lanes]uint32)
		}
		for left := mask; left != 0; left &= left - 1 {
			(*groups)[bits.TrailingZeros32(left)&31]++
		}
	case ir.OpFenceAsync:
	default:
		copies.tidy(u.sm.now)
	}
	wp.w.Next()
}

// announce notes that mbarriers, at the addresses in chip.addrs, wait for the copies of the lanes of mask.
func (u *copyUnit) announce(wp *warp, in *ir.Inst, mask uint32) {
	wp.copies.number++
	entry := wp.copies.add(mask)
	entry.arrives, entry.pc, entry.at, entry.search, entry.number = in, wp.w.PC, u.sm.addrs, u.sm.search.began(), wp.copies.number
	u.pendArrival(wp, in, mask, entry.number)
	if h := u.sm.hooks; h != nil {
		entry.known = h.announced(wp)
	}
	wp.copies.tidy(u.sm.now)
	u.arrive(wp)
	// What has landed, but cannot be read yet, has asked for no event: nobody waited for it.
	last := uint64(0)
	for i := range wp.copies.list {
		if entry := &wp.copies.list[i]; entry.arrives == nil && entry.done != never {
			last = max(last, entry.done)
		}
	}
	if last > u.sm.now {
		u.sm.at(last, evCopied|event(wp.id))
	}
}

// arrive counts the arrivals of a warp's copies that have landed by now.
func (u *copyUnit) arrive(wp *warp) {
	if wp.w == nil { // it has left, with all arrivals or with a fault
		return
	}
	flying := uint32(0) // lanes with copies that have not landed
	for i := range wp.copies.list {
		entry := &wp.copies.list[i]
		switch {
		case entry.arrives == nil:
			if entry.done > u.sm.now && !entry.bulk && !entry.stores {
				flying |= entry.lanes
			}
			continue
		case entry.bulk:
			u.complete(wp, entry)
			continue
		}
		for left := entry.lanes &^ flying; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			old, now, fault := wp.w.ArriveCopied(entry.arrives, lane, entry.at[lane])
			if fault != nil {
				u.sm.fault(fault)
				return
			}
			u.arrived(wp, entry, lane, entry.at[lane], old, now)
		}
		if entry.lanes &= flying; entry.lanes == 0 {
			u.sm.search.ended(entry.search)
		}
	}
	wp.copies.tidy(u.sm.now)
}

// arrived tells those who want to know that copies of a lane have come to the mbarrier at an address.
func (u *copyUnit) arrived(wp *warp, entry *asyncCopy, lane int, barrier, old, now uint64) {
	if h := u.sm.hooks; h != nil {
		h.arrivedCopied(wp, entry, lane, barrier, old, now)
	}
	owner, at := wp.block.owner(barrier)
	owner.completed(at, mbarrier.State(old).Parity(), u.sm.now, copySettles)
	if p := owner.pending; p != nil {
		p.Counted(wp.w, entry.number, lane, old)
	}
	u.sm.progress()
}

// encode adds what has not landed.
func (c *warpCopies) encode(e *encoder) {
	state := e.r
	if len(c.list) == 0 {
		return
	}
	state.Int(len(c.list))
	state.Word(uint64(c.todo))
	state.Word(c.sent)
	for i := range c.list {
		entry := &c.list[i]
		state.Word(uint64(entry.lanes))
		state.Bool(entry.arrives != nil)
		state.Bool(entry.stores)
		if entry.ranks != 0 {
			state.Word(uint64(entry.ranks))
			state.Word(entry.to)
			state.Bytes(entry.held)
			if entry.arrives.Op.SendsValue() {
				state.Bytes(entry.value[:])
			}
		}
		if entry.done != never {
			e.time(entry.done)
		}
		groups := c.groups
		if entry.stores {
			groups = c.stores
			state.Bool(entry.read != never)
			if entry.read != never {
				e.time(entry.read)
			}
		}
		for left := entry.lanes; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left) & 31
			state.Word(entry.at[lane])
			if groups != nil {
				state.Word(uint64(groups[lane] - entry.group[lane]))
			}
		}
	}
}
