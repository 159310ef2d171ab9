package gpu

// Exp is e to the power of x, within 1.1 ulp. It and the other functions of files
// named device*.go are made of operations that round the same everywhere, so that a result
// has the same bits on every device and as plain Go, but for those of a NaN.
func Exp[T Float](x T) T {
	if single[T]() {
		return T(exp32(float32(x)))
	}
	return T(exp64(float64(x)))
}

// Exp2 is 2 to the power of x, within 1 ulp; exact for integers in the range.
func Exp2[T Float](x T) T {
	if single[T]() {
		return T(exp2of32(float32(x)))
	}
	return T(exp2of64(float64(x)))
}

// Tanh is the hyperbolic tangent, within 2.6 ulp: m/(m+2) with m = e^2|x| - 1, which
// is exact enough also near 0.
func Tanh[T Float](x T) T {
	a := Abs(x)
	m := expMinus1(a + a)
	y := m / (m + 2)
	if a > 20 {
		y = 1
	}
	return withSign(y, x)
}

// single reports whether T is a float32: a constant, so that the compiler drops the
// branch that is not taken.
func single[T Num]() bool { return T(1<<24+1) == T(1<<24) }

// A float that is added to round32 or round64 is rounded to an integer, which
// then stands in the low bits of the sum; subtracting the number again gives
// it as a float.
const (
	round32 = 0x1.8p23
	round64 = 0x1.8p52
)

// pow2of32 is 2 to the power of n, from -126 to 127.
func pow2of32(n int32) float32 { return Float32frombits(uint32(n+127) << 23) }

// pow2of64 is 2 to the power of n, from -1022 to 1023.
func pow2of64(n int64) float64 { return Float64frombits(uint64(n+1023) << 52) }

// scale32 is x * 2^n for x near 1: in two steps, since n may leave the range
// of exponents. The first is exact.
func scale32(x float32, n int32) float32 {
	half := n >> 1
	return x * pow2of32(half) * pow2of32(n-half)
}

func scale64(x float64, n int64) float64 {
	half := n >> 1
	return x * pow2of64(half) * pow2of64(n-half)
}

// expParts32 is n and e^r - 1 with x = n*ln 2 + r, |r| <= ln(2)/2. The
// polynomial is within 2^-26 of e^r - 1, relatively.
func expParts32(x float32) (n int32, m float32) {
	t := FMA(x, 0x1.715476p+0, round32)
	k := t - round32
	r := FMA(k, 0x1.05c61p-29, FMA(k, -0x1.62e43p-1, x))
	p := FMA(r, 0x1.6b6b2p-10, 0x1.122a4p-7)
	p = FMA(r, p, 0x1.55571ep-5)
	p = FMA(r, p, 0x1.5554acp-3)
	p = FMA(r, p, 0x1.fffffep-2)
	return int32(Float32bits(t) - Float32bits(round32)), FMA(r*r, p, r)
}

func exp32(x float32) float32 {
	n, m := expParts32(x)
	return expEnds(x, 150, scale32(1+m, n))
}

// expParts64 is as expParts32, within 2^-55.
func expParts64(x float64) (n int64, m float64) {
	t := FMA(x, 0x1.71547652b82fep+0, round64)
	k := t - round64
	r := FMA(k, -0x1.abc9e3b39803fp-56, FMA(k, -0x1.62e42fefa39efp-1, x))
	p := FMA(r, 0x1.ae7bc1ed2f15ep-26, 0x1.28a30879fd3f1p-22)
	p = FMA(r, p, 0x1.71de7e055067bp-19)
	p = FMA(r, p, 0x1.a019a6388e3b5p-16)
	p = FMA(r, p, 0x1.a01a01799005cp-13)
	p = FMA(r, p, 0x1.6c16c17f4ab73p-10)
	p = FMA(r, p, 0x1.1111111118221p-7)
	p = FMA(r, p, 0x1.55555555520c8p-5)
	p = FMA(r, p, 0x1.555555555553dp-3)
	p = FMA(r, p, 0x1.0000000000005p-1)
	return int64(Float64bits(t) - Float64bits(round64)), FMA(r*r, p, r)
}

func exp64(x float64) float64 {
	n, m := expParts64(x)
	return expEnds(x, 800, scale64(1+m, n))
}

func exp2of32(x float32) float32 {
	t := x + round32
	f := x - (t - round32)
	p := FMA(f, 0x1.4424e2p-13, 0x1.5f0f3ep-10)
	p = FMA(f, p, 0x1.3b2a48p-7)
	p = FMA(f, p, 0x1.c6af7p-5)
	p = FMA(f, p, 0x1.ebfbep-3)
	p = FMA(f, p, 0x1.62e43p-1)
	return expEnds(x, 200, scale32(FMA(f, p, 1), int32(Float32bits(t)-Float32bits(round32))))
}

func exp2of64(x float64) float64 {
	t := x + round64
	f := x - (t - round64)
	return expEnds(x, 1200, scale64(FMA(f, exp2Slope64(f), 1), int64(Float64bits(t)-Float64bits(round64))))
}

// exp2Slope64 is (2^f - 1) / f for |f| <= 1/2.
func exp2Slope64(f float64) float64 {
	p := FMA(f, 0x1.eafc65ccd1cbfp-32, 0x1.e61e9f18c1823p-28)
	p = FMA(f, p, 0x1.b5242367d976dp-24)
	p = FMA(f, p, 0x1.62bfc5a83e494p-20)
	p = FMA(f, p, 0x1.ffcbfcdb55465p-17)
	p = FMA(f, p, 0x1.4309130fa5bfcp-13)
	p = FMA(f, p, 0x1.5d87fe7888bf7p-10)
	p = FMA(f, p, 0x1.3b2ab6fb9fcfp-7)
	p = FMA(f, p, 0x1.c6b08d704a183p-5)
	p = FMA(f, p, 0x1.ebfbdff82c5a6p-3)
	return FMA(f, p, 0x1.62e42fefa39efp-1)
}

// expMinus1 is e^x - 1 for x >= 0, and anything where that is beyond the exponents.
func expMinus1[T Float](x T) T {
	if single[T]() {
		n, m := expParts32(float32(x))
		s := pow2of32(n)
		return T(FMA(s, m, s-1))
	}
	n, m := expParts64(float64(x))
	s := pow2of64(n)
	return T(FMA(s, m, s-1))
}

// expEnds is y, a power with the exponent x, or what it is where x is past the limit and
// y was computed with exponents that wrap.
func expEnds[T, X Float](x X, limit X, y T) T {
	if x > limit {
		y = infinite[T]()
	}
	if x < -limit {
		y = 0
	}
	return y
}
