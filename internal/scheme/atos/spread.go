package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Spread is [Relax] on one GPU of a group: one launch on each of them, all of whose blocks are resident, is the whole run. Each GPU has the
// vertices of a range with their outgoing arcs, and a queue of its own. No barrier separates anything: a GPU that has nothing to do takes what others send.
//
// Each GPU has a value for every vertex. That of a vertex of another GPU is a replica, in which updates are combined. If they changed it, the vertex is a task in the
// queue of this GPU, as its own vertices are, and requests for it are merged while it waits. The worker that takes this task sends the value to the GPU
// that has the vertex. So what is sent is combined twice, in the replica and by the time in the queue, and the number of tasks that wait has a bound, as on one GPU.
//
// A replica for Min or Max remembers what was sent. One for sums starts anew from the neutral element: what is sent is moved, and so it is counted once.
// It is sent however small it is, since several GPUs may each have a part of what makes a vertex active.
func Spread[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape scheduler.TaskShape, done Done, peers Peers, ending Ending, move bool) {
	w, sent := scheduler.OpenWorker[V, M, uint32](t, shape, RelaxArrays, false)
	app := spread[A, M, V]{relax[A, M, V]{vertices{q, g, History{}}, alg, values, sent}, &peers, &ending, move}
	total := scheduler.PersistShare[spread[A, M, V], M, uint32, Item[V]](t, app, q.TaskRing, w, shape.Sleep)
	total.Add(w.Index, done)
}

// spread is the application of Spread.
type spread[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num] struct {
	relax[A, M, V]
	peers  *Peers
	ending *Ending
	move   bool // replicas are of sums
}

// Pop takes the vertex of a ticket.
func (a spread[A, M, V]) Pop(ticket uint32) (Item[V], bool) {
	return pop[spread[A, M, V], V](a, a.vertices, ticket)
}

// peek takes the value of an own vertex if that only reads.
func (a spread[A, M, V]) peek(u uint32, v scheduler.Vertex) V {
	if a.peers.own(u) {
		return a.relax.peek(u, v)
	}
	return a.alg.Identity()
}

// Away reports whether another GPU has the vertex.
func (a spread[A, M, V]) Away(it Item[V]) bool { return !a.peers.own(it.Task) }

// Send sends what the replica of a vertex has.
func (a spread[A, M, V]) Send(t gpu.Thread, it Item[V]) bool {
	return send(t, a.peers, it.Task, func() V {
		if a.move {
			return scheduler.Swap(&a.values[it.Task], a.alg.Identity(), func(_, y V) V { return y })
		}
		return gpu.Load(&a.values[it.Task])
	})
}

// Way returns the box for a vertex.
func (a spread[A, M, V]) Way(t gpu.Thread, it Item[V]) uint32 {
	return a.peers.box(t, a.peers.owner(it.Task))
}

// Room reports whether a box has a place.
func (a spread[A, M, V]) Room(box uint32) bool {
	return gpu.Load(&a.peers.Sent[box])-gpu.Load(a.peers.taken(box), gpu.SystemScope) < a.peers.room()
}

// Run sends the updates of a batch along arcs. A vertex of another GPU has none here.
func (a spread[A, M, V]) Run(t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool) uint32 {
	return a.send(t, w, n, it, has && a.peers.own(it.Task), func(v uint32, old, next V) {
		found := next != old
		if a.peers.own(v) {
			found = a.alg.Active(v, old, next)
		}
		if found {
			w.Ask(v)
		}
	}, func() { scheduler.MakeRoom[spread[A, M, V], M, uint32, Item[V]](t, a, a.TaskRing, w) })
}

// Boxes returns the number of boxes of all inboxes.
func (a spread[A, M, V]) Boxes() uint32 { return gpu.Len(a.peers.Took) }

// Filled reports whether there is a message in a box.
func (a spread[A, M, V]) Filled(box uint32) bool {
	_, ok := filled[V](a.peers, box)
	return ok
}

// Receive combines what other GPUs have sent with the values of own vertices, and asks for those that become active.
func (a spread[A, M, V]) Receive(t gpu.Thread, w scheduler.Worker[uint32], box uint32) uint32 {
	return receive[M](t, a.peers, w, box, func(v uint32, x V) {
		old := a.alg.Update(&a.values[v], x)
		if a.alg.Active(v, old, a.alg.Combine(old, x)) {
			w.Ask(v)
		}
	})
}

// Completed ends the visit of a vertex. That of a vertex of another GPU does not count.
func (a spread[A, M, V]) Completed(it Item[V], total *scheduler.TaskTotals) (uint32, bool) {
	if a.peers.own(it.Task) {
		return it.Task, visited(a.vertices, it, total)
	}
	gpu.Fence() // the next visit sees what this one has moved
	return it.Task, !a.completed(it.Task, it.seen)
}

// Look looks for the end of the run.
func (a spread[A, M, V]) Look() { a.ending.Look(a.TaskRing) }

// InitSpread is [Init] on one GPU of a group: first tasks are those of its own range. row has the offsets of all vertices in the whole graph. If
// move is set, replicas are of sums, and neutral.
func InitSpread[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, row []uint32, in scheduler.Problem, values []V, q Queue, peers Peers, move bool) {
	lo, hi := peers.First, peers.First+peers.Count
	for v := t.Global(); v < in.Vertices; v += t.Stride() {
		if !peers.own(v) {
			q.clear(v, false)
			values[v] = alg.Identity()
			if !move {
				values[v] = alg.Init(scheduler.Vertex{ID: v, Degree: row[v+1] - row[v]}, in)
			}
		}
	}
	begin(t, alg, scheduler.Graph{Row: row}, in, lo, hi, values, q.TaskRing, q.clear, q.first)
}
