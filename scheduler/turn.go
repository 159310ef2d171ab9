package scheduler

import "github.com/weft-gpu/weft/gpu"

// Turn is the kernel that converts the values when a scheme changes direction: to pull if
// pull is true, otherwise to push. outRow has the row offsets of the outgoing arcs.
func Turn[A Algorithm[V], V gpu.Num](t gpu.Thread, alg A, outRow []uint32, values []V, pull bool) {
	for id := t.Global(); id < gpu.Len(values); id += t.Stride() {
		values[id] = alg.Turn(Vertex{ID: id, Degree: outRow[id+1] - outRow[id]}, values[id], pull)
	}
}
