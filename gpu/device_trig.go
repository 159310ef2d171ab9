package gpu

// Sin returns the sine of x radians, within 2 ulp for every finite x: large arguments are
// reduced exactly (Payne and Hanek). The result is NaN if x is infinite.
func Sin[T Float](x T) T {
	r, q := quadrant(x)
	return sinNear0(x, turned(r, q))
}

// Cos returns the cosine of x radians, with the same error bound as Sin.
func Cos[T Float](x T) T {
	r, q := quadrant(x)
	return turned(r, q+1)
}

// SinCos returns Sin(x) and Cos(x). It costs little more than one of them.
func SinCos[T Float](x T) (sin, cos T) {
	r, q := quadrant(x)
	return sinNear0(x, turned(r, q)), turned(r, q+1)
}

// sinNear0 returns sin, or x if x is so small that the two are equal: turned loses the sign
// of a zero, and subnormal numbers.
func sinNear0[T Float](x, sin T) T {
	tiny := T(0x1p-27)
	if single[T]() {
		tiny = 0x1p-12
	}
	if Abs(x) < tiny {
		sin = x
	}
	return sin
}

// quadrant returns r and q with x = q*pi/2 + r and |r| <= pi/4. Only the last two bits of
// q, q modulo 4, are meaningful.
func quadrant[T Float](x T) (r T, q uint32) {
	if single[T]() {
		r32, q := quadrant32(float32(x))
		return T(r32), q
	}
	r64, q := quadrant64(float64(x))
	return T(r64), q
}

// turned returns the sine of q*pi/2 + r, for |r| <= pi/4.
func turned[T Float](r T, q uint32) T {
	if single[T]() {
		return T(turn32(float32(r), q))
	}
	return T(turn64(float64(r), q))
}

// turn32 is turned for float32.
func turn32(r float32, q uint32) float32 {
	z := r * r
	s := FMA(z, FMA(z, -0x1.9929ccp-13, 0x1.1106ep-7), -0x1.555544p-3)
	c := FMA(z, FMA(z, 0x1.99e71cp-16, -0x1.6c0c26p-10), 0x1.55554ap-5)
	y := FMA(float32(r*z), s, r)
	if q&1 != 0 {
		y = FMA(z, FMA(z, c, -0.5), 1)
	}
	if q&2 != 0 {
		y = -y
	}
	return y
}

// quadrant32 is quadrant for float32.
func quadrant32(x float32) (r float32, q uint32) {
	if Abs(x) >= 0x1p17 || x != x {
		return farQuadrant32(x)
	}
	t := FMA(x, 0x1.45f306p-1, round32)
	n := t - round32
	r = FMA(n, -0x1.921fb6p+0, x) // exact
	r = FMA(n, 0x1.777a5cp-25, r)
	r = FMA(n, 0x1.ee59dap-50, r)
	return r, Float32bits(t)
}

// farQuadrant32 is quadrant32 for |x| from 2^17. It multiplies the mantissa of x by the 96
// bits of 2/pi that matter: the bits before them contribute whole turns, the bits after
// them less than 2^-70.
func farQuadrant32(x float32) (r float32, q uint32) {
	u := Float32bits(x)
	m := uint64(u&(1<<23-1) | 1<<23)
	at := u>>23&0xff - 144 // of the first bit, in the words below
	w0, w1, w2, w3, w4, w5, w6 := uint32(0x00a2f983), uint32(0x6e4e4415), uint32(0x29fc2757),
		uint32(0xd1f534dd), uint32(0xc0db6295), uint32(0x993c4390), uint32(0x41fe5163)
	if at&64 != 0 {
		w0, w1, w2, w3, w4 = w2, w3, w4, w5, w6
	}
	if at&32 != 0 {
		w0, w1, w2, w3 = w1, w2, w3, w4
	}
	at &= 31
	a := uint32((uint64(w0)<<32 | uint64(w1)) << at >> 32)
	b := uint32((uint64(w1)<<32 | uint64(w2)) << at >> 32)
	c := uint32((uint64(w2)<<32 | uint64(w3)) << at >> 32)
	p := m*uint64(b) + m*uint64(c)>>32
	turns := p + (m*uint64(a))<<32 // of the whole turn, times 2^64
	r = float32(float64(int64(turns<<2)) * 0x1.921fb54442d18p-64)
	q = uint32(turns>>62 + turns>>61&1)
	if u&sign32 != 0 {
		r, q = -r, -q
	}
	if !(Abs(x) <= largest32) {
		r = Float32frombits(nan32)
	}
	return r, q
}

