package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// send puts a packet on the SM's port to the crossbar. Packets from one SM to one half of the L2 stay in order (with
// jitter.message, those to one slice), and so do a thread's accesses to one address.
// The slice begins with the flits that come first, while the further ones are on their way. work is that of an atomic.
func (m *machine) send(s *sm, p int32, first, further int, work *atomicWork) {
	after := timing.Tick(further) * m.run.sendTime
	took := timing.Tick(first) * m.run.sendTime
	begun := max(s.send, timing.At(m.now)) + took
	s.send = begun + after
	m.stats.Packets++
	m.stats.Busy.Send += uint64(took + after)
	pk := &m.packets.items[p]
	phys, gpu := m.physical(pk)
	pk.phys = phys
	if gpu != m.gpu {
		m.sendAway(s, p, gpu)
		return
	}
	pk.home = m.l2.homeOf(phys)
	slice := pk.home.slice
	way := uint64(m.cfg.Xbar.Request)
	pk.far = m.l2.isFar(s.id, slice)
	if pk.far {
		way += m.l2.far
	}
	if work != nil && m.cfg.Atomic.Queue > 0 {
		room := m.l2.slices[slice].atomic.room(timing.At(m.now), work)
		if further > 0 { // the packet keeps the port until what is left of it fits into the queue of the slice's unit
			s.send = max(s.send, room)
		}
	}
	t := begun.Cycle() + way
	if h := m.hooks; h != nil {
		t = h.arrival(s.id, slice, t)
	}
	m.at(t, evArrive|event(p))
}

// arrive makes a packet take effect at its L2 slice, in order of arrival: loads read memory, stores and atomics change
// it. All later timing of the packet is reserved at once.
func (m *machine) arrive(p int32) {
	pk := &m.packets.items[p]
	phys := pk.phys
	data, off := m.bytes(pk)
	l := m.l2
	h := pk.home
	s := h.slice
	n := bits.OnesCount8(pk.sectors)
	back := l.latency + l.distance(pk.sm, s) + uint64(m.cfg.Xbar.Reply)
	switch pk.kind {
	case packLoad:
		if h := m.hooks; h != nil {
			h.read(pk)
		}
		copySectors(pk, &m.loaded[p], data, off)
		var r *read
		later := uint64(0) // how much later a load of the far half arrives here than in the near half
		if pk.far {
			later = l.far
		}
		if m.merger != nil {
			r = m.merger.of(pk.sm, phys)
			if ready, ok := m.merger.join(r, pk, m.now); ok {
				counted := l.stats
				m.load(pk)
				l.stats = counted
				m.at(max(ready-later+back, m.now+1), evReply|event(p))
				return
			}
		}
		l.stats.FromSM[packLoad] += uint64(n)
		known := m.load(pk)
		if r != nil {
			m.merger.begin(r, pk, known+later)
		}
		m.at(known+back, evReply|event(p))
	case packStore:
		t := m.reserve(pk, s, n)
		l.stats.FromSM[packStore] += uint64(n)
		l.stats.Write += uint64(n)
		if pk.far {
			l.stats.Write += uint64(n)
			l.reserve(l.mirror(h).slice, n, m.now) // it passes through this slice
			back += l.far
		}
		m.store(m, pk, h, t)
		op := pk.op
		if h := m.hooks; h != nil && !pk.local {
			h.taken(op, pk.lanes, pk.line)
		}
		if !pk.local && m.storeLanes(&m.ops.items[op], pk.lanes, data, off, pk.line) {
			m.progress()
		}
		m.packets.put(p)
		m.partDone(op, t+back)
	default:
		t := m.reserve(pk, s, n)
		m.atomic(p, pk, data, off, t)
	}
}

// load performs a load at its home, or at the copy in the near half, and returns the cycle from which the data is known
// in the near half.
func (m *machine) load(pk *packet) uint64 {
	l, h, phys := m.l2, pk.home, pk.phys
	n := bits.OnesCount8(pk.sectors)
	l.stats.Read += uint64(n)
	if pk.far {
		if from, ok := l.copied(l.mirror(h), phys, pk.sectors); ok {
			// The packet has already travelled to the home slice; see l2.far.
			return max(m.reserve(pk, l.mirror(h).slice, n)-l.far, from)
		}
	}
	t := m.reserve(pk, h.slice, n)
	turn, kept := l.slices[h.slice].atomic.load(phys/lineBytes, t)
	ready := max(turn, l.read(h, phys, pk.sectors, false, t))
	if pk.far {
		l.stats.Read += uint64(n)
		ready += l.far
		if !kept {
			l.keepCopy(l.mirror(h), phys, pk.sectors, t, ready)
		}
	}
	return ready
}

