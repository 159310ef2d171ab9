package bsp

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Pull is the kernel of one iteration: each vertex combines the updates on its incoming
// arcs, without atomics; see [scheduler.PullTeams].
func Pull[A scheduler.Algorithm[V], M scheduler.Mapping, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, values, next []V, changed *uint32) {
	scheduler.PullTeams[A, M, V](t, alg, g, outRow, values, next, changed)
}
