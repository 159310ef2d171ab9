package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// lsu is the load-store unit of an SM: a queue of coalesced instructions, of which it processes the head line by line,
// and the records of the accesses in flight; see access.go. What it asks of the L2 leaves as packets through the SM's
// port, and comes back in answer.
type lsu struct {
	sm    *sm
	queue []lsuEntry // ring
	head  int
	n     int
	free  timing.Tick // when it can take the next instruction
	// reads is when the data stage delivers the lines of the head.
	reads timing.Tick
	// waiting are the sub-cores that found no room, and turn the one that gets it before the others; see takes.
	waiting uint32
	turn    int32
	// stalled: the head waits for an MSHR; processing resumes when one is released.
	stalled  bool
	lineTime timing.Tick // of a line of an instruction
	hitTime  uint64      // cycles from the lookup in L1 to the data

	inFlight
}

// lsuEntry is a memory instruction split by line. If the lanes' pointers are generic, some of its lines may be in
// local memory and some in global memory.
type lsuEntry struct {
	op    int32
	kind  packetKind
	cache bool  // a load that may hit L1, including loads of global memory
	async bool  // an asynchronous copy: a load without a register
	bulk  bool  // of one in bulk to shared memory: the unit that a GPU has for these asks for a line in each cycle
	many  bool  // its lanes access many lines at once; see manyLines
	bytes uint8 // of a lane
	n     uint8 // lines
	next  uint8 // first line that is not done
	lines [simt.Lanes]lineRequest
}

// lineRequest is the part of an instruction that accesses one line.
type lineRequest struct {
	addr    uint64 // of the line
	lanes   uint32
	sectors uint8
	local   bool
}

// split groups the lanes of mask by the line that they access and records their offsets in it. An access never spans
// sectors, because it is aligned and at most 16 bytes wide.
func (e *lsuEntry) split(mask uint32, addrs *simt.Row, off *[simt.Lanes]uint8) {
	// Neighbouring lanes mostly access neighbouring words.
	if first := addrs[0]; mask == ^uint32(0) && first%lineBytes == 0 && consecutive(addrs) {
		for lane := range off {
			off[lane] = uint8(4 * lane)
		}
		e.lines[0] = lineRequest{addr: first, lanes: mask, sectors: 1<<sectorsPerLine - 1, local: first&ir.LocalWindow != 0}
		e.n = 1
		return
	}
	last := -1
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		addr := addrs[lane]
		line, offset := addr&^(lineBytes-1), uint8(addr&(lineBytes-1))
		off[lane] = offset
		// Neighbouring lanes mostly access the same line: look at that of the last lane first.
		if last < 0 || e.lines[last].addr != line {
			last = -1
			for i := range e.lines[:e.n] {
				if e.lines[i].addr == line {
					last = i
					break
				}
			}
			if last < 0 {
				last = int(e.n)
				e.n++
				e.lines[last] = lineRequest{addr: line, local: line&ir.LocalWindow != 0}
			}
		}
		part := &e.lines[last]
		part.lanes |= 1 << lane
		part.sectors |= 1 << (offset / sectorBytes)
	}
}

// consecutive reports whether lanes access one 32-bit word after the other.
func consecutive(addrs *simt.Row) bool {
	for lane := range addrs {
		if addrs[lane] != addrs[0]+uint64(4*lane) {
			return false
		}
	}
	return true
}

