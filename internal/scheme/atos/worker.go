package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Shape is the size of what a worker holds in shared memory.
type Shape struct {
	Fetch uint32 // most tasks per pop (FETCH_SIZE), at most one per thread of the worker
	Sleep uint32 // nanoseconds that a worker waits after a pop that failed
}

// The arrays of a worker for the tasks that it adds have perThread slots for each thread.
// They are written to the queue when half full, before a strip of arcs could overflow them.
const (
	perThread = 4
	strip     = perThread / 2 // arcs per thread between two looks at the arrays
)

// worker is a worker (section 3.2) as one of its threads sees it: a thread, a warp or a
// block. Its slices are its part of the block's shared memory.
type worker struct {
	index, size     uint32 // of the thread in the worker, of the worker in threads
	number, workers uint32 // of the worker in the grid, of all workers
	fetch           uint32
	counts          *counts
	found           []uint32 // tasks that were asked for
	added           []uint32 // those among them that go to the queue
	task            []uint32 // the tasks of the batch
	first           []uint32 // the first arc of each, minus the number of arcs of those before
	sum             []uint32 // the number of arcs up to and including each
}

// counts has the number of elements of found and added, and the void positions so far.
type counts struct{ found, added, void, _ uint32 }

// open returns the worker of a thread, and arrays of values for the tasks of a batch, in
// number as the application needs. A worker without barriers, a single thread, needs no
// shared memory for communication; it keeps its arrays there all the same.
func open[V gpu.Num, M scheduler.Mapping](t gpu.Thread, shape Shape, arrays uint32) (worker, []V) {
	var m M
	w := worker{fetch: shape.Fetch}
	own := uint32(0) // the worker in its block
	switch m.Team() {
	case scheduler.OneThread:
		own, w.size = t.Idx(), 1
	case scheduler.OneWarp:
		own, w.index, w.size = t.Warp(), t.Lane(), gpu.WarpSize
	default:
		w.index, w.size = t.Idx(), t.BlockDim()
	}
	n := t.BlockDim() / w.size // workers of the block
	w.number, w.workers = t.Block()*n+own, n*t.GridDim()
	// Layout: the values, of 8 bytes at most, the counts, and arrays of words.
	f := shape.Fetch
	values := gpu.DynamicShared[V](t)[own*arrays*f : (own+1)*arrays*f]
	at := 8 * n * arrays * f
	w.counts = &gpu.DynamicSharedAt[counts](t, at)[own]
	at += 16 * n
	words := gpu.DynamicSharedAt[uint32](t, at)
	w.task = words[own*f : own*f+f]
	w.first = words[(n+own)*f : (n+own)*f+f]
	w.sum = words[(2*n+own)*f : (2*n+own)*f+f]
	adds := words[3*n*f:]
	room := perThread * w.size
	w.found = adds[own*room : own*room+room]
	w.added = adds[(n+own)*room : (n+own)*room+room]
	if w.index == 0 {
		*w.counts = counts{}
	}
	barrier[M](t)
	return w, values
}

// barrier waits for the threads of the worker and orders memory among them.
func barrier[M scheduler.Mapping](t gpu.Thread) {
	var m M
	switch m.Team() {
	case scheduler.OneWarp:
		t.SyncWarp(gpu.FullMask)
	case scheduler.OneBlock:
		t.Sync()
	}
}

// tally is a barrier that returns the number of threads of the worker in which p is true.
func tally[M scheduler.Mapping](t gpu.Thread, p bool) uint32 {
	var m M
	switch m.Team() {
	case scheduler.OneWarp:
		return gpu.PopCount(t.Ballot(gpu.FullMask, p))
	case scheduler.OneBlock:
		return t.SyncCount(p)
	}
	if p {
		return 1
	}
	return 0
}

// add asks for a task. The worker's next flush adds it to the queue.
func (w worker) add(task uint32) {
	w.found[gpu.AtomicAdd(&w.counts.found, 1, gpu.BlockScope)] = task
}

// again adds a task whose requests were counted already.
func (w worker) again(task uint32) {
	w.added[gpu.AtomicAdd(&w.counts.added, 1, gpu.BlockScope)] = task
}

// flush adds the tasks that were asked for to the queue, each unless it is there already.
// The threads of the worker call it together.
func flush[M scheduler.Mapping](t gpu.Thread, w worker, q Queue) {
	barrier[M](t)
	n := w.counts.found
	if w.index < n {
		gpu.Fence() // what the tasks depend on comes before the requests
	}
	for i := w.index; i < n; i += w.size {
		if task := w.found[i]; q.asked(task) {
			w.again(task)
		}
	}
	publish[M](t, w, q)
}

// makeRoom flushes if the next strip of arcs could overflow the arrays. The threads of the
// worker call it together.
func makeRoom[M scheduler.Mapping](t gpu.Thread, w worker, q Queue) {
	barrier[M](t)
	if w.counts.found > strip*w.size {
		flush[M](t, w, q)
	} else {
		barrier[M](t)
	}
}

// publish reserves positions for all tasks in added with one atomic (group reservation), and
// writes them to their slots.
func publish[M scheduler.Mapping](t gpu.Thread, w worker, q Queue) {
	var m M
	barrier[M](t)
	n := w.counts.added
	if n > 0 {
		base := scheduler.Once(t, m, func() uint32 { return gpu.AtomicAdd(q.Tail, n) })
		void := uint32(0)
		for i := w.index; i < n; i += w.size {
			void += q.put(base+i, w.added[i])
		}
		if void > 0 {
			gpu.AtomicAdd(&w.counts.void, void, gpu.BlockScope)
		}
	}
	if w.index == 0 {
		w.counts.found = 0
		if n > 0 {
			w.counts.added = 0 //weft:racy the lanes of a warp have read it before the shuffle of Once, which depends on it
		}
	}
	barrier[M](t)
}
