package bitmap

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// wave is how many arcs a lane has under way together: a thread that waits for one after another takes as many times the latency of memory.
const wave = 4

// search is what an iteration needs besides the frontier.
type search[A scheduler.Algorithm[V], V gpu.Num] struct {
	alg     A
	out, in scheduler.Graph // with outgoing and incoming arcs
	values  []V
	m       Memory
	seen    *seen
	// degrees are the row offsets of all outgoing arcs, and first and end the words of the bitmaps whose vertices the GPU reaches: those of out, and all of them, on a GPU alone.
	degrees    []uint32
	first, end uint32
	group      bool // the GPU is one of several
	// If alike is set, value is what all vertices of the frontier of iteration at have.
	alike bool
	value V
	at    uint32
	inbox uint32 // the first of the GPU's places in the half of the inboxes for the next exchange
	peers Peers[V]
}

// push sends the updates of a frontier of so many pieces. If alone is set, those of this block do that, with pieces in shared memory. If wide is set, the other
// bitmap gets the bits, and nothing is listed: see gather. A warp takes
// so many pieces that all warps have some, up to one for each lane, and gives its lanes equal parts of their arcs, whatever vertices these are of.
func (s *search[A, V]) push(t gpu.Thread, r *rounds, count uint32, alone, wide bool, c *collector) {
	reached, also := s.m.reached(r.side), s.m.reached(1-r.side)
	if wide {
		reached = also
	}
	warp, warps := r.at.warp(t), r.at.warps(t)
	if alone {
		warp, warps = t.Warp(), t.BlockDim()/gpu.WarpSize
	}
	each := min((count+warps-1)/warps, gpu.WarpSize)
	for first := warp * each; first < count; first += warps * each {
		var p piece
		src := s.alg.Identity()
		if t.Lane() < each && first+t.Lane() < count {
			if alone {
				p = *c.own(true, first+t.Lane())
			} else {
				p = s.m.get(r.step, first+t.Lane())
			}
			if p.vertex != noVertex {
				src = s.take(p.vertex)
			}
		}
		upTo := scheduler.SumUpTo(t, p.end-p.begin)
		all := gpu.Shfl(t, gpu.FullMask, upTo, gpu.WarpSize-1)
		for base := t.Lane(); base-t.Lane() < all; base += wave * gpu.WarpSize {
			var index, of [wave]uint32
			var to rows
			for k := range uint32(wave) {
				i := base + k*gpu.WarpSize
				of[k], index[k] = scheduler.ArcAt(t, i, upTo, p.end)
				to.ok[k] = i < all
			}
			for k := range uint32(wave) {
				if to.ok[k] {
					to.v[k] = s.out.Col[index[k]]
				}
			}
			var from [wave]uint32
			var sent [wave]V
			for k := range uint32(wave) {
				from[k], sent[k] = gpu.Shfl(t, gpu.FullMask, p.vertex, of[k]), gpu.Shfl(t, gpu.FullMask, src, of[k])
				_, ok := s.alg.Compute(s.out.Edge(index[k], from[k], to.v[k]), sent[k])
				to.ok[k] = to.ok[k] && ok
			}
			if s.alg.EarlyEnd() {
				s.leaveOut(reached, &to)
			}
			switch {
			case wide:
				s.send(reached, index, from, sent, &to)
				continue
			case s.group:
				s.send(reached, index, from, sent, &to)
				s.count(t, c, to)
				s.enlist(t, c, to)
			default:
				to.load(s.out.Row) // before it is known which of them become active, so that nothing waits for one load after the other
				s.send(reached, index, from, sent, &to)
				c.count(t, to)
				c.add(t, to)
			}
			for k := range uint32(wave) { // both bitmaps stay the same, for a wide push
				if to.ok[k] {
					reach(also, to.v[k])
				}
			}
		}
	}
}

// wideShare is the part of all vertices, as its inverse, that the arcs of a frontier make it wide.
const wideShare = 32

// isWide reports whether a frontier is wide: what it reaches is then counted, and if need be listed, from the bitmaps, whose words and the rows of their vertices follow each other in memory. For
// each vertex that a push finds, its row is elsewhere.
func (r *rounds) isWide(t gpu.Thread, f frontier) bool {
	return f.arcs >= max(r.run.Problem.Vertices/wideShare, r.at.stride(t))
}

// gather counts the vertices that a wide push has reached, in one bitmap and not in the other one. A warp has 32 vertices that follow each other.
func (s *search[A, V]) gather(t gpu.Thread, r *rounds, c *collector) {
	now, before := s.m.reached(r.side), s.m.reached(1-r.side)
	var n tally
	step := r.at.warps(t)
	for first := s.first + r.at.warp(t); first < s.end; first += wave * step {
		var x rows
		for k := range uint32(wave) {
			if w := first + k*step; w < s.end {
				x.v[k] = w*gpu.WarpSize + t.Lane()
				x.ok[k] = (now[w]&^before[w])>>t.Lane()&1 != 0
			}
		}
		x.load(s.degrees)
		for k := range uint32(wave) {
			if x.ok[k] {
				n.vertices++
				n.arcs += x.end[k] - x.begin[k]
			}
		}
	}
	n.tell(t, c)
}

