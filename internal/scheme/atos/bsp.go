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
func Choose[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, shape scheduler.TaskShape, done Done) {
	w, room := scheduler.OpenWorker[V, M, uint32](t, shape, ColourArrays, false)
	a := newColour[A, M, V](alg, vertices{g: g}, values, room)
	var total scheduler.TaskTotals
	frontier[V, M](w, g, values, in, func(n uint32, it Item[V], has bool) {
		if has {
			total.Tasks++
		}
		total.Work += uint64(choose(t, w, n, it, has, a, func(i, e uint32) {
			u := g.Col[e]
			a.exclude(i, g.Edge(e, u, w.Batch[i]), gpu.Load(&values[u]))
		}, func(uint32) {}, func() { scheduler.TaskBarrier[M](t) }))
	})
	total.Add(w.Index, done)
}

// Detect is the second kernel of an iteration: the vertices of the frontier that lost a
// conflict are added to the next one. Both ends of a conflict are in the frontier, because a
// vertex that chose in an earlier iteration was seen by the other one.
func Detect[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out scheduler.Queue, shape scheduler.TaskShape, done Done) {
	w, own := scheduler.OpenWorker[V, M, uint32](t, shape, ColourArrays, false)
	var total scheduler.TaskTotals
	frontier[V, M](w, g, values, in, func(n uint32, it Item[V], has bool) {
		total.Work += uint64(arcs[V, M](t, w, n, it, has, func(i uint32) { own[i] = it.Value }, func(i, e uint32) {
			u, v := g.Col[e], w.Batch[i]
			if alg.Conflict(g.Edge(e, u, v), values[u], own[i]) {
				out.AddOnce(v)
			}
		}, func() {}))
		scheduler.TaskBarrier[M](t) // the next batch overwrites the arrays of this one
	})
	total.Add(w.Index, done)
}

// frontier calls body for the batches of a worker: n vertices of the frontier, one for each
// thread.
func frontier[V gpu.Num, M scheduler.Mapping](w scheduler.Worker[uint32], g scheduler.Graph, values []V, in scheduler.Frontier, body func(n uint32, it Item[V], has bool)) {
	for batch := w.Number * w.Fetch; batch < in.Count; batch += w.Workers * w.Fetch {
		n := min(w.Fetch, in.Count-batch)
		var it Item[V]
		has := w.Index < n
		if has {
			v := in.Vertices[batch+w.Index]
			it = Item[V]{Task: v, Begin: g.Row[v], End: g.Row[v+1], Value: gpu.Load(&values[v])}
		}
		body(n, it, has)
	}
}
