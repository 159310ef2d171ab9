package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// few is how many incoming arcs of its own a lane looks at before the lanes of a warp share those that are left: most vertices that can be
// reached are by these.
const few = wave

// pull lets each vertex that was not reached look for a source among those that were. A warp has a word of the bitmap, and thus writes it alone.
// Of two bitmaps the old one stays as it is, so that what is reached in this iteration is not a source. Arcs that are left become pieces of the frontier,
// for pullPieces.
func (s *search[A, V]) pull(t gpu.Thread, r *rounds, c *collector) {
	now, next := s.m.reached(r.side), s.m.reached(1-r.side)
	// Neighboring words are for different blocks. What the next word needs is on its way while a warp works on this one.
	w, step := s.first+t.Warp()*r.at.blocks+r.at.block, r.at.stride(t)/gpu.WarpSize
	before, ahead := s.wordOf(now, w), s.wordOf(now, w+step)
	begin, end := s.rowIn(t, w, before)
	for ; w < s.end; w += step {
		v := w*gpu.WarpSize + t.Lane()
		nextBegin, nextEnd := s.rowIn(t, w+step, ahead)
		farther := s.wordOf(now, w+2*step)
		var hit, from uint32
		if s.alg.EarlyEnd() {
			hit, from = s.ownArcs(now, v, begin, end)
			if begin = min(begin+few, end); hit > 0 {
				begin = end
			}
		}
		upTo := scheduler.SumUpTo(t, end-begin)
		all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
		if all > r.run.Rest {
			c.add(t, rows{v: [wave]uint32{v}, begin: [wave]uint32{begin}, end: [wave]uint32{end}, ok: [wave]bool{begin < end}})
		} else if all > 0 {
			if got := s.sources(t, now, v, end, upTo, all); hit == 0 && got > 0 {
				hit, from = got, s.in.Col[got-1]
			}
		}
		s.settle(t, v, from, hit, c)
		if word := t.Ballot(gpu.FullMask, hit > 0); t.Lane() == 0 {
			next[w] = before | word
		}
		before, begin, end, ahead = ahead, nextBegin, nextEnd, farther
	}
}

// wordOf returns a word of a bitmap, and all ones behind those of the GPU.
func (s *search[A, V]) wordOf(bitmap []uint32, w uint32) uint32 {
	if w >= s.end {
		return ^uint32(0)
	}
	return bitmap[w]
}

// rowIn returns the incoming arcs of the lane's vertex of a word, or none if the vertex was reached or there is none.
func (s *search[A, V]) rowIn(t gpu.Thread, w, reached uint32) (begin, end uint32) {
	v := w*gpu.WarpSize + t.Lane()
	if reached>>t.Lane()&1 == 0 && v < s.in.Vertices() {
		begin, end = s.in.Row[v], s.in.Row[v+1]
	}
	return begin, end
}

// pullPieces looks at the arcs that pull has left.
func (s *search[A, V]) pullPieces(t gpu.Thread, r *rounds, c *collector) {
	now, next := s.m.reached(r.side), s.m.reached(1-r.side)
	count, warps := r.front.pieces, r.at.stride(t)/gpu.WarpSize
	each := min((count+warps-1)/warps, gpu.WarpSize)
	for first := r.at.global(t) / gpu.WarpSize * each; first < count; first += warps * each {
		var p piece
		if t.Lane() < each && first+t.Lane() < count {
			p = s.m.get(r.step, first+t.Lane())
			if s.alg.EarlyEnd() && isReached(next, p.vertex) {
				p.end = p.begin
			}
		}
		upTo := scheduler.SumUpTo(t, p.end-p.begin)
		all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
		if all == 0 {
			continue
		}
		hit, from := s.sources(t, now, p.vertex, p.end, upTo, all), uint32(0)
		if hit > 0 && !reach(next, p.vertex) {
			hit = 0
		}
		if s.alg.EarlyEnd() && hit > 0 {
			from = s.in.Col[hit-1]
		}
		s.settle(t, p.vertex, from, hit, c)
	}
}

