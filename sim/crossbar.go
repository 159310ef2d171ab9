package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// port joins an SM to the crossbar. It takes one flit of 32 bytes after the other in either direction.
type port struct {
	send, recv timing.Tick // when each direction is free
	sendTime   timing.Tick // of a flit
	recvTime   timing.Tick
	headTime   timing.Tick // of an answer, besides its flits
	lineTime   timing.Tick // of what an answer to a load brings; 0: recvTime for each sector
}

func newPort(c *config.Xbar) port {
	return port{
		sendTime: timing.Ticks(c.SendFlit),
		recvTime: timing.Ticks(c.RecvFlit), headTime: timing.Ticks(c.RecvHead), lineTime: timing.Ticks(c.RecvLine),
	}
}

// out takes the port for a packet from tick now on. It returns when the flits that come first have passed, and for how
// long all of them take the port.
func (p *port) out(now timing.Tick, first, further int) (begun, took timing.Tick) {
	begun = max(p.send, now) + timing.Tick(first)*p.sendTime
	p.send = begun + timing.Tick(further)*p.sendTime
	return begun, timing.Tick(first)*p.sendTime + timing.Tick(further)*p.sendTime
}

// in takes the port for the flits of a number of answers, of which the last arrives at tick now and the others before
// it. It returns when all of them have passed, and for how long they take the port.
func (p *port) in(now timing.Tick, answers, flits int) (passed, took timing.Tick) {
	took = timing.Tick(answers)*p.headTime + timing.Tick(flits)*p.recvTime
	// Only the last answer has to come after now: on an idle port the others have passed by then.
	p.recv = max(p.recv+took, now+took/timing.Tick(answers))
	return p.recv, took
}

// load is in for the answer to a load of so many sectors, whose instruction accesses many lines at once or few, and which goes to L1 or past it.
func (p *port) load(now timing.Tick, sectors int, many, fill bool) (passed, took timing.Tick) {
	if p.lineTime == 0 {
		return p.in(now, 1, sectors)
	}
	took = p.lineTime
	switch {
	case many && fill:
		took += p.headTime
	case many: // 1.4 to 1.5 cycles past L1 where it is 1.75 with L1 (results/hw/ports)
		took += p.headTime * 5 / 8
	}
	p.recv = max(p.recv, now) + took
	return p.recv, took
}

// crossbar brings packets from the ports of SMs to the slices of the L2, and answers back. What it carries is in the
// wheel of the chip: an event with the cycle of its arrival.
type crossbar struct {
	*chip
	l2     *l2
	merger *merger   // nil: no reads are merged
	links  *linkPort // to other GPUs; nil outside a group

	_        [64]byte // SMs on other threads read the above while this is written
	arrivals uint64   // packets that have arrived
}

// request takes a packet of an SM, whose first flits have left the port at tick begun. Packets from one SM to one half of
// the L2 stay in order (with jitter.message, those to one slice), and so do a thread's accesses to one address. The slice
// begins with the flits that come first, while the further ones are on their way. work is that of an atomic, else nil.
func (x *crossbar) request(unit *sm, index int32, begun timing.Tick, further bool, work *atomicWork) {
	pk := &unit.lsu.packets.items[index]
	phys, gpu := unit.physical(pk)
	pk.phys = phys
	epoch := unit.lsu.ops.items[pk.op].epoch
	if gpu != unit.gpu {
		unit.order.sent(epoch, false)
		x.links.send(unit, index, gpu)
		return
	}
	pk.home = x.l2.homeOf(phys)
	slice := pk.home.slice
	way := uint64(unit.cfg.Xbar.Request)
	pk.far = x.l2.isFar(unit.id, slice)
	unit.order.sent(epoch, pk.far)
	if pk.far {
		way += x.l2.far
	}
	// What a unit cannot take stays at the port of its SM, and holds up what comes after it: "Why does a packet wait for an
	// atomic unit at its SM's port?" in RATIONALE has the measurement.
	if work != nil && unit.cfg.Atomic.Queue > 0 {
		if !unit.alone || unit.granted {
			room := x.l2.slices[slice].atomic.room(timing.At(unit.now), work)
			if further { // the packet keeps the port until what is left of it fits into the queue of the slice's unit
				unit.port.send = max(unit.port.send, room)
			}
			work = nil
		}
	} else {
		work = nil
	}
	arrival := begun.Cycle() + way
	if unit.alone {
		event := evArrive | unit.lsu.name(index)
		unit.notes.sent(arrival, event, slice, work)
		unit.at(arrival, event)
		return
	}
	if hooks := x.hooks; hooks != nil {
		arrival = hooks.arrival(unit.id, slice, arrival)
	}
	x.at(arrival, evArrive|unit.lsu.name(index))
}

