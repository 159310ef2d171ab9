package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Queue is the queue of tasks: the ring of package scheduler, where a task is its own
// publication flag. It fits a slot with its position, so that one compare-and-swap of a slot
// and [scheduler.NoTask] adds a task or takes it.
//
// # Requests, and why the ring cannot overflow
//
// Requests has a word for each task that there can be: one per vertex, or two if vertices
// have tasks of two kinds. The lower half counts the requests for the task since it was last
// completed, the upper half how often it was processed. Only the first request adds the task
// to the ring. A worker reads the word before it reads the value of the vertex; after its
// work it clears the requests with a compare-and-swap, which fails if the word has changed:
// then the task goes back to the ring. So the ring has each task at most once, and with two
// slots for each task at least half of the slots are empty.
//
// No update is lost. Whoever changes a value fences and then adds a request. If that comes
// before the word that the worker has read, the worker's load acquires, so its loads of the
// value that follow see the change. Otherwise the compare-and-swap finds another word, and
// the task runs again. A word is never the same twice, because the upper half only grows.
type Queue struct {
	scheduler.TaskRing          // at least 2*len(Requests) slots
	Requests           []uint64 // visits<<32 | requests
	Vertices           uint32
}

// Second is the sign of a task: it distinguishes two kinds of tasks of the same vertex. The
// other bits of a task are the vertex.
const Second = uint32(1) << 31

// request returns the word of Requests that belongs to a task.
func (q Queue) request(task uint32) *uint64 {
	if task >= Second {
		return &q.Requests[q.Vertices+task-Second]
	}
	return &q.Requests[task]
}

// Put adds a task at a reserved position. It returns false if the slot is taken.
func (q Queue) Put(position, task uint32) bool {
	return gpu.AtomicCAS(q.Slot(position), scheduler.NoTask, entry(position, task)) == scheduler.NoTask
}

// CanFill returns false: there are more slots than tasks.
func (Queue) CanFill() bool { return false }

// Asks returns true: requests for a task that is in the ring are merged.
func (Queue) Asks() bool { return true }

// entry returns the content of a slot with a task.
func entry(position, task uint32) uint64 { return uint64(position)<<32 | uint64(task) }

// Asked adds a request for a task and reports whether it is the first one, so that the
// caller must add the task to the ring. A fence must separate it from the changes on which
// the task depends.
func (q Queue) Asked(task uint32) bool {
	return uint32(gpu.AtomicAdd(q.request(task), 1)) == 0
}

// completed ends a visit of a task that began when the word of its requests was seen. If
// there are new ones, it returns false, and the caller must add the task to the ring again.
func (q Queue) completed(task uint32, seen uint64) bool {
	word := q.request(task)
	if gpu.AtomicCAS(word, seen, (seen>>32+1)<<32) == seen {
		return true
	}
	gpu.AtomicAdd(word, 1<<32)
	return false
}

// Init is the kernel that sets the first value of each vertex and adds the vertices that
// are active first to the queue, in their order, one thread per vertex. The slots must be
// empty and the counters zero.
func Init[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, in scheduler.Problem, values []V, q Queue) {
	for i := in.Vertices + t.Global(); i < gpu.Len(q.Requests); i += t.Stride() {
		q.Requests[i] = 0 // tasks of the second kind
	}
	begin(t, alg, g, in, 0, in.Vertices, values, q.TaskRing, q.clear, q.first)
}

// clear sets the requests for a task before the run: one, if it is in the ring.
func (q Queue) clear(task uint32, start bool) {
	q.Requests[task] = 0
	if start {
		q.Requests[task] = 1
	}
}

// first puts a task at a position of an empty ring, before the launch of the workers.
func (q Queue) first(position, task uint32) { *q.Slot(position) = entry(position, task) }

// begin sets the first value of each vertex from lo to hi (exclusive), calls clear for it, and add for those that are
// active first, in their order.
func begin[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, in scheduler.Problem, lo, hi uint32, values []V, r scheduler.TaskRing, clear func(id uint32, start bool), add func(position, id uint32)) {
	// All lanes of a warp stay in the loop for the ballot.
	for first := lo + t.Global() - t.Lane(); first < hi; first += t.Stride() {
		id := first + t.Lane()
		start := false
		if id < hi {
			v := scheduler.Vertex{ID: id, Degree: g.Row[id+1] - g.Row[id]}
			values[id] = alg.Init(v, in)
			start = alg.Start(v, in)
			clear(id, start)
		}
		votes := t.Ballot(gpu.FullMask, start)
		base := uint32(0)
		if t.Lane() == 0 && votes != 0 {
			base = gpu.AtomicAdd(r.Tail, gpu.PopCount(votes))
		}
		base = gpu.Shfl(t, gpu.FullMask, base, 0)
		if start {
			position := base + gpu.PopCount(votes&(1<<t.Lane()-1))
			add(position, id)
		}
	}
}
