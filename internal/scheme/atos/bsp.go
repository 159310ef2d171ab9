package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// The two kernels of the bulk-synchronous colouring (section 5.3, algorithm 5), which is the
// baseline of [Colour]: in each iteration all vertices of the frontier choose, and then all
// are checked. The conflicts are the next frontier.

// Choose is the first kernel of an iteration: each vertex of the frontier chooses a value.
// Values that change at the same time may be seen or not.
func Choose[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, shape Shape, done Done) {
	w, room := open[V, M](t, shape, ColourArrays)
	a := newColour[A, M, V](alg, g, values, Queue{}, room)
	var total report
	frontier[V, M](w, g, values, in, func(n uint32, it Item[V]) {
		if it.Any {
			total.tasks++
		}
		total.arcs += uint64(choose(t, w, n, it, a, func(i, e uint32) {
			u := g.Col[e]
			a.exclude(i, g.Edge(e, u, w.task[i]), gpu.Load(&values[u]))
		}, func(uint32) {}, func() { barrier[M](t) }))
	})
	total.add(w, done)
}

// Detect is the second kernel of an iteration: the vertices of the frontier that lost a
// conflict are added to the next one. Both ends of a conflict are in the frontier, because a
// vertex that chose in an earlier iteration was seen by the other one.
func Detect[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out scheduler.Queue, shape Shape, done Done) {
	w, own := open[V, M](t, shape, ColourArrays)
	var total report
	frontier[V, M](w, g, values, in, func(n uint32, it Item[V]) {
		total.arcs += uint64(arcs[V, M](t, w, n, it, func(i uint32) { own[i] = it.Value }, func(i, e uint32) {
			u, v := g.Col[e], w.task[i]
			if alg.Conflict(g.Edge(e, u, v), values[u], own[i]) {
				out.AddOnce(v)
			}
		}, func() {}))
		barrier[M](t) // the next batch overwrites the arrays of this one
	})
	total.add(w, done)
}

// frontier calls body for the batches of a worker: n vertices of the frontier, one for each
// thread.
func frontier[V gpu.Num, M scheduler.Mapping](w worker, g scheduler.Graph, values []V, in scheduler.Frontier, body func(n uint32, it Item[V])) {
	for batch := w.number * w.fetch; batch < in.Count; batch += w.workers * w.fetch {
		n := min(w.fetch, in.Count-batch)
		var it Item[V]
		if w.index < n {
			v := in.Vertices[batch+w.index]
			it = Item[V]{Any: true, Task: v, Begin: g.Row[v], End: g.Row[v+1], Value: gpu.Load(&values[v])}
		}
		body(n, it)
	}
}
