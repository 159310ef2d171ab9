package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// few is how many incoming arcs of its own a lane looks at before the lanes of a warp share those that are left: most vertices that can be
// reached are by these.
const few = wave

// pull lets each vertex that was not reached look for a source among those that were. A warp has some words of the bitmap, up to one for each lane, and thus writes them alone; its
// lanes take the vertices that the words lack, however few each of them lacks.
// Of two bitmaps the old one stays as it is, so that what is reached in this iteration is not a source. Arcs that are left become pieces of the frontier,
// for pullPieces.
func (s *search[A, V]) pull(t gpu.Thread, r *rounds, c *collector) {
	now, next := s.m.reached(r.side), s.m.reached(1-r.side)
	found := gpu.Shared[[gpu.MaxBlock]uint32](t) // the bits of a lane's word that the warp has found
	words, warps := s.end-min(s.first, s.end), r.at.warps(t)
	each := shareOf(words, warps)
	var n tally
	for first := r.at.warp(t) * each; first < words; first += warps * each {
		word, lacks := ^uint32(0), uint32(0)
		if t.Lane() < each && first+t.Lane() < words {
			word = now[s.first+first+t.Lane()]
			lacks = ^word & s.valid(s.first+first+t.Lane())
		}
		x := bitsOf(t, s.first+first, lacks)
		found[t.Idx()] = 0
		t.SyncWarp(gpu.FullMask)
		// What the next vertices need is on its way while the warp works on these.
		for ahead, i := s.look(t, &x, t.Lane()), t.Lane(); i-t.Lane() < x.all; i += gpu.WarpSize {
			o := ahead
			ahead = s.look(t, &x, i+gpu.WarpSize)
			if s.pullOwn(t, r, now, o, &n, c) {
				gpu.AtomicOr(&found[t.Idx()-t.Lane()+o.of], 1<<(o.v%gpu.WarpSize), gpu.BlockScope)
			}
		}
		t.SyncWarp(gpu.FullMask)
		if t.Lane() < each && first+t.Lane() < words {
			next[x.first+t.Lane()] = word | gpu.Load(&found[t.Idx()], gpu.BlockScope)
		}
	}
	n.tell(t, c)
}

// shareOf returns how many of so many words a warp takes at a time: as many in each of its turns, and at most one for each lane.
func shareOf(words, warps uint32) uint32 {
	each := (words + warps - 1) / warps
	turns := max((each+gpu.WarpSize-1)/gpu.WarpSize, 1)
	return (each + turns - 1) / turns
}

// valid returns the bits of a word that are of vertices.
func (s *search[A, V]) valid(w uint32) uint32 {
	if n := s.in.Vertices() - w*gpu.WarpSize; n < gpu.WarpSize {
		return 1<<n - 1
	}
	return ^uint32(0)
}

// bits are bits of words of a bitmap, one of each lane of a warp, from word first on. upTo is how many the words of the lane and of those below have, and all how many all have.
type bits struct{ first, own, upTo, all uint32 }

// bitsOf returns the bits of words from the first one on, of which each lane gives its own. All lanes must call it together.
func bitsOf(t gpu.Thread, first, own uint32) bits {
	x := bits{first: first, own: own, upTo: scheduler.SumUpTo(t, gpu.PopCount(own))}
	x.all = gpu.Shfl(t, gpu.FullMask, x.upTo, gpu.WarpSize-1)
	return x
}

// at returns the vertex of bit i, and the lane that has its word. All lanes must call it together; behind the last bit, what it returns says nothing.
func (x *bits) at(t gpu.Thread, i uint32) (v, of uint32) {
	of = scheduler.ArcOwner(t, i, x.upTo)
	word := gpu.Shfl(t, gpu.FullMask, x.own, of)
	n := i - (gpu.Shfl(t, gpu.FullMask, x.upTo, of) - gpu.PopCount(word))
	return (x.first+of)*gpu.WarpSize + nthBit(word, n), of
}

// own is a lane's vertex with its incoming arcs, in the word of a lane.
type own struct{ v, of, begin, end uint32 }

// look returns vertex i of those that the words of a warp lack, without arcs if there are no more. All lanes must call it together.
func (s *search[A, V]) look(t gpu.Thread, x *bits, i uint32) (o own) {
	if o.v, o.of = x.at(t, i); i < x.all {
		o.begin, o.end = s.in.Row[o.v], s.in.Row[o.v+1]
	}
	return o
}

// nthBit returns the place of the bit of x above n others.
func nthBit(x, n uint32) (place uint32) {
	for half := uint32(gpu.WarpSize / 2); half > 0; half /= 2 {
		if below := gpu.PopCount(x >> place & (1<<half - 1)); n >= below {
			n -= below
			place += half
		}
	}
	return place
}

