package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Relax is the persistent kernel for algorithms whose updates may come in any order:
// speculative BFS (section 5.1, algorithm 2) and the like, and asynchronous PageRank (section
// 5.2). A task is a vertex that is active. Its worker sends the vertex's updates along its
// arcs, and the vertices that become active are new tasks, at once and without a barrier.
//
// In a bulk-synchronous BFS a vertex gets its level at its first visit. Here a vertex may be
// reached by a longer path first; the shorter one then lowers its level and makes it a task
// once more, and the visits in excess are overwork (section 6.4).
func Relax[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape Shape, done Done, history History) {
	w, sent := open[V, M](t, shape, RelaxArrays)
	persistent[relax[A, M, V], V, M](t, relax[A, M, V]{alg, g, values, q, sent}, g, q, w, shape.Sleep, done, history)
}

// RelaxArrays is the number of values that a worker holds for each task of a batch.
const RelaxArrays = 1

// RelaxPortion is the discrete kernel for the same algorithms.
func RelaxPortion[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape Shape, done Done, first, count uint32) {
	w, sent := open[V, M](t, shape, RelaxArrays)
	discrete[relax[A, M, V], V, M](t, relax[A, M, V]{alg, g, values, q, sent}, g, q, w, first, count, done)
}

// relax is the application of Relax.
type relax[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num] struct {
	alg    A
	g      scheduler.Graph
	values []V
	q      Queue
	sent   []V // in shared memory: what each vertex of the batch sends
}

// Peek takes the value of the vertex if that only reads.
func (a relax[A, M, V]) Peek(u uint32, v scheduler.Vertex) V {
	if a.alg.Consumes() {
		return a.alg.Identity()
	}
	return a.alg.Take(v, &a.values[u])
}

// Run sends the updates of a batch. The vertices that become active are tasks.
func (a relax[A, M, V]) Run(t gpu.Thread, w worker, n uint32, it Item[V]) uint32 {
	return a.send(t, w, n, it, func(v uint32) { w.add(v) })
}

// send sends the updates of a batch, and calls activate for vertices that became active.
func (a relax[A, M, V]) send(t gpu.Thread, w worker, n uint32, it Item[V], activate func(v uint32)) uint32 {
	return arcs[V, M](t, w, n, it, func(i uint32) {
		a.sent[i] = it.Value
		if a.alg.Consumes() && it.Any {
			a.sent[i] = a.alg.Take(scheduler.Vertex{ID: it.Task, Degree: it.End - it.Begin}, &a.values[it.Task])
		}
	}, func(i, e uint32) {
		u, v := w.task[i], a.g.Col[e]
		update, ok := a.alg.Compute(a.g.Edge(e, u, v), a.sent[i])
		if !ok {
			return
		}
		old := a.alg.Update(&a.values[v], update)
		if a.alg.Active(v, old, a.alg.Combine(old, update)) {
			activate(v)
		}
	}, func() { makeRoom[M](t, w, a.q) })
}

// Idle does nothing: all tasks are in the queue.
func (a relax[A, M, V]) Idle(t gpu.Thread, w worker) {}

// Sweeps returns false: a vertex is a task as soon as it has something to send.
func (a relax[A, M, V]) Sweeps() bool { return false }

// Last is not called.
func (a relax[A, M, V]) Last(t gpu.Thread, w worker) (more bool) { return false }
