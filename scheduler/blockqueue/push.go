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
	found    uint32 // may exceed room; then the rest is in the global queue
	base     uint32 // start of the block's part in the global queue
}

// add appends v, or adds it to out if q is full.
func (q *queue) add(v uint32, out scheduler.Queue) {
	if slot := gpu.AtomicAdd(&q.found, 1, gpu.BlockScope); slot < room {
		q.vertices[slot] = v
	} else {
		out.Add(v)
	}
}

// flush copies the queue to out. All threads of the block must call it.
func (q *queue) flush(t gpu.Thread, out scheduler.Queue) {
	n := min(q.found, room)
	if t.Idx() == 0 && n > 0 {
		q.base = gpu.AtomicAdd(out.Count, n)
	}
	t.Sync()
	for i := t.Idx(); i < n; i += t.BlockDim() {
		out.Vertices[q.base+i] = q.vertices[i]
	}
}

// Push is the kernel of one iteration, one thread per vertex: each vertex of the frontier
// in sends updates along its arcs; vertices that become active are added to out through the
// block's queue.
func Push[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out scheduler.Queue) {
	q := gpu.Shared[queue](t)
	if t.Idx() == 0 {
		q.found = 0
	}
	t.Sync()
	for i := t.Global(); i < in.Count; i += t.Stride() {
		u := in.Vertices[i]
		src := alg.Take(scheduler.Vertex{ID: u, Degree: g.Row[u+1] - g.Row[u]}, &values[u])
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			v := g.Col[e]
			update, ok := alg.Compute(g.Edge(e, u, v), src)
			if !ok {
				continue
			}
			old := alg.Update(&values[v], update)
			if alg.Active(v, old, alg.Combine(old, update)) {
				enqueue[A, V](alg, q, v, out)
			}
		}
	}
	t.Sync()
	q.flush(t, out)
}

// enqueue adds v to the next frontier, once.
func enqueue[A scheduler.Algorithm[V], V gpu.Num](alg A, q *queue, v uint32, out scheduler.Queue) {
	if alg.Unique() {
		q.add(v, out)
	} else {
		out.Once(v, func() { q.add(v, out) })
	}
}
