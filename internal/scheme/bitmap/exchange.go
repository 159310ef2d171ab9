package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// meet tells all GPUs what this one has found, and goes on to what all of them have. It is a barrier of all blocks of all GPUs, after which one thread of each GPU calls found before
// those of others go on.
func (x *team[A, V]) meet(t gpu.Thread, r *rounds, found func() frontier) {
	x.turn++
	total := gpu.Shared[frontier](t)
	x.group.WaitTellingThen(t, func() { x.tell(found()) }, func() { *total = x.hear() })
	r.enter(*total)
}

// found returns what the GPU's blocks have counted for the step, when all have come to a barrier.
func (r *rounds) found() frontier {
	set := r.m.set(r.step)
	return frontier{gpu.Load(&set[piecesCount]), gpu.Load(&set[verticesCount]), gpu.Load(&set[arcsCount])}
}

// tell tells all GPUs what this one has found. One thread calls it.
func (x *team[A, V]) tell(own frontier) {
	p := &x.s.peers
	at := (x.turn%2*(p.Others+1) + p.GPU) * heardWords
	set := func(to []uint32) { to[at+verticesHeard], to[at+arcsHeard] = own.vertices, own.arcs }
	set(p.Heard)
	p.each(func(other peer[V]) { set(other.heard) })
}

// hear adds up what all GPUs have told. Pieces are each GPU's own.
func (x *team[A, V]) hear() (total frontier) {
	p := &x.s.peers
	for k := uint32(0); k <= p.Others; k++ {
		at := (x.turn%2*(p.Others+1) + k) * heardWords
		total.vertices += gpu.Load(&p.Heard[at+verticesHeard])
		total.arcs += gpu.Load(&p.Heard[at+arcsHeard])
	}
	return total
}

// post stores the vertices that the block has found in the inboxes of all GPUs, with their values. All threads of the block must call it. If alone is set, no other block finds any.
func (x *team[A, V]) post(t gpu.Thread, c *collector, alone bool) {
	f := c.meet(t)
	base := uint32(0)
	if !alone || f.full != ^uint32(0) {
		some := alone || f.here() > 0
		if t.Idx() == 0 && some {
			c.block.base = gpu.AtomicAdd(&c.counts[piecesCount], f.here())
		}
		if t.Idx() == gpu.WarpSize%t.BlockDim() && f.vertices > 0 && !alone {
			gpu.AtomicAdd(&c.counts[verticesCount], f.vertices)
			gpu.AtomicAdd(&c.counts[arcsCount], f.arcs)
		}
		if t.Sync(); some {
			base = c.block.base
		}
	}
	for i := t.Idx(); i < f.here(); i += t.BlockDim() {
		x.s.tell(base+i, c.own(false, i).vertex)
	}
	if !x.s.alg.EarlyEnd() { // what was told at once was not final
		for i := t.Idx(); i < base; i += t.BlockDim() {
			v, _ := scheduler.GetPair[V](x.s.peers.Inbox, x.s.inbox+i)
			x.s.tell(i, v)
		}
	}
	c.giveUp(t)
}

// tell stores a vertex that the GPU has found in the inboxes of all GPUs, with its value, at one of the GPU's places.
func (s *search[A, V]) tell(place, v uint32) {
	p := &s.peers
	at := s.inbox + place
	value := gpu.Load(&s.values[v])
	scheduler.PutPair(p.Inbox, at, v, value)
	p.each(func(other peer[V]) { scheduler.PutPair(other.inbox, at, v, value) })
}

// enlist puts vertices that a GPU of several has found into the list of the block, or where it has no room, at once into the inboxes. All lanes of a warp must call it together, with vertices of
// their own.
func (s *search[A, V]) enlist(t gpu.Thread, c *collector, x rows) {
	own := uint32(0)
	for k := range uint32(wave) {
		if x.ok[k] {
			own++
		}
	}
	if !t.Any(gpu.FullMask, own > 0) {
		return
	}
	at, all := scheduler.PrefixSum(t, own)
	to := c.reserve(t, all, 0)
	for k := range uint32(wave) {
		if x.ok[k] {
			if to.here {
				*c.own(false, to.first+at) = piece{vertex: x.v[k]}
			} else {
				s.tell(to.at(at), x.v[k])
			}
			at++
		}
	}
}

