package gpu

// Float is a floating-point number.
type Float interface{ ~float32 | ~float64 }

// Unsigned is an unsigned integer.
type Unsigned interface{ ~uint32 | ~uint64 }

// PopCount is the number of set bits of x.
func PopCount[T Unsigned](x T) uint32 { return popCount(uint64(x)) }

// LeadingZeros is the number of zero bits above the highest set bit; the width for 0.
func LeadingZeros[T Unsigned](x T) uint32 { return leadingZeros(uint64(x), width[T]()) }

// TrailingZeros is the number of zero bits below the lowest set bit; the width for 0.
func TrailingZeros[T Unsigned](x T) uint32 { return trailingZeros(uint64(x), width[T]()) }

// Reverse is x with its bits in reverse order.
func Reverse[T Unsigned](x T) T { return T(reverse(uint64(x)) >> (64 - width[T]())) }

// RotateLeft is x rotated by k bits (modulo the width).
func RotateLeft[T Unsigned](x T, k uint32) T {
	w := width[T]()
	return x<<(k%w) | x>>((w-k%w)%w)
}

// MulHi is the upper half of the double-width product.
func MulHi[T Unsigned](a, b T) T { return T(mulHi(uint64(a), uint64(b), width[T]())) }

// FMA is a*b+c, rounded once.
func FMA[T Float](a, b, c T) T { return fma(a, b, c) }

// Sqrt is the square root, correctly rounded; NaN for a negative number.
func Sqrt[T Float](x T) T { return T(sqrt(float64(x))) }

// Abs is the absolute value: x without its sign, also of a NaN.
func Abs[T Float](x T) T { return abs(x) }

// Floor rounds down to an integer.
func Floor[T Float](x T) T { return T(floor(float64(x))) }

// Ceil rounds up to an integer.
func Ceil[T Float](x T) T { return T(ceil(float64(x))) }

// Trunc rounds towards zero to an integer.
func Trunc[T Float](x T) T { return T(trunc(float64(x))) }

// Float32bits is the bit pattern of x.
func Float32bits(x float32) uint32 { return float32bits(x) }

// Float32frombits is the number with the bit pattern x.
func Float32frombits(x uint32) float32 { return float32frombits(x) }

// Float64bits is the bit pattern of x.
func Float64bits(x float64) uint64 { return float64bits(x) }

// Float64frombits is the number with the bit pattern x.
func Float64frombits(x uint64) float64 { return float64frombits(x) }
