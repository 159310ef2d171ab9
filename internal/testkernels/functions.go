package testkernels

import "github.com/weft-gpu/weft/gpu"

// functions is the results of the functions of numbers: those of x, then x to
// the power of y.
const functions = 9

// Functions32 writes the result of each function of x[i], and of x[i] and y[i].
func Functions32(t gpu.Thread, x, y, out []float32) { apply(t, x, y, out) }

// Functions64 is like Functions32.
func Functions64(t gpu.Thread, x, y, out []float64) { apply(t, x, y, out) }

func apply[T gpu.Float](t gpu.Thread, x, y, out []T) {
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		v, at := x[i], i*functions
		out[at] = gpu.Exp(v)
		out[at+1] = gpu.Exp2(v)
		out[at+2] = gpu.Log(v)
		out[at+3] = gpu.Log2(v)
		out[at+4] = gpu.Sin(v)
		out[at+5] = gpu.Cos(v)
		out[at+6] = gpu.Tanh(v)
		out[at+7] = gpu.Rsqrt(v)
		out[at+8] = gpu.Pow(v, y[i])
	}
}

// Approximate writes the result of approximation number which of x.
func Approximate(t gpu.Thread, which uint32, x, out []float32) {
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		v, r := x[i], float32(0)
		switch which {
		case 0:
			r = gpu.ApproxExp2(v)
		case 1:
			r = gpu.ApproxLog2(v)
		case 2:
			r = gpu.ApproxSin(v)
		case 3:
			r = gpu.ApproxCos(v)
		case 4:
			r = gpu.ApproxTanh(v)
		case 5:
			r = gpu.ApproxSqrt(v)
		case 6:
			r = gpu.ApproxRsqrt(v)
		case 7:
			r = gpu.ApproxRcp(v)
		}
		out[i] = r
	}
}
