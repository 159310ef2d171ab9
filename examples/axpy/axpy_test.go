package axpy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
)

// TestKernels runs the kernels as plain Go.
func TestKernels(t *testing.T) {
	const n = 100
	x, want, sum := make([]float32, n), make([]float32, n), float32(0)
	for i := range x {
		x[i] = float32(i)
		want[i] = 1 + 2*x[i]
		sum += x[i] * x[i]
	}
	for _, kernel := range []func(t gpu.Thread, a float32, x, y []float32){Axpy, AxpyChunks} {
		y := make([]float32, n)
		for i := range y {
			y[i] = 1
		}
		require.NoError(t, gpu.Launch(2, 32, func(th gpu.Thread) { kernel(th, 2, x, y) }))
		assert.Equal(t, want, y)
	}
	for block := 1; block <= gpu.MaxBlock; block += 1 + block/9*3 { // also sizes that are no multiple of a warp
		ones, dot := []float32{99: 1}, float32(0)
		for i := range ones {
			ones[i] = 1
		}
		require.NoError(t, gpu.Launch(3, block, func(th gpu.Thread) { Dot(th, ones, x, &dot) }))
		assert.EqualValues(t, n*(n-1)/2, dot, "blocks of %d threads", block)
	}
	dot := float32(0)
	require.NoError(t, gpu.Launch(2, 32, func(th gpu.Thread) { Dot(th, x, x, &dot) }))
	assert.InEpsilon(t, sum, dot, 1e-5)
}
