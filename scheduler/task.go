package scheduler

import "github.com/weft-gpu/weft/gpu"

// Task is an application of Atos' workers: the two functions that a launch of workers takes
// (Atos, ICPP 2022, section 4), for tasks of any type T of numbers, such as a struct of four
// words. [NoIdle] provides an Idle that does nothing. The threads of a worker call both
// functions together.
type Task[T any] interface {
	// Run is f1, for the tasks that a worker has popped: at most one for each of its threads.
	// has is false in a thread without one; task is then the zero T. New tasks are added by
	// [Worker.Add]; what Run has written before is visible when they run.
	Run(t gpu.Thread, w Worker[T], task T, has bool)
	// Idle is f2, for a worker that found no task. It must not add tasks: the run may have
	// ended.
	Idle(t gpu.Thread, w Worker[T])
}

// NoIdle provides the Idle of a Task that does nothing there.
type NoIdle[T any] struct{}

// Idle does nothing.
func (NoIdle[T]) Idle(t gpu.Thread, w Worker[T]) {}

// Add adds a task to the queue, from Run. Any number of tasks can be added; the first ones of a worker,
// TaskRoom for each of its threads, share one atomic on the queue.
func (w Worker[T]) Add(task T) {
	if i := gpu.AtomicAdd(&w.counts.added, 1, gpu.BlockScope); i < gpu.Len(w.added) {
		w.added[i] = task
		return
	}
	position := gpu.AtomicAdd(w.queue.Tail, 1)
	if void := put(w.queue, w.queue.TaskRing, position, task); void > 0 {
		gpu.AtomicAdd(&w.counts.void, void, gpu.BlockScope)
	}
}

// Using returns the worker with the queue of Add and Stop.
func (w Worker[T]) Using(q TaskQueue[T]) Worker[T] {
	w.queue = q
	return w
}

// Stop ends the run: workers pop no more tasks after some time, and those that wait are lost.
func (w Worker[T]) Stop() { gpu.AtomicCAS(w.queue.Done, 0, TasksStopped) }

// Share divides the units of work of the tasks of a batch evenly among the threads of the
// worker (data parallelism inside a worker, section 3.3): body is called for each of the count units of
// each task, with the task. count is 0 in a thread without a task. The threads of the worker
// call it together, from Run.
func (w Worker[T]) Share(t gpu.Thread, task T, count uint32, body func(task T, unit uint32)) {
	switch w.team {
	case OneThread:
		for unit := range count {
			body(task, unit)
		}
	case OneWarp:
		share[WarpPerVertex](t, w, task, count, body)
	default:
		share[BlockPerVertex](t, w, task, count, body)
	}
}

func share[M Mapping, T any](t gpu.Thread, w Worker[T], task T, count uint32, body func(task T, unit uint32)) {
	Balance[M](t, w, w.Fetch, task, 0, count, func(uint32) {}, func(i, unit uint32) { body(w.Batch[i], unit) }, func() {})
	TaskBarrier[M](t) // the next Share overwrites the arrays of this one
}

// RunTasks is the persistent kernel of a Task. The queue has the first tasks. Done must be 0, or
// TasksDone if there are none; sums has TaskSums elements, of which TaskVisits counts tasks.
func RunTasks[U Task[T], M Mapping, T any](t gpu.Thread, app U, q TaskQueue[T], shape TaskShape, sums []uint64) {
	w, _ := OpenWorker[uint32, M, T](t, shape, 0, true)
	w = w.Using(q)
	total := Persist[taskApp[U, T], M, T, T](t, taskApp[U, T]{q, app}, q.TaskRing, w, shape.Sleep)
	total.Add(w.Index, sums)
}

// RunTaskPortion is the discrete kernel of a Task, for the tasks at count positions from first on.
func RunTaskPortion[U Task[T], M Mapping, T any](t gpu.Thread, app U, q TaskQueue[T], shape TaskShape, sums []uint64, first, count uint32) {
	w, _ := OpenWorker[uint32, M, T](t, shape, 0, true)
	w = w.Using(q)
	total := Portion[taskApp[U, T], M, T, T](t, taskApp[U, T]{q, app}, q.TaskRing, w, first, count)
	total.Add(w.Index, sums)
}

// taskApp is the TaskApp of a Task. An item is the task itself.
type taskApp[U Task[T], T any] struct {
	TaskQueue[T]
	user U
}

// Asks returns false: each task that is added runs.
func (a taskApp[U, T]) Asks() bool { return false }

// Asked is not called.
func (a taskApp[U, T]) Asked(task T) bool { return true }

// Run calls f1.
func (a taskApp[U, T]) Run(t gpu.Thread, w Worker[T], n uint32, task T, has bool) (work uint32) {
	a.user.Run(t, w, task, has)
	return 0
}

// Completed counts the task.
func (a taskApp[U, T]) Completed(task T, total *TaskTotals) (T, bool) {
	total.Tasks++
	return task, false
}

// Ran does nothing.
func (a taskApp[U, T]) Ran(t gpu.Thread, w Worker[T], task T, has bool) {}

// Idle calls f2.
func (a taskApp[U, T]) Idle(t gpu.Thread, w Worker[T]) { a.user.Idle(t, w) }

// Sweeps returns false: all tasks are in the queue.
func (a taskApp[U, T]) Sweeps() bool { return false }

// Last is not called.
func (a taskApp[U, T]) Last(t gpu.Thread, w Worker[T]) (more bool) { return false }
