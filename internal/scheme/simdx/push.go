package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the compute step of a push iteration (sections 3 and 4): vertices of the
// small list are processed by a thread, those of the medium list by a warp, those of the
// large list by a block. They update the targets of their arcs with atomics.

// source is where entries are read: [lists] or, in a block that works alone, [staged].
type source interface {
	get(class, i uint32) entry
}

// crew are the threads that process a frontier: all of the grid, or those of one block.
type crew struct {
	thread, threads uint32 // number of this thread, and how many there are
	block, blocks   uint32
}

// grid returns the crew of all threads.
func grid(t gpu.Thread) crew { return crew{t.Global(), t.Stride(), t.Block(), t.GridDim()} }

// mostLanes is the largest number of threads that share an entry of the small list.
const mostLanes = 8

// lanes returns how many threads share an entry of the small list. It is one thread
// (section 4) unless the list is so short that others would be idle: then each of them takes
// a part of the arcs, whose accesses overlap. A thread alone waits for one arc after another.
func (c crew) lanes(n uint32) uint32 {
	lanes := uint32(1)
	for lanes < mostLanes && 2*lanes*n <= c.threads {
		lanes *= 2
	}
	return lanes
}

// sender is what the compute step needs besides the frontier.
type sender[A scheduler.Algorithm[V], V gpu.Num] struct {
	alg    A
	g      scheduler.Graph
	values []V
	phase  uint32
}

// vertex returns the vertex of an entry.
func (s sender[A, V]) vertex(e entry) scheduler.Vertex {
	return scheduler.Vertex{ID: e.Vertex, Degree: e.Degree, Phase: s.phase}
}

// all sends the updates of a frontier, the longest work first.
func sendAll[A scheduler.Algorithm[V], S source, V gpu.Num](t gpu.Thread, s sender[A, V], from S, f frontier, c crew, found *collector) {
	sendLarge(t, s, from, f.Large, c, found)
	sendMedium(t, s, from, f.Medium, c, found)
	sendSmall(t, s, from, f.Small, c, found)
}

// sendLarge sends the updates of the large list, a block an entry.
func sendLarge[A scheduler.Algorithm[V], S source, V gpu.Num](t gpu.Thread, s sender[A, V], from S, n uint32, c crew, found *collector) {
	for i := c.block; i < n; i += c.blocks {
		e := from.get(large, i)
		scheduler.SendArcs[A, scheduler.BlockPerVertex, V](t, s.alg, s.g, s.values, s.vertex(e), e.Begin, e.End, func(v uint32) {
			reach[A, V](s.alg, found, v)
		})
	}
}

// sendMedium sends the updates of the medium list, a warp an entry.
func sendMedium[A scheduler.Algorithm[V], S source, V gpu.Num](t gpu.Thread, s sender[A, V], from S, n uint32, c crew, found *collector) {
	for i := c.thread / gpu.WarpSize; i < n; i += c.threads / gpu.WarpSize {
		e := from.get(medium, i)
		scheduler.SendArcs[A, scheduler.WarpPerVertex, V](t, s.alg, s.g, s.values, s.vertex(e), e.Begin, e.End, func(v uint32) {
			reach[A, V](s.alg, found, v)
		})
	}
}

// sendSmall sends the updates of the small list, a thread or a few an entry.
func sendSmall[A scheduler.Algorithm[V], S source, V gpu.Num](t gpu.Thread, s sender[A, V], from S, n uint32, c crew, found *collector) {
	lanes := c.lanes(n)
	if s.alg.Consumes() {
		lanes = 1 // only one thread may call Take
	}
	for i := c.thread / lanes; i < n; i += c.threads / lanes {
		e := from.get(small, i)
		u := s.vertex(e)
		src := s.alg.Take(u, &s.values[u.ID])
		for arc := e.Begin + c.thread%lanes; arc < e.End; arc += lanes {
			scheduler.SendArc[A, V](s.alg, s.g, s.values, u, src, arc, func(v uint32) {
				reach[A, V](s.alg, found, v)
			})
		}
	}
}

// reach records that v became active. A frontier may have a vertex several times, as in the
// paper, unless Take consumes: then v would send twice what it may send once. The marks
// prevent that, and that lists overflow with the atomic filter, which has no other to help.
func reach[A scheduler.Algorithm[V], V gpu.Num](alg A, found *collector, v uint32) {
	if alg.Unique() || !alg.Consumes() && !found.atomic {
		found.activate(v)
		return
	}
	marks := scheduler.Queue{Stamp: found.m.Marks, Iteration: found.mark}
	marks.Once(v, func() { found.activate(v) })
}
