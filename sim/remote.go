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
func (k *linkPort) send(s *sm, p int32, gpu int) {
	pk := &s.lsu.packets.items[p]
	pk.far = false
	k.away++
	k.share()
	if pk.kind >= packAtomic && !k.group.Peer(k.gpu, gpu).Atomics {
		a, _ := k.run.grid.Mem.Lookup(pk.line)
		k.fail(noAtomics(k.run.unfinished().grid.Kernel.Name, a, k.gpu))
		return
	}
	at := float64(s.port.send)/timing.TicksPerCycle + float64(k.cfg.Xbar.Request)
	k.group.request(s, p, gpu, s.lsu.operands(pk), at)
}

// serve makes a packet of another GPU take effect here, and sends the answer; see crossbar.arrive.
func (k *linkPort) serve(e event) {
	from, p := k.group.gpus[e>>remoteShift&0xff].m.packet(e)
	u, l := &from.lsu, k.l2
	pk := &u.packets.items[p]
	a, off := from.run.grid.Mem.Lookup(pk.line)
	phys := pk.phys
	at := l.homeOf(phys)
	n := bits.OnesCount8(pk.sectors)
	k.share()
	t := l.reserve(at.slice, n, k.now)
	var done uint64
	switch pk.kind {
	case packLoad:
		from.stats.L2.FromSM[packLoad] += uint64(n)
		l.stats.Read += uint64(n)
		if h := from.hooks; h != nil {
			h.read(u, pk)
		}
		copySectors(pk, &u.loaded[p], a.Data, off)
		turn, _ := l.slices[at.slice].atomic.load(phys/lineBytes, t)
		done = max(turn, l.read(at, phys, pk.sectors, false, t))
	case packStore:
		from.stats.L2.FromSM[packStore] += uint64(n)
		l.stats.Write += uint64(n)
		l.store(u, pk, at, t)
		if h := from.hooks; h != nil {
			h.taken(u, pk.op, pk.lanes, pk.line)
		}
		if u.storeLanes(&u.ops.items[pk.op], pk.lanes, a.Data, off, pk.line) {
			from.progress()
			k.progress()
		}
		done = t
	default:
		done = l.perform(u, pk, at, a.Data, off, t)
	}
	from.stats.Peer[pk.kind] += uint64(n)
	k.group.answer(from, k.gpu, p, u.results(pk), float64(done+l.latency+l.spread[len(l.spread)/2]))
}

// answered continues with the answer to a packet, which arrives from the links in a cycle.
func (k *linkPort) answered(m link.Message, cycle uint64) {
	k.away--
	k.at(cycle+uint64(k.cfg.Xbar.Reply), evAnswer|event(m.Tag&tagPacket))
}
