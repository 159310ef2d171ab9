package hierq

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// PushFlush is Push with a block queue that is emptied when it is full ("flush and continue"): a
// vertex never goes to the global queue with an atomic of its own. "May be tricky to synchronize":
// a thread that finds the block queue full keeps its vertex and waits for the others at a
// barrier, which they reach when they have found it full, too, or have no work left. All of them
// copy the queue to the global one, and go on where they stopped, in the middle of a row.
func PushFlush[A scheduler.Algorithm[V], L Levels, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out Output, shape Shape) {
	var levels L
	global := out.queue(out.Iteration)
	q := open[L](t, gpu.Shared[heads](t), shape, 0)
	q.clear(t)
	t.Sync()
	var u scheduler.Vertex
	var src V
	i, e, end := t.Global(), uint32(0), uint32(0) // the next vertex, the next arc, the end of the row
	kept, waits, flushes := uint32(0), false, uint32(0)
	for {
		for !waits {
			if e == end {
				if i >= in.Count {
					break
				}
				id := in.Vertices[i]
				e, end = g.Row[id], g.Row[id+1]
				u = scheduler.Vertex{ID: id, Degree: end - e, Phase: in.Phase}
				src = scheduler.Taken[A, scheduler.ThreadPerVertex, V](t, alg, u, &values[id])
				i += t.Stride()
				continue
			}
			scheduler.SendArc[A, V](alg, g, values, u, src, e, func(v uint32) {
				scheduler.Enqueue[A, V](alg, global, v, func() { kept, waits = v, !offer[L](q, v) })
			})
			e++
		}
		if !t.SyncOr(waits) {
			break // every thread has sent all of its updates
		}
		q.empty(t, global)
		flushes++
		if waits {
			waits = !offerBlock(q, kept)
		}
	}
	if levels.Straight() {
		q.straight(t, global, out.Counts)
	} else {
		flushes += drain[L](t, q, global, out.Counts)
	}
	if t.Idx() == 0 && flushes > 0 {
		gpu.AtomicAdd(&out.Counts[Flushes], flushes)
	}
}

// offer adds v to a queue of the block and reports whether there was room.
func offer[L Levels](q queues, v uint32) bool {
	var levels L
	if levels.Depth() == withWarps {
		if slot := gpu.AtomicAdd(&q.heads.warp[q.own], 1, gpu.BlockScope); slot < q.shape.WarpLength {
			q.warp[q.slot(q.own, slot)] = v
			return true
		}
	}
	return offerBlock(q, v)
}

// offerBlock adds v to the block queue and reports whether there was room.
func offerBlock(q queues, v uint32) bool {
	slot := gpu.AtomicAdd(&q.heads.block.Found, 1, gpu.BlockScope)
	if slot < q.shape.BlockLength {
		q.block[slot] = v
	}
	return slot < q.shape.BlockLength
}

// empty copies the block queue to the global one and begins it anew. All threads of the block
// must call it after a barrier; it ends with one.
func (q queues) empty(t gpu.Thread, out scheduler.Queue) {
	q.heads.block.Flush(t, q.block, out)
	t.Sync() // all threads have read Found and the slots
	if t.Idx() == 0 {
		q.heads.block.Found = 0
	}
	t.Sync()
}

// drain moves the warp queues to the global queue by way of the block queue, which is emptied as
// often as it is full, and what is left in the block queue. It returns how often it was full. All
// threads of the block must call it after a barrier.
func drain[L Levels](t gpu.Thread, q queues, out scheduler.Queue, counts []uint32) (flushes uint32) {
	var levels L
	if levels.Depth() == withWarps {
		if t.Warp() == 0 {
			q.reserve(t, counts)
		}
		t.Sync()
	}
	end := q.heads.block.Found
	for first := uint32(0); first < end; first += q.shape.BlockLength {
		n := min(end-first, q.shape.BlockLength)
		if levels.Depth() == withWarps {
			q.window(t, first, n)
			t.Sync()
		}
		if t.Idx() == 0 {
			q.heads.block.Base = gpu.AtomicAdd(out.Count, n)
		}
		t.Sync()
		for i := t.Idx(); i < n; i += t.BlockDim() {
			out.Vertices[q.heads.block.Base+i] = q.block[i]
		}
		t.Sync()
		if n == q.shape.BlockLength {
			flushes++
		}
	}
	return flushes
}

// window copies those vertices of the warp queues to the block queue whose place is one of n from
// first on, which is slot 0.
func (q queues) window(t gpu.Thread, first, n uint32) {
	rows := t.BlockDim() / q.shape.WarpQueues
	queue, row := t.Idx()%q.shape.WarpQueues, t.Idx()/q.shape.WarpQueues
	if row >= rows {
		return
	}
	length, start := min(q.heads.warp[queue], q.shape.WarpLength), q.heads.start[queue]
	for i := row; i < length; i += rows {
		if to := start + i - first; to < n {
			q.block[to] = q.warp[q.slot(queue, i)]
		}
	}
}