// enqueue adds an access to global or local memory to the queue of the SM's load-store unit, which must not be full.
// The instruction is one operation, whose result is available when all its parts are done: those in global memory, in
// local memory and in shared memory (done at cycle from). global are the lanes for which values of registers are
// captured.
func (u *lsu) enqueue(wp *warp, d *decoded, mask, global uint32, from uint64) {
	in := d.in
	entry := u.push(wp.sub)
	entry.op = u.ops.get()
	op := &u.ops.items[entry.op]
	// The queue itself holds one part until all lines are sent, so that no answer can end the instruction before.
	op.warp, op.pc, op.left, op.doneAt, op.numRows, op.landed = wp.id, wp.w.PC, 1, from, 0, false
	op.epoch, op.search = u.sm.order.begin(), u.sm.search.began()
	entry.split(mask, &u.sm.addrs, &op.off)
	// The host's memory delivers the sets of L1 while other parts are at work: step looks at them some cycles from now.
	for i := range entry.lines[:entry.n] {
		u.sm.l1.Prefetch(entry.lines[i].addr)
	}
	entry.kind, entry.cache, entry.async, entry.bulk = packLoad, false, false, in.Op.BringsBulk()
	switch {
	case in.Op.Action() == ir.ActCopy:
		entry.async, entry.cache = true, u.sm.cacheable(&in.Mem)
	case in.Op == ir.OpStore, in.Op.StoresBulk():
		entry.kind = packStore
	case in.Op != ir.OpLoad && in.NDst > 0:
		entry.kind = packAtomic
	case in.Op != ir.OpLoad:
		entry.kind = packRed
	default:
		entry.cache = u.sm.cacheable(&in.Mem)
	}
	entry.bytes = uint8(in.Mem.Bytes())
	entry.many = int(entry.n)*4 > manyLines*max(int(entry.bytes), 4) && !entry.bulk
	// Local memory has no order with other threads: its accesses have taken effect already.
	if global != 0 {
		u.capture(op, wp.w, in)
	}
	wp.under++
	u.count(entry)
	// A queue that is not empty has an event already, or waits for an MSHR.
	if u.n == 1 {
		next := u.call(max(u.sm.now+uint64(u.sm.cfg.LSU.Issue), u.free.Cycle()))
		if u.sm.alone {
			u.sm.notes.calls = append(u.sm.notes.calls, call{sm: u.sm.id, in: u.sm.now, at: next})
		}
	}
}

// step processes the head of the queue.
func (u *lsu) step() {
	s, entry := u.sm, &u.queue[u.head]
	// Where shared memory and L1 are one array (shared.one_stage), lines wait for passes of shared memory, and these for lines.
	u.reads = timing.At(s.now)
	if s.shared.times.oneStage {
		u.reads = max(u.reads, s.shared.stage.Free())
	}
	for entry.next < entry.n {
		if !u.line(entry, &entry.lines[entry.next]) {
			// No event is scheduled: the answer that frees an MSHR calls. Instructions behind this one wait, too, as the queue is in
			// order.
			u.stalled = true
			if s.alone {
				s.notes.stepped(0)
			}
			return
		}
		entry.next++
	}
	// The part that the queue held.
	u.partDone(entry.op, 0)
	// Sub-cores sleep if there is no room for them: a queue has no time from which it takes more.
	hadRoom := len(u.queue)-u.n > 1
	if u.head++; u.head == len(u.queue) {
		u.head = 0
	}
	u.n--
	lineTime := u.lineTime
	if entry.bulk {
		lineTime = min(lineTime, timing.TicksPerCycle)
	}
	busy := timing.Tick(entry.n) * lineTime
	s.stats.Busy.LSU += uint64(busy)
	// The port to the crossbar stalls the unit if the port is far behind.
	u.free = max(timing.At(s.now)+busy, s.port.send-min(s.port.send, sendSlack*timing.TicksPerCycle))
	// A copy past L1 has nothing to look up there.
	if s.shared.times.oneStage && !(entry.async && !entry.cache) {
		s.shared.stage.Take(timing.At(s.now), int(entry.n), s.shared.times.way)
		u.free = max(u.free, s.shared.stage.Free())
	}
	next := uint64(0)
	if u.n > 0 {
		next = u.call(u.free.Cycle())
	}
	if s.alone {
		s.notes.stepped(next)
	}
	if !hadRoom {
		for i := range s.subs {
			s.subs[i].rouse()
		}
	}
}

// call schedules the next step for cycle t, but at the earliest for the next cycle, and returns that cycle.
func (u *lsu) call(t uint64) uint64 {
	t = max(t, u.sm.now+1)
	u.sm.wheel.At(t, evLSU|event(u.sm.id))
	return t
}