// reserve reserves the port of slice s for the n sectors of a packet, and returns the cycle of the lookup.
func (m *machine) reserve(pk *packet, s uint64, n int) uint64 {
	if h := m.hooks; h != nil {
		h.arrived(pk, m.l2.slices[s].port)
	}
	return m.l2.reserve(s, n, m.now)
}

// store makes the L2 keep what a store of a machine, which is another one if its GPU is, writes at cycle t.
func (m *machine) store(from *machine, pk *packet, h home, t uint64) {
	l := m.l2
	ln := l.write(h, pk.phys, pk.sectors, t)
	if ln != nil || l.merge > 0 {
		var bytes [sectorsPerLine]uint32
		op := &from.ops.items[pk.op]
		width := from.warps[op.warp].job.code[op.pc].in.Mem.Bytes()
		for lanes := pk.lanes; lanes != 0; lanes &= lanes - 1 {
			o := op.off[bits.TrailingZeros32(lanes)&31]
			bytes[o/sectorBytes%sectorsPerLine] |= uint32((1<<width - 1) << (o % sectorBytes))
		}
		if ln != nil {
			l.lines.Write(ln, pk.sectors, &bytes)
		}
		l.mergeIn(h.slice, &bytes)
	}
	if l.half != 0 {
		l.written(l.mirror(h), pk.phys, pk.sectors)
	}
}

// atomic performs an atomic at its home.
func (m *machine) atomic(p int32, pk *packet, data []byte, off int, t uint64) {
	l := m.l2
	back := l.latency + l.distance(pk.sm, pk.home.slice) + uint64(m.cfg.Xbar.Reply)
	if pk.far {
		back += l.far + l.farAtomic
	}
	done := m.perform(m, pk, pk.home, data, off, t) + back
	if pk.kind == packAtomic {
		m.at(done, evReply|event(p))
		return
	}
	i := pk.op
	m.packets.put(p)
	m.partDone(i, done)
}

// perform makes the unit of a slice perform an atomic of a machine, which is another one if its GPU is. It returns the
// cycle at which the result leaves the slice.
func (m *machine) perform(from *machine, pk *packet, to home, data []byte, off int, t uint64) uint64 {
	l, result := m.l2, pk.kind == packAtomic
	ready := l.read(to, pk.phys, pk.sectors, true, t)
	if l.half != 0 {
		l.written(l.mirror(to), pk.phys, pk.sectors)
	}
	op := &from.ops.items[pk.op]
	wp := &from.warps[op.warp]
	w, d := wp.w, &wp.job.code[op.pc]
	h := from.hooks
	if h != nil {
		h.taken(pk.op, pk.lanes, pk.line)
	}
	if from.readModifyWrite(op, w, d.in, pk.lanes, data, off, pk.line) {
		from.progress()
		if from != m {
			m.progress()
		}
	}
	lanes := acts(d, pk.lanes)
	work := atomicSteps(lanes, &op.off)
	n := work.times()
	from.l2.stats.FromSM[pk.kind] += n
	if pk.far {
		n *= 2 // it passes through the near half
	}
	if result {
		l.stats.Atom += n
	} else {
		l.stats.Red += n
	}
	u := &l.slices[to.slice].atomic
	before := u.busy
	done := max(u.serve(pk.phys/lineBytes, work, bits.OnesCount32(lanes), result, from != m, t), ready+u.latency)
	if h != nil {
		took := u.busy - before
		h.atomic(pk, lanes, u.free-took, took/timing.Tick(work.times()))
	}
	return done
}

// acts returns the lanes that the atomic unit serves: one lane if it does the work of the whole warp.
func acts(d *decoded, lanes uint32) uint32 {
	if d.one {
		return lanes & -lanes
	}
	return lanes
}

