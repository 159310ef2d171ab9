package scheduler

import "github.com/weft-gpu/weft/gpu"

// PullTeams is one pull iteration with a team per vertex: each vertex combines the updates
// on its incoming arcs, computed from the values of the previous iteration. No two threads
// write the same word, so the only atomic counts the changed vertices, and floating-point
// sums are the same in every run.
//
// The rows of g hold the incoming arcs. outRow has the row offsets of the outgoing arcs,
// for the degrees of the vertices.
func PullTeams[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, outRow []uint32, values, next []V, changed *uint32) {
	var m M
	count := uint32(0)
	m.Vertices(t, g.Vertices(), func(id uint32) {
		row := func() (begin, end uint32) { return g.Row[id], g.Row[id+1] }
		degree := func() uint32 { return outRow[id+1] - outRow[id] }
		PullVertex[A, M, V](t, alg, g, values, next, id, row, degree, func() { count++ })
	})
	if count > 0 {
		gpu.AtomicAdd(changed, count)
	}
}

// PullVertex computes the next value of a vertex from the updates on its incoming arcs. row
// returns which arcs of g these are, begin to end (exclusive), and degree the number of its
// outgoing arcs; a vertex with its final value needs neither. The threads of one team call it
// together. The leader calls changed if the value changed.
func PullVertex[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, values, next []V, id uint32, row func() (begin, end uint32), degree func() uint32, changed func()) {
	var m M
	old := values[id]
	if alg.EarlyEnd() && alg.Settled(old) {
		if Leader(t, m) {
			next[id] = old
		}
		return
	}
	begin, end := row()
	sum := Reduce(t, m, GatherArcs[A, M, V](t, alg, g, values, id, begin, end), alg.Identity(), func(a, b V) V { return alg.Combine(a, b) })
	if Leader(t, m) {
		value, moved := alg.Apply(Vertex{ID: id, Degree: degree()}, old, sum)
		next[id] = value
		if moved {
			changed()
		}
	}
}

// GatherArcs combines the updates on those incoming arcs of v, from begin to end (exclusive),
// that are assigned to this thread.
func GatherArcs[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, values []V, v, begin, end uint32) V {
	var m M
	sum := alg.Identity()
	visit := func(e uint32) {
		u := g.Col[e]
		if update, ok := alg.Compute(g.Edge(e, u, v), values[u]); ok {
			sum = alg.Combine(sum, update)
		}
	}
	if alg.EarlyEnd() {
		m.ArcsUntil(t, begin, end, func(e uint32) bool {
			visit(e)
			return alg.Settled(sum)
		})
	} else {
		m.Arcs(t, begin, end, visit)
	}
	return sum
}
