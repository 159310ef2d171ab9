package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// App is an application: the two functions that a launch of workers takes (section 4). The
// threads of a worker call Run and Idle together.
type App[V gpu.Num, M scheduler.Mapping] interface {
	// Peek reads what a task needs to know of its vertex. It may be called for a task that
	// another worker then takes, so it must not write.
	Peek(task uint32, v scheduler.Vertex) V
	// Run is f1. It processes a batch: thread i of the worker has an item, or none, if i < n.
	// It returns the number of arcs that the worker processed.
	Run(t gpu.Thread, w worker, n uint32, it Item[V]) (arcs uint32)
	// Idle is f2, for a worker whose pop failed. It must not add tasks: the run may have
	// ended.
	Idle(t gpu.Thread, w worker)
	// Sweeps reports whether there may be something to do that is not in the queue. It must
	// return a constant.
	Sweeps() bool
	// Last is called if Sweeps returns true, by a worker that has completed the last task in
	// flight. It adds tasks to the queue and reports whether there were any, in all threads
	// of the worker; if not, the run ends.
	Last(t gpu.Thread, w worker) (more bool)
}

// Done is what the workers of a run did: Tasks, ...
type Done []uint64

// The elements of Done.
const (
	Tasks    = iota // visits: tasks processed, without those of the second kind
	Arcs            // arcs processed
	Distinct        // different vertices among the visits
	Most            // the largest number of visits of a vertex
	Dones           // the number of elements
)

// persistent is the persistent kernel (section 3.4): a worker takes tasks, processes them
// and adds new ones until all are done, in one launch.
func persistent[P App[V, M], V gpu.Num, M scheduler.Mapping](t gpu.Thread, app P, g scheduler.Graph, q Queue, w worker, sleep uint32, done Done, history History) {
	var total report
	history.begin(t, w)
	base, held := uint32(0), uint32(0) // the worker's tickets
	left := uint32(0)                  // those of them whose task has not come
	waits := false                     // whether this thread waits for one
	// The loop has one exit, at its head: threads of a warp that are workers of their own
	// come together after each iteration, whether they found a task or not.
	for polls, ended := uint32(0), false; !ended; polls = (polls + 1) % 8 {
		if left == 0 {
			base, held = tickets[M](t, w, q)
			left, waits = held, w.index < held
		}
		var it Item[V]
		if waits {
			it = pop[P, V, M](app, g, q, base+w.index)
			waits = !it.Any
		}
		if n := tally[M](t, it.Any); n > 0 {
			left -= n
			total.arcs += uint64(app.Run(t, w, held, it))
			complete[V, M](t, w, q, it, &total)
			count[V, M](t, history, w, it)
			finish[P, V, M](t, app, q, w, n)
		} else {
			app.Idle(t, w)
			if polls == 0 { // all workers poll the same word, so each does it rarely
				ended = tally[M](t, gpu.Load(q.Done) != 0) > 0
				void := waits && q.giveUp(base+w.index)
				waits = waits && !void
				left -= tally[M](t, void)
			} else if sleep > 0 {
				t.Sleep(sleep)
			}
		}
	}
	total.add(w, done)
}

// tickets reserves tickets for as many tasks as there are, divided among the workers, and at
// most the fetch size. If there are none, it is one ticket ahead of them.
func tickets[M scheduler.Mapping](t gpu.Thread, w worker, q Queue) (base, n uint32) {
	var m M
	both := scheduler.Once(t, m, func() uint64 {
		take := uint32(1)
		if present := int32(gpu.Load(q.Tail) - gpu.Load(q.Head)); present > int32(w.workers) {
			take = min(uint32(present)/w.workers, w.fetch)
		}
		return uint64(gpu.AtomicAdd(q.Head, take))<<32 | uint64(take)
	})
	return uint32(both >> 32), uint32(both)
}

