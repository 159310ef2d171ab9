package scheduler

import "github.com/weft-gpu/weft/gpu"

// TaskShape is the size of what a worker holds in shared memory.
type TaskShape struct {
	Fetch uint32 // most tasks per pop (FETCH_SIZE), at most one per thread of the worker
	Sleep uint32 // nanoseconds that a worker waits after a pop that failed
}

// The arrays of a worker for the tasks that it adds have TaskRoom slots for each thread. A worker that
// calls MakeRoom between strips of TaskStrip units of work per thread, each of which may add a
// task, cannot overflow them.
const (
	TaskRoom  = 4
	TaskStrip = TaskRoom / 2
)

// Worker is a worker (Atos, section 3.2) as one of its threads sees it: a thread, a warp or a
// block. Its slices are its part of the block's shared memory.
type Worker[T any] struct {
	Index, Size     uint32   // of the thread in the worker, of the worker in threads
	Number, Workers uint32   // of the worker in the grid, of all workers
	Fetch           uint32   // most tasks of a batch
	Batch           []T      // the tasks of the batch, after Balance
	first           []uint32 // the first unit of work of each, minus the number of units of those before
	sum             []uint32 // the number of units up to and including each
	counts          *taskCounts
	found           []T // tasks that were asked for
	added           []T // those among them that go to the queue
	team            Team
	queue           TaskQueue[T] // of a Task, for Add
}

// taskCounts has the number of elements of found and added, and the void positions so far.
type taskCounts struct{ found, added, void, _ uint32 }

// OpenWorker returns the worker of a thread, and arrays of values for the tasks of a batch, in
// number as the application needs. A worker without barriers, a single thread, needs no
// shared memory for communication; it keeps its arrays there all the same. wide is a constant:
// false if tasks are single words and the application calls Ask. TaskLayout has the size of the
// memory.
func OpenWorker[V gpu.Num, M Mapping, T any](t gpu.Thread, shape TaskShape, arrays uint32, wide bool) (Worker[T], []V) {
	var m M
	w := Worker[T]{Fetch: shape.Fetch, team: m.Team()}
	own := uint32(0) // the worker in its block
	switch m.Team() {
	case OneThread:
		own, w.Size = t.Idx(), 1
	case OneWarp:
		own, w.Index, w.Size = t.Warp(), t.Lane(), gpu.WarpSize
	default:
		w.Index, w.Size = t.Idx(), t.BlockDim()
	}
	n := t.BlockDim() / w.Size // workers of the block
	w.Number, w.Workers = t.Block()*n+own, n*t.GridDim()
	// Layout: the values, of 8 bytes at most, the counts, sums and first units, which are words, and arrays of tasks.
	f := shape.Fetch
	values := gpu.DynamicShared[V](t)[own*arrays*f : (own+1)*arrays*f]
	at := 8 * n * arrays * f
	w.counts = &gpu.DynamicSharedAt[taskCounts](t, at)[own]
	at += 16 * n
	room := TaskRoom * w.Size
	if wide {
		words := gpu.DynamicSharedAt[uint32](t, at)
		w.first = words[own*f : own*f+f]
		w.sum = words[(n+own)*f : (n+own)*f+f]
		at = (at + 8*n*f + 15) &^ 15 // a task of 16 bytes is loaded at once
		tasks := gpu.DynamicSharedAt[T](t, at)
		w.Batch = tasks[own*f : own*f+f]
		w.added = tasks[n*f+own*room : n*f+own*room+room]
	} else {
		tasks, words := gpu.DynamicSharedAt[T](t, at), gpu.DynamicSharedAt[uint32](t, at)
		w.Batch = tasks[own*f : own*f+f]
		w.first = words[(n+own)*f : (n+own)*f+f]
		w.sum = words[(2*n+own)*f : (2*n+own)*f+f]
		adds := tasks[3*n*f:]
		w.found = adds[own*room : own*room+room]
		w.added = adds[(n+own)*room : (n+own)*room+room]
	}
	if w.Index == 0 {
		*w.counts = taskCounts{}
	}
	TaskBarrier[M](t)
	return w, values
}

