package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Item is a task that a thread has taken for its worker.
type Item[V gpu.Num] struct {
	Task       uint32 // a vertex, and perhaps Second
	Begin, End uint32 // the arcs of the vertex
	Value      V      // what peek returned
	seen       uint64 // its word in Requests
}

// vertices is the part of an application in which a task is a vertex of a graph.
type vertices struct {
	Queue
	g       scheduler.Graph
	history History
}

// peeker reads what a task needs to know of its vertex. It may be called for a task that
// another worker then takes, so it must not write.
type peeker[V gpu.Num] interface {
	peek(task uint32, v scheduler.Vertex) V
}

// pop takes the task of a ticket, if it has come. Everything that it reads is on its way at
// the same time.
func pop[P peeker[V], V gpu.Num](app P, a vertices, ticket uint32) (it Item[V], ok bool) {
	slot := a.Slot(ticket)
	entry := gpu.Load(slot)
	if entry == scheduler.NoTask {
		return it, false
	}
	u := uint32(entry) &^ Second
	begin, end := a.g.Row[u], a.g.Row[u+1]
	tail := gpu.Load(a.Tail)
	taken := gpu.AtomicCAS(slot, entry, scheduler.NoTask)
	it = item[P, V](app, a, uint32(entry), begin, end)
	ok = taken == entry // otherwise the holder of another ticket for the slot was faster
	a.Await(ok, tail, entry)
	return it, ok
}

// read takes the task at a position that has one.
func read[P peeker[V], V gpu.Num](app P, a vertices, position uint32) Item[V] {
	task := uint32(gpu.AtomicExch(a.Slot(position), scheduler.NoTask))
	u := task &^ Second
	return item[P, V](app, a, task, a.g.Row[u], a.g.Row[u+1])
}

// item reads what a task needs to know.
func item[P peeker[V], V gpu.Num](app P, a vertices, task, begin, end uint32) Item[V] {
	it := Item[V]{Task: task, Begin: begin, End: end, seen: gpu.LoadAcquire(a.request(task))}
	it.Value = app.peek(task, scheduler.Vertex{ID: task &^ Second, Degree: end - begin})
	return it
}

// visited ends a visit and counts it. It reports whether the task was asked for again.
// Tasks of the second kind do not count, as in table 4, where the least number of visits is
// the number of vertices.
func visited[V gpu.Num](a vertices, it Item[V], total *scheduler.TaskTotals) (again bool) {
	if it.Task < Second {
		total.Visit(it.seen >> 32)
	}
	gpu.Fence() // the next visit sees what this one has written, such as a rank
	return !a.completed(it.Task, it.seen)
}

// arcs calls body for each arc of the vertices of a batch, which are divided evenly among the
// threads of the worker; see [scheduler.Balance].
func arcs[V gpu.Num, M scheduler.Mapping](t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool, share func(i uint32), body func(i, arc uint32), room func()) uint32 {
	degree := uint32(0)
	if has {
		degree = it.End - it.Begin
	}
	return scheduler.Balance[M](t, w, n, it.Task, it.Begin, degree, share, body, room)
}
