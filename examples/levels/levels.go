// Package levels is the smallest useful kernel: one step of breadth-first search, with one
// thread per vertex. Print its intermediate code with
//
//	weft ir ./examples/levels.Step
package levels

import "github.com/weft-gpu/weft/gpu"

// Step is one iteration of breadth-first search. It assigns level depth+1 to every vertex
// without a level (^0) that a vertex of level depth points to, and sets *changed if there
// is such a vertex.
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
