package misuse

import "github.com/weft-gpu/weft/gpu"

// SharedUnwritten reads shared memory that no thread has written, by an atomic.
func SharedUnwritten(t gpu.Thread, out, blank []uint32, zero uint32) {
	s := gpu.Shared[[64]uint32](t)
	out[t.Idx()] = gpu.AtomicAdd(&s[t.Idx()], 1)
}

// SharedUnwrittenPlain does so by a plain load.
func SharedUnwrittenPlain(t gpu.Thread, out, blank []uint32, zero uint32) {
	s := gpu.Shared[[64]uint32](t)
	if t.Idx() != 7 {
		s[t.Idx()] = t.Idx()
	}
	t.Sync()
	out[t.Idx()] = s[t.Idx()]
}

// GlobalUnwritten reads memory that neither the host nor a thread has written.
func GlobalUnwritten(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = blank[t.Idx()]
}

// DivideByZero divides an integer by zero.
func DivideByZero(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = t.Idx() / zero
}

// DivideOverflow divides the least number by -1.
func DivideOverflow(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = uint32(int32(1<<31+uint32(zero)) / (int32(zero) - 1))
}

// OutOfRange reads behind a slice.
func OutOfRange(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = out[gpu.Len(out)+t.Idx()]
}

// Misaligned loads four elements from where no group of four begins.
func Misaligned(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = gpu.Load4(out, zero+1)[0]
}

// ShiftFar shifts by the width and more.
func ShiftFar(t gpu.Thread, out, blank []uint32, zero uint32) {
	out[t.Idx()] = 1<<(32+zero) + uint32(int32(-8)-int32(zero)>>(40+zero))
}

// FloatTooLarge converts floats that do not fit, and NaN.
func FloatTooLarge(t gpu.Thread, out, blank []uint32, zero uint32) {
	big := 256 + float32(zero)
	nan := (big - big) / float32(zero)
	out[t.Idx()] = uint32(gpu.Saturate[uint8](big)) + uint32(gpu.Saturate[int8](-big))<<8&0xFF00 + gpu.Saturate[uint32](nan)<<16 + uint32(gpu.Saturate[uint16](-big))
}
