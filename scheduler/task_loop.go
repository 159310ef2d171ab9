package scheduler

import "github.com/weft-gpu/weft/gpu"

// TaskApp is an application of workers with its queue, as [Persist] and [Portion] run it. T is
// a task, and I what a thread holds of the task that it has taken. [Task] is the simple form, for any
// tasks; a scheme that knows more of its tasks implements TaskApp, as atos does. The threads
// of a worker call Run, Ran, Idle and Last together.
type TaskApp[T, I any] interface {
	// Pop takes the task of a ticket, if it has come; Read takes that of a position which was
	// added before the launch. ok is false if there is none.
	Pop(ticket uint32) (it I, ok bool)
	Read(position uint32) (it I, ok bool)
	// Put writes a task to the slot of a position and publishes it. It returns false if the
	// slot is taken.
	Put(position uint32, task T) bool
	// CanFill reports whether there may be more tasks than slots. It must return a constant.
	CanFill() bool
	// Asks reports whether the application calls Worker.Ask and not Worker.Add. It must
	// return a constant.
	Asks() bool
	// Asked is called by Flush for each task that was asked for. It reports whether the task
	// is to be added; if not, it is in the queue already.
	Asked(task T) bool
	// Run is f1. It processes a batch: thread i of the worker has an item, or none, if i < n.
	// It returns the number of units of work that the worker processed.
	Run(t gpu.Thread, w Worker[T], n uint32, it I, has bool) (work uint32)
	// Completed ends the visit of a task, after its followers were added, and counts it. It
	// reports whether the task is to be added once more.
	Completed(it I, total *TaskTotals) (task T, again bool)
	// Ran is called after the tasks of a batch were completed.
	Ran(t gpu.Thread, w Worker[T], it I, has bool)
	// Idle is f2, for a worker whose pop failed. It must not add tasks: the run may have
	// ended.
	Idle(t gpu.Thread, w Worker[T])
	// Sweeps reports whether there may be something to do that is not in the queue. It must
	// return a constant.
	Sweeps() bool
	// Last is called if Sweeps returns true, by a worker that has completed the last task in
	// flight. It adds tasks to the queue and reports whether there were any, in all threads
	// of the worker; if not, the run ends.
	Last(t gpu.Thread, w Worker[T]) (more bool)
}

// TaskTotals is what the workers of a run did; all but Work is that of one thread.
type TaskTotals struct{ Tasks, Work, Distinct, Most uint64 }

// Visit counts the visit of a task that has been visited before for some number of times.
func (a *TaskTotals) Visit(before uint64) {
	a.Tasks++
	if before == 0 {
		a.Distinct++
	}
	a.Most = max(a.Most, before+1)
}

// The elements of the array to which Add adds.
const (
	TaskVisits   = iota // tasks processed
	TaskWork            // units of work processed
	TaskDistinct        // different tasks among those processed
	TaskMost            // the largest number of visits of a task
	TaskSums            // the number of elements
)

// Add adds the totals of a thread to the sums of the run.
func (a TaskTotals) Add(index uint32, sums []uint64) {
	if index == 0 {
		gpu.AtomicAdd(&sums[TaskWork], a.Work)
	}
	if a.Tasks > 0 {
		gpu.AtomicAdd(&sums[TaskVisits], a.Tasks)
		gpu.AtomicAdd(&sums[TaskDistinct], a.Distinct)
		gpu.AtomicMax(&sums[TaskMost], a.Most)
	}
}

