package langtest

import "github.com/weft-gpu/weft/gpu"

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int | ~uint
}

// ops applies all integer operators to a type and hashes the results.
func ops[T integer](a, b T, n uint32) uint64 {
	h := uint64(14695981039346656037)
	add := func(x T) { h = (h ^ uint64(x)) * 1099511628211 }
	add(a + b)
	add(a - b)
	add(a * b)
	if b != 0 {
		add(a / b)
		add(a % b)
	}
	add(a & b)
	add(a | b)
	add(a ^ b)
	add(a &^ b)
	add(^a)
	add(-a)
	add(a << (n & 127))
	add(a >> (n & 127))
	add(a << (uint64(n) << 30))
	add(a >> uint8(n))
	add(a >> int(n&7))
	add(min(a, b, 5))
	add(max(a, b, 7))
	c := a
	c++
	c *= 3
	c -= b
	c >>= 1
	add(c)
	flags := uint32(0)
	for i, p := range [6]bool{a < b, a <= b, a > b, a >= b, a == b, a != b} {
		if p {
			flags |= 1 << i
		}
	}
	return h ^ uint64(flags)<<20
}

// Ints8 tests arithmetic on 8 bits.
func Ints8(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	w.put64(0, ops(int8(x), int8(x>>8), x>>16))
	w.put64(2, ops(uint8(x), uint8(x>>8), x>>16))
}

// Ints16 tests arithmetic on 16 bits.
func Ints16(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	w.put64(0, ops(int16(x), int16(x>>16), x>>3))
	w.put64(2, ops(uint16(x), uint16(x>>16), x>>3))
}

// Ints32 tests arithmetic on 32 bits.
func Ints32(t gpu.Thread, in, out []uint32) {
	w, x, y := mine(t, out), in[t.Global()], in[t.Global()^1]
	w.put64(0, ops(int32(x), int32(y), x>>5))
	w.put64(2, ops(x, y, x>>5))
}

// Ints64 tests arithmetic on 64 bits.
func Ints64(t gpu.Thread, in, out []uint32) {
	w, x, y := mine(t, out), in[t.Global()], in[t.Global()^1]
	a, b := uint64(x)<<32|uint64(y), uint64(y)<<29^uint64(x)
	w.put64(0, ops(int64(a), int64(b), x>>5))
	w.put64(2, ops(a, b, x>>5))
	w.put64(4, ops(int(a), int(b), x>>7))
	w.put64(6, ops(uint(a), uint(b), x>>7))
}

// Conversions converts every integer type to every other.
func Conversions(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	wide := uint64(x)<<21 ^ uint64(x)<<40 ^ uint64(x)
	h := uint64(1)
	add := func(v uint64) { h = (h ^ v) * 1099511628211 }
	i8, u8, i16, u16 := int8(wide), uint8(wide), int16(wide), uint16(wide)
	i32, u32, i64 := int32(wide), uint32(wide), int64(wide)
	add(uint64(i8) ^ uint64(u8) ^ uint64(i16)<<3 ^ uint64(u16)<<4 ^ uint64(i32)<<5 ^ uint64(u32)<<6 ^ uint64(i64))
	add(uint64(uint8(i8)) ^ uint64(int16(i8)) ^ uint64(uint16(i8)) ^ uint64(int32(i8)) ^ uint64(uint32(i8)) ^ uint64(int64(i8)))
	add(uint64(int8(u8)) ^ uint64(int16(u8)) ^ uint64(uint16(u8)) ^ uint64(int32(u8)) ^ uint64(uint32(u8)) ^ uint64(int64(u8)))
	add(uint64(int8(i16)) ^ uint64(uint8(i16)) ^ uint64(uint16(i16)) ^ uint64(int32(i16)) ^ uint64(uint32(i16)) ^ uint64(int64(i16)))
	add(uint64(int8(u16)) ^ uint64(uint8(u16)) ^ uint64(int16(u16)) ^ uint64(int32(u16)) ^ uint64(uint32(u16)) ^ uint64(int64(u16)))
	add(uint64(int8(i32)) ^ uint64(uint8(i32)) ^ uint64(int16(i32)) ^ uint64(uint16(i32)) ^ uint64(uint32(i32)) ^ uint64(int64(i32)))
	add(uint64(int8(u32)) ^ uint64(uint8(u32)) ^ uint64(int16(u32)) ^ uint64(uint16(u32)) ^ uint64(int32(u32)) ^ uint64(int64(u32)))
	add(uint64(int8(i64)) ^ uint64(uint8(i64)) ^ uint64(int16(i64)) ^ uint64(uint16(i64)) ^ uint64(int32(i64)) ^ uint64(uint32(i64)))
	w.put64(0, h)
}

