package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// parcel is a packet on its way to another GPU and back, with copies of all that the other GPU needs for it to take effect: the
// two GPUs may be simulated at the same time, by different threads. What the answer brings travels in it as well, and is
// unpacked between two rounds.
type parcel struct {
	from     *sm              // whose packet it is
	index    int32            // of the packet
	id       int32            // of the parcel, at its GPU
	memory   *simt.Allocation // which the packet accesses
	off      int              // of its line there
	copy     lsu              // one access with one packet, as if they were of an SM of the other GPU
	returned simt.Row         // of an atomic, by lane
}

// guest stands for the SMs of another GPU where their packets take effect, and counts what these will have to know.
type guest struct {
	sm
	chip chip
	of   *machine
}

// newGuests returns the guests of a GPU of a group, by GPU.
func newGuests(g *Group) []guest {
	list := make([]guest, len(g.gpus))
	for number, d := range g.gpus {
		x := &list[number]
		x.of, x.chip.cfg, x.chip.gpu, x.chip.search.spread = d.m, d.m.cfg, number, true
		x.sm.chip = &x.chip
	}
	return list
}

// leave tells the GPU of a guest what the guest knows. It is called between two turns.
func (x *guest) leave() {
	all, seen := &x.of.stats, &x.sm.stats
	for kind := range seen.Peer {
		all.Peer[kind] += seen.Peer[kind]
		all.L2.FromSM[kind] += seen.L2.FromSM[kind]
	}
	seen.Peer, seen.L2.FromSM = [counter.NumAccesses]uint64{}, [counter.NumAccesses]uint64{}
	if search := &x.chip.search; search.changed {
		search.changed = false
		x.of.progress()
	}
}

// pack puts a packet that leaves for another GPU into a parcel.
func (k *linkPort) pack(unit *sm, index int32) *parcel {
	var p *parcel
	if n := len(k.spare); n > 0 {
		p, k.spare = k.spare[n-1], k.spare[:n-1]
	} else {
		p = &parcel{id: int32(len(k.parcels))}
		p.copy.packets.items, p.copy.ops.items = make([]packet, 1), make([]memOp, 1)
		p.copy.rows.items, p.copy.loaded = make([]simt.Row, len(memOp{}.rows)), make([][lineBytes]byte, 1)
		k.parcels = append(k.parcels, p)
	}
	from, to := &unit.lsu, &p.copy
	pk := &to.packets.items[0]
	*pk = from.packets.items[index]
	p.from, p.index = unit, index
	p.memory, p.off = k.run.grid.Mem.Lookup(pk.line)
	to.warps, to.returned = from.warps, &p.returned
	if pk.kind == packLoad {
		return p
	}
	op := &to.ops.items[0]
	*op = from.ops.items[pk.op]
	for number, row := range op.rows[:op.numRows] {
		to.rows.items[number] = from.rows.items[row]
		op.rows[number] = int32(number)
	}
	pk.op = 0
	return p
}

// unpack gives an SM what the answer to its packet brings, and takes the parcel back.
func (k *linkPort) unpack(p *parcel) {
	k.spare = append(k.spare, p)
	if k.hooks != nil {
		return // it got all at once; see serve
	}
	switch pk := &p.copy.packets.items[0]; pk.kind {
	case packLoad:
		copyLine(&p.from.lsu.loaded[p.index], &p.copy.loaded[0], pk.sectors)
	case packAtomic:
		op := &p.copy.ops.items[0]
		wp := p.copy.warpOf(op)
		in := wp.job.code[op.pc].in
		for lanes := pk.lanes; lanes != 0; lanes &= lanes - 1 {
			lane := bits.TrailingZeros32(lanes) & 31
			wp.w.AtomicResult(in, lane, p.returned[lane])
		}
	}
}
