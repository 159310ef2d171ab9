package scheduler

import "github.com/weft-gpu/weft/gpu"

// TaskRing is the one queue of tasks that all workers share (Atos, ICPP 2022, section 3): a
// ring of slots in global memory, from which several workers take while others add. What a
// slot holds besides its state is the business of a [TaskApp]; [TaskQueue] is a ring for
// tasks of any type.
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
// A slot is [NoTask], or has a task and its position in the upper half; it is the task's
// publication flag, so nobody can take a task that is not there yet. If the slot of a
// position still has an older task, whose taker is late, the position is void and the task
// goes to a later one. Several tickets may then wait for one slot, or because there are more
// idle workers than slots; one of them gets the task. Slot by slot there are as many tickets
// as positions, each of them with a task or void, so a void position leaves one ticket too
// many: Voids counts them, and whoever waits for the slot may give up its ticket for one.
// Otherwise all workers could in the end wait for void positions.
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
type TaskRing struct {
	Slots                []uint64 // position<<32 | what the application needs; a power of 2
	Head, Tail, Finished *uint32
	Done                 *uint32  // 0 while there is work, then TasksDone, TasksFull or TasksStopped
	Voids                []uint32 // for each slot: void positions whose tickets are not given up
}

// NoTask is the content of a slot without a task.
const NoTask = ^uint64(0)

// The values of TaskRing.Done at the end of a run.
const (
	TasksDone    = 1 // all tasks were completed
	TasksFull    = 2 // a task found no slot, and was lost
	TasksStopped = 3 // the application asked for the end
)

// Slot returns the slot of a position.
func (r TaskRing) Slot(position uint32) *uint64 { return &r.Slots[r.index(position)] }

// index returns the number of the slot of a position.
func (r TaskRing) index(position uint32) uint32 { return position & (gpu.Len(r.Slots) - 1) }

// Await waits, if the task of a slot was taken, until Tail is beyond its position; tail is what
// a load of Tail has returned before. See "Why the run ends".
func (r TaskRing) Await(taken bool, tail uint32, slot uint64) {
	for taken && int32(tail-uint32(slot>>32)) <= 0 {
		tail = gpu.Load(r.Tail)
	}
}

// void notes that a position has no task.
func (r TaskRing) void(position uint32) { gpu.AtomicAdd(&r.Voids[r.index(position)], 1) }

// GiveUp reports whether a ticket is to be given up because a position of its slot is void.
func (r TaskRing) GiveUp(ticket uint32) bool {
	voids := &r.Voids[r.index(ticket)]
	n := gpu.Load(voids)
	return n > 0 && gpu.AtomicCAS(voids, n, n-1) == n
}

// Finish counts n positions as finished and reports whether no task is in flight. One thread
// of a worker calls it after a barrier.
func (r TaskRing) Finish(n uint32) (last bool) {
	gpu.Fence() // releases what the worker added
	finished := gpu.AtomicAdd(r.Finished, n) + n
	gpu.Fence() // acquires what others added
	return gpu.Load(r.Tail) == finished
}

// TaskQueue is a queue of tasks of any type, such as structs of one to four words. Slot i says
// whether Tasks[i] is being written, can be taken or is being read: a task of more than 32 bits
// does not fit a slot with its position, so that one word cannot publish it. The queue is full
// when more tasks wait than there are slots.
type TaskQueue[T any] struct {
	TaskRing
	Tasks []T // the task of each slot
}

// The lower half of a slot of a TaskQueue whose task has come, and while one thread has it to
// itself.
const (
	taskReady = 1
	taskHeld  = 2
)

// Put writes a task to the slot of a reserved position. It returns false if the slot is not
// empty.
func (q TaskQueue[T]) Put(position uint32, task T) bool {
	slot := q.Slot(position)
	at := uint64(position) << 32
	if gpu.AtomicCAS(slot, NoTask, at|taskHeld) != NoTask {
		return false
	}
	gpu.Fence() // acquires that the one who took the last task has read it
	q.Tasks[q.index(position)] = task
	gpu.StoreRelease(slot, at|taskReady)
	return true
}

// First writes a task to a position of an empty queue, before the launch of the workers.
func (q TaskQueue[T]) First(position uint32, task T) {
	q.Tasks[q.index(position)] = task
	*q.Slot(position) = uint64(position)<<32 | taskReady
}

// CanFill returns true: whoever makes the queue decides how many slots it has.
func (q TaskQueue[T]) CanFill() bool { return true }

// Pop takes the task of the slot of a ticket, if it has come and no holder of another ticket
// for the slot is faster.
func (q TaskQueue[T]) Pop(ticket uint32) (task T, ok bool) {
	slot := q.Slot(ticket)
	entry := gpu.LoadAcquire(slot)
	if uint32(entry) != taskReady || gpu.AtomicCAS(slot, entry, entry+taskHeld-taskReady) != entry {
		return task, false
	}
	task = q.Tasks[q.index(ticket)]
	gpu.StoreRelease(slot, NoTask)
	q.Await(true, gpu.Load(q.Tail), entry)
	return task, true
}

// Read takes the task of a position, which no other thread takes, for a discrete kernel. It
// returns false for a void position.
func (q TaskQueue[T]) Read(position uint32) (task T, ok bool) {
	slot := q.Slot(position)
	if gpu.LoadAcquire(slot) != uint64(position)<<32|taskReady {
		return task, false
	}
	task = q.Tasks[q.index(position)]
	gpu.StoreRelease(slot, NoTask)
	return task, true
}
