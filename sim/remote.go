package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/sim/internal/link"
	"github.com/weft-gpu/weft/sim/internal/timing"
)

// linkPort joins a GPU to the links of its group: accesses to the memory of another GPU. The packet goes through the
// crossbar to the links, and then to the other GPU, whose L2 performs it: values live there. Nothing is kept in the L2
// of the GPU that asks; its L1 keeps lines of other GPUs as its own. A store or an atomic without result is
// acknowledged, so that fences wait for it.
type linkPort struct {
	*chip
	l2    *l2
	group *Group // nil outside a group
	away  int    // packets at other GPUs or on the way to and from them
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
	k.group.request(unit, index, gpu, unit.lsu.operands(pk), at)
}

// serve makes a packet of another GPU take effect here, and sends the answer; see crossbar.arrive.
func (k *linkPort) serve(e event) {
	sender, index := k.group.gpus[e>>remoteShift&0xff].m.packet(e)
	from, cache := &sender.lsu, k.l2
	pk := &from.packets.items[index]
	memory, off := sender.run.grid.Mem.Lookup(pk.line)
	phys := pk.phys
	at := cache.homeOf(phys)
	sectors := bits.OnesCount8(pk.sectors)
	// What this GPU's launches do depends on the other GPU from now on, so that no recurrence of their state proves anything.
	k.share()
	lookup := cache.reserve(at.slice, sectors, k.now)
	var done uint64
	switch pk.kind {
	case packLoad:
		sender.stats.L2.FromSM[packLoad] += uint64(sectors)
		cache.stats.Read += uint64(sectors)
		if h := sender.hooks; h != nil {
			h.read(from, pk)
		}
		copySectors(pk, &from.loaded[index], memory.Data, off)
		turn, _ := cache.slices[at.slice].atomic.load(phys/lineBytes, lookup)
		done = max(turn, cache.read(at, phys, pk.sectors, false, lookup))
	case packStore:
		sender.stats.L2.FromSM[packStore] += uint64(sectors)
		cache.stats.Write += uint64(sectors)
		cache.store(from, pk, at, lookup)
		if h := sender.hooks; h != nil {
			h.taken(from, pk.op, pk.lanes, pk.line)
		}
		if from.storeLanes(&from.ops.items[pk.op], pk.lanes, memory.Data, off, pk.line) {
			sender.progress()
			k.progress()
		}
		done = lookup
	default:
		done = cache.perform(from, pk, at, memory.Data, off, lookup)
	}
	sender.stats.Peer[pk.kind] += uint64(sectors)
	results := from.results(pk)
	k.group.remote[memory.Name] += uint64(from.operands(pk) + results)
	k.group.answer(sender, k.gpu, index, results, float64(done+cache.latency+cache.spread[len(cache.spread)/2]))
}

// answered continues with the answer to a packet, which arrives from the links in a cycle.
func (k *linkPort) answered(m link.Message, cycle uint64) {
	k.away--
	k.at(cycle+uint64(k.cfg.Xbar.Reply), evAnswer|event(m.Tag&tagPacket))
}
