package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// lsu is the load-store unit of an SM: a queue of coalesced instructions. It processes the head line by line.
type lsu struct {
	queue []lsuEntry // ring
	head  int
	n     int
	free  timing.Tick // when it can take the next instruction
	// reads is when the data stage delivers the lines of the head.
	reads timing.Tick
	// stalled: the head waits for an MSHR; processing resumes when one is released.
	stalled bool
}

// lsuEntry is a memory instruction split by line. If the lanes' pointers are generic, some of its lines may be in
// local memory and some in global memory.
type lsuEntry struct {
	op    int32
	kind  packetKind
	cache bool  // a load that may hit L1, including loads of global memory
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

func (l *lsu) full() bool { return l.n == len(l.queue) }

// push adds an entry at the end of the queue and returns it.
func (l *lsu) push() *lsuEntry {
	i := l.head + l.n
	if i >= len(l.queue) {
		i -= len(l.queue)
	}
	l.n++
	e := &l.queue[i]
	e.n, e.next = 0, 0
	return e
}

// split groups the lanes of mask by the line that they access and records their offsets in it. An access never spans
// sectors, because it is aligned and at most 16 bytes wide.
func (e *lsuEntry) split(mask uint32, addrs *simt.Row, off *[simt.Lanes]uint8) {
	last := -1
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		a := addrs[lane]
		line, o := a&^(lineBytes-1), uint8(a&(lineBytes-1))
		off[lane] = o
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
		r := &e.lines[last]
		r.lanes |= 1 << lane
		r.sectors |= 1 << (o / sectorBytes)
	}
}

// enqueue adds an access to global or local memory to the queue of the SM's load-store unit, which must not be full.
// The instruction is one operation, whose result is available when all its parts are done: those in global memory, in
// local memory and in shared memory (done at cycle from). global are the lanes for which values of registers are
// captured.
func (m *machine) enqueue(s *sm, wp *warp, d *decoded, mask, global uint32, from uint64) {
	in := d.in
	e := s.lsu.push()
	e.op = m.ops.get()
	op := &m.ops.items[e.op]
	op.warp, op.pc, op.left, op.doneAt, op.numRows = wp.id, wp.w.PC, 1, from, 0
	op.epoch, op.search = s.order.begin(), m.run.search.epoch
	e.split(mask, &m.addrs, &op.off)
	e.kind, e.cache = packLoad, false
	switch {
	case in.Op == ir.OpStore:
		e.kind = packStore
	case in.Op != ir.OpLoad && in.NDst > 0:
		e.kind = packAtomic
	case in.Op != ir.OpLoad:
		e.kind = packRed
	default:
		e.cache = m.cacheable(&in.Mem)
	}
	if global != 0 {
		m.capture(op, wp.w, in)
	}
	if e.kind == packRed {
		wp.redLine = e.lines[0].addr
	}
	wp.under++
	m.countRequest(e)
	if s.lsu.n == 1 {
		m.at(max(m.now+uint64(m.cfg.LSU.Issue), s.lsu.free.Cycle()), evLSU|event(s.id))
	}
}

// cacheable reports whether L1 may serve a load; it may not if the load must see stores by other SMs.
func (m *machine) cacheable(mem *ir.Mem) bool {
	if mem.Order != ir.Weak && mem.Scope != ir.ScopeBlock {
		return false
	}
	return m.cfg.L1.GlobalOn || mem.Cache == ir.CacheAll || mem.Cache == ir.CacheNonCoherent
}

// capture saves the values that a store or atomic takes from registers, because later instructions may overwrite the
// registers.
func (m *machine) capture(op *memOp, w *simt.Warp, in *ir.Inst) {
	n := 0
	switch {
	case in.Op == ir.OpStore:
		n = int(in.Mem.Vec)
	case in.Op == ir.OpAtomCAS:
		n = 2
	case in.Op != ir.OpLoad:
		n = 1
	}
	for v := range n {
		i := m.rows.get()
		m.rows.items[i] = *w.Row(in.Src[1+v])
		op.rows[v] = i
	}
	op.numRows = uint8(n)
}

