package sim

import (
	"math/bits"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/internal/link"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// linkPort joins a GPU to the links of its group: accesses to the memory of another GPU. The packet goes through the
// crossbar to the links, and then to the other GPU, whose L2 performs it: values live there. Nothing is kept in the L2
// of the GPU that asks; its L1 keeps lines of other GPUs as its own. A store or an atomic without result is
// acknowledged, so that fences wait for it.
//
// While GPUs are simulated, each touches its own port alone: what it sends waits in out, and what comes was put into in,
// between two turns; see groupRounds.
type linkPort struct {
	*chip
	l2      *l2
	group   *Group // nil outside a group
	away    int    // packets at other GPUs or on the way to and from them
	parcels []*parcel
	spare   []*parcel // of these, those that are not away
	in      pool[*parcel]
	out     []link.Message
	guests  []guest            // by GPU
	moved   device.RemoteBytes // by packets that have taken effect here in this turn
	ask     question           // for the group
	meeting bool               // all GPUs rest, so that their state may be looked at
	company bool               // another GPU runs launches in this turn, or something changes memory after it
}

// send sends a packet that has left its SM to another GPU.
func (k *linkPort) send(unit *sm, index int32, gpu int) {
	pk := &unit.lsu.packets.items[index]
	pk.far = false
	k.away++
	k.share()
	if pk.kind >= packAtomic && !k.group.Peer(k.gpu, gpu).Atomics {
		a, _ := k.run.grid.Mem.Lookup(pk.line)
		k.fail(noAtomics(k.run.unfinished().grid.Kernel.Name, a, k.gpu))
		return
	}
	// Links count in seconds: a fraction of a cycle is kept.
	at := float64(unit.port.send)/timing.TicksPerCycle + float64(k.cfg.Xbar.Request)
	p := k.pack(unit, index)
	k.out = append(k.out, link.Message{From: link.Node(k.gpu), To: link.Node(gpu), Bytes: unit.lsu.operands(pk), Atomic: pk.kind >= packAtomic,
		Tag: tagRequest | p.tag(), At: k.leaves(at)})
}

// turnTime, in seconds, is by how much later a GPU of the next number sends: of what several send at the same time, that of the first
// one goes first. Akita has no order of events of one time. It is a millionth of a cycle.
const turnTime = 1e-15

// leaves returns at what time a message leaves at a fraction of a cycle.
func (k *linkPort) leaves(cycle float64) akita.VTimeInSec {
	return akita.VTimeInSec(k.group.time(cycle) + turnTime*float64(k.gpu))
}

// tag says in a message which parcel it is.
func (p *parcel) tag() uint64 { return uint64(p.from.gpu)<<remoteShift | uint64(p.id) }

// parcel returns the parcel of a message.
func (g *Group) parcel(m link.Message) *parcel {
	return g.gpus[m.Tag>>remoteShift&0xff].m.links.parcels[m.Tag&tagParcel]
}

// requested takes a parcel of another GPU, which arrives in a cycle.
func (k *linkPort) requested(p *parcel, cycle uint64) {
	from := &k.guests[p.from.gpu]
	from.chip.run, from.chip.hooks = p.from.run, p.from.hooks
	p.copy.sm = &from.sm
	slot := k.in.get()
	k.in.items[slot] = p
	k.at(cycle, evRemote|event(slot))
}

// serve makes a packet of another GPU take effect here, and sends the answer; see crossbar.arrive.
func (k *linkPort) serve(e event) {
	slot := int32(e & eventPayload)
	p := k.in.items[slot]
	k.in.put(slot)
	from, index, cache := &p.copy, int32(0), k.l2
	// Those who watch know accesses by their SM, and see no two GPUs at the same time.
	if k.hooks != nil {
		from, index = &p.from.lsu, p.index
	}
	pk := &from.packets.items[index]
	stats := &from.sm.stats
	at := cache.homeOf(pk.phys)
	sectors := bits.OnesCount8(pk.sectors)
	// What this GPU's launches do depends on the other GPU from now on, so that no recurrence of their state proves anything.
	k.share()
	lookup := cache.reserve(at.slice, sectors, k.now)
	var done uint64
	switch pk.kind {
	case packLoad:
		stats.L2.FromSM[packLoad] += uint64(sectors)
		cache.stats.Read += uint64(sectors)
		if h := from.sm.hooks; h != nil {
			h.read(from, pk)
		}
		copySectors(pk, &from.loaded[index], p.memory.Data, p.off)
		turn, _ := cache.slices[at.slice].atomic.load(pk.phys/lineBytes, lookup)
		done = max(turn, cache.read(at, pk.phys, pk.sectors, false, lookup))
	case packStore:
		stats.L2.FromSM[packStore] += uint64(sectors)
		cache.stats.Write += uint64(sectors)
		cache.store(from, pk, at, lookup)
		if h := from.sm.hooks; h != nil {
			h.taken(from, pk.op, pk.lanes, pk.line)
		}
		if from.storeLanes(&from.ops.items[pk.op], pk.lanes, p.memory.Data, p.off, pk.line) {
			from.sm.progress()
			k.progress()
		}
		done = lookup
	default:
		done = cache.perform(from, pk, at, p.memory.Data, p.off, lookup)
	}
	stats.Peer[pk.kind] += uint64(sectors)
	results := from.results(pk)
	k.moved[p.memory.Name] += uint64(from.operands(pk) + results)
	leaves := float64(done + cache.latency + cache.spread[len(cache.spread)/2])
	k.out = append(k.out, link.Message{From: link.Node(k.gpu), To: link.Node(p.from.gpu), Bytes: results, Tag: tagAnswer | p.tag(), At: k.leaves(leaves)})
}

// answered continues with the answer to a packet, which arrives from the links in a cycle.
func (k *linkPort) answered(p *parcel, cycle uint64) {
	k.away--
	k.unpack(p)
	k.at(cycle+uint64(k.cfg.Xbar.Reply), evAnswer|p.from.lsu.name(p.index))
}

// meet sends what was sent in a turn, and tells the other GPUs what their packets have done here.
func (k *linkPort) meet() {
	for _, m := range k.out {
		k.group.net.Send(m)
	}
	k.out = k.out[:0]
	for name, bytes := range k.moved {
		k.group.remote[name] += bytes
	}
	clear(k.moved)
	for number := range k.guests {
		k.guests[number].leave()
	}
}

// forget forgets what is on its way, after an error.
func (k *linkPort) forget() {
	k.away, k.ask = 0, askNothing
	k.out, k.spare = k.out[:0], append(k.spare[:0], k.parcels...)
	k.in.reset()
}
