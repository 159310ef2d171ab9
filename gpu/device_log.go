package gpu

// Log is the natural logarithm, within 1 ulp: -Inf of 0, and NaN of a negative number.
func Log[T Float](x T) T {
	if single[T]() {
		return T(log32(float32(x)))
	}
	return T(log64(float64(x)))
}

// Log2 is the logarithm to the base of 2, within 1.5 ulp: exact for powers of 2,
// -Inf of 0, and NaN of a negative number.
func Log2[T Float](x T) T {
	if single[T]() {
		return T(log2of32(float32(x)))
	}
	return T(log2of64(float64(x)))
}

// split32 is n and m with x = m * 2^n, for x > 0: m is at least the number with the bits
// least, and below twice that.
func split32(x float32, least uint32) (n, m float32) {
	if x < 0x1p-126 {
		x *= 0x1p23
		n = -23
	}
	u := Float32bits(x)
	e := (u - least) &^ (1<<23 - 1)
	return n + float32(int32(e)>>23), Float32frombits(u - e)
}

func split64(x float64, least uint64) (n, m float64) {
	if x < 0x1p-1022 {
		x *= 0x1p52
		n = -52
	}
	u := Float64bits(x)
	e := (u - least) &^ (1<<52 - 1)
	return n + float64(int32(int64(e)>>52)), Float64frombits(u - e)
}

// The bits of 2/3 and of the square root of 1/2.
const (
	twoThirds32 = 0x3f2aaaab
	rootHalf32  = 0x3f3504f3
	rootHalf64  = 0x3fe6a09e667f3bcd
)

// logEnds is y, or the logarithm of an x that is not positive and finite.
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

// logTail64 is log m = f - tail with f = m - 1. With s = f/(2+f), log m is
// 2s + s^3*q(s^2), and 2s is f - s*f.
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

func log64(x float64) float64 {
	n, m := split64(x, rootHalf64)
	f := m - 1
	y := FMA(n, 0x1.abc9e3b39803fp-56, -logTail64(f))
	return logEnds(x, FMA(n, 0x1.62e42fefa39efp-1, f+y))
}

func log2of64(x float64) float64 {
	n, m := split64(x, rootHalf64)
	f := m - 1
	high := float64(f * 0x1.71547652b82fep+0)
	low := FMA(f, 0x1.71547652b82fep+0, -high)
	low = FMA(f, 0x1.777d0ffda0d24p-56, low)
	low = FMA(logTail64(f), -0x1.71547652b82fep+0, low)
	return logEnds(x, n+(high+low))
}