func floats[F ~float32 | ~float64](a, b F) (sum F, flags uint32) {
	sum = a + b
	sum = sum - F(a*b)
	if b != 0 {
		sum += F(a / b)
	}
	sum = min(sum, 1e6)
	sum = max(sum, -b, -1e6)
	for i, p := range [...]bool{a < b, a <= b, a > b, a >= b, a == b, a != b} {
		if p {
			flags |= 1 << i
		}
	}
	return
}

// Floats tests arithmetic on both float types, and conversions.
func Floats(t gpu.Thread, in, out []uint32) {
	w, x, y := mine(t, out), in[t.Global()], in[t.Global()^1]
	a, fa := floats(float32(int32(x%2000))-1000, float32(y%777)/8)
	b, fb := floats(float64(int32(x%2000))-1000, float64(y%777)/8)
	w.put(0, gpu.Float32bits(a))
	w.put(1, fa<<8|fb)
	w.put64(2, gpu.Float64bits(b))
	w.put(4, uint32(int32(a))^uint32(int64(b)))
	w.put(5, gpu.Float32bits(float32(b)))
	w.put(6, gpu.Float32bits(float32(uint64(x)<<20))^uint32(uint8(gpu.Abs(b)/1e4))+uint32(int16(a/100)))
	w.put(7, gpu.Float32bits(float32(int64(x)-int64(y))))
}

// Math tests the bit operations and float functions of gpu.
func Math(t gpu.Thread, in, out []uint32) {
	w, x, y := mine(t, out), in[t.Global()], in[t.Global()^1]
	z := uint64(x)<<32 | uint64(y)
	w.mix(0, gpu.PopCount(x), gpu.LeadingZeros(x>>9), gpu.TrailingZeros(x<<7), gpu.LeadingZeros(x>>31>>1), gpu.TrailingZeros(y<<31<<1))
	w.mix(1, gpu.PopCount(z), gpu.LeadingZeros(z>>9), gpu.TrailingZeros(z<<37), gpu.Reverse(x), uint32(gpu.Reverse(z)>>5))
	w.mix(2, gpu.RotateLeft(x, y), gpu.RotateLeft(x, 0), uint32(gpu.RotateLeft(z, x)>>11), gpu.MulHi(x, y), uint32(gpu.MulHi(z, z^77)>>3))
	f, g := float32(int32(x%999))-500, float64(int32(y%999))/16
	w.mix(3, gpu.Float32bits(gpu.Sqrt(gpu.Abs(f))), gpu.Float32bits(gpu.Floor(f/7)), gpu.Float32bits(gpu.Ceil(f/7)), gpu.Float32bits(gpu.Trunc(f/7)))
	w.mix(4, uint32(gpu.Float64bits(gpu.Sqrt(g))>>13), uint32(gpu.Float64bits(gpu.Floor(-g))>>30), uint32(gpu.Float64bits(gpu.FMA(g, g, -g))))
	w.mix(5, gpu.Float32bits(gpu.FMA(f, 3, f)), gpu.Float32bits(gpu.Float32frombits(x&0x3fffffff)*2), uint32(gpu.Float64bits(gpu.Float64frombits(z>>2))))
}