// Persist is the body of a persistent kernel (Atos, section 3.4): a worker takes tasks, processes them
// and adds new ones until all are done, in one launch.
func Persist[P TaskApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], sleep uint32) TaskTotals {
	var total TaskTotals
	base, held := uint32(0), uint32(0) // the worker's tickets
	left := uint32(0)                  // those of them whose task has not come
	waits := false                     // whether this thread waits for one
	// The loop has one exit, at its head: threads of a warp that are workers of their own
	// come together after each iteration, whether they found a task or not.
	for polls, ended := uint32(0), false; !ended; polls = (polls + 1) % 8 {
		if left == 0 {
			base, held = tickets[M](t, w, r)
			left, waits = held, w.Index < held
		}
		var it I
		has := false
		if waits {
			it, has = app.Pop(base + w.Index)
			waits = !has
		}
		if n := TaskTally[M](t, has); n > 0 {
			left -= n
			total.Work += uint64(app.Run(t, w, held, it, has))
			complete[P, M, T, I](t, app, r, w, it, has, &total)
			app.Ran(t, w, it, has)
			finish[P, M, T, I](t, app, r, w, n)
			if app.CanFill() && polls == 0 { // the run may be over although there are tasks
				ended = TaskTally[M](t, gpu.Load(r.Done) != 0) > 0
			}
		} else {
			app.Idle(t, w)
			if polls == 0 { // all workers poll the same word, so each does it rarely
				ended = TaskTally[M](t, gpu.Load(r.Done) != 0) > 0
				void := waits && r.GiveUp(base+w.Index)
				waits = waits && !void
				left -= TaskTally[M](t, void)
			} else if sleep > 0 {
				t.Sleep(sleep)
			}
		}
	}
	return total
}

// tickets reserves tickets for as many tasks as there are, divided among the workers, and at
// most the fetch size. If there are none, it is one ticket ahead of them.
func tickets[M Mapping, T any](t gpu.Thread, w Worker[T], r TaskRing) (base, n uint32) {
	var m M
	both := Once(t, m, func() uint64 {
		take := uint32(1)
		if present := int32(gpu.Load(r.Tail) - gpu.Load(r.Head)); present > int32(w.Workers) {
			take = min(uint32(present)/w.Workers, w.Fetch)
		}
		return uint64(gpu.AtomicAdd(r.Head, take))<<32 | uint64(take)
	})
	return uint32(both >> 32), uint32(both)
}

// complete adds the followers of a batch to the queue, and those of its tasks that were
// asked for again.
func complete[P TaskApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], it I, has bool, total *TaskTotals) {
	Flush[P, M, T, I](t, app, r, w)
	repeat := false
	if has {
		var task T
		if task, repeat = app.Completed(it, total); repeat {
			w.again(task)
		}
	}
	if app.Asks() && TaskTally[M](t, repeat) > 0 {
		publish[P, M, T, I](t, app, r, w)
	}
}

// finish counts a batch of n tasks as finished and sets Done if that was all.
//
// Before the end it calls Last, if the application wants that. Meanwhile one task less
// counts as finished: otherwise the tasks that Last adds could be completed while it goes on,
// and their worker would also find that it was the last.
func finish[P TaskApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], n uint32) {
	last := finishVoid(r, w, n)
	more := app.Sweeps()
	for more && TaskTally[M](t, last) > 0 {
		if last {
			gpu.AtomicAdd(r.Finished, ^uint32(0))
		}
		more = app.Last(t, w)
		last = last && finishVoid(r, w, 1)
	}
	switch {
	case last && app.CanFill():
		gpu.AtomicCAS(r.Done, 0, TasksDone) // the application may have asked for the end
	case last:
		gpu.Store(r.Done, TasksDone)
	}
}

// finishVoid counts n positions of a worker and its void ones as finished. It reports, in
// one thread, whether none is in flight.
func finishVoid[T any](r TaskRing, w Worker[T], n uint32) bool {
	if w.Index > 0 {
		return false
	}
	n += w.counts.void
	w.counts.void = 0
	return r.Finish(n)
}

// Portion is the body of a discrete kernel (Atos, section 3.4): it processes the tasks at count positions
// from first on, all of which were added before the launch. What follows from them is for
// later launches. Nobody waits for a task, so tasks need no tickets.
//
// In a queue that cannot fill, a launch ends before its followers are processed, so a task is
// added at most once while the tasks of a round of launches are in the ring, and with two
// slots for each task no position is void.
func Portion[P TaskApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T], first, count uint32) TaskTotals {
	var total TaskTotals
	for batch := w.Number * w.Fetch; batch < count; batch += w.Workers * w.Fetch {
		n := min(w.Fetch, count-batch)
		var it I
		has := false
		if w.Index < n {
			it, has = app.Read(first + batch + w.Index)
		}
		total.Work += uint64(app.Run(t, w, n, it, has))
		complete[P, M, T, I](t, app, r, w, it, has, &total)
	}
	return total
}
