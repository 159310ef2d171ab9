package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Scan is the persistent kernel of asynchronous PageRank as the paper has it (section 5.2,
// algorithm 4): updates add no tasks. After each batch a worker reserves the next Size
// vertices, all of them in a circle, and adds those whose residual has become large enough.
//
// A worker that has completed the last task looks at all vertices before the run may end.
// No task is in flight then, so no residual changes meanwhile, and one pass without a new
// task shows that there is none.
func Scan[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, q Queue, shape scheduler.TaskShape, done Done, history History, circle Circle) {
	w, sent := scheduler.OpenWorker[V, M, uint32](t, shape, RelaxArrays, false)
	app := scanning[A, M, V]{relax[A, M, V]{vertices{q, g, history}, alg, values, sent}, circle}
	persist[scanning[A, M, V], V, M](t, app, q, w, shape, done, history)
}

// Circle is what the workers that scan share.
type Circle struct {
	Size uint32  // vertices that are looked at after a batch (Check_Size)
	Next *uint32 // number of vertices that were reserved so far, modulo 2^32
}

// scanning is the application of Scan.
type scanning[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num] struct {
	relax[A, M, V]
	circle Circle
}

// Run sends the updates of a batch, and then looks at the next vertices of the circle.
func (a scanning[A, M, V]) Run(t gpu.Thread, w scheduler.Worker[uint32], n uint32, it Item[V], has bool) uint32 {
	sent := a.send(t, w, n, it, has, func(uint32, V, V) {},
		func() { scheduler.MakeRoom[scanning[A, M, V], M, uint32, Item[V]](t, a, a.TaskRing, w) })
	var m M
	first := scheduler.Once(t, m, func() uint32 { return gpu.AtomicAdd(a.circle.Next, a.circle.Size) })
	a.look(t, w, first, a.circle.Size)
	return sent
}

// Sweeps returns true.
func (a scanning[A, M, V]) Sweeps() bool { return true }

// Last looks at all vertices.
func (a scanning[A, M, V]) Last(t gpu.Thread, w scheduler.Worker[uint32]) (more bool) {
	added := a.look(t, w, 0, a.g.Vertices())
	scheduler.Flush[scanning[A, M, V], M, uint32, Item[V]](t, a, a.TaskRing, w)
	return scheduler.TaskTally[M](t, added) > 0
}

// look adds those vertices among count, from first on, that have something to send and are
// not tasks. It reports whether this thread found one.
func (a scanning[A, M, V]) look(t gpu.Thread, w scheduler.Worker[uint32], first, count uint32) (added bool) {
	for base := uint32(0); base < count; base += scheduler.TaskStrip * w.Size {
		scheduler.MakeRoom[scanning[A, M, V], M, uint32, Item[V]](t, a, a.TaskRing, w)
		for k := range uint32(scheduler.TaskStrip) {
			if i := base + k*w.Size + w.Index; i < count {
				v := (first + i) % a.g.Vertices()
				// What came since the last Take is the value itself.
				idle := uint32(gpu.Load(a.request(v))) == 0
				if idle && a.alg.Active(v, a.alg.Identity(), gpu.Load(&a.values[v])) {
					w.Ask(v)
					added = true
				}
			}
		}
	}
	return added
}