// MathDevice tests the functions of gpu that are device code: their bits are
// the same everywhere.
func MathDevice(t gpu.Thread, in, out []uint32) {
	w, x, y := mine(t, out), in[t.Global()], in[t.Global()^1]
	f, g := gpu.Float32frombits(x), float32(int32(y))/0x1p26
	d, e := gpu.Float64frombits(uint64(x)<<32|uint64(y)), float64(int32(x))/0x1p26
	w.mix(0, bits32(gpu.Exp(f)), bits32(gpu.Exp(g)), bits32(gpu.Exp2(f)), bits32(gpu.Exp2(g)), bits32(gpu.Tanh(f)), bits32(gpu.Tanh(g)))
	w.mix(1, bits32(gpu.Log(f)), bits32(gpu.Log(g)), bits32(gpu.Log2(f)), bits32(gpu.Log2(g)), bits32(gpu.Rsqrt(f)), bits32(gpu.Rsqrt(g)))
	w.mix(2, bits32(gpu.Sin(f)), bits32(gpu.Sin(g)), bits32(gpu.Cos(f)), bits32(gpu.Cos(g)), bits32(gpu.Pow(f, g)), bits32(gpu.Pow(gpu.Abs(g), f)))
	w.mix(3, bits64(gpu.Exp(d)), bits64(gpu.Exp(e)), bits64(gpu.Exp2(d)), bits64(gpu.Exp2(e)), bits64(gpu.Tanh(d)), bits64(gpu.Tanh(e)))
	w.mix(4, bits64(gpu.Log(d)), bits64(gpu.Log(e)), bits64(gpu.Log2(d)), bits64(gpu.Log2(e)), bits64(gpu.Rsqrt(d)), bits64(gpu.Rsqrt(e)))
	w.mix(5, bits64(gpu.Sin(d)), bits64(gpu.Sin(e)), bits64(gpu.Cos(d)), bits64(gpu.Cos(e)), bits64(gpu.Pow(d, e)), bits64(gpu.Pow(gpu.Abs(e), d)))
	s, c := gpu.SinCos(f)
	s64, c64 := gpu.SinCos(d)
	w.mix(6, bits32(s), bits32(c), bits64(s64), bits64(c64))
}

// Approximations tests the hardware's approximations. Without hardware they
// give the same bits as in plain Go.
func Approximations(t gpu.Thread, in, out []uint32) {
	w, x, y := mine(t, out), in[t.Global()], in[t.Global()^1]
	f, g := gpu.Float32frombits(x), float32(int32(y))/0x1p26
	w.mix(0, bits32(gpu.ApproxExp2(f)), bits32(gpu.ApproxExp2(g)), bits32(gpu.ApproxLog2(f)), bits32(gpu.ApproxLog2(g)))
	w.mix(1, bits32(gpu.ApproxSin(f)), bits32(gpu.ApproxSin(g)), bits32(gpu.ApproxCos(f)), bits32(gpu.ApproxCos(g)))
	w.mix(2, bits32(gpu.ApproxTanh(f)), bits32(gpu.ApproxTanh(g)), bits32(gpu.ApproxSqrt(f)), bits32(gpu.ApproxSqrt(g)))
	w.mix(3, bits32(gpu.ApproxRsqrt(f)), bits32(gpu.ApproxRsqrt(g)), bits32(gpu.ApproxRcp(f)), bits32(gpu.ApproxRcp(g)))
	w.put(4, bits32(gpu.ApproxRsqrt(16))) // constant-folded
}

// bits32 returns the bit pattern of a number, and the same pattern for every
// NaN.
func bits32(x float32) uint32 {
	if x != x {
		return 1
	}
	return gpu.Float32bits(x)
}

func bits64(x float64) uint32 {
	if x != x {
		return 1
	}
	u := gpu.Float64bits(x)
	return uint32(u>>32) ^ uint32(u)*2654435761
}
