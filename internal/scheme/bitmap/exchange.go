package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// exchange tells all GPUs what this one has found, and goes on to what all of them have. It is a barrier of all blocks of all GPUs.
func (x *team[A, V]) exchange(t gpu.Thread, r *rounds, own frontier) {
	x.tell(t, own)
	total := gpu.Shared[frontier](t)
	x.group.WaitThen(t, func() { *total = x.hear() })
	r.enter(*total)
}

// tell tells all GPUs what this one has found.
func (x *team[A, V]) tell(t gpu.Thread, own frontier) {
	if t.Global() > 0 {
		return
	}
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

// send stores n vertices that the GPU has found in the inboxes of all GPUs, with their values. A thread stores those from first on, in steps.
func (x *team[A, V]) send(t gpu.Thread, n, first, step uint32, vertex func(i uint32) uint32) {
	p := &x.s.peers
	at := x.turn%2*p.vertices() + p.Begins[p.GPU]
	x.pairs += n
	for i := first; i < n; i += step {
		v := vertex(i)
		value := gpu.Load(&x.s.values[v])
		scheduler.PutPair(p.Inbox, at+i, v, value)
		p.each(func(other peer[V]) { scheduler.PutPair(other.inbox, at+i, v, value) })
	}
}

// receive takes what the GPUs have found from the inbox, and makes the pieces of its arcs if pieces is set. These are warps of so many; all lanes must call it together.
func (x *team[A, V]) receive(t gpu.Thread, side, warp, warps uint32, pieces bool, c *collector) {
	p := &x.s.peers
	reached := x.s.m.reached(side)
	for k := uint32(0); k <= p.Others; k++ {
		count := gpu.Load(&p.Heard[(x.turn%2*(p.Others+1)+k)*heardWords+verticesHeard])
		at := x.turn%2*p.vertices() + p.Begins[k]
		for first := warp * wave * gpu.WarpSize; first < count; first += warps * wave * gpu.WarpSize {
			var found rows
			for j := range uint32(wave) {
				i := first + j*gpu.WarpSize + t.Lane()
				if found.ok[j] = i < count; found.ok[j] {
					v, value := scheduler.GetPair[V](p.Inbox, at+i)
					found.v[j] = v
					if k != p.GPU {
						gpu.Store(&x.s.values[v], value)
						reach(reached, v)
					}
				}
			}
			if pieces {
				found.load(x.s.out.Row)
				c.add(t, found)
			}
		}
	}
}

// publish stores the GPU's words of a bitmap in the memory of all other GPUs, and if values is set, the values of its vertices that the other bitmap lacks: a lane has one, so
// that those of neighboring vertices go together.
func (x *team[A, V]) publish(t gpu.Thread, side uint32, values bool) {
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
	if x.values > 0 {
		gpu.AtomicAdd(&r.m.Status[ValuesStatus], x.values)
	}
	if t.Global() == 0 {
		status := r.m.Status
		gpu.Store(&status[PairsStatus], x.pairs)
		gpu.Store(&status[RangeStatus], x.words)
	}
}
