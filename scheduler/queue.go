package scheduler

import "github.com/weft-gpu/weft/gpu"

// Frontier is the list of active vertices that a kernel processes.
type Frontier struct {
	Vertices []uint32 // the first Count elements are valid
	Count    uint32
	Phase    uint32 // the current phase; 0 if the algorithm has no phases
}

// Queue collects the next frontier: one array and one counter in global memory. It has room
// for each vertex once.
type Queue struct {
	Vertices  []uint32
	Count     *uint32  // number of vertices added
	Stamp     []uint32 // for each vertex, the last iteration in which AddOnce added it
	Iteration uint32   // the current iteration, from 1
}

// Add appends v.
func (q Queue) Add(v uint32) {
	q.Vertices[gpu.AtomicAdd(q.Count, 1)] = v
}

// AddOnce appends v unless v was already added in this iteration.
func (q Queue) AddOnce(v uint32) {
	q.Once(v, func() { q.Add(v) })
}

// Once calls add unless it was already called for v in this iteration.
func (q Queue) Once(v uint32, add func()) {
	if gpu.Load(&q.Stamp[v]) != q.Iteration && gpu.AtomicExch(&q.Stamp[v], q.Iteration) != q.Iteration {
		add()
	}
}

// AddWarp appends v for each lane in which p is true, in lane order, with one atomic per
// warp. All lanes of the warp must call it together.
func (q Queue) AddWarp(t gpu.Thread, v uint32, p bool) {
	votes := t.Ballot(gpu.FullMask, p)
	if votes == 0 {
		return
	}
	var base uint32
	if t.Lane() == 0 {
		base = gpu.AtomicAdd(q.Count, gpu.PopCount(votes))
	}
	base = gpu.Shfl(t, gpu.FullMask, base, 0)
	if p {
		below := votes & (1<<t.Lane() - 1)
		q.Vertices[base+gpu.PopCount(below)] = v
	}
}