// begin prepares for the first iteration.
func (s *search[A, V]) begin(run Run) {
	if s.alike = run.Alike; s.alike {
		s.value, s.at = s.alg.Init(s.vertex(run.Problem.Source), run.Problem), 1
	}
}

// goOn goes on to the value of the frontier of an iteration. It costs nothing to know, and saves a load from anywhere for each arc that brings an update, and all values that GPUs would tell each other.
func (s *search[A, V]) goOn(iteration uint32) {
	for ; s.alike && s.at < iteration; s.at++ {
		s.value = s.next()
	}
}

// next returns the value of what a frontier of one value reaches.
func (s *search[A, V]) next() V {
	update, _ := s.alg.Compute(scheduler.Edge{}, s.value)
	return s.alg.Combine(s.alg.Identity(), update)
}

// take returns what a vertex of the frontier sends.
func (s *search[A, V]) take(v uint32) V {
	if s.alike {
		return s.value
	}
	return s.alg.Take(s.vertex(v), &s.values[v])
}

// vertex returns a vertex as an algorithm sees it.
func (s *search[A, V]) vertex(id uint32) scheduler.Vertex {
	return scheduler.Vertex{ID: id, Degree: s.degrees[id+1] - s.degrees[id]}
}

// count records that these vertices are in the frontier, with all of their arcs. All lanes of a warp must call it together.
func (s *search[A, V]) count(t gpu.Thread, c *collector, x rows) {
	x.load(s.degrees)
	c.count(t, x)
}

// leaveOut leaves out the targets that were reached, or that threads of the block send to.
func (s *search[A, V]) leaveOut(reached []uint32, to *rows) {
	var word [wave]uint32
	for k := range uint32(wave) {
		to.ok[k] = to.ok[k] && !s.seen.had(to.v[k])
	}
	for k := range uint32(wave) {
		if to.ok[k] {
			word[k] = gpu.Load(&reached[to.v[k]/gpu.WarpSize])
		}
	}
	for k := range uint32(wave) {
		to.ok[k] = to.ok[k] && word[k]>>(to.v[k]%gpu.WarpSize)&1 == 0
	}
}

// send sends the updates of arcs with these indices, which all carry one, from vertices that send this, and leaves only those targets that became active.
func (s *search[A, V]) send(reached []uint32, index, from [wave]uint32, sent [wave]V, to *rows) {
	if !s.alg.EarlyEnd() {
		for k := range uint32(wave) {
			active := false
			if to.ok[k] {
				scheduler.SendUpdate(s.alg, s.out.Edge(index[k], from[k], to.v[k]), sent[k], &s.values[to.v[k]], func(uint32) { active = true })
			}
			if to.ok[k] = active; active {
				reach(reached, to.v[k])
			}
		}
		return
	}
	// Any update will do: the thread that sets the bit stores the value. The atomics are under way together.
	var had [wave]uint32
	for k := range uint32(wave) {
		if to.ok[k] {
			had[k] = gpu.AtomicOr(&reached[to.v[k]/gpu.WarpSize], 1<<(to.v[k]%gpu.WarpSize))
		}
	}
	for k := range uint32(wave) {
		if to.ok[k] = to.ok[k] && had[k]>>(to.v[k]%gpu.WarpSize)&1 == 0; to.ok[k] {
			update, _ := s.alg.Compute(s.out.Edge(index[k], from[k], to.v[k]), sent[k])
			gpu.Store(&s.values[to.v[k]], s.alg.Combine(s.alg.Identity(), update))
		}
	}
}

// seen has vertices to which threads of the block have sent, or are about to, each at the place that its number gives it, until another vertex comes there. Where
// any update will do, nobody has to send to them again. Thousands of arcs may go to one vertex in an iteration, such as those of all pages of a web
// site to its first one: each of them would ask the same word of global memory (Merrill, Garland and Grimshaw, Scalable GPU Graph Traversal, PPoPP 2012,
// section 4.3: history culling).
type seen struct{ vertex [seenVertices]uint32 }

// seenVertices is the number of places, a power of 2.
const seenVertices = 2048

// clear makes a block forget all vertices. All of its threads call it.
func (s *seen) clear(t gpu.Thread) {
	for i := t.Idx(); i < seenVertices; i += t.BlockDim() {
		s.vertex[i] = noVertex
	}
}

// noVertex is no number of a vertex.
const noVertex = ^uint32(0)

// had reports whether a vertex is there, and puts it there.
func (s *seen) had(v uint32) bool {
	place := &s.vertex[v%seenVertices]
	if gpu.Load(place, gpu.BlockScope) == v {
		return true
	}
	gpu.Store(place, v, gpu.BlockScope)
	return false
}