// arrive makes a packet take effect at its L2 slice, in order of arrival: loads read memory, stores and atomics change
// it. All later timing of the packet is reserved at once; lsu.accepted reads when the answer comes.
func (x *crossbar) arrive(from *lsu, index int32) {
	unit, cache := from.sm, x.l2
	pk := &from.packets.items[index]
	data, off := x.bytes(pk)
	back := cache.latency + cache.distance(pk.sm, pk.home.slice) + uint64(x.cfg.Xbar.Reply)
	x.arrivals++
	answer := &from.answers[index]
	answer.order, answer.came = x.arrivals, x.now
	cache.turn = answer.turn
	switch pk.kind {
	case packLoad:
		if h := x.hooks; h != nil {
			h.read(from, pk)
		}
		copySectors(pk, &from.loaded[index], data, off)
		answer.at = x.read(from, pk) + back
	case packStore:
		sectors := bits.OnesCount8(pk.sectors)
		lookup := cache.take(from, pk, pk.home.slice, sectors)
		unit.stats.L2.FromSM[packStore] += uint64(sectors)
		cache.stats.Write += uint64(sectors)
		if pk.far {
			cache.stats.Write += uint64(sectors)
			// It passes through this slice.
			mirror := cache.mirror(pk.home).slice
			cache.reserve(mirror, sectors, x.now)
			cache.keep(mirror, cache.stored)
			back += cache.far
		}
		cache.store(from, pk, pk.home, lookup)
		op := pk.op
		if h := x.hooks; h != nil && !pk.local {
			h.taken(from, op, pk.lanes, pk.line)
		}
		// Memory changes now, whenever the answer comes: a load that arrives after this sees it.
		if !pk.local && from.storeLanes(&from.ops.items[op], pk.lanes, data, off, pk.line) {
			x.progress()
		}
		answer.at = lookup + back
	default:
		if pk.far {
			back += cache.far + cache.farAtomic
		}
		lookup := cache.take(from, pk, pk.home.slice, bits.OnesCount8(pk.sectors))
		answer.at = cache.perform(from, pk, pk.home, data, off, lookup) + back
	}
}

// read performs a load that arrives, or lets it share the answer to an earlier one, and returns the cycle from which its
// data is known where it arrives; see merger.
func (x *crossbar) read(from *lsu, pk *packet) uint64 {
	unit, cache := from.sm, x.l2
	if x.merger == nil {
		unit.stats.L2.FromSM[packLoad] += uint64(bits.OnesCount8(pk.sectors))
		return cache.load(from, pk, false)
	}
	later := uint64(0) // how much later a load of the far half arrives here than in the near half
	if pk.far {
		later = cache.far
	}
	merges, goes := x.merger.wait(pk.sm, x.now)
	kept, what, sectors := x.merger.of(pk), readOf(pk), bits.OnesCount8(pk.sectors)
	if ready, other, ok := x.merger.join(kept, what, merges); ok {
		if other {
			sectors = 0
		}
		x.merger.pass(pk.sm, sectors)
		// It takes its turn at the port and makes its lines recent, but is counted as part of the one that it joined.
		counted := cache.stats
		cache.load(from, pk, true)
		cache.stats = counted
		return ready - later
	}
	unit.stats.L2.FromSM[packLoad] += uint64(sectors)
	x.merger.pass(pk.sm, sectors)
	known := cache.load(from, pk, false) + goes - x.now
	x.merger.begin(kept, what, known+later)
	return known
}
