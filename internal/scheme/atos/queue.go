package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Queue is the one queue of tasks that all workers share (section 3): a ring of slots in
// global memory, from which several workers take while others add.
//
// # Positions and tickets
//
// Tail and Head count positions, which map to slots modulo the number of slots. A worker
// that adds tasks reserves a position for each with one atomic on Tail, and one that takes
// tasks reserves tickets with one atomic on Head. The holder of ticket p waits until slot p
// has a task. Tickets may be ahead of Tail: idle workers then wait at different slots, and
// a new task wakes one of them and not all.
//
// # Slots
//
// A slot is [Empty] or holds a task and its position; it is its own publication flag, so
// nobody can take a task that is not there yet. To add is to replace Empty by a task, to
// take is to replace a task by Empty, both with a compare-and-swap. If the slot of a
// position still has an older task, whose taker is late, the position is void and the task
// goes to a later one. Several tickets may then wait for one slot, or because there are more
// idle workers than slots; one of them gets the task. Slot by slot there are as many tickets
// as positions, each of them with a task or void, so a void position leaves one ticket too
// many: Voids counts them, and whoever waits for the slot may give up its ticket for one.
// Otherwise all workers could in the end wait for void positions.
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
//
// # Why the run ends, and only when all is done
//
// Finished counts the tasks that were completed, and void positions. The tasks in flight are
// Tail - Finished: a task counts from the reservation of its position, before any worker can
// see it, until its worker has added its followers. The worker that completes a task adds to
// Finished and then reads Tail; if they are equal, it sets Done.
//
//   - If they are equal, nothing is left. The addition is preceded by a release and followed
//     by an acquire, so the worker sees in Tail all that the completed tasks have reserved,
//     and their own positions, since a worker takes a task only after it has seen a Tail
//     beyond the position that is written in the slot. All completed tasks thus have positions below this Tail, and there
//     are as many of them as positions: each has been completed, and none is left that could
//     add one.
//   - If nothing is left, somebody notices: the last addition to Finished in the order of that
//     word comes after all reservations.
//
// The original ends when a worker has failed to pop for some number of times, which is a
// guess about time; this is none.
type Queue struct {
	Slots                []uint64 // position<<32 | task; a power of 2, and at least 2*len(Requests)
	Head, Tail, Finished *uint32
	Done                 *uint32  // 1 when everything is done
	Requests             []uint64 // visits<<32 | requests
	Voids                []uint32 // for each slot: void positions whose tickets are not given up
	Vertices             uint32
}

// Empty is the content of a slot without a task. As a task it is none.
const Empty = ^uint64(0)

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

// slot returns the slot of a position.
func (q Queue) slot(position uint32) *uint64 {
	return &q.Slots[position&(gpu.Len(q.Slots)-1)]
}

// take takes what a load of a slot has returned, and reports whether it succeeded. It fails
// if the holder of another ticket for the slot was faster.
func (q Queue) take(slot *uint64, entry uint64) bool {
	tail := gpu.Load(q.Tail) // the load and the atomic are on their way together
	if gpu.AtomicCAS(slot, entry, Empty) != entry {
		return false
	}
	for int32(tail-uint32(entry>>32)) <= 0 {
		tail = gpu.Load(q.Tail) // see "Why the run ends"
	}
	return true
}

// put adds a task at a reserved position, or if its slot is taken, at a later one. It
// returns the number of void positions.
func (q Queue) put(position, task uint32) (void uint32) {
	for gpu.AtomicCAS(q.slot(position), Empty, entry(position, task)) != Empty {
		void++
		gpu.AtomicAdd(&q.Voids[position&(gpu.Len(q.Slots)-1)], 1)
		position = gpu.AtomicAdd(q.Tail, 1)
	}
	return void
}

// giveUp reports whether a ticket is to be given up because a position of its slot is void.
func (q Queue) giveUp(ticket uint32) bool {
	voids := &q.Voids[ticket&(gpu.Len(q.Slots)-1)]
	n := gpu.Load(voids)
	return n > 0 && gpu.AtomicCAS(voids, n, n-1) == n
}

// entry returns the content of a slot with a task.
func entry(position, task uint32) uint64 { return uint64(position)<<32 | uint64(task) }

// asked adds a request for a task and reports whether it is the first one, so that the
// caller must add the task to the ring. A fence must separate it from the changes on which
// the task depends.
func (q Queue) asked(task uint32) bool {
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

// finish counts n positions as finished and reports whether no task is in flight. One thread
// of a worker calls it after a barrier.
func (q Queue) finish(n uint32) (last bool) {
	gpu.Fence() // releases what the worker added
	finished := gpu.AtomicAdd(q.Finished, n) + n
	gpu.Fence() // acquires what others added
	return gpu.Load(q.Tail) == finished
}

// Init is the kernel that sets the first value of each vertex and adds the vertices that
// are active first to the queue, in their order, one thread per vertex. The slots must be
// empty and the counters zero.
func Init[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, in scheduler.Problem, values []V, q Queue) {
	for i := in.Vertices + t.Global(); i < gpu.Len(q.Requests); i += t.Stride() {
		q.Requests[i] = 0 // tasks of the second kind
	}
	// All lanes of a warp stay in the loop for the ballot.
	for first := t.Global() - t.Lane(); first < in.Vertices; first += t.Stride() {
		id := first + t.Lane()
		start := false
		if id < in.Vertices {
			v := scheduler.Vertex{ID: id, Degree: g.Row[id+1] - g.Row[id]}
			values[id] = alg.Init(v, in)
			start = alg.Start(v, in)
			q.Requests[id] = 0
			if start {
				q.Requests[id] = 1
			}
		}
		votes := t.Ballot(gpu.FullMask, start)
		base := uint32(0)
		if t.Lane() == 0 && votes != 0 {
			base = gpu.AtomicAdd(q.Tail, gpu.PopCount(votes))
		}
		base = gpu.Shfl(t, gpu.FullMask, base, 0)
		if start {
			position := base + gpu.PopCount(votes&(1<<t.Lane()-1))
			*q.slot(position) = entry(position, id)
		}
	}
}