// receive takes what the GPUs have found from the inbox, and makes the pieces of its arcs if pieces is set. These are warps of so many; all lanes must call it together.
func (x *team[A, V]) receive(t gpu.Thread, side, warp, warps uint32, pieces bool, c *collector) {
	p := &x.s.peers
	reached := x.s.m.reached(side)
	for k := uint32(0); k <= p.Others; k++ {
		count := gpu.Load(&p.Heard[(x.turn%2*(p.Others+1)+k)*heardWords+verticesHeard])
		if k == p.GPU {
			x.pairs += count
		}
		at := x.half(x.turn) + p.Begins[k]
		// All warps have some, as far as there are 32 for each.
		each := min((count+warps*gpu.WarpSize-1)/(warps*gpu.WarpSize), wave) * gpu.WarpSize
		for first := warp * each; first < count; first += warps * each {
			var found rows
			var value [wave]V
			for j := range uint32(wave) {
				i := first + j*gpu.WarpSize + t.Lane()
				if found.ok[j] = i < min(count, first+each); found.ok[j] {
					found.v[j], value[j] = scheduler.GetPair[V](p.Inbox, at+i)
				}
			}
			for j := range uint32(wave) {
				if found.ok[j] && k != p.GPU {
					gpu.Store(&x.s.values[found.v[j]], value[j])
					reach(reached, found.v[j]) // the other bitmap gets all words of other GPUs before anybody reads them there
				}
			}
			if pieces {
				found.load(x.s.out.Row)
				c.add(t, found)
			}
		}
	}
}

// half returns the first place of the half of an inbox that an exchange uses.
func (x *team[A, V]) half(turn uint32) uint32 { return turn % 2 * x.s.peers.vertices() }

// publish stores the GPU's words of a bitmap in the memory of all other GPUs, and if values is set, the values of its vertices that the other bitmap lacks: a lane has one, so
// that those of neighboring vertices go together.
func (x *team[A, V]) publish(t gpu.Thread, side uint32, values bool) {
	x.words++
	s, p := &x.s, &x.s.peers
	has, before := s.m.reached(side), s.m.reached(1-side)
	for w := p.First + t.Global(); w < p.End; w += t.Stride() {
		word := has[w]
		p.each(func(other peer[V]) {
			if side == 0 {
				other.first[w] = word
			} else {
				other.second[w] = word
			}
		})
	}
	if !values {
		return
	}
	for w := p.First + t.Global()/gpu.WarpSize; w < p.End; w += t.Stride() / gpu.WarpSize {
		fresh := has[w] &^ before[w]
		if fresh>>t.Lane()&1 != 0 {
			v := w*gpu.WarpSize + t.Lane()
			value := gpu.Load(&s.values[v])
			p.each(func(other peer[V]) { other.values[v] = value })
		}
		if t.Lane() == 0 {
			x.values += gpu.PopCount(fresh)
		}
	}
}

// count tells the host what the GPU has sent. The words are 0 before.
func (x *team[A, V]) count(t gpu.Thread, r rounds) {
	values := scheduler.Reduce(t, scheduler.BlockPerVertex{}, x.values, 0, func(a, b uint32) uint32 { return a + b })
	if t.Idx() == 0 && values > 0 {
		gpu.AtomicAdd(&r.m.Status[ValuesStatus], values)
	}
	if t.Global() == 0 {
		status := r.m.Status
		gpu.Store(&status[PairsStatus], x.pairs)
		gpu.Store(&status[RangeStatus], x.words)
	}
}
