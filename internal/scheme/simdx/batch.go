package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the batch filter, the baseline of section 4, which is that of Gunrock: all
// arcs of the frontier are first listed, then their updates are made, then the vertices that
// became active are collected from the list. The list takes two words for each arc.
//
// The arcs of a vertex have several threads. So if Take modifies the vertex, a kernel before the updates takes what each
// vertex of the frontier sends, and the threads of its arcs read that from an array.

// nobody is in the place of an arc that made no vertex active.
const nobody = ^uint32(0)

// Expand lists the arcs of a frontier of n entries: a warp takes 32 entries, prefix sums say
// where the arcs of each go, and all lanes write them.
func Expand(t gpu.Thread, m Memory, run Run) {
	m.clear(t, run.Step+2)
	from, f := m.lists(run.Step, m.Push), m.frontier(run.Step)
	listed := &m.set(run.Step + 1)[changedCount]
	for first := t.Global() - t.Lane(); first < f.entries(); first += t.Stride() {
		var own entry
		if i := first + t.Lane(); i < f.entries() {
			own = from.at(f, i)
		}
		below, all := scheduler.PrefixSum(t, own.End-own.Begin)
		below += scheduler.Once(t, scheduler.WarpPerVertex{}, func() uint32 { return gpu.AtomicAdd(listed, all) })
		for lane := range uint32(gpu.WarpSize) {
			of := func(x uint32) uint32 { return gpu.Shfl(t, gpu.FullMask, x, lane) }
			u, begin, end, at := of(own.Vertex), of(own.Begin), of(own.End), of(below)
			for arc := begin + t.Lane(); arc < end; arc += gpu.WarpSize {
				gpu.Store2(m.Edges, 2*(at+arc-begin), [2]uint32{u, arc})
			}
		}
	}
}

// at returns entry i of all lists of a frontier.
func (l lists) at(f frontier, i uint32) entry {
	switch {
	case i < f.Small:
		return l.get(small, i)
	case i < f.Small+f.Medium:
		return l.get(medium, i-f.Small)
	}
	return l.get(large, i-f.Small-f.Medium)
}

// Take takes what the vertices of the frontier send, a thread a vertex, if that may modify them. Each one is in the frontier
// once, with all of its arcs.
func Take[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, values, taken []V, m Memory, run Run) {
	s := sender[A, V]{alg: alg, values: values, phase: run.Phase}
	from, f := m.lists(run.Step, m.Push), m.frontier(run.Step)
	for i := t.Global(); i < f.entries(); i += t.Stride() {
		u := s.vertex(from.at(f, i))
		taken[u.ID] = alg.Take(u, &values[u.ID])
	}
}

// Update makes the updates of the listed arcs, a thread an arc. The source of an arc gives
// way to its target if that became active, and to nobody otherwise.
func Update[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, m Memory, run Run, n uint32) {
	update(t, alg, g, values, m, run, n, func(u scheduler.Vertex) V { return alg.Take(u, &values[u.ID]) })
}

// UpdateTaken is Update with what Take has taken from the sources.
func UpdateTaken[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values, taken []V, m Memory, run Run, n uint32) {
	update(t, alg, g, values, m, run, n, func(u scheduler.Vertex) V { return taken[u.ID] })
}

// update is Update with what sent returns for the source of an arc.
func update[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, m Memory, run Run, n uint32, sent func(u scheduler.Vertex) V) {
	for i := t.Global(); i < n; i += t.Stride() {
		pair := gpu.Load2(m.Edges, 2*i)
		u := scheduler.Vertex{ID: pair[0], Degree: g.Row[pair[0]+1] - g.Row[pair[0]], Phase: run.Phase}
		reached := nobody
		scheduler.SendArc[A, V](alg, g, values, u, sent(u), pair[1], func(v uint32) {
			if alg.Consumes() && !alg.Unique() { // the first arc that reaches v has it alone
				marks := scheduler.Queue{Stamp: m.Marks, Iteration: run.Iteration + 1}
				marks.Once(v, func() { reached = v })
				return
			}
			m.Marks[v] = run.Iteration + 1
			reached = v
		})
		m.Edges[2*i] = reached
	}
}

// CountEdges and WriteEdges collect the vertices that n listed arcs made active, in the order
// of the list; a vertex may be there several times, unless Take modifies vertices. Their grids
// are equal.
func CountEdges(t gpu.Thread, row []uint32, m Memory, run Run, n uint32) {
	count(t, m, m.Push, n, m.reached, func(v uint32) entry { return whole(row, v) })
}

// WriteEdges is the second half; see CountEdges.
func WriteEdges(t gpu.Thread, row []uint32, m Memory, run Run, n uint32) {
	all := write(t, m, m.lists(run.Step, m.Push), n, m.reached, func(v uint32) entry { return whole(row, v) })
	m.announce(t, run.Step, all)
}

// reached returns the vertex that a listed arc made active.
func (m Memory) reached(i uint32) (v uint32, ok bool) {
	v = m.Edges[2*i]
	return v, v != nobody
}
