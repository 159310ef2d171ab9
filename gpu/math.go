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

// The approximations that a GPU has as one instruction, float32 only. Errors are
// those that the PTX ISA states in its section "Floating Point Instructions", under
// the name in brackets. Plain Go, func and simulated GPUs give other bits than silicon:
// those of the functions that are device code, which are nearer.

// ApproxExp2 is Exp2 within 2 ulp of the number that is rounded right (ex2.approx.f32).
func ApproxExp2(x float32) float32 { return Exp2(x) }

// ApproxLog2 is Log2 within 2^-22: absolutely for x from 0.5 to 2, else relatively (lg2.approx.f32).
func ApproxLog2(x float32) float32 { return Log2(x) }

// ApproxSin is Sin within an absolute error of 2^-20.4 from -2 pi to 2 pi (NVIDIA states
// 2^-20.5, which an H200 passes by 4%), and of 2^-14.7 from -100 pi to 100 pi; none is
// stated beyond (sin.approx.f32).
func ApproxSin(x float32) float32 { return Sin(x) }

// ApproxCos is Cos with the error of ApproxSin (cos.approx.f32).
func ApproxCos(x float32) float32 { return Cos(x) }

// ApproxTanh is Tanh within a relative error of 2^-11 (tanh.approx.f32; before
// sm_75 a sequence that is as near).
func ApproxTanh(x float32) float32 { return Tanh(x) }

// ApproxSqrt is Sqrt within a relative error of 2^-23 (sqrt.approx.f32).
func ApproxSqrt(x float32) float32 { return Sqrt(x) }

// ApproxRsqrt is Rsqrt within a relative error of 2^-22.9 (rsqrt.approx.f32).
func ApproxRsqrt(x float32) float32 { return Rsqrt(x) }

// ApproxRcp is 1/x within 1 ulp (rcp.approx.f32).
func ApproxRcp(x float32) float32 { return 1 / x }
