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
		old := values[id]
		if alg.EarlyEnd() && alg.Settled(old) {
			if Leader(t, m) {
				next[id] = old
			}
			return
		}
		sum := Reduce(t, m, gather[A, M, V](t, alg, g, values, id), alg.Identity(), func(a, b V) V { return alg.Combine(a, b) })
		if Leader(t, m) {
			v := Vertex{ID: id, Degree: outRow[id+1] - outRow[id]}
			value, moved := alg.Apply(v, old, sum)
			next[id] = value
			if moved {
				count++
			}
		}
	})
	if count > 0 {
		gpu.AtomicAdd(changed, count)
	}
}

// gather combines the updates on those incoming arcs of v that are assigned to this thread.
func gather[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, values []V, v uint32) V {
	var m M
	sum := alg.Identity()
	visit := func(e uint32) {
		u := g.Col[e]
		if update, ok := alg.Compute(g.Edge(e, u, v), values[u]); ok {
			sum = alg.Combine(sum, update)
		}
	}
	if alg.EarlyEnd() {
		m.ArcsUntil(t, g.Row[v], g.Row[v+1], func(e uint32) bool {
			visit(e)
			return alg.Settled(sum)
		})
	} else {
		m.Arcs(t, g.Row[v], g.Row[v+1], visit)
	}
	return sum
}
