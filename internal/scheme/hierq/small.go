package hierq

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// PushSmall is the kernel for small frontiers: one block runs iteration after iteration,
// with barriers in between, as long as the frontier has at most limit vertices and at most
// rounds times. limit must not exceed the length of the block queue.
//
// The frontier stays in shared memory, in two block queues that change places: one is read
// while the other one fills. Only the frontier with which it ends goes to the global queue.
func PushSmall[A scheduler.Algorithm[V], L Levels, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out Output, shape Shape, limit, rounds uint32) {
	h := gpu.Shared[heads](t)
	fill := open[L](t, h, shape, 0)
	read := open[L](t, h, shape, 1).block
	for i := t.Idx(); i < in.Count; i += t.BlockDim() {
		read[i] = in.Vertices[i]
	}
	done, processed := uint32(0), uint32(0)
	n := in.Count
	global := out.queue(out.Iteration)
	for {
		fill.clear(t)
		t.Sync()
		for i := t.Idx(); i < n; i += t.BlockDim() {
			send[A, L, V](t, alg, g, values, read[i], in.Phase, fill, global)
		}
		gather[L](t, fill, global, out.Counts)
		processed += n
		done++
		global.Iteration++
		n = h.block.Found
		if n == 0 || n > limit || done == rounds {
			break
		}
		read, fill.block = fill.block, read
		t.Sync() // all threads have read Found
	}
	h.block.Flush(t, fill.block, global)
	if t.Idx() == 0 {
		gpu.AtomicAdd(&out.Counts[IterationsCount], done)
		gpu.AtomicAdd(&out.Counts[FrontierCount], processed)
	}
}