// lsuStep makes a load-store unit process the head of its queue.
func (m *machine) lsuStep(s *sm) {
	l := &s.lsu
	e := &l.queue[l.head]
	l.reads = timing.At(m.now)
	if m.run.shared.oneStage {
		l.reads = max(l.reads, s.stage.Free())
	}
	for e.next < e.n {
		if !m.line(s, e, &e.lines[e.next]) {
			l.stalled = true
			return
		}
		e.next++
	}
	m.partDone(e.op, 0)
	wasFull := l.full()
	if l.head++; l.head == len(l.queue) {
		l.head = 0
	}
	l.n--
	busy := timing.Tick(e.n) * m.run.lineTime
	m.stats.Busy.LSU += uint64(busy)
	// The port to the crossbar stalls the unit if the port is far behind.
	l.free = max(timing.At(m.now)+busy, s.send-min(s.send, sendSlack*timing.TicksPerCycle))
	if m.run.shared.oneStage {
		s.stage.Take(timing.At(m.now), int(e.n), m.run.shared.way)
		l.free = max(l.free, s.stage.Free())
	}
	if l.n > 0 {
		m.at(l.free.Cycle(), evLSU|event(s.id))
	}
	if wasFull {
		for i := range s.subs {
			m.rouse(&s.subs[i])
		}
	}
}

// sendSlack is how many cycles' worth of packets can wait at an SM's port to the crossbar.
const sendSlack = 64

