package kernels

import (
	"example.com/outside/group"
	"github.com/weft-gpu/weft/gpu"
)

// Sum adds all of x to *total. The threads of a warp add up by shuffles, the warps
// of a block through shared memory, and the blocks by an atomic.
func Sum[T gpu.Num](t gpu.Thread, x []T, total *T) {
	warps := gpu.Shared[[gpu.MaxBlock / gpu.WarpSize]T](t)
	part := T(0)
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		part += x[i]
	}
	part = group.Sum(t, gpu.WarpSize, part)
	if t.Lane() == 0 {
		warps[t.Warp()] = part
	}
	t.Sync()
	if t.Warp() == 0 {
		part = 0
		if t.Lane() < (t.BlockDim()+gpu.WarpSize-1)/gpu.WarpSize {
			part = warps[t.Lane()]
		}
		part = group.Sum(t, gpu.WarpSize, part)
		if t.Lane() == 0 {
			gpu.AtomicAdd(total, part)
		}
	}
}