// asks reports whether the next step depends on how much work other SMs have sent to the atomic units; see
// atomicUnit.room.
func (u *lsu) asks() bool {
	entry := &u.queue[u.head]
	if u.sm.cfg.Atomic.Queue == 0 || entry.kind != packAtomic && entry.kind != packRed {
		return false
	}
	op := &u.ops.items[entry.op]
	// Without rows of operands nothing more is sent for further lanes; see operandFlits.
	if op.numRows == 0 {
		return false
	}
	instruction := &u.warpOf(op).job.code[op.pc]
	for i := range entry.lines[entry.next:entry.n] {
		part := &entry.lines[int(entry.next)+i]
		if part.lanes&(part.lanes-1) == 0 {
			continue // one lane
		}
		// Only what is sent again for further lanes waits for room in the unit's queue.
		work := atomicSteps(acts(instruction, part.lanes), &op.off)
		if int(uint8(work.times())) > bits.OnesCount8(part.sectors) {
			return true
		}
	}
	return false
}

// sendSlack is how many cycles' worth of packets can wait at an SM's port to the crossbar.
const sendSlack = 64

// line performs the part of an instruction that accesses one line. It returns false if no MSHR is free; part then holds
// the remaining work.
func (u *lsu) line(entry *lsuEntry, part *lineRequest) bool {
	switch {
	case entry.kind == packLoad && (entry.cache || part.local):
		return u.cachedLoad(entry, part)
	case entry.kind == packLoad:
		// A load that passes L1 by takes an MSHR as well.
		if u.sm.l1.held >= u.sm.l1.mshrs {
			return false
		}
		// The value must be newer than what L1 has, and loads of it that follow must not be older.
		u.sm.l1.drop(part.addr, part.sectors)
		u.request(entry, part, part.sectors, part.lanes, false)
		return true
	}
	// L1 is written through: a store updates a line that is there, an atomic, which L2 performs, makes it invalid.
	if !part.local {
		if entry.kind == packStore {
			u.writeL1(entry, part)
		} else {
			u.sm.l1.drop(part.addr, part.sectors)
		}
	}
	// Stores and atomics take no MSHR: their answers bring nothing that L1 keeps.
	u.ops.items[entry.op].left++
	index := u.packet()
	pk := &u.packets.items[index]
	pk.line, pk.sm, pk.op, pk.lanes, pk.waiters = part.addr, u.sm.id, entry.op, part.lanes, -1
	pk.sectors, pk.kind, pk.local = part.sectors, entry.kind, part.local
	if entry.kind == packStore {
		sectors := bits.OnesCount8(pk.sectors)
		head := u.sm.cfg.Xbar.SendHead
		if bits.OnesCount32(part.lanes)*int(entry.bytes) < sectors*sectorBytes { // it says which bytes
			head = 1
		}
		u.send(index, head+sectors, 0, nil)
		return true
	}
	op := &u.ops.items[entry.op]
	work := atomicSteps(acts(&u.warpOf(op).job.code[op.pc], pk.lanes), &op.off)
	first, further := operandFlits(pk, int(op.numRows), work)
	u.send(index, 1+first, further, &work)
	return true
}

// operandFlits returns how many flits of 32 bytes bring the operands of an atomic to the L2: first its sectors, and then
// these again for each further lane on their most contended word, as they count. So do the answers, whose number is
// noted in the packet.
func operandFlits(pk *packet, operands int, work atomicWork) (first, further int) {
	sectors := bits.OnesCount8(pk.sectors)
	pk.flits = uint8(work.times())
	return operands * sectors, operands * (int(pk.flits) - sectors)
}

