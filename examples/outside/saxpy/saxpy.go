package main

import "github.com/weft-gpu/weft/gpu"

// Saxpy computes y = a x + y.
func Saxpy(t gpu.Thread, a float32, x, y []float32) {
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		y[i] = gpu.FMA(a, x[i], y[i])
	}
}
