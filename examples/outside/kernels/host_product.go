//go:build !kernel

package kernels

import "github.com/weft-gpu/weft/gpu"

// Product is what MatMul computes, on the CPU, to the last bit.
func Product(a, b []float32, n int) []float32 {
	c := make([]float32, n*n)
	for row := range n {
		for col := range n {
			for k := range n {
				c[row*n+col] = gpu.FMA(a[row*n+k], b[k*n+col], c[row*n+col])
			}
		}
	}
	return c
}
