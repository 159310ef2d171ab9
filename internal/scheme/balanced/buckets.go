package balanced

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Bucket sends the updates of the vertices of a list by [scheduler.Split]. Vertices that become active are added to out if
// enqueue is true.
func Bucket[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, list []uint32, count *uint32, phase uint32, enqueue bool, out scheduler.Queue) {
	var m M
	m.Vertices(t, gpu.Load(count), func(i uint32) {
		scheduler.SendUpdates[A, M, V](t, alg, g, values, list[i], phase, func(v uint32) {
			if enqueue {
				scheduler.Enqueue[A, V](alg, out, v, func() { out.Add(v) })
			}
		})
	})
}
