package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Each is Relax without merging: each update that makes a vertex active adds a task, as in
// the paper (algorithm 2), also if the vertex waits in the queue already. Then the visits in
// excess are those of table 4, and there may be more tasks than slots. Requests counts visits
// alone.
func Each[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q EachQueue, shape scheduler.TaskShape, done Done, history History) {
	w, app := newEach[A, M, V](t, alg, g, values, q, shape, history)
	history.begin(t, w)
	total := scheduler.Persist[each[A, M, V], M, uint32, Item[V]](t, app, q.TaskRing, w, shape.Sleep)
	total.Add(w.Index, done)
}

// EachPortion is the discrete kernel without merging.
func EachPortion[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q EachQueue, shape scheduler.TaskShape, done Done, first, count uint32) {
	w, app := newEach[A, M, V](t, alg, g, values, q, shape, History{})
	total := scheduler.Portion[each[A, M, V], M, uint32, Item[V]](t, app, q.TaskRing, w, first, count)
	total.Add(w.Index, done)
}

// EachQueue is a queue in which a vertex may be several times.
type EachQueue struct {
	scheduler.TaskQueue[uint32]
	Visits []uint64 // for each vertex
}

// each is the application of Each.
type each[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num] struct {
	scheduler.TaskQueue[uint32]
	visits []uint64
	send   relax[A, M, V] // its queue is not used
}

func newEach[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q EachQueue, shape scheduler.TaskShape, history History) (scheduler.Worker[uint32], each[A, M, V]) {
	w, sent := scheduler.OpenWorker[V, M, uint32](t, shape, RelaxArrays, true)
	app := relax[A, M, V]{vertices{Queue{}, g, history}, alg, values, sent}
	return w.Using(q.TaskQueue), each[A, M, V]{q.TaskQueue, q.Visits, app}
}

// Pop takes the vertex of a ticket.
func (a each[A, M, V]) Pop(ticket uint32) (it Item[V], ok bool) {
	task, ok := a.TaskQueue.Pop(ticket)
	return a.item(task, ok), ok
}

// Read takes the vertex at a position.
func (a each[A, M, V]) Read(position uint32) (it Item[V], ok bool) {
	task, ok := a.TaskQueue.Read(position)
	return a.item(task, ok), ok
}

// item reads what a task needs to know.
func (a each[A, M, V]) item(task uint32, ok bool) (it Item[V]) {
	if ok {
		it = Item[V]{Task: task, Begin: a.send.g.Row[task], End: a.send.g.Row[task+1]}
		it.Value = a.send.peek(task, scheduler.Vertex{ID: task, Degree: it.End - it.Begin})
	}
	return it
}

// Asks returns false: requests are not merged.
func (a each[A, M, V]) Asks() bool { return false }

// Asked is not called.
func (a each[A, M, V]) Asked(task uint32) bool { return true }

// Run sends the updates of a batch. The vertices that become active are tasks.
func (a each[A, M, V]) Run(t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool) uint32 {
	return a.send.send(t, w, n, it, has, func(v uint32, old, next V) {
		if a.send.alg.Active(v, old, next) {
			w.Add(v)
		}
	},
		func() { scheduler.MakeRoom[each[A, M, V], M, uint32, Item[V]](t, a, a.TaskRing, w) })
}

// Completed counts the visit of a vertex.
func (a each[A, M, V]) Completed(it Item[V], total *scheduler.TaskTotals) (uint32, bool) {
	total.Visit(gpu.AtomicAdd(&a.visits[it.Task], 1))
	return it.Task, false
}

// Ran notes the visits over time.
func (a each[A, M, V]) Ran(t gpu.Thread, w scheduler.Worker[uint32], it Item[V], has bool) {
	count[M](t, a.send.history, w, has)
}

// Idle does nothing: all tasks are in the queue.
func (a each[A, M, V]) Idle(t gpu.Thread, w scheduler.Worker[uint32]) {}

// Sweeps returns false: a vertex is a task as soon as it has something to send.
func (a each[A, M, V]) Sweeps() bool { return false }

// Last is not called.
func (a each[A, M, V]) Last(t gpu.Thread, w scheduler.Worker[uint32]) (more bool) { return false }

// InitEach is Init for an EachQueue.
func InitEach[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, in scheduler.Problem, values []V, q EachQueue) {
	begin(t, alg, g, in, 0, in.Vertices, values, q.TaskRing, func(id uint32, start bool) { q.Visits[id] = 0 },
		func(position, id uint32) { q.First(position, id) })
}
