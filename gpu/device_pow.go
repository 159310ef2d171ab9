package gpu

// Pow returns x to the power y, within 1 ulp. Special cases are those of C and of Go's
// math.Pow: the result is 1 if y is 0 or x is 1, whatever the other argument is; it is NaN
// if x is negative and finite and y is not an integer. For float32 it computes in float64.
func Pow[T Float](x, y T) T {
	if single[T]() {
		return T(pow32(float32(x), float32(y)))
	}
	return T(pow64(float64(x), float64(y)))
}

// Rsqrt returns 1/sqrt(x), within 1 ulp. For a zero it is Inf with the sign of the zero; it
// is NaN if x is negative.
func Rsqrt[T Float](x T) T {
	if single[T]() {
		return T(rsqrt32(float32(x)))
	}
	return T(rsqrt64(float64(x)))
}

// Bit patterns, and the largest finite numbers.
const (
	sign32     = 1 << 31
	infinite32 = 0x7f800000
	nan32      = 0x7fc00000
	largest32  = 0x1.fffffep127
	sign64     = 1 << 63
	infinite64 = 0x7ff0000000000000
	nan64      = 0x7ff8000000000000
	largest64  = 0x1.fffffffffffffp1023
)

// pow32 is Pow for float32: 2^(y*log2|x|), computed in float64.
func pow32(x, y float32) float32 {
	a := Abs(x)
	n, m := split32(a, rootHalf32)
	f := float64(m) - 1
	p := FMA(f, -0x1.164aa73d93c92p-4, 0x1.0c61a9e343a27p-3)
	p = FMA(f, p, -0x1.14154920dce12p-3)
	p = FMA(f, p, 0x1.0b942ea2f14a9p-3)
	p = FMA(f, p, -0x1.23e39f4f279a9p-3)
	p = FMA(f, p, 0x1.480c4ccd1b1e7p-3)
	p = FMA(f, p, -0x1.7186969e0886ap-3)
	p = FMA(f, p, 0x1.a61c61535ab2p-3)
	p = FMA(f, p, -0x1.ec6f495cece45p-3)
	p = FMA(f, p, 0x1.2776b460006d1p-2)
	p = FMA(f, p, -0x1.7154784b0f298p-2)
	p = FMA(f, p, 0x1.ec709de845b3dp-2)
	p = FMA(f, p, -0x1.71547651db357p-1)
	p = FMA(f, p, 0x1.71547652b51dbp+0)
	log := FMA(f, p, float64(n)) // to the base of 2
	if a == 0 {
		log = -infinite[float64]()
	}
	if a > largest32 {
		log = infinite[float64]()
	}
	z := float64(float64(y) * log)
	t := z + round64
	f = z - (t - round64)
	p = FMA(f, 0x1.00dd491c8a1cdp-16, 0x1.4461287b2533bp-13)
	p = FMA(f, p, 0x1.5d874427bf7bp-10)
	p = FMA(f, p, 0x1.3b29ed5703c31p-7)
	p = FMA(f, p, 0x1.c6b08dd83dd36p-5)
	p = FMA(f, p, 0x1.ebfbe07f2e7f6p-3)
	p = FMA(f, p, 0x1.62e42fef844e2p-1)
	r := float32(FMA(f, p, 1) * pow2of64(int64(Float64bits(t)-Float64bits(round64))))
	return powEnds(x, y, expEnds(z, 200, r))
}

// pow64 is Pow for float64. It computes the logarithm as a sum of two floats, since y can
// magnify an error of the logarithm by up to a thousand.
func pow64(x, y float64) float64 {
	a := Abs(x)
	n, m := split64(a, rootHalf64)
	log, rest := log2Parts(m)
	// log + rest| is below 1, and n is 0 or at least 1 in magnitude.
	sum := n + log
	rest += log - (sum - n)
	log = sum
	if a == 0 {
		log = -infinite[float64]()
	}
	if a > largest64 {
		log = infinite[float64]()
	}
	z := float64(y * log)
	rest = FMA(y, rest, FMA(y, log, -z))
	t := z + round64
	f := z - (t - round64) + rest
	r := scale64(FMA(f, exp2Slope64(f), 1), int64(Float64bits(t)-Float64bits(round64)))
	return powEnds(x, y, expEnds(z, 1200, r))
}

// powEnds turns r = |x|^y into x^y: it sets the sign for a negative x and handles the
// special cases.
func powEnds[T Float](x, y, r T) T {
	a := Abs(x)
	if a == 1 {
		r = 1
	}
	whole := Trunc(y)
	if x < 0 && a <= largest[T]() && whole != y {
		r = notANumber[T]()
	}
	half := y * 0.5
	if whole == y && Trunc(half) != half {
		r = withSign(r, x)
	}
	if x != x || y != y {
		r = x + y
	}
	if x == 1 || y == 0 {
		r = 1
	}
	return r
}

