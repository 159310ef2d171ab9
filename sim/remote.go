package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/internal/timing"
)

// Accesses to the memory of another GPU. The packet goes through the crossbar to the links, and then to the other
// GPU, whose L2 performs it: values live there. Nothing is kept in the L2 of the GPU that asks; its L1 keeps lines of
// other GPUs as its own. A store or an atomic without result is acknowledged, so that fences wait for it.

// sendAway sends a packet that has left its SM to another GPU.
func (m *machine) sendAway(s *sm, p int32, gpu int) {
	pk := &m.packets.items[p]
	pk.far = false
	m.away++
	m.share()
	if pk.kind >= packAtomic && !m.group.Peer(m.gpu, gpu).Atomics {
		a, _ := m.run.grid.Mem.Lookup(pk.line)
		m.fail(noAtomics(m.run.unfinished().grid.Kernel.Name, a, m.gpu))
		return
	}
	at := float64(s.send)/timing.TicksPerCycle + float64(m.cfg.Xbar.Request)
	m.group.request(m, gpu, p, m.operands(pk), at)
}

// share notes that the state of the machine alone no longer says what it does next.
func (m *machine) share() {
	if r := m.run; !r.shares {
		r.shares, r.livelock = true, nil
	}
}

// operands returns how many bytes of data a packet brings to the L2: whole sectors, or more if several lanes update a word.
func (m *machine) operands(pk *packet) int {
	switch pk.kind {
	case packLoad:
		return 0
	case packStore:
		return sectorBytes * bits.OnesCount8(pk.sectors)
	}
	op := &m.ops.items[pk.op]
	d := &m.warps[op.warp].job.code[op.pc]
	each := max(sectorBytes*bits.OnesCount8(pk.sectors), d.in.Mem.Kind.Bytes()*bits.OnesCount32(acts(d, pk.lanes)))
	return int(op.numRows) * each
}

// results returns how many bytes of data the answer to a packet brings to the SM.
func (m *machine) results(pk *packet) int {
	switch pk.kind {
	case packLoad:
		return sectorBytes * bits.OnesCount8(pk.sectors)
	case packAtomic:
		op := &m.ops.items[pk.op]
		d := &m.warps[op.warp].job.code[op.pc]
		return d.in.Mem.Kind.Bytes() * bits.OnesCount32(acts(d, pk.lanes))
	}
	return 0
}

// serve makes a packet of another GPU take effect here, and sends the answer; see machine.arrive.
func (m *machine) serve(gpu int, p int32) {
	from := m.group.gpus[gpu].m
	pk := &from.packets.items[p]
	a, off := from.run.grid.Mem.Lookup(pk.line)
	phys, l := pk.phys, m.l2
	h := l.homeOf(phys)
	n := bits.OnesCount8(pk.sectors)
	m.share()
	t := l.reserve(h.slice, n, m.now)
	var done uint64
	switch pk.kind {
	case packLoad:
		from.l2.stats.FromSM[packLoad] += uint64(n)
		l.stats.Read += uint64(n)
		if h := from.hooks; h != nil {
			h.read(pk)
		}
		copySectors(pk, &from.loaded[p], a.Data, off)
		turn, _ := l.slices[h.slice].atomic.load(phys/lineBytes, t)
		done = max(turn, l.read(h, phys, pk.sectors, false, t))
	case packStore:
		from.l2.stats.FromSM[packStore] += uint64(n)
		l.stats.Write += uint64(n)
		m.store(from, pk, h, t)
		if h := from.hooks; h != nil {
			h.taken(pk.op, pk.lanes, pk.line)
		}
		if from.storeLanes(&from.ops.items[pk.op], pk.lanes, a.Data, off, pk.line) {
			from.progress()
			m.progress()
		}
		done = t
	default:
		done = m.perform(from, pk, h, a.Data, off, t)
	}
	from.stats.Peer[pk.kind] += uint64(n)
	m.group.answer(from, m.gpu, p, from.results(pk), float64(done+l.latency+l.spread[len(l.spread)/2]))
}

// answered continues with the answer to a packet that arrives from the links in a cycle.
func (m *machine) answered(p int32, cycle uint64) {
	m.away--
	m.at(cycle+uint64(m.cfg.Xbar.Reply), evAnswer|event(p))
}

// idle handles what other GPUs ask of a machine without launches, up to a cycle.
func (m *machine) idle(until uint64) {
	for {
		t, ok := m.wheel.Next()
		if !ok || t > until {
			return
		}
		m.wheel.Advance(t)
		m.now = t
		es := m.wheel.Take()
		linksLast(es)
		for _, e := range es {
			m.handle(e)
		}
	}
}

// settle removes what is left in the wheel of launches that have ended.
func (m *machine) settle() {
	m.wheel.Retain(func(e event) bool { return e&^eventPayload == evRemote })
	clear(m.active)
}

// skip advances the clock of an idle machine to a cycle, at most to the next event.
func (m *machine) skip(to uint64) {
	if t, ok := m.wheel.Next(); ok {
		to = min(to, t-1)
	}
	if to > m.now {
		m.wheel.Advance(to)
		m.now = to
	}
}
