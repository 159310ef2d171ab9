// Package axpy adds vectors: kernels to launch from the command line, with
// `weft launch ./examples/axpy.Axpy`.
package axpy

import "github.com/weft-gpu/weft/gpu"

// Axpy adds a*x to y.
func Axpy(t gpu.Thread, a float32, x, y []float32) {
	for i := t.Global(); i < gpu.Len(y); i += t.Stride() {
		y[i] += a * x[i]
	}
}

// AxpyChunks is Axpy if each thread takes elements that lie side by side: the lanes of a
// warp are then at addresses that are far apart, and a load needs as many sectors.
func AxpyChunks(t gpu.Thread, a float32, x, y []float32) {
	each := (gpu.Len(y) + t.Stride() - 1) / t.Stride()
	for i := t.Global() * each; i < min((t.Global()+1)*each, gpu.Len(y)); i++ {
		y[i] += a * x[i]
	}
}

// Dot adds the inner product of x and y to sum: a warp at a time, and one atomic for
// each warp. Their order decides how sum is rounded. Blocks may have any number of threads:
// a shuffle must not read a lane that the last warp of a block lacks.
func Dot(t gpu.Thread, x, y []float32, sum *float32) {
	part := float32(0)
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		part += x[i] * y[i]
	}
	lanes := min(gpu.WarpSize, t.BlockDim()-t.Warp()*gpu.WarpSize) // fewer than 32 in a last warp
	for d := uint32(gpu.WarpSize / 2); d > 0; d /= 2 {
		other := gpu.Shfl(t, gpu.FullMask, part, min(t.Lane()+d, lanes-1))
		if t.Lane()+d < lanes {
			part += other
		}
	}
	if t.Lane() == 0 {
		gpu.AtomicAdd(sum, part)
	}
}
