package simdx

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// This file has the batch filter, the baseline of section 4, which is that of Gunrock: all
// arcs of the frontier are first listed, then their updates are made, then the vertices that
// became active are collected from the list. The list takes two words for each arc.

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

// Update makes the updates of the listed arcs, a thread an arc. The source of an arc gives
// way to its target if that became active, and to nobody otherwise.
func Update[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, m Memory, run Run, n uint32) {
	for i := t.Global(); i < n; i += t.Stride() {
		pair := gpu.Load2(m.Edges, 2*i)
		u := scheduler.Vertex{ID: pair[0], Degree: g.Row[pair[0]+1] - g.Row[pair[0]], Phase: run.Phase}
		reached := nobody
		scheduler.SendArc[A, V](alg, g, values, u, alg.Take(u, &values[u.ID]), pair[1], func(v uint32) {
			m.Marks[v] = run.Iteration + 1
			reached = v
		})
		m.Edges[2*i] = reached
	}
}

// CountEdges and WriteEdges collect the vertices that n listed arcs made active, in the order
// of the list; a vertex may be there several times. Their grids are equal.
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
