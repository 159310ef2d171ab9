package kernels

// Breadth-first search with a block-private queue.
//
// Every vertex found is an atomic on the one counter of the next frontier, and
// those of all blocks meet there. So each block collects what it finds in shared
// memory, and at its end takes room for all of it in the global queue by one
// atomic and copies it there, neighbouring threads to neighbouring words. A
// block that finds more than its queue holds appends the rest directly.
//
// From: ECE 508 lecture 7, after Luo, Wong and Hwu, DAC 2010.

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// blockQueueRoom is how many vertices a block-private queue holds: 4 KiB, so
// that shared memory does not limit the blocks on an SM.
const blockQueueRoom = 1024

// blockQueue is a block's queue in shared memory.
type blockQueue struct {
	vertices [blockQueueRoom]uint32
	found    uint32 // may exceed the room: then the rest went to the global queue
	base     uint32 // where the block's part begins in the global queue
}

// add appends v, or hands it to out where the room is used up.
func (q *blockQueue) add(v uint32, out scheduler.Queue) {
	if slot := gpu.AtomicAdd(&q.found, 1, gpu.BlockScope); slot < blockQueueRoom {
		q.vertices[slot] = v
	} else {
		out.Add(v)
	}
}

// flush moves the queue to out, by all threads of the block.
func (q *blockQueue) flush(t gpu.Thread, out scheduler.Queue) {
	n := min(q.found, blockQueueRoom)
	if t.Idx() == 0 && n > 0 {
		q.base = gpu.AtomicAdd(out.Count, n)
	}
	t.Sync()
	for i := t.Idx(); i < n; i += t.BlockDim() {
		out.Vertices[q.base+i] = q.vertices[i]
	}
}

// BFSBlockQueue is one iteration of BFS, a thread a vertex.
func BFSBlockQueue(t gpu.Thread, alg BFS, g scheduler.Graph, levels []uint32, in scheduler.Frontier, out scheduler.Queue) {
	q := gpu.Shared[blockQueue](t)
	if t.Idx() == 0 {
		q.found = 0
	}
	t.Sync()
	for i := t.Global(); i < in.Count; i += t.Stride() {
		u := in.Vertices[i]
		level := alg.Take(scheduler.Vertex{ID: u}, &levels[u])
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			v := g.Col[e]
			next, _ := alg.Compute(g.Edge(e, u, v), level)
			if old := alg.Update(&levels[v], next); next < old {
				q.add(v, out)
			}
		}
	}
	t.Sync()
	q.flush(t, out)
}
