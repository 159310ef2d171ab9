package scheduler

import "github.com/weft-gpu/weft/gpu"

// SendUpdates sends the updates of vertex u along its arcs; the threads of one team call it
// together. Each thread calls activate for those targets that it made active in this phase,
// which may be the same vertex several times. phase is 0 if the algorithm has no phases.
func SendUpdates[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, values []V, u, phase uint32, activate func(v uint32)) {
	begin, end := g.Row[u], g.Row[u+1]
	SendArcs[A, M, V](t, alg, g, values, Vertex{ID: u, Degree: end - begin, Phase: phase}, begin, end, activate)
}

// SendArcs is SendUpdates for the arcs of u from begin to end (exclusive), which may be a
// part of all only if the algorithm does not consume.
func SendArcs[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, values []V, u Vertex, begin, end uint32, activate func(v uint32)) {
	var m M
	src := Taken[A, M, V](t, alg, u, &values[u.ID])
	m.Arcs(t, begin, end, func(e uint32) { SendArc[A, V](alg, g, values, u, src, e, activate) })
}

// SendArc sends the update of arc e of u. src is what u sends.
func SendArc[A Algorithm[V], V gpu.Num](alg A, g Graph, values []V, u Vertex, src V, e uint32, activate func(v uint32)) {
	v := g.Col[e]
	edge := g.Edge(e, u.ID, v)
	edge.Phase = u.Phase
	SendUpdate[A, V](alg, edge, src, &values[v], activate)
}

// SendUpdate sends the update of one arc to the value at p. src is what its source sends.
// It calls activate for the target if that became active in the phase of the arc.
func SendUpdate[A Algorithm[V], V gpu.Num](alg A, e Edge, src V, p *V, activate func(v uint32)) {
	update, ok := alg.Compute(e, src)
	if !ok {
		return
	}
	old := alg.Update(p, update)
	next := alg.Combine(old, update)
	if alg.Active(e.Dst, old, next) && (!alg.Phases() || alg.Joins(e.Dst, e.Phase, next)) {
		activate(e.Dst)
	}
}

// Taken returns what u sends; p is its value. The threads of the team call it together. If Take only reads, every thread of the team calls it, which
// is cheaper than broadcasting the value.
func Taken[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, u Vertex, p *V) V {
	if !alg.Consumes() {
		return alg.Take(u, p)
	}
	var m M
	return Once(t, m, func() V { return alg.Take(u, p) })
}

// Enqueue calls add for a vertex that became active, but only once per vertex and iteration.
// The algorithm guarantees that itself or the marks of out do.
func Enqueue[A Algorithm[V], V gpu.Num](alg A, out Queue, v uint32, add func()) {
	if alg.Unique() {
		add()
	} else {
		out.Once(v, add)
	}
}
