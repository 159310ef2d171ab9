// Package known has kernels whose bounds are known by hand.
package known

import "github.com/weft-gpu/weft/gpu"

// Multiply runs four chains of multiply-adds in every thread: first blocks of the grid
// with most steps, the others with few.
func Multiply(t gpu.Thread, x float32, first, most, few uint32, end []float32) {
	steps := few
	if t.Block() < first {
		steps = most
	}
	a, b, c, d := x, x+1, x+2, x+3
	for range steps / 12 {
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
		a, b, c, d = gpu.FMA(a, x, x), gpu.FMA(b, x, x), gpu.FMA(c, x, x), gpu.FMA(d, x, x)
	}
	end[t.Global()] = a + b + c + d
}

// Follow follows a ring of indices: each load needs the result of the one before.
func Follow(t gpu.Thread, next []uint32, steps uint32, end []uint32) {
	at := t.Global() * 32 % gpu.Len(next)
	for range steps {
		at = next[at]
	}
	end[t.Global()] = at
}
