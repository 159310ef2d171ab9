package gpu

// Log returns the natural logarithm of x, within 1 ulp. Log(0) is -Inf; the result is NaN
// if x is negative.
func Log[T Float](x T) T {
	if single[T]() {
		return T(log32(float32(x)))
	}
	return T(log64(float64(x)))
}

// Log2 returns the base-2 logarithm of x, within 1.5 ulp; it is exact for powers of 2.
// Log2(0) is -Inf; the result is NaN if x is negative.
func Log2[T Float](x T) T {
	if single[T]() {
		return T(log2of32(float32(x)))
	}
	return T(log2of64(float64(x)))
}

// split32 splits x > 0 into n and m with x = m * 2^n. The mantissa m is at least the float
// with the bits least, and less than twice that float.
func split32(x float32, least uint32) (n, m float32) {
	if x < 0x1p-126 {
		x *= 0x1p23
		n = -23
	}
	u := Float32bits(x)
	e := (u - least) &^ (1<<23 - 1)
	return n + float32(int32(e)>>23), Float32frombits(u - e)
}

// split64 is the float64 version of split32.
func split64(x float64, least uint64) (n, m float64) {
	if x < 0x1p-1022 {
		x *= 0x1p52
		n = -52
	}
	u := Float64bits(x)
	e := (u - least) &^ (1<<52 - 1)
	return n + float64(int32(int64(e)>>52)), Float64frombits(u - e)
}

// The bits of 2/3 and of the square root of 1/2, as smallest mantissas for split32 and
// split64.
const (
	twoThirds32 = 0x3f2aaaab
	rootHalf32  = 0x3f3504f3
	rootHalf64  = 0x3fe6a09e667f3bcd
)

// logEnds returns y, the computed logarithm of x, or the right result if x is not positive
// and finite.
func logEnds[T Float](x, y T) T {
	if x == 0 {
		y = -infinite[T]()
	}
	if x < 0 {
		y = notANumber[T]()
	}
	if !(x <= largest[T]()) {
		y = x
	}
	return y
}

// log32 is Log for float32.
func log32(x float32) float32 {
	n, m := split32(x, twoThirds32)
	f := m - 1
	p := FMA(f, -0x1.03050ap-3, 0x1.1ee824p-3)
	p = FMA(f, p, -0x1.f5620ep-4)
	p = FMA(f, p, 0x1.1eb8a2p-3)
	p = FMA(f, p, -0x1.55885p-3)
	p = FMA(f, p, 0x1.99d26ap-3)
	p = FMA(f, p, -0x1.ffff6ap-3)
	p = FMA(f, p, 0x1.5555p-2)
	p = FMA(f, p, -0.5)
	return logEnds(x, FMA(n, 0x1.62e43p-1, FMA(f*f, p, f)))
}

// log2of32 is Log2 for float32.
func log2of32(x float32) float32 {
	n, m := split32(x, twoThirds32)
	f := m - 1
	p := FMA(f, -0x1.758834p-3, 0x1.9dcd36p-3)
	p = FMA(f, p, -0x1.69b508p-3)
	p = FMA(f, p, 0x1.9dad9ap-3)
	p = FMA(f, p, -0x1.ecb98p-3)
	p = FMA(f, p, 0x1.279f82p-2)
	p = FMA(f, p, -0x1.71540cp-2)
	p = FMA(f, p, 0x1.ec7024p-2)
	p = FMA(f, p, -0x1.715476p-1)
	p = FMA(f, 0x1.4ae0cp-26, float32(f*f)*p)
	return logEnds(x, n+FMA(f, 0x1.715476p+0, p))
}

// logTail64 returns the tail in log m = f - tail, where f = m - 1. With s = f/(2+f), log m
// is 2s + s^3*q(s^2), and 2s is f - s*f.
func logTail64(f float64) float64 {
	s := f / (2 + f)
	z := s * s
	q := FMA(z, 0x1.0f068a5d2b76cp-3, 0x1.0f681aebf248ep-3)
	q = FMA(z, q, 0x1.3b201a92e08c7p-3)
	q = FMA(z, q, 0x1.745ce204c585ep-3)
	q = FMA(z, q, 0x1.c71c724aa58ffp-3)
	q = FMA(z, q, 0x1.249249243a1b2p-2)
	q = FMA(z, q, 0x1.9999999999d0bp-2)
	q = FMA(z, q, 0x1.5555555555555p-1)
	return s * FMA(-z, q, f)
}

// log64 is Log for float64.
func log64(x float64) float64 {
	n, m := split64(x, rootHalf64)
	f := m - 1
	y := FMA(n, 0x1.abc9e3b39803fp-56, -logTail64(f))
	return logEnds(x, FMA(n, 0x1.62e42fefa39efp-1, f+y))
}

// log2of64 is Log2 for float64.
func log2of64(x float64) float64 {
	n, m := split64(x, rootHalf64)
	f := m - 1
	high := float64(f * 0x1.71547652b82fep+0)
	low := FMA(f, 0x1.71547652b82fep+0, -high)
	low = FMA(f, 0x1.777d0ffda0d24p-56, low)
	low = FMA(logTail64(f), -0x1.71547652b82fep+0, low)
	return logEnds(x, n+(high+low))
}