// cachedLoad serves sectors from L1 if it holds them, joins requests in flight, and requests the rest from the L2.
func (u *lsu) cachedLoad(entry *lsuEntry, part *lineRequest) bool {
	cache := &u.sm.l1
	if line := cache.Find(part.addr); line >= 0 {
		if hit := *cache.Valid(line) & part.sectors; hit != 0 {
			op := &u.ops.items[entry.op]
			lanes := sectorLanes(part.lanes, &op.off, hit)
			if h := u.sm.hooks; h != nil {
				h.hit(u, entry.op, lanes, part, hit)
			}
			if !part.local {
				u.writeBack(op, lanes, cache.Data[line][:])
				u.sm.stats.L1GlobalHits += uint64(bits.OnesCount8(hit))
			}
			// A hit needs no event: its values are in the registers now, and the instruction ends with the last of its parts.
			op.doneAt = max(op.doneAt, u.reads.Cycle()+u.hitTime)
			u.sm.stats.L1Hits += uint64(bits.OnesCount8(hit))
			part.sectors &^= hit
			part.lanes &^= lanes
		}
	}
	// A load in flight serves others of its sectors, unless a store or an invalidation has come between.
	for index := cache.pending[pendingHead(part.addr)]; index >= 0 && part.sectors != 0; {
		pk := &u.packets.items[index]
		if pk.line == part.addr && pk.fill && pk.epoch == cache.Epoch && pk.sectors&part.sectors != 0 {
			joined := pk.sectors & part.sectors
			lanes := sectorLanes(part.lanes, &u.ops.items[entry.op].off, joined)
			u.join(entry.op, index, lanes)
			if h := u.sm.hooks; h != nil {
				h.hit(u, entry.op, lanes, part, joined)
			}
			u.sm.stats.L1Joined += uint64(bits.OnesCount8(joined))
			if !part.local {
				u.sm.stats.L1GlobalJoined += uint64(bits.OnesCount8(joined))
			}
			part.sectors &^= joined
			part.lanes &^= lanes
		}
		index = pk.next
	}
	// Lanes that hit or joined are done; what is left needs an MSHR.
	if part.sectors == 0 {
		return true
	}
	if cache.held >= cache.mshrs {
		return false
	}
	u.request(entry, part, part.sectors, part.lanes, true)
	return true
}

// join makes lanes of a load wait for a packet.
func (u *lsu) join(op, packet int32, lanes uint32) {
	index := u.waiters.get()
	pk := &u.packets.items[packet]
	u.waiters.items[index] = waiter{op: op, lanes: lanes, next: pk.waiters}
	pk.waiters = index
	u.ops.items[op].left++
}

// manyLines: a load-store unit takes the lanes of an instruction in groups that access 128 bytes at most, such as eight lanes with 16 bytes each. One SM of an H200
// gets a line in 1.05 cycles where a group accesses one or two lines, and in 1.4 to 1.75 where it accesses more (results/hw/ports).
const manyLines = 2

// request sends a load packet for sectors of a line.
func (u *lsu) request(entry *lsuEntry, part *lineRequest, sectors uint8, lanes uint32, fill bool) {
	index := u.packet()
	pk := &u.packets.items[index]
	pk.line, pk.sm, pk.op, pk.lanes, pk.waiters = part.addr, u.sm.id, entry.op, 0, -1
	// The epoch is that of the request: an invalidation that comes before the answer makes it too old for L1.
	pk.sectors, pk.kind, pk.local, pk.fill, pk.many, pk.epoch = sectors, packLoad, part.local, fill, entry.many, u.sm.l1.Epoch
	u.sm.l1.link(index, pk)
	u.join(entry.op, index, lanes)
	u.send(index, 1, 0, nil)
}

// writeL1 updates the line of a store if L1 holds it (a store allocates no line), and keeps older loads in flight from
// filling it.
func (u *lsu) writeL1(entry *lsuEntry, part *lineRequest) {
	if line := u.sm.l1.Find(part.addr); line >= 0 && *u.sm.l1.Valid(line)&part.sectors != 0 {
		if u.storeLanes(&u.ops.items[entry.op], part.lanes, u.sm.l1.Data[line][:], 0, 0) {
			u.sm.progress() // for warps that hit the line
		}
	}
	u.sm.l1.cancelFills(part.addr, part.sectors)
}

