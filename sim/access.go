package sim

import (
	"encoding/binary"
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/hugepage"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// inFlight has the records of the accesses of an SM in flight. A record that was put back last is the next one to be used,
// so that those in use are few cache lines of the host.
type inFlight struct {
	ops     pool[memOp]
	rows    pool[simt.Row] // values that stores and atomics take from registers
	packets pool[packet]
	loaded  [][lineBytes]byte // by packet: the data that a load read
	answers []packetAnswer    // by packet: what the L2 says
	waiters pool[waiter]
	warps   []warp // of all SMs
	// returned gets what atomics return, by lane; nil: registers do.
	returned *simt.Row
}

// packetAnswer says when the answer to a packet that has arrived comes.
type packetAnswer struct {
	at    uint64 // cycle
	order uint64 // number of its arrival among those at the L2
	came  uint64 // cycle of its arrival
	turn  uint64 // place of its arrival among all that windows.replay schedules
}

// newInFlights returns the records of some SMs, with room for the packets that MSHRs allow; stores may need more, which the
// pool then gets. The room is in huge pages, and that of one SM not at the same place of a page as that of another, since
// caches map equal places to the same sets.
func newInFlights(sms, loads int, warps []warp) []inFlight {
	all, each := make([]inFlight, sms), loads+1
	loaded, answers := hugepage.Make[[lineBytes]byte](sms*each), hugepage.Make[packetAnswer](sms*each)
	packets, ops := hugepage.Make[packet](sms*each), hugepage.Make[memOp](sms*each)
	for i := range all {
		from, to := i*each, i*each+loads
		all[i] = inFlight{loaded: loaded[from:to:to], answers: answers[from:to:to], warps: warps}
		all[i].packets.items, all[i].ops.items = packets[from:from:to], ops[from:from:to]
	}
	return all
}

// packet returns the index of a packet, with room for data.
func (f *inFlight) packet() int32 {
	index := f.packets.get()
	if int(index) >= len(f.loaded) {
		f.extend()
	}
	return index
}

// extend makes room for the data of another packet.
func (f *inFlight) extend() {
	f.loaded, f.answers = append(f.loaded, [lineBytes]byte{}), append(f.answers, packetAnswer{})
}

// room returns for how many more packets there is room, which need no new arrays.
func (f *inFlight) room() int { return len(f.packets.free) + len(f.loaded) - len(f.packets.items) }

// abandon forgets all accesses.
func (f *inFlight) abandon() {
	f.ops.reset()
	f.packets.reset()
	f.waiters.reset()
	f.rows.reset()
}

// memOp is a memory instruction of a warp in flight.
type memOp struct {
	warp    int32 // its id
	pc      int32
	left    int32    // parts that are not done; the load-store unit holds one
	epoch   uint32   // the SM's epoch; see accessOrder
	search  uint32   // the epoch of the search for a hang
	doneAt  uint64   // cycle at which the finished parts are usable
	copied  int32    // of a copy: its number in the warp
	rows    [4]int32 // in the pool of rows: values stored, or operand and comparand
	numRows uint8
	landed  bool // of a copy: a part of it
	// off is the byte offset of each lane's address in its line.
	off [simt.Lanes]uint8
}

// packetKind is the kind of request that a packet makes to the L2.
type packetKind uint8

const (
	packLoad   packetKind = counter.Load
	packStore  packetKind = counter.Store
	packAtomic packetKind = counter.Atomic
	packRed    packetKind = counter.Red // an atomic whose result is not used
)

// packet is a request for one line that travels from an SM to an L2 slice; that of a load returns with data, which is
// stored in lsu.loaded. It fills one cache line of the host.
type packet struct {
	line    uint64 // address of the first byte
	phys    uint64 // physical address of that byte
	sm      int32
	op      int32  // memOp of stores and atomics
	lanes   uint32 // of stores and atomics
	next    int32  // the SM's next packet with the same hash
	waiters int32  // of loads: list of waiters for the data
	epoch   uint32 // epoch of L1 when the packet was sent
	sectors uint8
	kind    packetKind
	fill    bool  // the reply fills L1 and later loads may wait for it
	local   bool  // local memory: only timing, no data
	far     bool  // its home is the other half of the L2
	many    bool  // of a load: see lsuEntry
	flits   uint8 // of the answer to an atomic
	home    home
}

// waiter is a set of lanes of a load that wait for a packet.
type waiter struct {
	op    int32
	lanes uint32
	next  int32
}

// name says in an event which packet of which SM it is about.
func (u *lsu) name(p int32) event { return packetName(u.sm.id, p) }

func packetName(sm, p int32) event { return event(sm)<<packetShift | event(uint32(p)) }

// warpOf returns the warp that executes a memory instruction.
func (u *lsu) warpOf(op *memOp) *warp { return &u.warps[op.warp] }

// capture saves the values that a store or atomic takes from registers, because later instructions may overwrite the
// registers.
func (u *lsu) capture(op *memOp, threads *simt.Warp, in *ir.Inst) {
	n := 0
	switch {
	case in.Op == ir.OpStore, in.Op.StoresBulk():
		n = int(in.Mem.Vec)
	case in.Op == ir.OpAtomCAS, in.Op.Action() == ir.ActCopy:
		n = 2
	case in.Op != ir.OpLoad:
		n = 1
	}
	for operand := range n {
		// Source 0 is the address.
		row := u.rows.get()
		switch {
		case in.Op.BringsBulk(): // of the part that is sent
			u.rows.items[row] = *[...]*simt.Row{&u.sm.copies.dst, &u.sm.copies.reads}[operand]
		case in.Op.Action() == ir.ActBulk:
			u.rows.items[row] = u.sm.copies.values[operand]
		default:
			u.rows.items[row] = *threads.Row(in.Src[1+operand])
		}
		op.rows[operand] = row
	}
	op.copied = u.warpOf(op).copies.number
	op.numRows = uint8(n)
}

// writeBack writes the registers of lanes of a load from the bytes of its line.
func (u *lsu) writeBack(op *memOp, lanes uint32, line []byte) {
	wp := u.warpOf(op)
	if op.numRows > 0 {
		u.land(wp, op, lanes, line)
		return
	}
	w, in := wp.w, wp.job.code[op.pc].in
	w.WriteBackLanes(in, lanes, line, &op.off)
}

// storeLanes writes the stored values of lanes into data, in which the line at an address begins at base, and reports
// whether a value changed. The address is 0 if data is a copy of memory.
func (u *lsu) storeLanes(op *memOp, lanes uint32, data []byte, base int, line uint64) (changed bool) {
	track, history := u.sm.memory, u.sm.hooks.record()
	kind := u.warpOf(op).job.code[op.pc].in.Mem.Kind
	size := kind.Bytes()
	for word, row := range op.rows[:op.numRows] {
		values := &u.rows.items[row]
		if size == 4 && (line == 0 || history == nil && track == nil) { // nearly all stores
			changed = storeWords(data, base+word*size, lanes, &op.off, values) || changed
			continue
		}
		for left := lanes; left != 0; left &= left - 1 {
			lane := bits.TrailingZeros32(left)
			at := base + int(op.off[lane]) + word*size
			if history != nil && line != 0 {
				history.Wrote(u.warpOf(op).w, op.pc, lane, line+uint64(at-base), simt.Load(data, at, kind), values[lane])
			}
			if track != nil && line != 0 {
				changed = storeTracked(track, line, data, base, at, kind, values[lane]) || changed
				continue
			}
			old := simt.Load(data, at, kind)
			// Compared as it was stored: of a register that is wider than the element, memory keeps the lower bytes alone.
			simt.Store(data, at, kind, values[lane])
			changed = changed || simt.Load(data, at, kind) != old
		}
	}
	return changed
}

// storeWords writes 32-bit values of lanes into data, at their offsets from base, and reports whether one changed.
func storeWords(data []byte, base int, lanes uint32, off *[simt.Lanes]uint8, values *simt.Row) bool {
	changed := uint32(0)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & 31
		at := base + int(off[lane])
		to, value := data[at:at+4], uint32(values[lane])
		changed |= binary.NativeEndian.Uint32(to) ^ value
		binary.NativeEndian.PutUint32(to, value)
	}
	return changed != 0
}

