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

// FloatsToInts converts floats to integers of all sizes: to signed ones of 8, 16, 32 and
// 64 bits, then to unsigned ones, by a conversion and then by gpu.Saturate.
func FloatsToInts(t gpu.Thread, x []float32, y []float64, out []uint64) {
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		convert(out[i*32:i*32+16], x[i])
		convert(out[i*32+16:i*32+32], y[i])
	}
}

func convert[F gpu.Float](out []uint64, x F) {
	out[0], out[1], out[2], out[3] = uint64(int8(x)), uint64(int16(x)), uint64(int32(x)), uint64(int64(x))
	out[4], out[5], out[6], out[7] = uint64(uint8(x)), uint64(uint16(x)), uint64(uint32(x)), uint64(x)
	Saturate(out[8:16], x)
}

// Saturate is the half of FloatsToInts that has the same value as plain Go.
func Saturate[F gpu.Float](out []uint64, x F) {
	out[0], out[1] = uint64(gpu.Saturate[int8](x)), uint64(gpu.Saturate[int16](x))
	out[2], out[3] = uint64(gpu.Saturate[int32](x)), uint64(gpu.Saturate[int64](x))
	out[4], out[5] = uint64(gpu.Saturate[uint8](x)), uint64(gpu.Saturate[uint16](x))
	out[6], out[7] = uint64(gpu.Saturate[uint32](x)), gpu.Saturate[uint64](x)
}

// ConstantsToInts is FloatsToInts of numbers that the compiler knows.
func ConstantsToInts(t gpu.Thread, out []uint64) {
	big, nan := float32(256), float32(0)
	nan /= nan
	convert(out[0:16], big)
	convert(out[16:32], -1e30*big)
	convert(out[32:48], float64(nan))
}
