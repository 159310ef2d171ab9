package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Colour is the persistent kernel for speculative algorithms such as greedy colouring
// (section 5.3, algorithm 6). It has two kinds of tasks in one kernel (an uberkernel), and
// the sign of the task says which: a task without [Second] chooses the value of its vertex
// and asks for a check, one with Second checks the vertex for conflicts and asks for those
// that lost one to choose again.
//
// # Why no conflict is left
//
// Assume that two neighbors end with values that exclude each other. Each has stored its
// value before it was checked for the last time, and each check has a sequentially
// consistent fence between taking the task and loading the neighbors' values. Of two such
// fences one comes first, and the check with the other sees what was stored before the
// first. It thus sees the conflict, and asks for the loser, whichever of the two it is, to
// choose again. So one of the values was not the last. A check that asked only for its own
// vertex would not do: the loser may have been checked before the winner chose.
func Colour[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape scheduler.TaskShape, done Done, history History) {
	w, room := scheduler.OpenWorker[V, M, uint32](t, shape, ColourArrays, false)
	persist[colour[A, M, V], V, M](t, newColour[A, M, V](alg, vertices{q, g, history}, values, room), q, w, shape, done, history)
}

// ColourPortion is the discrete kernel for the same algorithms.
func ColourPortion[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape scheduler.TaskShape, done Done, first, count uint32) {
	w, room := scheduler.OpenWorker[V, M, uint32](t, shape, ColourArrays, false)
	portion[colour[A, M, V], V, M](t, newColour[A, M, V](alg, vertices{q, g, History{}}, values, room), q, w, done, first, count)
}

// ColourArrays is the number of values that a worker holds for each task of a batch.
const ColourArrays = 2

// colour is the application of Colour.
type colour[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num] struct {
	vertices
	alg    A
	values []V
	own    []V // in shared memory: the value of each vertex of the batch
	taken  []V // what its neighbors exclude
}

func newColour[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](alg A, of vertices, values []V, room []V) colour[A, M, V] {
	f := gpu.Len(room) / ColourArrays
	return colour[A, M, V]{of, alg, values, room[:f], room[f:]}
}

// Pop takes the task of a ticket.
func (a colour[A, M, V]) Pop(ticket uint32) (Item[V], bool) {
	return pop[colour[A, M, V], V](a, a.vertices, ticket)
}

// Read takes the task at a position.
func (a colour[A, M, V]) Read(position uint32) (Item[V], bool) {
	return read[colour[A, M, V], V](a, a.vertices, position), true
}

// peek loads the value of the vertex.
func (a colour[A, M, V]) peek(task uint32, v scheduler.Vertex) V { return gpu.Load(&a.values[v.ID]) }

// Run processes a batch with tasks of both kinds, which share the passes over the arcs.
func (a colour[A, M, V]) Run(t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool) uint32 {
	if has && it.Task >= Second {
		gpu.FenceSC()
	}
	return choose[A, M](t, w, n, it, has, a, func(i, e uint32) {
		v, u := w.Batch[i]&^Second, a.g.Col[e]
		src := gpu.Load(&a.values[u])
		if w.Batch[i] < Second {
			a.exclude(i, a.g.Edge(e, u, v), src)
		} else if a.alg.Conflict(a.g.Edge(e, u, v), src, a.own[i]) {
			w.Ask(v)
		} else if a.alg.Conflict(a.g.Edge(e, v, u), a.own[i], src) {
			w.Ask(u)
		}
	}, func(v uint32) { w.Ask(v | Second) }, func() { scheduler.MakeRoom[colour[A, M, V], M, uint32, Item[V]](t, a, a.TaskRing, w) })
}

// exclude notes what the neighbor at the other end of an arc excludes for vertex i of the
// batch.
func (a colour[A, M, V]) exclude(i uint32, e scheduler.Edge, src V) {
	if x := a.alg.Guess(e, src, a.own[i]); x != a.alg.Identity() {
		scheduler.Swap(&a.taken[i], x, func(x, y V) V { return a.alg.Combine(x, y) })
	}
}

// Completed ends the visit of a vertex.
func (a colour[A, M, V]) Completed(it Item[V], total *scheduler.TaskTotals) (uint32, bool) {
	return it.Task, visited(a.vertices, it, total)
}

// Ran notes the visits over time.
func (a colour[A, M, V]) Ran(t gpu.Thread, w scheduler.Worker[uint32], it Item[V], has bool) {
	count[M](t, a.history, w, has && it.Task < Second)
}

// Idle does nothing: all tasks are in the queue.
func (a colour[A, M, V]) Idle(t gpu.Thread, w scheduler.Worker[uint32]) {}

// Sweeps returns false: what is left to do is in the queue.
func (a colour[A, M, V]) Sweeps() bool { return false }

// Last is not called.
func (a colour[A, M, V]) Last(t gpu.Thread, w scheduler.Worker[uint32]) (more bool) { return false }

// choose passes over the arcs of a batch until each of its vertices that is to choose has a
// value, and calls chosen for it; a vertex that is checked takes part in the first pass only.
// arc gets an index in the batch and an arc. room is called before up to one task per thread
// is added.
func choose[A scheduler.Speculative[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool, a colour[A, M, V], arc func(i, e uint32), chosen func(v uint32), room func()) uint32 {
	total := uint32(0)
	for left := uint32(1); left > 0; left = scheduler.TaskTally[M](t, has) {
		total += arcs[V, M](t, w, n, it, has, func(i uint32) {
			a.own[i], a.taken[i] = it.Value, a.alg.Identity()
		}, arc, room)
		room()
		if has && it.Task < Second {
			done := false
			v := scheduler.Vertex{ID: it.Task, Degree: it.End - it.Begin}
			if it.Value, done = a.alg.Choose(v, it.Value, a.taken[w.Index]); done {
				gpu.Store(&a.values[it.Task], it.Value)
				chosen(it.Task)
				has = false
			}
		} else {
			has = false
		}
	}
	return total
}