// partDone records that a part of a memory instruction is done, with its effects usable from a cycle on; the instruction
// is done with its last part.
func (u *lsu) partDone(index int32, cycle uint64) {
	op := &u.ops.items[index]
	op.doneAt = max(op.doneAt, cycle)
	if op.left--; op.left > 0 {
		return
	}
	wp := u.warpOf(op)
	inst := &wp.job.code[op.pc]
	for _, row := range op.rows[:op.numRows] {
		u.rows.put(row)
	}
	done := op.doneAt + uint64(inst.latency)
	epoch := op.epoch
	// The record may be taken by another access as soon as it is put back.
	since, number := op.search, op.copied
	u.ops.put(index)
	u.sm.search.ended(since)
	u.sm.finishOp(wp, epoch, done)
	if inst.numDst > 0 {
		wp.board.set(inst, done, counter.StallLong)
		// The warp slept until memory answers; other waits have an end of their own.
		if wp.state == warpMemory {
			u.sm.release(wp, u.sm.now)
		}
	} else if inst.action == actCopy {
		u.sm.copies.done(wp, number, done)
	}
}

// readModifyWrite applies the lanes of an atomic in lane order, and reports whether a value changed.
func (u *lsu) readModifyWrite(op *memOp, threads *simt.Warp, in *ir.Inst, lanes uint32, data []byte, base int, line uint64) (changed bool) {
	kind, update := in.Mem.Kind, in.Op
	if in.Op.Action() == ir.ActBulk {
		update = in.Op.Updates()
	}
	value := &u.rows.items[op.rows[0]]
	compare := value
	if in.Op == ir.OpAtomCAS { // the operands are the comparand, then the new value
		compare, value = value, &u.rows.items[op.rows[1]]
	}
	history := u.sm.hooks.record()
	// PTX leaves the order of a warp's lanes open; theirs is the same in each run.
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & 31
		at := base + int(op.off[lane])
		old := simt.Load(data, at, kind)
		now := simt.AtomicApply(update, kind, old, value[lane], compare[lane])
		if history != nil {
			history.Wrote(threads, op.pc, lane, line+uint64(op.off[lane]), old, now)
		}
		if now != old {
			if track := u.sm.memory; track != nil {
				storeTracked(track, line, data, base, at, kind, now)
			} else {
				simt.Store(data, at, kind, now)
			}
			changed = true
		}
		if u.returned != nil {
			u.returned[lane] = old
		} else {
			threads.AtomicResult(in, lane, old)
		}
	}
	return changed
}

