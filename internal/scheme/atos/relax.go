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
func Relax[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape scheduler.TaskShape, done Done, history History) {
	w, sent := scheduler.OpenWorker[V, M, uint32](t, shape, RelaxArrays, false)
	persist[relax[A, M, V], V, M](t, relax[A, M, V]{vertices{q, g, history}, alg, values, sent}, q, w, shape, done, history)
}

// RelaxArrays is the number of values that a worker holds for each task of a batch.
const RelaxArrays = 1

// RelaxPortion is the discrete kernel for the same algorithms.
func RelaxPortion[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape scheduler.TaskShape, done Done, first, count uint32) {
	w, sent := scheduler.OpenWorker[V, M, uint32](t, shape, RelaxArrays, false)
	portion[relax[A, M, V], V, M](t, relax[A, M, V]{vertices{q, g, History{}}, alg, values, sent}, q, w, done, first, count)
}

// relax is the application of Relax.
type relax[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num] struct {
	vertices
	alg    A
	values []V
	sent   []V // in shared memory: what each vertex of the batch sends
}

// peek takes the value of the vertex if that only reads.
func (a relax[A, M, V]) peek(u uint32, v scheduler.Vertex) V {
	if a.alg.Consumes() {
		return a.alg.Identity()
	}
	return a.alg.Take(v, &a.values[u])
}

// Pop takes the vertex of a ticket.
func (a relax[A, M, V]) Pop(ticket uint32) (Item[V], bool) {
	return pop[relax[A, M, V], V](a, a.vertices, ticket)
}

// Read takes the vertex at a position.
func (a relax[A, M, V]) Read(position uint32) (Item[V], bool) {
	return read[relax[A, M, V], V](a, a.vertices, position), true
}

// Run sends the updates of a batch. The vertices that become active are tasks.
func (a relax[A, M, V]) Run(t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool) uint32 {
	return a.send(t, w, n, it, has, func(v uint32, old, next V) {
		if a.alg.Active(v, old, next) {
			w.Ask(v)
		}
	},
		func() { scheduler.MakeRoom[relax[A, M, V], M, uint32, Item[V]](t, a, a.TaskRing, w) })
}

// send sends the updates of a batch, and calls changed for each with the value of its target before and after it; room is
// that of arcs.
func (a relax[A, M, V]) send(t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool, changed func(v uint32, old, next V), room func()) uint32 {
	return arcs[V, M](t, w, n, it, has, func(i uint32) {
		a.sent[i] = it.Value
		if a.alg.Consumes() && has {
			a.sent[i] = a.alg.Take(scheduler.Vertex{ID: it.Task, Degree: it.End - it.Begin}, &a.values[it.Task])
		}
	}, func(i, e uint32) {
		u, v := w.Batch[i], a.g.Col[e]
		update, ok := a.alg.Compute(a.g.Edge(e, u, v), a.sent[i])
		if !ok {
			return
		}
		old := a.alg.Update(&a.values[v], update)
		changed(v, old, a.alg.Combine(old, update))
	}, room)
}

// Completed ends the visit of a vertex.
func (a relax[A, M, V]) Completed(it Item[V], total *scheduler.TaskTotals) (uint32, bool) {
	return it.Task, visited(a.vertices, it, total)
}

// Ran notes the visits over time.
func (a relax[A, M, V]) Ran(t gpu.Thread, w scheduler.Worker[uint32], it Item[V], has bool) {
	count[M](t, a.history, w, has && it.Task < Second)
}

// Idle does nothing: all tasks are in the queue.
func (a relax[A, M, V]) Idle(t gpu.Thread, w scheduler.Worker[uint32]) {}

// Sweeps returns false: a vertex is a task as soon as it has something to send.
func (a relax[A, M, V]) Sweeps() bool { return false }

// Last is not called.
func (a relax[A, M, V]) Last(t gpu.Thread, w scheduler.Worker[uint32]) (more bool) { return false }

// persist is the body of a persistent kernel.
func persist[P scheduler.TaskApp[uint32, Item[V]], V gpu.Num, M scheduler.Mapping](t gpu.Thread, app P, q Queue, w scheduler.Worker[uint32], shape scheduler.TaskShape, done Done, history History) {
	history.begin(t, w)
	total := scheduler.Persist[P, M, uint32, Item[V]](t, app, q.TaskRing, w, shape.Sleep)
	total.Add(w.Index, done)
}

// portion is the body of a discrete kernel.
func portion[P scheduler.TaskApp[uint32, Item[V]], V gpu.Num, M scheduler.Mapping](t gpu.Thread, app P, q Queue, w scheduler.Worker[uint32], done Done, first, count uint32) {
	total := scheduler.Portion[P, M, uint32, Item[V]](t, app, q.TaskRing, w, first, count)
	total.Add(w.Index, done)
}

// Done is what the workers of a run did, by scheduler.TaskVisits (without tasks of the second kind) and the others.
type Done []uint64