// readModifyWrite applies the lanes of an atomic in lane order, and reports whether a value changed.
func (m *machine) readModifyWrite(op *memOp, w *simt.Warp, in *ir.Inst, lanes uint32, data []byte, base int, line uint64) (changed bool) {
	k := in.Mem.Kind
	value := &m.rows.items[op.rows[0]]
	compare := value
	if in.Op == ir.OpAtomCAS { // the operands are the comparand, then the new value
		compare, value = value, &m.rows.items[op.rows[1]]
	}
	history := m.hooks.record()
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & 31
		at := base + int(op.off[lane])
		old := simt.Load(data, at, k)
		now := simt.AtomicApply(in.Op, k, old, value[lane], compare[lane])
		if history != nil {
			history.Wrote(w, op.pc, lane, line+uint64(op.off[lane]), old, now)
		}
		if now != old {
			if l := m.run.livelock; l != nil {
				l.store(line, data, base, at, k, now)
			} else {
				simt.Store(data, at, k, now)
			}
			changed = true
		}
		w.AtomicResult(in, lane, old)
	}
	return changed
}

// physical returns the physical address of a packet's line, and the number of the GPU that has it.
func (m *machine) physical(pk *packet) (phys uint64, gpu int) {
	if pk.local {
		return localPhys + pk.line&^ir.LocalWindow, m.gpu
	}
	a, off := m.run.grid.Mem.Lookup(pk.line)
	return a.Phys + uint64(off), a.GPU
}

// bytes returns the data of a packet's allocation and the offset of its line in it.
func (m *machine) bytes(pk *packet) (data []byte, off int) {
	if pk.local {
		return nil, 0
	}
	a, off := m.run.grid.Mem.Lookup(pk.line)
	return a.Data, off
}

// localPhys is above every physical address that a buffer can have.
const localPhys = 1 << 46

// copySectors copies the sectors that a load requests from memory.
func copySectors(pk *packet, to *[lineBytes]byte, data []byte, off int) {
	if pk.local {
		return
	}
	if pk.sectors == 1<<sectorsPerLine-1 {
		copy(to[:], data[off:])
		return
	}
	for s := range sectorsPerLine {
		if lo := off + s*sectorBytes; pk.sectors>>s&1 != 0 && lo < len(data) {
			copy(to[s*sectorBytes:(s+1)*sectorBytes], data[lo:])
		}
	}
}

// reply delivers the answer to a packet at its SM.
func (m *machine) reply(p int32) {
	pk := &m.packets.items[p]
	s := &m.sms[pk.sm]
	if pk.kind != packLoad {
		answers, flits := 1, int(pk.flits)
		if pk.kind != packAtomic {
			flits = 1 // another GPU acknowledges a store
		} else {
			n := bits.OnesCount8(pk.sectors)
			answers = (flits + n - 1) / n // further lanes on a word are answered one after another
		}
		op := pk.op
		m.packets.put(p)
		m.partDone(op, m.receive(s, answers, flits))
		return
	}
	t := m.receive(s, 1, bits.OnesCount8(pk.sectors))
	c, data := &s.l1, &m.loaded[p]
	if pk.fill && pk.epoch == c.Epoch {
		i := m.allocateL1(s, pk, data)
		for sec := range sectorsPerLine {
			if pk.sectors>>sec&1 != 0 {
				copy(c.Data[i][sec*sectorBytes:(sec+1)*sectorBytes], data[sec*sectorBytes:])
			}
		}
		*c.Valid(i) |= pk.sectors
	}
	c.unlink(p, &m.packets)
	for i := pk.waiters; i >= 0; {
		wt := m.waiters.items[i]
		op := &m.ops.items[wt.op]
		if !pk.local {
			m.writeBack(op, wt.lanes, data[:])
		}
		m.waiters.put(i)
		m.partDone(wt.op, t)
		i = wt.next
	}
	m.packets.put(p)
	if s.lsu.stalled {
		s.lsu.stalled = false
		m.at(m.now+1, evLSU|event(s.id))
	}
}

// receive reserves the SM's port from the crossbar for the flits of a number of answers, of which the last arrives now
// and the others before it, and returns the cycle at which all data has passed.
func (m *machine) receive(s *sm, answers, flits int) uint64 {
	took := timing.Tick(answers)*m.run.headTime + timing.Tick(flits)*m.run.recvTime
	s.recv = max(s.recv+took, timing.At(m.now)+took/timing.Tick(answers))
	m.stats.Busy.Recv += uint64(took)
	return s.recv.Cycle()
}