// TaskBarrier waits for the threads of the worker and orders memory among them.
func TaskBarrier[M Mapping](t gpu.Thread) {
	var m M
	switch m.Team() {
	case OneWarp:
		t.SyncWarp(gpu.FullMask)
	case OneBlock:
		t.Sync()
	}
}

// TaskTally is a barrier that returns the number of threads of the worker in which p is true.
func TaskTally[M Mapping](t gpu.Thread, p bool) uint32 {
	var m M
	switch m.Team() {
	case OneWarp:
		return gpu.PopCount(t.Ballot(gpu.FullMask, p))
	case OneBlock:
		return t.SyncCount(p)
	}
	if p {
		return 1
	}
	return 0
}

// Ask asks for a task. The worker's next Flush adds it to the queue, unless Asked says that it
// is there. There must be room, see MakeRoom.
func (w Worker[T]) Ask(task T) {
	w.found[gpu.AtomicAdd(&w.counts.found, 1, gpu.BlockScope)] = task
}

// again adds a task to those that go to the queue, where there is room: a task whose requests were counted already.
func (w Worker[T]) again(task T) {
	w.added[gpu.AtomicAdd(&w.counts.added, 1, gpu.BlockScope)] = task
}

// Flush adds the tasks that were asked for to the queue, each unless it is there already.
// The threads of the worker call it together.
func Flush[P TaskApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T]) {
	TaskBarrier[M](t)
	if app.Asks() {
		n := w.counts.found
		if w.Index < n {
			gpu.Fence() // what the tasks depend on comes before the requests
		}
		for i := w.Index; i < n; i += w.Size {
			if task := w.found[i]; app.Asked(task) {
				w.again(task)
			}
		}
	}
	publish[P, M, T, I](t, app, r, w)
}

// MakeRoom flushes if the next strip of work could overflow the arrays. The threads of the
// worker call it together.
func MakeRoom[P TaskApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T]) {
	TaskBarrier[M](t)
	n := w.counts.found
	if !app.Asks() {
		n = w.counts.added
	}
	if n > TaskStrip*w.Size {
		Flush[P, M, T, I](t, app, r, w)
	} else {
		TaskBarrier[M](t)
	}
}

// publish reserves positions for all tasks in added with one atomic (group reservation), and
// writes them to their slots.
func publish[P TaskApp[T, I], M Mapping, T, I any](t gpu.Thread, app P, r TaskRing, w Worker[T]) {
	var m M
	TaskBarrier[M](t)
	n := w.counts.added
	if !app.Asks() {
		n = min(n, gpu.Len(w.added)) // Add has put the others
	}
	if n > 0 {
		base := Once(t, m, func() uint32 { return gpu.AtomicAdd(r.Tail, n) })
		void := uint32(0)
		for i := w.Index; i < n; i += w.Size {
			void += put(app, r, base+i, w.added[i])
		}
		if void > 0 {
			gpu.AtomicAdd(&w.counts.void, void, gpu.BlockScope)
		}
	}
	if w.Index == 0 {
		w.counts.found = 0
		if n > 0 {
			w.counts.added = 0 //weft:racy the lanes of a warp have read it before the shuffle of Once, which depends on it
		}
	}
	TaskBarrier[M](t)
}

// fullAfter is the number of slots in succession, of tasks that wait, after which a queue that can be full
// counts as full. As the tasks that wait lie one after another, one slot would do if each
// taker were done at once.
const fullAfter = 1024

// put adds a task at a reserved position, or if its slot is taken, at a later one. It
// returns the number of void positions.
//
// If the queue is full, the task is lost and the run ends with TasksFull. The last position
// that was reserved is not finished then, so that nobody finds that all is done.
func put[Q interface {
	Put(position uint32, task T) bool
	CanFill() bool
}, T any](q Q, r TaskRing, position uint32, task T) (void uint32) {
	for !q.Put(position, task) {
		if q.CanFill() && (void >= min(gpu.Len(r.Slots), fullAfter) || gpu.Load(r.Done) != 0) {
			gpu.Store(r.Done, TasksFull)
			return void
		}
		void++
		r.void(position)
		position = gpu.AtomicAdd(r.Tail, 1)
	}
	return void
}