// pullOwn lets the lanes of a warp look for sources of a vertex each, and reports whether the lane's was reached. All lanes must call it together.
func (s *search[A, V]) pullOwn(t gpu.Thread, r *rounds, now []uint32, o own, n *tally, c *collector) bool {
	var hit, from uint32
	begin := o.begin
	if s.alg.EarlyEnd() {
		hit, from = s.ownArcs(now, o.v, begin, o.end)
		if begin = min(begin+few, o.end); hit > 0 {
			begin = o.end
		}
	}
	upTo := scheduler.SumUpTo(t, o.end-begin)
	all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
	if all > r.run.Rest {
		c.add(t, rows{v: [wave]uint32{o.v}, begin: [wave]uint32{begin}, end: [wave]uint32{o.end}, ok: [wave]bool{begin < o.end}})
	} else if all > 0 {
		if got := s.sources(t, now, o.v, o.end, upTo, all); hit == 0 && got > 0 {
			hit, from = got, s.in.Col[got-1]
		}
	}
	if hit > 0 {
		s.settle(r, o, from, hit, n)
	}
	return hit > 0
}

// tally is how many vertices a lane has found, and how many arcs these have.
type tally struct{ vertices, arcs uint32 }

// tell adds up what the lanes of a warp have found. All of them must call it together.
func (n *tally) tell(t gpu.Thread, c *collector) {
	if vertices := sumOver(t, n.vertices); vertices > 0 {
		c.tally(t, vertices, n.arcs)
	}
}

// pullPieces looks at the arcs that pull has left.
func (s *search[A, V]) pullPieces(t gpu.Thread, r *rounds, c *collector) {
	now, next := s.m.reached(r.side), s.m.reached(1-r.side)
	var n tally
	count, warps := r.front.pieces, r.at.warps(t)
	each := min((count+warps-1)/warps, gpu.WarpSize)
	for first := r.at.warp(t) * each; first < count; first += warps * each {
		var p piece
		if t.Lane() < each && first+t.Lane() < count {
			p = s.m.get(r.step, first+t.Lane())
			if s.alg.EarlyEnd() && p.vertex != noVertex && isReached(next, p.vertex) {
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
		if hit > 0 {
			if s.alg.EarlyEnd() {
				from = s.in.Col[hit-1]
			}
			s.settle(r, own{v: p.vertex, begin: s.in.Row[p.vertex], end: s.in.Row[p.vertex+1]}, from, hit, &n)
		}
	}
	n.tell(t, c)
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
	value := s.value
	if !s.alike {
		value = s.values[from]
	}
	_, ok := s.alg.Compute(s.in.Edge(e, from, to), value)
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

// settle counts a vertex that was reached, and gives it the update of arc hit-1 from a vertex that was reached, where any will do.
func (s *search[A, V]) settle(r *rounds, o own, from, hit uint32, n *tally) {
	v := o.v
	n.vertices++
	if r.run.Same {
		n.arcs += o.end - o.begin
	} else {
		n.arcs += s.degrees[v+1] - s.degrees[v]
	}
	switch {
	case !s.alg.EarlyEnd():
	case s.alike:
		s.values[v] = s.next()
	default:
		update, _ := s.alg.Compute(s.in.Edge(hit-1, from, v), gpu.Load(&s.values[from]))
		x := s.alg.Combine(s.alg.Identity(), update)
		s.values[v] = x
		if s.group { // at once, so that links work while SMs do
			s.peers.each(func(p peer[V]) { p.values[v] = x })
		}
	}
}

// list makes the pieces of the vertices that the last iteration has reached, in one bitmap and not in the other one, for a push, and makes the GPU's words of both bitmaps the same.
func (s *search[A, V]) list(t gpu.Thread, r *rounds, c *collector) {
	now, before := s.m.reached(r.side), s.m.reached(1-r.side)
	warps := r.at.warps(t)
	each := shareOf(s.m.Words, warps)
	for first := r.at.warp(t) * each; first < s.m.Words; first += warps * each {
		var fresh uint32
		if w := first + t.Lane(); t.Lane() < each && w < s.m.Words {
			fresh = now[w] &^ before[w]
			if fresh != 0 && w >= s.first && w < s.end {
				before[w] |= fresh
			}
		}
		x := bitsOf(t, first, fresh)
		for i := t.Lane(); i-t.Lane() < x.all; i += wave * gpu.WarpSize {
			var found rows
			// Not a loop, so that the arrays stay in registers.
			found.v[0], _ = x.at(t, i)
			found.v[1], _ = x.at(t, i+gpu.WarpSize)
			found.v[2], _ = x.at(t, i+2*gpu.WarpSize)
			found.v[3], _ = x.at(t, i+3*gpu.WarpSize)
			for k := range uint32(wave) {
				found.ok[k] = i+k*gpu.WarpSize < x.all
			}
			found.load(s.out.Row)
			c.add(t, found)
		}
	}
}
