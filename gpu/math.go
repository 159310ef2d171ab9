package gpu

// Float is the constraint of floating-point types.
type Float interface{ ~float32 | ~float64 }

// Unsigned is the constraint of unsigned integer types.
type Unsigned interface{ ~uint32 | ~uint64 }

// PopCount returns the number of set bits in x.
func PopCount[T Unsigned](x T) uint32 { return popCount(uint64(x)) }

// LeadingZeros returns the number of zero bits above the highest set bit of x, or the width
// of T if x is 0.
func LeadingZeros[T Unsigned](x T) uint32 { return leadingZeros(uint64(x), width[T]()) }

// TrailingZeros returns the number of zero bits below the lowest set bit of x, or the width
// of T if x is 0.
func TrailingZeros[T Unsigned](x T) uint32 { return trailingZeros(uint64(x), width[T]()) }

// Reverse returns x with its bits in reverse order.
func Reverse[T Unsigned](x T) T { return T(reverse(uint64(x)) >> (64 - width[T]())) }

// RotateLeft returns x rotated left by k bits, modulo the width of T.
func RotateLeft[T Unsigned](x T, k uint32) T {
	w := width[T]()
	return x<<(k%w) | x>>((w-k%w)%w)
}

// MulHi returns the upper half of the double-width product of a and b.
func MulHi[T Unsigned](a, b T) T { return T(mulHi(uint64(a), uint64(b), width[T]())) }

// FMA returns a*b+c, rounded once.
func FMA[T Float](a, b, c T) T { return fma(a, b, c) }

// Sqrt returns the square root of x, correctly rounded, or NaN if x is negative.
func Sqrt[T Float](x T) T { return T(sqrt(float64(x))) }

// Abs returns x with its sign bit cleared; that holds for a NaN too.
func Abs[T Float](x T) T { return abs(x) }

// Floor returns x rounded down to an integer.
func Floor[T Float](x T) T { return T(floor(float64(x))) }

// Ceil returns x rounded up to an integer.
func Ceil[T Float](x T) T { return T(ceil(float64(x))) }

// Trunc returns x rounded toward zero to an integer.
func Trunc[T Float](x T) T { return T(trunc(float64(x))) }

// Integer is the constraint of the integer types that [Saturate] converts to.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

// Saturate converts x to an integer type, rounding toward zero: what is too small or too
// large becomes the smallest or largest number of the type, and NaN becomes 0.
//
// On a device the conversion T(x) does the same. As plain Go, T(x) of a number that does not
// fit is whatever the CPU makes of it, so code that may convert such numbers should call
// Saturate, which gives the same value everywhere.
func Saturate[T Integer, F Float](x F) T { return saturate[T](float64(x)) }

// Float32bits returns the bit pattern of x.
func Float32bits(x float32) uint32 { return float32bits(x) }

// Float32frombits returns the float with bit pattern x.
func Float32frombits(x uint32) float32 { return float32frombits(x) }

// Float64bits returns the bit pattern of x.
func Float64bits(x float64) uint64 { return float64bits(x) }

// Float64frombits returns the float with bit pattern x.
func Float64frombits(x uint64) float64 { return float64frombits(x) }

// The functions below are float32 approximations that a GPU computes with one instruction.
// The error bounds are those that the PTX ISA states for the instruction in parentheses, in
// its section "Floating Point Instructions". Hardware returns other bits than plain Go,
// device func and simulated GPUs: those use the functions in device*.go, which are more
// accurate.

// ApproxExp2 approximates Exp2 within 2 ulp of the correctly rounded result
// (ex2.approx.f32).
func ApproxExp2(x float32) float32 { return Exp2(x) }

// ApproxLog2 approximates Log2 with an absolute error below 2^-22 for x from 0.5 to 2, and
// a relative error below 2^-22 otherwise (lg2.approx.f32).
func ApproxLog2(x float32) float32 { return Log2(x) }

// ApproxSin approximates Sin with an absolute error of 2^-20.4 from -2 pi to 2 pi (NVIDIA
// states 2^-20.5; an H200 exceeds that by 4%), and of 2^-14.7 from -100 pi to 100 pi. No
// bound is stated beyond (sin.approx.f32).
func ApproxSin(x float32) float32 { return Sin(x) }

// ApproxCos approximates Cos with the error of ApproxSin (cos.approx.f32).
func ApproxCos(x float32) float32 { return Cos(x) }

// ApproxTanh approximates Tanh with a relative error below 2^-11 (tanh.approx.f32; before
// sm_75 a sequence of the same accuracy).
func ApproxTanh(x float32) float32 { return Tanh(x) }

// ApproxSqrt approximates Sqrt with a relative error below 2^-23 (sqrt.approx.f32).
func ApproxSqrt(x float32) float32 { return Sqrt(x) }

// ApproxRsqrt approximates Rsqrt with a relative error below 2^-22.9 (rsqrt.approx.f32).
func ApproxRsqrt(x float32) float32 { return Rsqrt(x) }

// ApproxRcp approximates 1/x within 1 ulp (rcp.approx.f32).
func ApproxRcp(x float32) float32 { return 1 / x }