// withSign returns y with the sign of x; the sign bit of y must be clear.
func withSign[T Float](y, x T) T {
	if single[T]() {
		return T(Float32frombits(Float32bits(float32(y)) | Float32bits(float32(x))&sign32))
	}
	return T(Float64frombits(Float64bits(float64(y)) | Float64bits(float64(x))&sign64))
}

// infinite returns +Inf.
func infinite[T Float]() T {
	if single[T]() {
		return T(Float32frombits(infinite32))
	}
	return T(Float64frombits(infinite64))
}

// notANumber returns a quiet NaN.
func notANumber[T Float]() T {
	if single[T]() {
		return T(Float32frombits(nan32))
	}
	return T(Float64frombits(nan64))
}

// largest returns the largest finite number of type T.
func largest[T Float]() T {
	if single[T]() {
		return T(float32(largest32))
	}
	big := float64(largest64)
	return T(big)
}

// log2Parts returns the base-2 logarithm of m as the sum of two floats, for m from
// sqrt(1/2) to sqrt(2). The relative error of the sum is below 2^-63. With s = (m-1)/(m+1)
// the logarithm is 2/ln 2 * (s + s^3*(1/3 + s^2*q(s^2))).
func log2Parts(m float64) (log, rest float64) {
	d := m + 1
	lost := m - (d - 1) // m+1 is d+lost
	inverse := 1 / d
	s := float64((m - 1) * inverse)
	left := FMA(-s, lost, FMA(-s, d, m-1))
	sRest := float64(left * inverse)
	z := float64(s * s)
	zRest := FMA(s+s, sRest, FMA(s, s, -z))
	q := FMA(z, 0x1.eb769c8da05fp-5, 0x1.de26150680611p-5)
	q = FMA(z, q, 0x1.112112e5f91e5p-4)
	q = FMA(z, q, 0x1.3b135ffe52cb6p-4)
	q = FMA(z, q, 0x1.745d183def419p-4)
	q = FMA(z, q, 0x1.c71c71c564425p-4)
	q = FMA(z, q, 0x1.249249249315p-3)
	q = FMA(z, q, 0x1.9999999999995p-3)
	t := float64(z * q)
	u := 0x1.5555555555555p-2 + t
	uRest := 0x1.5555555555555p-2 - u + t + FMA(z, q, FMA(zRest, q, 0x1.5555555555555p-56)-t)
	v := float64(z * u)
	vRest := FMA(z, u, -v) + FMA(z, uRest, float64(zRest*u))
	w := float64(s * v)
	wRest := FMA(s, v, -w) + FMA(s, vRest, float64(sRest*v))
	sum := s + w
	sumRest := s - sum + w + (wRest + sRest)
	log = float64(sum * 0x1.71547652b82fep+1)
	rest = FMA(sum, 0x1.71547652b82fep+1, -log)
	rest += FMA(sum, 0x1.777d0ffda0d24p-55, float64(sumRest*0x1.71547652b82fep+1))
	return log, rest
}

// rsqrt32 guesses the result from the bits of x, within 3.5%, and improves the guess twice:
// with e = 1 - x*y^2, 1/sqrt(x) is y*(1 + e/2 + 3/8*e^2 + ...). The last e is computed in
// two parts.
func rsqrt32(x float32) float32 {
	v, scale := x, float32(1)
	if x < 0x1p-126 {
		v, scale = x*0x1p24, 0x1p12
	}
	y := Float32frombits(0x5f3759df - Float32bits(v)>>1)
	h := v * y
	e := FMA(-h, y, 1)
	y = FMA(float32(y*e), FMA(e, 0.375, 0.5), y)
	h = v * y
	e = FMA(-FMA(v, y, -h), y, FMA(-h, y, 1))
	y = FMA(float32(y*e), FMA(e, 0.375, 0.5), y) * scale
	if x == 0 {
		y = Float32frombits(infinite32 | Float32bits(x))
	}
	if x > largest32 {
		y = 0
	}
	if x < 0 {
		y = Float32frombits(nan32)
	}
	return y
}

// rsqrt64 is the float64 version of rsqrt32, with a third step.
func rsqrt64(x float64) float64 {
	v, scale := x, 1.0
	if x < 0x1p-1022 {
		v, scale = x*0x1p54, 0x1p27
	}
	y := Float64frombits(0x5fe6eb50c7b537a9 - Float64bits(v)>>1)
	h := v * y
	e := FMA(-h, y, 1)
	y = FMA(float64(y*e), FMA(e, 0.375, 0.5), y)
	h = v * y
	e = FMA(-h, y, 1)
	y = FMA(float64(y*e), FMA(e, 0.375, 0.5), y)
	h = v * y
	e = FMA(-FMA(v, y, -h), y, FMA(-h, y, 1))
	y = FMA(float64(y*e), FMA(e, 0.375, 0.5), y) * scale
	if x == 0 {
		y = Float64frombits(infinite64 | Float64bits(x))
	}
	if x > largest64 {
		y = 0
	}
	if x < 0 {
		y = Float64frombits(nan64)
	}
	return y
}
