// Package forms has kernels with parameters of every form.
package forms

import "github.com/weft-gpu/weft/gpu"

// Level is a scalar with a name of its own.
type Level uint8

// Point is a struct as an element and as a parameter.
type Point struct {
	X, Y float32
	On   bool
	_    uint8
	Tag  uint16
}

// Pack is a struct of scalars and buffers.
type Pack struct {
	N    uint32
	Data []uint32
	Last *uint32
	At   [2]int16
}

// Scalars stores every scalar that it is given.
func Scalars(t gpu.Thread, out []float64, b bool, i8 int8, u8 uint8, i16 int16, u16 uint16, i32 int32, u32 uint32, i64 int64, u64 uint64, f32 float32, f64 float64, level Level) {
	if t.Global() != 0 {
		return
	}
	if b {
		out[0] = 1
	}
	out[1], out[2], out[3], out[4] = float64(i8), float64(u8), float64(i16), float64(u16)
	out[5], out[6], out[7], out[8] = float64(i32), float64(u32), float64(i64), float64(u64)
	out[9], out[10], out[11] = float64(f32), f64, float64(level)
}

// Add adds two vectors and counts its threads.
func Add(t gpu.Thread, n uint32, x, y, out []float32, threads *uint32) {
	gpu.AtomicAdd(threads, 1)
	for i := t.Global(); i < n; i += t.Stride() {
		out[i] = x[i] + y[i]
	}
}

// Bytes adds one to each byte.
func Bytes(t gpu.Thread, s []uint8) {
	if i := t.Global(); i < gpu.Len(s) {
		s[i]++
	}
}

// Points moves points; by is a struct that is passed by value.
func Points(t gpu.Thread, p []Point, by Point) {
	if i := t.Global(); i < gpu.Len(p) && p[i].On {
		p[i].X += by.X
		p[i].Y += by.Y
		p[i].Tag = by.Tag
	}
}

// Packed stores n, the elements of at and the first one of data.
func Packed(t gpu.Thread, p Pack) {
	if t.Global() == 0 {
		*p.Last = p.N + uint32(p.At[0]) + uint32(p.At[1]) + p.Data[0]
	}
}

// Pairs swaps the elements of each pair.
func Pairs(t gpu.Thread, p [][2]uint32, all *[4]uint32) {
	if i := t.Global(); i < gpu.Len(p) {
		p[i] = [2]uint32{p[i][1], p[i][0]}
		all[i] = p[i][0]
	}
}

// Places stores where each thread is, in two dimensions.
func Places(t gpu.Thread, width uint32, out []uint32) {
	out[t.GlobalY()*width+t.Global()] = t.IdxY()<<16 | t.Block()
}

// Reverse reverses the elements of each block, in dynamic shared memory.
func Reverse(t gpu.Thread, s []uint32) {
	q := gpu.DynamicShared[uint32](t)
	q[t.Idx()] = s[t.Global()]
	t.Sync()
	s[t.Global()] = q[gpu.Len(q)-1-t.Idx()]
}

// Nothing takes no argument.
func Nothing(t gpu.Thread) {}

// Spin waits for what never comes.
func Spin(t gpu.Thread, word *uint32) {
	for gpu.Load(word) == 0 {
	}
}

// Forever counts until it has counted n, which may be far.
func Forever(t gpu.Thread, n uint64, out []uint64) {
	for i := uint64(0); i < n; i++ {
		gpu.AtomicAdd(&out[0], i)
	}
}

// Outside stores at an index.
func Outside(t gpu.Thread, i uint32, out []uint32) { out[i] = 1 }

// Clocks stores what the clock of the device says, and adds to sums so little of it that
// a tolerance takes them for equal.
func Clocks(t gpu.Thread, out []uint64, sums []float32) {
	if i := t.Global(); i < gpu.Len(sums) {
		now := t.Clock() + 100*uint64(i)
		out[i] = now
		sums[i] += float32(now) * 1e-9
	}
}

// Fill is generic.
func Fill[T uint32 | float32](t gpu.Thread, v T, out []T) {
	if i := t.Global(); i < gpu.Len(out) {
		out[i] = v
	}
}