// line performs the part of an instruction that accesses one line. It returns false if no MSHR is free; r then holds
// the remaining work.
func (m *machine) line(s *sm, e *lsuEntry, r *lineRequest) bool {
	switch {
	case e.kind == packLoad && (e.cache || r.local):
		return m.cachedLoad(s, e, r)
	case e.kind == packLoad:
		if s.l1.held >= s.l1.mshrs {
			return false
		}
		m.dropL1(s, r.addr, r.sectors)
		m.request(s, e, r, r.sectors, r.lanes, false)
		return true
	}
	if !r.local {
		if e.kind == packStore {
			m.writeL1(s, e, r)
		} else {
			m.dropL1(s, r.addr, r.sectors)
		}
	}
	m.ops.items[e.op].left++
	p := m.packets.get()
	pk := &m.packets.items[p]
	pk.line, pk.sm, pk.op, pk.lanes, pk.waiters = r.addr, s.id, e.op, r.lanes, -1
	pk.sectors, pk.kind, pk.local = r.sectors, e.kind, r.local
	if e.kind == packStore {
		m.send(s, p, 1+bits.OnesCount8(pk.sectors), 0, nil)
		return true
	}
	op := &m.ops.items[e.op]
	work := atomicSteps(acts(&m.warps[op.warp].job.code[op.pc], pk.lanes), &op.off)
	first, further := operandFlits(pk, int(op.numRows), work)
	m.send(s, p, 1+first, further, &work)
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
func (m *machine) cachedLoad(s *sm, e *lsuEntry, r *lineRequest) bool {
	c := &s.l1
	if i := c.Find(r.addr); i >= 0 {
		if hit := *c.Valid(i) & r.sectors; hit != 0 {
			op := &m.ops.items[e.op]
			lanes := sectorLanes(r.lanes, &op.off, hit)
			if h := m.hooks; h != nil {
				h.hit(e.op, lanes, r, hit)
			}
			if !r.local {
				m.writeBack(op, lanes, c.Data[i][:])
				m.stats.L1GlobalHits += uint64(bits.OnesCount8(hit))
			}
			op.doneAt = max(op.doneAt, s.lsu.reads.Cycle()+m.run.hitTime)
			m.stats.L1Hits += uint64(bits.OnesCount8(hit))
			r.sectors &^= hit
			r.lanes &^= lanes
		}
	}
	for p := c.pending[pendingHead(r.addr)]; p >= 0 && r.sectors != 0; {
		pk := &m.packets.items[p]
		if pk.line == r.addr && pk.fill && pk.epoch == c.Epoch && pk.sectors&r.sectors != 0 {
			joined := pk.sectors & r.sectors
			lanes := sectorLanes(r.lanes, &m.ops.items[e.op].off, joined)
			m.join(e.op, p, lanes)
			if h := m.hooks; h != nil {
				h.hit(e.op, lanes, r, joined)
			}
			m.stats.L1Joined += uint64(bits.OnesCount8(joined))
			if !r.local {
				m.stats.L1GlobalJoined += uint64(bits.OnesCount8(joined))
			}
			r.sectors &^= joined
			r.lanes &^= lanes
		}
		p = pk.next
	}
	if r.sectors == 0 {
		return true
	}
	if c.held >= c.mshrs {
		return false
	}
	m.request(s, e, r, r.sectors, r.lanes, true)
	return true
}

// join makes lanes of a load wait for packet p.
func (m *machine) join(op, p int32, lanes uint32) {
	i := m.waiters.get()
	pk := &m.packets.items[p]
	m.waiters.items[i] = waiter{op: op, lanes: lanes, next: pk.waiters}
	pk.waiters = i
	m.ops.items[op].left++
}

// request sends a load packet for sectors of a line.
func (m *machine) request(s *sm, e *lsuEntry, r *lineRequest, sectors uint8, lanes uint32, fill bool) {
	p := m.packets.get()
	pk := &m.packets.items[p]
	pk.line, pk.sm, pk.op, pk.lanes, pk.waiters = r.addr, s.id, e.op, 0, -1
	pk.sectors, pk.kind, pk.local, pk.fill, pk.epoch = sectors, packLoad, r.local, fill, s.l1.Epoch
	if int(p) >= len(m.loaded) {
		m.loaded = append(m.loaded, make([][lineBytes]byte, int(p)+1-len(m.loaded))...)
	}
	s.l1.link(p, pk)
	m.join(e.op, p, lanes)
	m.send(s, p, 1, 0, nil)
}

// writeL1 updates the line of a store if L1 holds it (a store allocates no line), and keeps older loads in flight from
// filling it.
func (m *machine) writeL1(s *sm, e *lsuEntry, r *lineRequest) {
	if i := s.l1.Find(r.addr); i >= 0 && *s.l1.Valid(i)&r.sectors != 0 {
		if m.storeLanes(&m.ops.items[e.op], r.lanes, s.l1.Data[i][:], 0, 0) {
			m.progress() // for warps that hit the line
		}
	}
	s.l1.cancelFills(r.addr, r.sectors, &m.packets)
}

// writeBack writes the registers of lanes of a load from the bytes of its line.
func (m *machine) writeBack(op *memOp, lanes uint32, line []byte) {
	wp := &m.warps[op.warp]
	w, in := wp.w, wp.job.code[op.pc].in
	w.WriteBackLanes(in, lanes, line, &op.off)
}

// storeLanes writes the stored values of lanes into data, in which the line at an address begins at base, and reports
// whether a value changed. The address is 0 if data is a copy of memory.
func (m *machine) storeLanes(op *memOp, lanes uint32, data []byte, base int, line uint64) (changed bool) {
	track, history := m.run.livelock, m.hooks.record()
	k := m.warps[op.warp].job.code[op.pc].in.Mem.Kind
	size := k.Bytes()
	for v, row := range op.rows[:op.numRows] {
		values := &m.rows.items[row]
		for l := lanes; l != 0; l &= l - 1 {
			lane := bits.TrailingZeros32(l)
			at := base + int(op.off[lane]) + v*size
			if history != nil && line != 0 {
				history.Wrote(m.warps[op.warp].w, op.pc, lane, line+uint64(at-base), simt.Load(data, at, k), values[lane])
			}
			if track != nil && line != 0 {
				changed = track.store(line, data, base, at, k, values[lane]) || changed
				continue
			}
			old := simt.Load(data, at, k)
			simt.Store(data, at, k, values[lane])
			changed = changed || simt.Load(data, at, k) != old
		}
	}
	return changed
}

// partDone records that a part of a memory instruction is done, with its effects usable from cycle t; the instruction
// is done with its last part.
func (m *machine) partDone(i int32, t uint64) {
	op := &m.ops.items[i]
	op.doneAt = max(op.doneAt, t)
	if op.left--; op.left > 0 {
		return
	}
	wp := &m.warps[op.warp]
	d := &wp.job.code[op.pc]
	for _, r := range op.rows[:op.numRows] {
		m.rows.put(r)
	}
	done := op.doneAt + uint64(d.latency)
	epoch := op.epoch
	older := op.search != m.run.search.epoch
	m.ops.put(i)
	if older {
		m.run.search.accessEnded()
	}
	m.finishOp(wp, epoch, done)
	if d.numDst > 0 {
		wp.board.set(d, done, counter.StallLong)
		if wp.state == warpMemory {
			m.release(wp, m.now)
		}
	}
}