// sources looks for sources of the vertices of a warp, v in each lane, whose arcs end at end; upTo are the arcs up to the lane's own and all those of all
// lanes. It returns one more than an arc that brings v an update, or 0. All lanes must call it together.
func (s *search[A, V]) sources(t gpu.Thread, now []uint32, v, end, upTo, all uint32) (hit uint32) {
	hits := gpu.Shared[[gpu.MaxBlock]uint32](t)
	hits[t.Idx()] = 0
	lanes := t.Idx() - t.Lane()
	for base := t.Lane(); base-t.Lane() < all; base += wave * gpu.WarpSize {
		t.SyncWarp(gpu.FullMask)
		reached := t.Ballot(gpu.FullMask, s.alg.EarlyEnd() && gpu.Load(&hits[t.Idx()], gpu.BlockScope) > 0)
		var index, of, from, word [wave]uint32
		var ok [wave]bool
		for k := range uint32(wave) {
			i := base + k*gpu.WarpSize
			of[k], index[k] = scheduler.ArcAt(t, i, upTo, end)
			ok[k] = i < all && reached>>of[k]&1 == 0
		}
		for k := range uint32(wave) {
			if ok[k] {
				from[k] = s.in.Col[index[k]]
			}
		}
		for k := range uint32(wave) { // where there is no arc, of the first word
			word[k] = now[from[k]/gpu.WarpSize]
		}
		for k := range uint32(wave) {
			ok[k] = ok[k] && word[k]>>(from[k]%gpu.WarpSize)&1 != 0
		}
		for k := range uint32(wave) {
			to := gpu.Shfl(t, gpu.FullMask, v, of[k])
			if ok[k] {
				s.hit(&hits[lanes+of[k]], index[k], from[k], to)
			}
		}
	}
	t.SyncWarp(gpu.FullMask)
	hit = hits[t.Idx()]
	t.SyncWarp(gpu.FullMask) // the next call overwrites it
	return hit
}

// hit records that arc e, between two vertices of which the first one was reached, brings an update to the second one, if it does. If any update will do, one of those that are recorded does, in
// settle. Otherwise all are combined at once.
func (s *search[A, V]) hit(slot *uint32, e, from, to uint32) {
	if s.alg.EarlyEnd() {
		if s.carries(e, from, to) {
			gpu.Store(slot, e+1, gpu.BlockScope)
		}
		return
	}
	edge := s.in.Edge(e, from, to)
	scheduler.SendUpdate(s.alg, edge, s.alg.Take(s.vertex(from), &s.values[from]), &s.values[to], func(uint32) {
		gpu.Store(slot, e+1, gpu.BlockScope)
	})
}

// carries reports whether an arc from a vertex that was reached carries an update. The load is a plain one, which the compiler leaves out if an algorithm's
// arcs always do: the value has been there since the barrier before.
func (s *search[A, V]) carries(e, from, to uint32) bool {
	_, ok := s.alg.Compute(s.in.Edge(e, from, to), s.values[from])
	return ok
}

// ownArcs looks at a lane's first arcs to v, which are under way together, and returns one more than one of them that brings an update, and its source, or 0.
func (s *search[A, V]) ownArcs(now []uint32, v, begin, end uint32) (hit, from uint32) {
	var sources, word [few]uint32
	for k := range uint32(few) {
		if begin+k < end {
			sources[k] = s.in.Col[begin+k]
		}
	}
	for k := range uint32(few) { // where there is no arc, of the first word
		word[k] = now[sources[k]/gpu.WarpSize]
	}
	for k := range uint32(few) {
		if begin+k < end && word[k]>>(sources[k]%gpu.WarpSize)&1 != 0 && s.carries(begin+k, sources[k], v) {
			hit, from = begin+k+1, sources[k]
		}
	}
	return hit, from
}

// settle counts the vertices v of a warp that were reached, those of the lanes in which hit is not 0, and gives each the update of arc hit-1 from
// a vertex that was reached, where any will do. All lanes must call it together.
func (s *search[A, V]) settle(t gpu.Thread, v, from, hit uint32, c *collector) {
	vertices := gpu.PopCount(t.Ballot(gpu.FullMask, hit > 0))
	if vertices == 0 {
		return
	}
	arcs := uint32(0)
	if hit > 0 {
		arcs = s.degrees[v+1] - s.degrees[v]
		if s.alg.EarlyEnd() {
			update, _ := s.alg.Compute(s.in.Edge(hit-1, from, v), gpu.Load(&s.values[from]))
			x := s.alg.Combine(s.alg.Identity(), update)
			s.values[v] = x
			if s.group { // at once, so that links work while SMs do
				s.peers.each(func(p peer[V]) { p.values[v] = x })
			}
		}
	}
	c.tally(t, vertices, arcs)
}

// list makes the pieces of the vertices that the last pull has reached, in one bitmap and not in the other one, for a push.
func (s *search[A, V]) list(t gpu.Thread, r *rounds, c *collector) {
	now, before := s.m.reached(r.side), s.m.reached(1-r.side)
	for w := r.at.global(t) / gpu.WarpSize * wave; w < s.m.Words; w += r.at.stride(t) / gpu.WarpSize * wave {
		var x rows
		for k := range uint32(wave) {
			if w+k < s.m.Words {
				x.v[k] = (w+k)*gpu.WarpSize + t.Lane()
				x.ok[k] = (now[w+k]&^before[w+k])>>t.Lane()&1 != 0
			}
		}
		x.load(s.out.Row)
		c.add(t, x)
	}
}
