// Package testkernels is the device code of the contract test of devices.
// Each kernel is as small as what it shows.
package testkernels

import "github.com/weft-gpu/weft/gpu"

// Iota writes to every element the number of the thread that owns it.
func Iota(t gpu.Thread, out []uint32) {
	if i := t.Global(); i < gpu.Len(out) {
		out[i] = i + 1
	}
}

// Places writes the indices of each thread: seven words per thread.
func Places(t gpu.Thread, out []uint32) {
	at := t.Global() * 7
	out[at] = t.Idx()
	out[at+1] = t.Block()
	out[at+2] = t.BlockDim()
	out[at+3] = t.GridDim()
	out[at+4] = t.Lane()
	out[at+5] = t.Warp()
	out[at+6] = t.Stride()
}

// Index stores at index i, to test accesses out of range.
func Index(t gpu.Thread, s []uint32, i int) {
	if t.Global() == 37 {
		s[i] = 1
	}
}

// Inlined is Index with the access in an inlined function.
func Inlined(t gpu.Thread, s []uint32, i uint32) {
	if t.Global() == 3 {
		touch(s, i)
	}
}

func touch(s []uint32, i uint32) { s[i]++ }

// Divide divides a by b.
func Divide(t gpu.Thread, out []int32, a, b int32) {
	if t.Global() == 1 {
		out[0] = a / b
	}
}

// Trap panics in one thread.
func Trap(t gpu.Thread, at uint32) {
	if t.Global() == at {
		panic("thread is not welcome")
	}
}

// Through stores through a pointer.
func Through(t gpu.Thread, p *uint64, v uint64) {
	if t.Global() == 0 {
		*p = v
	}
}

// Narrow copies through the memory kinds that are narrower than a register.
func Narrow(t gpu.Thread, u8 []uint8, s8 []int8, u16 []uint16, s16 []int16, b []bool, out []int64) {
	if t.Global() == 0 {
		out[0] = int64(u8[0])
		out[1] = int64(s8[0])
		out[2] = int64(u16[0])
		out[3] = int64(s16[0])
		u8[0]++
		s8[0]--
		u16[0]++
		s16[0]--
		b[1] = !b[0]
	}
}

// Wide copies 64-bit kinds and floats.
func Wide(t gpu.Thread, u []uint64, s []int64, f []float32, d []float64) {
	if t.Global() == 0 {
		u[1] = u[0] + 1
		s[1] = s[0] - 1
		f[1] = f[0] * 2
		d[1] = d[0] / 2
	}
}

// Vector copies four elements with one access each.
func Vector(t gpu.Thread, in, out []uint32, i uint32) {
	if t.Global() == 0 {
		gpu.Store4(out, 0, gpu.Load4(in, i))
	}
}

// Convert converts floats to integers: six words per float.
func Convert(t gpu.Thread, in []float64, out []int64) {
	if i := t.Idx(); i < gpu.Len(in) {
		x := in[i]
		out[6*i] = int64(x)
		out[6*i+1] = int64(int32(x))
		out[6*i+2] = int64(uint64(x))
		out[6*i+3] = int64(float32(x))
		out[6*i+4] = int64(int32(float32(x)))
		out[6*i+5] = int64(uint32(float32(x)))
	}
}
