package hierq

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Shape is the number, the length and the layout of a block's queues.
type Shape struct {
	WarpQueues uint32 // number of warp queues, 1 to 32
	WarpLength uint32 // vertices per warp queue
	// Slot i of warp queue q is the word i*SlotStride + q*QueueStride of shared memory.
	// Interleaved, neighbouring words belong to neighbouring queues (strides WarpQueues and
	// 1); otherwise each queue is contiguous (strides 1 and WarpLength).
	SlotStride, QueueStride uint32
	BlockLength             uint32 // vertices in the block queue
}

// Output is where a kernel leaves the next frontier and what it counted.
type Output struct {
	Vertices  []uint32 // the global queue
	Counts    []uint32 // NextCount, ...
	Stamp     []uint32 // see scheduler.Queue
	Iteration uint32   // the first iteration of the launch, from 1
}

// The elements of Output.Counts.
const (
	NextCount       = iota   // vertices in the global queue
	WarpOverflows            // vertices that found their warp queue full
	BlockOverflows           // vertices that found the block queue full
	IterationsCount          // iterations of the one-block kernel
	FrontierCount            // vertices that the one-block kernel processed
	Counts                   // the number of elements
	Flushes         = Counts // one more element, with full=flush: full block queues that were copied
)

// queue returns the global queue as it is in an iteration.
func (o Output) queue(iteration uint32) scheduler.Queue {
	return scheduler.Queue{Vertices: o.Vertices, Count: &o.Counts[NextCount], Stamp: o.Stamp, Iteration: iteration}
}

// heads is the state of a block's queues in shared memory. The slots are in dynamic shared
// memory: first those of the warp queues, then those of the block queue.
type heads struct {
	warp  [gpu.WarpSize]uint32 // vertices offered to each warp queue; may exceed its length
	start [gpu.WarpSize]uint32 // where the vertices of each warp queue go in the block queue
	block scheduler.BlockQueue
}

// queues are the queues that one thread sees: those of its block and the global one.
type queues struct {
	heads *heads
	warp  []uint32 // slots of all warp queues
	block []uint32 // slots of the block queue
	own   uint32   // the warp queue of this thread
	shape Shape
}

// open returns the queues of a block. The slots of the block queue are the given ones of
// the arrays that follow the warp queues.
func open[L Levels](t gpu.Thread, h *heads, shape Shape, array uint32) queues {
	var levels L
	slots := gpu.DynamicShared[uint32](t)
	q := queues{heads: h, shape: shape}
	first := uint32(0) // of the block queue
	if levels.Depth() == withWarps {
		first = shape.WarpQueues * shape.WarpLength
		q.warp = slots[:first]
		// Lanes that are executed together use different queues; the warps share them.
		q.own = t.Lane() % shape.WarpQueues
	}
	first += array * shape.BlockLength
	q.block = slots[first : first+shape.BlockLength]
	return q
}

// clear empties the queues; a barrier must follow.
func (q queues) clear(t gpu.Thread) {
	if t.Idx() < gpu.WarpSize {
		q.heads.warp[t.Idx()] = 0
	}
	if t.Idx() == 0 {
		q.heads.block.Found = 0
	}
}

// add appends v to the queue of this thread's lanes. A full warp queue overflows to the
// block queue, and a full block queue overflows to the global queue, one atomic per vertex.
func add[L Levels](q queues, v uint32, out scheduler.Queue) {
	var levels L
	switch levels.Depth() {
	case onlyGlobal:
		out.Add(v)
	case withBlock:
		q.heads.block.Add(q.block, v, out)
	case withWarps:
		if slot := gpu.AtomicAdd(&q.heads.warp[q.own], 1, gpu.BlockScope); slot < q.shape.WarpLength {
			q.warp[q.slot(q.own, slot)] = v
		} else {
			q.heads.block.Add(q.block, v, out)
		}
	}
}

// slot returns the position of a slot of a warp queue.
func (q queues) slot(queue, i uint32) uint32 {
	return i*q.shape.SlotStride + queue*q.shape.QueueStride
}

// consolidate moves the warp queues to the block queue. All threads of the block must call
// it after a barrier, and a barrier must follow.
func (q queues) consolidate(t gpu.Thread, out scheduler.Queue, counts []uint32) {
	if t.Warp() == 0 {
		q.reserve(t, counts)
	}
	t.Sync()
	// Neighbouring threads copy from neighbouring queues, which are in different banks if
	// the queues are interleaved. The last threads have no queue if the queues do not
	// divide the block.
	rows := t.BlockDim() / q.shape.WarpQueues
	queue, row := t.Idx()%q.shape.WarpQueues, t.Idx()/q.shape.WarpQueues
	if row >= rows {
		return
	}
	n, start := min(q.heads.warp[queue], q.shape.WarpLength), q.heads.start[queue]
	for i := row; i < n; i += rows {
		v := q.warp[q.slot(queue, i)]
		if to := start + i; to < q.shape.BlockLength {
			q.block[to] = v
		} else {
			out.Add(v)
		}
	}
}

// reserve gives each warp queue its place in the block queue, one lane per queue.
func (q queues) reserve(t gpu.Thread, counts []uint32) {
	end, excess := q.places(t, q.heads.block.Found)
	t.SyncWarp(gpu.FullMask) // all lanes have read Found
	if t.Lane() == gpu.WarpSize-1 {
		q.heads.block.Found = end
		if excess > 0 {
			gpu.AtomicAdd(&counts[WarpOverflows], excess)
		}
	}
}

// places gives each warp queue its place behind first: the sums of the lengths before it, one
// lane per queue. The last lane gets where the last queue ends, and the number of vertices that
// found their queue full.
func (q queues) places(t gpu.Thread, first uint32) (end, excess uint32) {
	found := uint32(0)
	if t.Lane() < q.shape.WarpQueues {
		found = q.heads.warp[t.Lane()]
	}
	n := min(found, q.shape.WarpLength)
	sum := n
	excess = found - n
	for d := uint32(1); d < gpu.WarpSize; d *= 2 {
		below := gpu.ShflUp(t, gpu.FullMask, sum, d)
		belowExcess := gpu.ShflUp(t, gpu.FullMask, excess, d)
		if t.Lane() >= d {
			sum += below
			excess += belowExcess
		}
	}
	q.heads.start[t.Lane()] = first + sum - n
	return first + sum, excess
}

// gather moves everything that the block found to the block queue, and the rest to the
// global queue. All threads of the block must call it; it begins and ends with a barrier.
func gather[L Levels](t gpu.Thread, q queues, out scheduler.Queue, counts []uint32) {
	var levels L
	t.Sync()
	if levels.Depth() == withWarps {
		q.consolidate(t, out, counts)
		t.Sync()
	}
	if found := q.heads.block.Found; t.Idx() == 0 && found > q.shape.BlockLength {
		gpu.AtomicAdd(&counts[BlockOverflows], found-q.shape.BlockLength)
	}
}