// pop takes the task of a ticket, if it has come. Everything that it reads is on its way at
// the same time.
func pop[P App[V, M], V gpu.Num, M scheduler.Mapping](app P, g scheduler.Graph, q Queue, ticket uint32) Item[V] {
	slot := q.slot(ticket)
	entry := gpu.Load(slot)
	if entry == Empty {
		return Item[V]{}
	}
	u := uint32(entry) &^ Second
	begin, end := g.Row[u], g.Row[u+1]
	tail := gpu.Load(q.Tail)
	taken := gpu.AtomicCAS(slot, entry, Empty)
	it := item[P, V, M](app, q, uint32(entry), begin, end)
	it.Any = taken == entry // otherwise the holder of another ticket for the slot was faster
	for it.Any && int32(tail-uint32(entry>>32)) <= 0 {
		tail = gpu.Load(q.Tail) // see "Why the run ends"
	}
	return it
}

// item reads what a task needs to know.
func item[P App[V, M], V gpu.Num, M scheduler.Mapping](app P, q Queue, task, begin, end uint32) Item[V] {
	it := Item[V]{Any: true, Task: task, Begin: begin, End: end, seen: gpu.LoadAcquire(q.request(task))}
	it.Value = app.Peek(task, scheduler.Vertex{ID: task &^ Second, Degree: end - begin})
	return it
}

// complete adds the followers of a batch to the queue, and those of its tasks that were
// asked for again.
func complete[V gpu.Num, M scheduler.Mapping](t gpu.Thread, w worker, q Queue, it Item[V], total *report) {
	flush[M](t, w, q)
	repeat := false
	if it.Any {
		total.visit(it.Task, it.seen>>32)
		gpu.Fence() // the next visit sees what this one has written, such as a rank
		if repeat = !q.completed(it.Task, it.seen); repeat {
			w.again(it.Task)
		}
	}
	if tally[M](t, repeat) > 0 {
		publish[M](t, w, q)
	}
}

// finish counts a batch of n tasks as finished and sets Done if that was all.
//
// Before the end it calls Last, if the application wants that. Meanwhile one task less
// counts as finished: otherwise the tasks that Last adds could be completed while it goes on,
// and their worker would also find that it was the last.
func finish[P App[V, M], V gpu.Num, M scheduler.Mapping](t gpu.Thread, app P, q Queue, w worker, n uint32) {
	last := finishVoid(q, w, n)
	more := app.Sweeps()
	for more && tally[M](t, last) > 0 {
		if last {
			gpu.AtomicAdd(q.Finished, ^uint32(0))
		}
		more = app.Last(t, w)
		last = last && finishVoid(q, w, 1)
	}
	if last {
		gpu.Store(q.Done, 1)
	}
}

// finishVoid counts n positions of a worker and its void ones as finished. It reports, in
// one thread, whether none is in flight.
func finishVoid(q Queue, w worker, n uint32) bool {
	if w.index > 0 {
		return false
	}
	n += w.counts.void
	w.counts.void = 0
	return q.finish(n)
}

// report is what a worker did; all but arcs are those of one thread.
type report struct{ tasks, arcs, distinct, most uint64 }

// visit counts the visit of a task that has been visited before for some number of times.
// Tasks of the second kind do not count, as in table 4, where the least number of visits is
// the number of vertices.
func (r *report) visit(task uint32, before uint64) {
	if task >= Second {
		return
	}
	r.tasks++
	if before == 0 {
		r.distinct++
	}
	r.most = max(r.most, before+1)
}

// add adds the report of a worker to the sums.
func (r report) add(w worker, done Done) {
	if w.index == 0 {
		gpu.AtomicAdd(&done[Arcs], r.arcs)
	}
	if r.tasks > 0 {
		gpu.AtomicAdd(&done[Tasks], r.tasks)
		gpu.AtomicAdd(&done[Distinct], r.distinct)
		gpu.AtomicMax(&done[Most], r.most)
	}
}
