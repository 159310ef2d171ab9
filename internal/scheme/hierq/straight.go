package hierq

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// straight moves the warp queues and the block queue to the global queue ("Why not copy w-queue
// directly to g-queue? That is, scan across w-queues and b-queue, allocate space for all once,
// then copy all using scan results"). All threads of the block must call it after a barrier.
func (q queues) straight(t gpu.Thread, out scheduler.Queue, counts []uint32) {
	total := gpu.Shared[uint32](t)
	inBlock := min(q.heads.block.Found, q.shape.BlockLength)
	if t.Warp() == 0 {
		q.allocate(t, inBlock, total, out, counts)
	}
	t.Sync()
	// Neighbouring threads store neighbouring words of the global queue, so each finds the queue
	// of its word in the sums: the last one that does not begin after it.
	for i := t.Idx(); i < *total; i += t.BlockDim() {
		if i < inBlock {
			out.Vertices[q.heads.block.Base+i] = q.block[i]
			continue
		}
		queue := uint32(0)
		for half := uint32(gpu.WarpSize / 2); half > 0; half /= 2 {
			if at := queue + half; at < q.shape.WarpQueues && q.heads.start[at] <= i {
				queue = at
			}
		}
		out.Vertices[q.heads.block.Base+i] = q.warp[q.slot(queue, i-q.heads.start[queue])]
	}
}

// allocate gives each queue its place behind the block queue, and all of them together theirs in
// the global queue, by one atomic. One warp calls it.
func (q queues) allocate(t gpu.Thread, inBlock uint32, total *uint32, out scheduler.Queue, counts []uint32) {
	end, excess := q.places(t, inBlock)
	if t.Lane() != gpu.WarpSize-1 {
		return
	}
	*total = end
	if end > 0 {
		q.heads.block.Base = gpu.AtomicAdd(out.Count, end)
	}
	if excess > 0 {
		gpu.AtomicAdd(&counts[WarpOverflows], excess)
	}
	if found := q.heads.block.Found; found > q.shape.BlockLength {
		gpu.AtomicAdd(&counts[BlockOverflows], found-q.shape.BlockLength)
	}
}