// operands returns how many bytes of data a packet brings to the L2: whole sectors, or more if several lanes update a word.
func (u *lsu) operands(pk *packet) int {
	switch pk.kind {
	case packLoad:
		return 0
	case packStore:
		return sectorBytes * bits.OnesCount8(pk.sectors)
	}
	op := &u.ops.items[pk.op]
	d := &u.warpOf(op).job.code[op.pc]
	each := max(sectorBytes*bits.OnesCount8(pk.sectors), d.in.Mem.Kind.Bytes()*bits.OnesCount32(acts(d, pk.lanes)))
	return int(op.numRows) * each
}

// results returns how many bytes of data the answer to a packet brings to the SM.
func (u *lsu) results(pk *packet) int {
	switch pk.kind {
	case packLoad:
		return sectorBytes * bits.OnesCount8(pk.sectors)
	case packAtomic:
		op := &u.ops.items[pk.op]
		d := &u.warpOf(op).job.code[op.pc]
		return d.in.Mem.Kind.Bytes() * bits.OnesCount32(acts(d, pk.lanes))
	}
	return 0
}

// encodePacket adds a packet in flight, which is part of an event.
func (u *lsu) encodePacket(e *encoder, what event, index int32) {
	state, pk := e.r, &u.packets.items[index]
	e.packets[u.name(index)] = len(e.packets)
	state.Word(pk.line)
	state.Word(pk.phys)
	state.Word(uint64(pk.sm)<<32 | uint64(pk.lanes))
	state.Word(uint64(pk.sectors)<<8 | uint64(pk.kind)) // its home follows from phys
	state.Bool(pk.local)
	state.Bool(pk.far)
	if pk.kind != packLoad {
		u.encodeOp(e, pk.op)
		return
	}
	// A fill of an earlier epoch of L1 does nothing any more, like one that was cancelled.
	state.Bool(pk.fill && pk.epoch == u.sm.l1.Epoch)
	for i := pk.waiters; i >= 0; i = u.waiters.items[i].next {
		u.encodeOp(e, u.waiters.items[i].op)
		state.Word(uint64(u.waiters.items[i].lanes))
	}
	state.Word(^uint64(0))
	// A load that has not arrived has no data yet.
	if what != evArrive && !pk.local {
		for sec := range sectorsPerLine {
			if pk.sectors>>sec&1 != 0 {
				state.Bytes(u.loaded[index][sec*sectorBytes:][:sectorBytes])
			}
		}
	}
}

// encodeOp adds an access: everything about it where it is met first, and its number after that.
func (u *lsu) encodeOp(e *encoder, index int32) {
	state := e.r
	number, met := e.ops[u.name(index)]
	if met {
		state.Int(number)
		return
	}
	number = len(e.ops)
	e.ops[u.name(index)] = number
	op := &u.ops.items[index]
	state.Int(number)
	state.Word(uint64(u.warpOf(op).id)<<32 | uint64(op.pc))
	state.Int(int(op.left))
	// Epochs are counted without end: what matters is the distance to the oldest.
	state.Word(uint64(op.epoch - u.sm.order.first))
	e.time(op.doneAt)
	state.Bytes(op.off[:])
	state.Int(int(op.numRows))
	for _, row := range op.rows[:op.numRows] {
		state.Bytes(simt.RowBytes(&u.rows.items[row]))
	}
}
