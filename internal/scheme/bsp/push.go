package bsp

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Push is the kernel of one iteration: each vertex of the frontier in sends updates along
// its arcs; vertices that become active are added to out.
func Push[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out scheduler.Queue) {
	var m M
	m.Vertices(t, in.Count, func(i uint32) {
		scheduler.SendUpdates[A, M, V](t, alg, g, values, in.Vertices[i], in.Phase, func(v uint32) {
			scheduler.Enqueue[A, V](alg, out, v, func() { out.Add(v) })
		})
	})
}
