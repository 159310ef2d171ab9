package gpu

// Exp returns e to the power x, within 1.1 ulp.
//
// Exp and the other functions in files named device*.go consist of operations that round
// the same everywhere. Therefore their results have the same bits on every device and as
// plain Go, except for the payload of a NaN.
func Exp[T Float](x T) T {
	if single[T]() {
		return T(exp32(float32(x)))
	}
	return T(exp64(float64(x)))
}

// Exp2 returns 2 to the power x, within 1 ulp. It is exact for every integer x whose result
// is in range.
func Exp2[T Float](x T) T {
	if single[T]() {
		return T(exp2of32(float32(x)))
	}
	return T(exp2of64(float64(x)))
}

// Tanh returns the hyperbolic tangent of x, within 2.6 ulp. It computes m/(m+2) with m =
// e^(2|x|) - 1, which is accurate near 0 too.
func Tanh[T Float](x T) T {
	a := Abs(x)
	m := expMinus1(a + a)
	y := m / (m + 2)
	if a > 20 {
		y = 1
	}
	return withSign(y, x)
}

// single reports whether T is float32. The result is a compile-time constant, so the
// compiler removes the branch that is not taken.
func single[T Num]() bool { return T(1<<24+1) == T(1<<24) }

// Adding round32 or round64 to a float rounds it to an integer, which is then in the low
// bits of the sum. Subtracting the constant again gives that integer as a float.
const (
	round32 = 0x1.8p23
	round64 = 0x1.8p52
)

// pow2of32 returns 2 to the power n, for n from -126 to 127.
func pow2of32(n int32) float32 { return Float32frombits(uint32(n+127) << 23) }

// pow2of64 returns 2 to the power n, for n from -1022 to 1023.
func pow2of64(n int64) float64 { return Float64frombits(uint64(n+1023) << 52) }

// scale32 returns x * 2^n for x near 1. It multiplies twice, since 2^n may be out of range;
// the first product is exact.
func scale32(x float32, n int32) float32 {
	half := n >> 1
	return x * pow2of32(half) * pow2of32(n-half)
}

// scale64 is the float64 version of scale32.
func scale64(x float64, n int64) float64 {
	half := n >> 1
	return x * pow2of64(half) * pow2of64(n-half)
}

// expParts32 returns n and m = e^r - 1, where x = n*ln 2 + r and |r| <= ln(2)/2. The
// relative error of the polynomial is below 2^-26.
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

// exp32 is Exp for float32.
func exp32(x float32) float32 {
	n, m := expParts32(x)
	return expEnds(x, 150, scale32(1+m, n))
}

// expParts64 is the float64 version of expParts32, with a relative error below 2^-55.
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

// exp64 is Exp for float64.
func exp64(x float64) float64 {
	n, m := expParts64(x)
	return expEnds(x, 800, scale64(1+m, n))
}

// exp2of32 is Exp2 for float32.
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

// exp2of64 is Exp2 for float64.
func exp2of64(x float64) float64 {
	t := x + round64
	f := x - (t - round64)
	return expEnds(x, 1200, scale64(FMA(f, exp2Slope64(f), 1), int64(Float64bits(t)-Float64bits(round64))))
}

// exp2Slope64 returns (2^f - 1) / f for |f| <= 1/2.
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

// expMinus1 returns e^x - 1 for x >= 0. If 2^n is out of range, the result is unspecified.
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

// expEnds returns y, which was computed as a power with exponent x. If x is beyond the
// limit, the exponent arithmetic of y has wrapped; then expEnds returns infinity or 0
// instead.
func expEnds[T, X Float](x X, limit X, y T) T {
	if x > limit {
		y = infinite[T]()
	}
	if x < -limit {
		y = 0
	}
	return y
}
