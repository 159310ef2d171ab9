package worklist

import "github.com/weft-gpu/weft/gpu"

// Rule says when a worker whose item is not there stops.
type Rule interface {
	// Over reports whether no item will come any more.
	Over(pending *uint32) bool
}

// ByPending stops when no task is left. A task counts from before it is in the queue until
// after its children count, so the count is 0 only if there is no task, and none can come.
type ByPending struct{}

// Over reports whether no task is left.
func (ByPending) Over(pending *uint32) bool { return gpu.LoadAcquire(pending) == 0 }

// ByTicket never stops in front of a slot: a worker has drawn the number of an item, so the item
// must come. But the number of items is not known before, and workers draw more numbers than
// there are items. The last ones wait for ever.
type ByTicket struct{}

// Over is false.
func (ByTicket) Over(*uint32) bool { return false }

// Queue is an array of slots that are filled and emptied in order. A slot is 0 until it has an
// item, which is never 0.
type Queue struct {
	Slots []uint32
	Heads *uint32 // how many items were asked for
	Tails *uint32 // how many were added
}

// Add appends an item.
func (q Queue) Add(item uint32) {
	gpu.StoreRelease(&q.Slots[gpu.AtomicAdd(q.Tails, 1)], item)
}

// Walk processes a binary tree of tasks, with one worker for each block (the persistent threads
// of Tzeng, Patney and Owens, "Task Management for Irregular-Parallel Workloads on the GPU", HPG
// 2010). A task is its height plus 1; one of height 0 has no children. The queue has the root
// task, and *pending is 1. A worker draws a number and waits for that item. *done counts tasks.
func Walk[R Rule](t gpu.Thread, q Queue, pending, done *uint32) {
	if t.Idx() != 0 {
		return
	}
	var r R
	for {
		own := gpu.AtomicAdd(q.Heads, 1)
		if own >= gpu.Len(q.Slots) {
			return
		}
		item := gpu.LoadAcquire(&q.Slots[own])
		for item == 0 {
			if r.Over(pending) {
				return
			}
			item = gpu.LoadAcquire(&q.Slots[own])
		}
		if item > 1 {
			gpu.AtomicAdd(pending, 2)
			q.Add(item - 1)
			q.Add(item - 1)
		}
		gpu.AtomicAdd(done, 1)
		gpu.Fence()
		gpu.AtomicAdd(pending, ^uint32(0))
	}
}

// The kernels of Walk.
var (
	WalkByPending = Walk[ByPending]
	WalkByTicket  = Walk[ByTicket]
)