// send puts a packet on the port to the crossbar. The flits that come first bring what the slice begins with; work is
// that of an atomic, else nil.
func (u *lsu) send(index int32, first, further int, work *atomicWork) {
	s := u.sm
	begun, took := s.port.out(timing.At(s.now), first, further)
	s.stats.Packets++
	s.stats.Busy.Send += uint64(took)
	s.net.request(s, index, begun, further > 0, work)
}

// accepted records that a packet has reached the L2, which has said when the answer comes.
func (u *lsu) accepted(index int32) {
	pk, at := &u.packets.items[index], u.answers[index].at
	if pk.kind == packLoad || pk.kind == packAtomic {
		u.sm.at(at, evReply|u.name(index))
		return
	}
	// The acknowledgement needs no event: nothing happens at the SM but that the access is done then.
	op := pk.op
	u.packets.put(index)
	u.partDone(op, at)
}

// answer takes the answer to a packet from the crossbar.
func (u *lsu) answer(index int32) {
	s, pk := u.sm, &u.packets.items[index]
	if pk.kind != packLoad {
		answers, flits := 1, int(pk.flits)
		if pk.kind != packAtomic {
			flits = 1 // another GPU acknowledges a store
		} else {
			sectors := bits.OnesCount8(pk.sectors)
			answers = (flits + sectors - 1) / sectors // further lanes on a word are answered one after another
		}
		op := pk.op
		u.packets.put(index)
		u.partDone(op, u.receive(answers, flits))
		return
	}
	answer := u.answers[index] // a copy: the packet is put back before the end
	passed := u.receiveLoad(pk)
	cache, data := &s.l1, &u.loaded[index]
	// Not if a store or an invalidation came after the request: what it brings is older than that.
	if pk.fill && pk.epoch == cache.Epoch {
		line := cache.allocate(pk, data)
		copyLine(&cache.Data[line], data, pk.sectors)
		*cache.Valid(line) |= pk.sectors
	}
	cache.unlink(index)
	for next := pk.waiters; next >= 0; {
		waiting := u.waiters.items[next]
		op := &u.ops.items[waiting.op]
		if !pk.local {
			u.writeBack(op, waiting.lanes, data[:])
		}
		u.waiters.put(next)
		u.partDone(waiting.op, passed)
		next = waiting.next
	}
	u.packets.put(index)
	if u.stalled { // there is an MSHR again
		u.stalled = false
		next := u.call(s.now + 1)
		if s.alone {
			s.notes.calls = append(s.notes.calls, call{s.id, s.now, next, answer.order, answer.came})
		}
	}
}

// receiveLoad is receive for the answer to a load.
func (u *lsu) receiveLoad(pk *packet) uint64 {
	passed, took := u.sm.port.load(timing.At(u.sm.now), bits.OnesCount8(pk.sectors), pk.many, pk.fill)
	u.sm.stats.Busy.Recv += uint64(took)
	return passed.Cycle()
}

// receive takes the port from the crossbar for answers, and returns the cycle at which all data has passed.
func (u *lsu) receive(answers, flits int) uint64 {
	s := u.sm
	passed, took := s.port.in(timing.At(s.now), answers, flits)
	s.stats.Busy.Recv += uint64(took)
	return passed.Cycle()
}

// abandon forgets what is queued.
func (u *lsu) abandon() { u.head, u.n, u.stalled, u.waiting = 0, 0, false, 0 }

// encode adds what is queued.
func (u *lsu) encode(e *encoder) {
	state := e.r
	e.tick(u.free)
	state.Bool(u.stalled)
	state.Word(uint64(u.waiting)<<8 | uint64(u.turn))
	state.Int(u.n)
	for place := range u.n {
		entry := &u.queue[(u.head+place)%len(u.queue)]
		u.encodeOp(e, entry.op)
		state.Word(uint64(entry.kind)<<16 | uint64(entry.n)<<8 | uint64(entry.next))
		state.Bool(entry.cache)
		for i := range entry.lines[entry.next:entry.n] {
			part := &entry.lines[int(entry.next)+i]
			state.Word(part.addr)
			state.Word(uint64(part.lanes)<<8 | uint64(part.sectors))
			state.Bool(part.local)
		}
	}
}
