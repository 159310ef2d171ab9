package scheduler

import "github.com/weft-gpu/weft/gpu"

// This file has what schemes that keep a list of the vertices of each level do with an arc ([Algorithm].Levels), where others
// look at all vertices to find those of a phase.

// ReachArcs is SendArcs in such a scheme: a target enters the next level at its first update. Each thread calls reached for those
// targets that it brought there; each target is reached once.
func ReachArcs[A Algorithm[V], M Mapping, V gpu.Num](t gpu.Thread, alg A, g Graph, values []V, u Vertex, begin, end uint32, reached func(v uint32)) {
	var m M
	src := Taken[A, M, V](t, alg, u, &values[u.ID])
	m.Arcs(t, begin, end, func(e uint32) { ReachArc[A, V](alg, g, values, u, src, e, reached) })
}

// ReachArc is SendArc in such a scheme.
func ReachArc[A Algorithm[V], V gpu.Num](alg A, g Graph, values []V, u Vertex, src V, e uint32, reached func(v uint32)) {
	v := g.Col[e]
	edge := g.Edge(e, u.ID, v)
	edge.Phase = u.Phase
	update, ok := alg.Compute(edge, src)
	if !ok {
		return
	}
	old := alg.Update(&values[v], update)
	if !alg.Active(v, old, alg.Combine(old, update)) {
		return
	}
	value := alg.Identity() // Enter does not access that of the vertex, to which other threads may send
	alg.Enter(Vertex{ID: v, Degree: g.Row[v+1] - g.Row[v], Phase: u.Phase + 1}, &value)
	reached(v)
}

// Given returns what v gets on its outgoing arc e from the target in a phase of the way back. ok is false if that gives nothing.
func Given[A Algorithm[V], V gpu.Num](alg A, g Graph, values []V, v, phase, e uint32) (update V, ok bool) {
	u := g.Col[e]
	if !alg.Gives(u, phase, values[u]) {
		return alg.Identity(), false
	}
	edge := g.Edge(e, u, v)
	edge.Phase = phase
	return alg.Compute(edge, alg.Take(Vertex{ID: u, Phase: phase}, &values[u]))
}
