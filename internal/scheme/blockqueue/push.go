package blockqueue

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// room is the capacity of a block's queue in vertices: 4 KiB, so that shared memory does
// not limit the number of blocks per SM.
const room = 1024

// queue is a block's queue in shared memory.
type queue struct {
	vertices [room]uint32
	state    scheduler.BlockQueue
}

// Push is the kernel of one iteration, one thread per vertex: each vertex of the frontier
// in sends updates along its arcs; vertices that become active are added to out through the
// block's queue. The loop over arcs is not SendUpdates, which loads the end of the row only
// once: the recorded times of this scheme are those of this loop.
func Push[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out scheduler.Queue) {
	q := gpu.Shared[queue](t)
	if t.Idx() == 0 {
		q.state.Found = 0
	}
	t.Sync()
	for i := t.Global(); i < in.Count; i += t.Stride() {
		u := in.Vertices[i]
		src := alg.Take(scheduler.Vertex{ID: u, Degree: g.Row[u+1] - g.Row[u], Phase: in.Phase}, &values[u])
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			v := g.Col[e]
			edge := g.Edge(e, u, v)
			edge.Phase = in.Phase
			scheduler.SendUpdate[A, V](alg, edge, src, &values[v], func(v uint32) {
				scheduler.Enqueue[A, V](alg, out, v, func() { q.state.Add(q.vertices[:], v, out) })
			})
		}
	}
	t.Sync()
	q.state.Flush(t, q.vertices[:], out)
}
