// Package wolfgraph has shortest paths as WolfGraph computes them, for its figures 5.5 and 5.6.
package wolfgraph

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/kernels"
)

// SSSP is kernels.SSSP with an atomic for each update. That of kernels loads the value first
// and omits the atomic if it would change nothing; the chapter's kernel (algorithm 5.1) does
// not.
type SSSP struct{ kernels.SSSP }

// Update is an atomic minimum without a load before it.
func (SSSP) Update(p *uint32, x uint32) uint32 { return gpu.AtomicMin(p, x) }

// Global is WolfGraph's benchmark of atomics (its algorithm 5.1) with the three arrays in global memory: each thread
// takes one minimum. location has the numbers of the threads; of each, the bits of mask are the location, so that
// mask+1 locations are shared by all threads. micro.WolfSharedOnce is the same in shared memory.
func Global(t gpu.Thread, mask uint32, location, values, results []uint32) {
	i := t.Idx()
	gpu.AtomicMin(&results[location[i]&mask], values[i])
}
