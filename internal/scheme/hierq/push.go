package hierq

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Push is the kernel of one iteration for large frontiers, one thread per vertex: each
// vertex of the frontier in sends updates along its arcs; vertices that become active go
// through the queues of the block to the global queue.
func Push[A scheduler.Algorithm[V], L Levels, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out Output, shape Shape) {
	var levels L
	global := out.queue(out.Iteration)
	q := queues{}
	if levels.Depth() > onlyGlobal {
		q = open[L](t, gpu.Shared[heads](t), shape, 0)
		q.clear(t)
		t.Sync()
	}
	for i := t.Global(); i < in.Count; i += t.Stride() {
		send[A, L, V](t, alg, g, values, in.Vertices[i], in.Phase, q, global)
	}
	if levels.Straight() {
		t.Sync()
		q.straight(t, global, out.Counts)
	} else if levels.Depth() > onlyGlobal {
		gather[L](t, q, global, out.Counts)
		q.heads.block.Flush(t, q.block, global)
	}
}

// send sends the updates of u; vertices that become active go to the queues.
func send[A scheduler.Algorithm[V], L Levels, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, u, phase uint32, q queues, global scheduler.Queue) {
	scheduler.SendUpdates[A, scheduler.ThreadPerVertex, V](t, alg, g, values, u, phase, func(v uint32) {
		scheduler.Enqueue[A, V](alg, global, v, func() { add[L](q, v, global) })
	})
}
