package gpu

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// bit returns 1 for true and 0 for false.
func bit(p bool) uint64 {
	if p {
		return 1
	}
	return 0
}

// toBits returns the bit pattern of v, zero-extended to 64 bits.
func toBits[T Num](v T) uint64 {
	if unsafe.Sizeof(v) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&v)))
	}
	return *(*uint64)(unsafe.Pointer(&v))
}

// fromBits is the inverse of toBits.
func fromBits[T Num](b uint64) (v T) {
	if unsafe.Sizeof(v) == 4 {
		*(*uint32)(unsafe.Pointer(&v)) = uint32(b)
	} else {
		*(*uint64)(unsafe.Pointer(&v)) = b
	}
	return v
}

// view returns p as a pointer to another type of the same size.
func view[U, T Num](p *T) *U { return (*U)(unsafe.Pointer(p)) }

// width returns the number of bits of a T.
func width[T Num]() uint32 {
	var v T
	return uint32(unsafe.Sizeof(v)) * 8
}

func saturate[T Integer](x float64) T {
	least, most := limits[T]()
	switch {
	case x != x:
		return 0
	case x <= float64(least):
		return least
	case x >= float64(most): // a limit of 64 bits rounds up to a power of two
		return most
	}
	return T(x)
}

// limits returns the smallest and largest T.
func limits[T Integer]() (least, most T) {
	bits := unsafe.Sizeof(least) * 8
	if ^T(0) < 0 {
		least = ^T(0) << (bits - 1)
		return least, ^least
	}
	return 0, ^T(0)
}

func popCount(x uint64) uint32 { return uint32(bits.OnesCount64(x)) }

func leadingZeros(x uint64, width uint32) uint32 {
	return uint32(bits.LeadingZeros64(x)) - (64 - width)
}

func trailingZeros(x uint64, width uint32) uint32 {
	return min(uint32(bits.TrailingZeros64(x)), width)
}

func reverse(x uint64) uint64 { return bits.Reverse64(x) }

func mulHi(a, b uint64, width uint32) uint64 {
	if width == 32 {
		return a * b >> 32
	}
	hi, _ := bits.Mul64(a, b)
	return hi
}

// fma returns a*b+c, rounded once. For float32 the product is exact in float64. The float64
// sum is rounded to odd, so that rounding it to float32 gives the correctly rounded result.
func fma[T Float](a, b, c T) T {
	if width[T]() == 64 {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	p, z := float64(a)*float64(b), float64(c)
	s := p + z
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return T(s)
	}
	t := s - p
	lost := (p - (s - t)) + (z - t) // s + lost is exact
	if u := math.Float64bits(s); lost != 0 && u&1 == 0 {
		if (lost > 0) == (s > 0) {
			u++
		} else {
			u--
		}
		s = math.Float64frombits(u)
	}
	return T(s)
}

func sqrt(x float64) float64  { return math.Sqrt(x) }
func floor(x float64) float64 { return math.Floor(x) }
func ceil(x float64) float64  { return math.Ceil(x) }
func trunc(x float64) float64 { return math.Trunc(x) }

// abs clears the sign bit, of a NaN too.
func abs[T Float](x T) T { return fromBits[T](toBits(x) &^ (1 << (width[T]() - 1))) }

func float32bits(x float32) uint32     { return math.Float32bits(x) }
func float32frombits(x uint32) float32 { return math.Float32frombits(x) }
func float64bits(x float64) uint64     { return math.Float64bits(x) }
func float64frombits(x uint64) float64 { return math.Float64frombits(x) }

// aligned ends the thread with a fault if i is not a multiple of n, because the vector
// access would be misaligned on a GPU.
func aligned(i, n uint32) {
	if i%n != 0 {
		panic(misuse(fmt.Sprintf("access of %d elements at index %d, which is not a multiple of %d", n, i, n)))
	}
}