// turn64 is turned for float64.
func turn64(r float64, q uint32) float64 {
	z := r * r
	s := FMA(z, 0x1.5d8bdce7577cap-33, -0x1.ae5e4d2677d99p-26)
	s = FMA(z, s, 0x1.71de3556f60a7p-19)
	s = FMA(z, s, -0x1.a01a019beac0ep-13)
	s = FMA(z, s, 0x1.111111110f738p-7)
	s = FMA(z, s, -0x1.5555555555548p-3)
	c := FMA(z, -0x1.8f9d5aea6c81bp-37, 0x1.1ee9c9470646ap-29)
	c = FMA(z, c, -0x1.27e4f7d4ae6ccp-22)
	c = FMA(z, c, 0x1.a01a019c6416ep-16)
	c = FMA(z, c, -0x1.6c16c16c14e2fp-10)
	c = FMA(z, c, 0x1.555555555554ap-5)
	y := FMA(float64(r*z), s, r)
	if q&1 != 0 {
		y = FMA(z, FMA(z, c, -0.5), 1)
	}
	if q&2 != 0 {
		y = -y
	}
	return y
}

// quadrant64 is quadrant for float64.
func quadrant64(x float64) (r float64, q uint32) {
	if Abs(x) >= 0x1p22 || x != x {
		return farQuadrant64(x)
	}
	t := FMA(x, 0x1.45f306dc9c883p-1, round64)
	n := t - round64
	r = FMA(n, -0x1.921fb54442d18p+0, x) // exact
	r = FMA(n, -0x1.1a62633145c07p-54, r)
	r = FMA(n, 0x1.f1976b7ed8fbcp-110, r)
	return r, uint32(Float64bits(t))
}

// farQuadrant64 is the float64 version of farQuadrant32, for |x| from 2^22 and with 192
// bits of 2/pi.
func farQuadrant64(x float64) (r float64, q uint32) {
	u := Float64bits(x)
	m := u&(1<<52-1) | 1<<52
	at := uint32(u>>52)&0x7ff - 1045
	w0, w1, w2, w3 := twoOverPi(at >> 6)
	at &= 63
	a := w0<<at | w1>>(64-at)
	b := w1<<at | w2>>(64-at)
	c := w2<<at | w3>>(64-at)
	low := m * b
	high := m*a + MulHi(m, b)
	if carry := MulHi(m, c); low+carry < low {
		high++
	}
	low += MulHi(m, c)
	q = uint32(high>>62 + high>>61&1)
	high, low = high<<2|low>>62, low<<2
	negative := int64(high) < 0
	if negative {
		high, low = ^high, ^low
	}
	zeros := LeadingZeros(high)
	v := high<<zeros | low>>(64-zeros)
	// v has 64 bits, so the product is computed from two numbers in two parts each.
	first, rest := float64(int64(v>>11))*0x1p11, float64(int64(v&(1<<11-1)))
	r = FMA(first, 0x1.921fb54442d18p+0, FMA(rest, 0x1.921fb54442d18p+0, first*0x1.1a62633145c07p-54))
	r *= pow2of64(-64 - int64(zeros))
	if negative {
		r = -r
	}
	if u&sign64 != 0 {
		r, q = -r, -q
	}
	if !(Abs(x) <= largest64) {
		r = Float64frombits(nan64)
	}
	return r, q
}

// twoOverPi returns 256 bits of 2/pi, starting 64*i-32 bits after the binary point, for i
// from 0 to 15. It selects the words bit by bit of i.
func twoOverPi(i uint32) (w0, w1, w2, w3 uint64) {
	w0, w1, w2 = 0x00000000a2f9836e, 0x4e441529fc2757d1, 0xf534ddc0db629599
	w3, w4, w5 := uint64(0x3c439041fe5163ab), uint64(0xdebbc561b7246e3a), uint64(0x424dd2e006492eea)
	w6, w7, w8 := uint64(0x09d1921cfe1deb1c), uint64(0xb129a73ee88235f5), uint64(0x2ebb4484e99c7026)
	w9, w10 := uint64(0xb45f7e413991d639), uint64(0x835339f49c845f8b)
	if i&8 != 0 {
		w0, w1, w2, w3, w4, w5 = w8, w9, w10, 0xbdf9283b1ff897ff, 0xde05980fef2f118b, 0x5a0a6d1f6d367ecf
		w6, w7, w8, w9, w10 = 0x27cb09b74f463f66, 0x9e5fea2d7527bac7, 0xebe5f17b3d0739f7, 0x8a5292ea6bfb5fb1, 0x1f8d5d0856033046
	}
	if i&4 != 0 {
		w0, w1, w2, w3, w4, w5, w6 = w4, w5, w6, w7, w8, w9, w10
	}
	if i&2 != 0 {
		w0, w1, w2, w3, w4 = w2, w3, w4, w5, w6
	}
	if i&1 != 0 {
		w0, w1, w2, w3 = w1, w2, w3, w4
	}
	return w0, w1, w2, w3
}
