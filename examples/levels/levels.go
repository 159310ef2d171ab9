// Package levels is the smallest useful kernel: one step of breadth-first
// search, a thread a vertex, for `weft ir ./examples/levels.Step`.
package levels

import "github.com/weft-gpu/weft/gpu"

// Step gives depth+1 to every vertex without a level that a vertex of level
// depth points to, and tells the host by changed whether there was one.
func Step(t gpu.Thread, row, col, level []uint32, depth uint32, changed *uint32) {
	for u := t.Global(); u < gpu.Len(row)-1; u += t.Stride() {
		if gpu.Load(&level[u]) != depth {
			continue
		}
		for e := row[u]; e < row[u+1]; e++ {
			if gpu.AtomicCAS(&level[col[e]], ^uint32(0), depth+1) == ^uint32(0) {
				gpu.Store(changed, 1)
			}
		}
	}
}
