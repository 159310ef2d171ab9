package ir

import (
	"math"
	"math/big"
	"math/bits"
)

// Rounding is a rounding mode.
type Rounding uint8

// The modes: to nearest, ties to even; towards zero; down; up; to nearest, ties away from zero.
const (
	NearestEven Rounding = iota
	TowardsZero
	Down
	Up
	NearestAway
)

// Format is a binary floating-point format.
type Format struct {
	Exponent, Mantissa int // bits
	NaN                uint64
}

// The formats, with the NaN that instructions return.
var (
	Half     = Format{5, 10, 0x7FFF}
	BFloat   = Format{8, 7, 0x7FFF}
	Single   = Format{8, 23, 0x7FFFFFFF}
	Double   = Format{11, 52, 0x7FFFFFFFFFFFFFFF}
	tensor32 = Format{8, 10, 0x7FFFFFFF >> 13} // TF32, in the upper 19 bits of a word
)

func (f Format) width() int { return 1 + f.Exponent + f.Mantissa }

// Value returns the number that bits of a format are.
func (f Format) Value(x uint64) float64 {
	switch f {
	case Double:
		return math.Float64frombits(x)
	case Single:
		return float64(math.Float32frombits(uint32(x)))
	}
	exponent := int(x>>f.Mantissa) & (1<<f.Exponent - 1)
	mantissa := x & (1<<f.Mantissa - 1)
	v := 0.0
	switch bias := 1<<(f.Exponent-1) - 1; {
	case exponent == 1<<f.Exponent-1 && mantissa != 0:
		return math.NaN()
	case exponent == 1<<f.Exponent-1:
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(mantissa), 1-bias-f.Mantissa)
	default:
		v = math.Ldexp(float64(mantissa|1<<f.Mantissa), exponent-bias-f.Mantissa)
	}
	if x>>(f.width()-1)&1 != 0 {
		v = -v
	}
	return v
}

// Round returns the bits of v in a format.
func (f Format) Round(v float64, mode Rounding) uint64 {
	if f == Double {
		if v != v {
			return f.NaN
		}
		return math.Float64bits(v)
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = 1 << (f.width() - 1)
	}
	infinity := uint64(1<<f.Exponent-1) << f.Mantissa
	switch {
	case v != v:
		return f.NaN
	case math.IsInf(v, 0):
		return sign | infinity
	case v == 0:
		return sign
	}
	abs := math.Abs(v)
	least := 2 - 1<<(f.Exponent-1) // the exponent of the smallest normal number
	exponent := max(math.Ilogb(abs), least)
	scaled := math.Ldexp(abs, f.Mantissa-exponent)
	whole := math.Floor(scaled)
	n, rest := uint64(whole), scaled-whole
	up := false
	switch mode {
	case NearestEven:
		up = rest > 0.5 || rest == 0.5 && n&1 != 0
	case NearestAway:
		up = rest >= 0.5
	case Down:
		up = rest > 0 && sign != 0
	case Up:
		up = rest > 0 && sign == 0
	}
	if up {
		n++
	}
	// The leading bit of a normal number adds one to the exponent, and so does a carry.
	out := uint64(exponent-least)<<f.Mantissa + n
	if out >= infinity {
		out = infinity
		if mode == TowardsZero || mode == Down && sign == 0 || mode == Up && sign != 0 {
			out-- // the largest number
		}
	}
	return sign | out
}

// toOdd returns v, or its neighbour towards the exact value if v is even and not exact: what
// is rounded to fewer bits afterwards is then rounded once (Boldo and Melquiond, 2008). err
// has the sign of the exact value minus v.
func toOdd(v, err float64) float64 {
	if err == 0 || err != err || math.IsInf(v, 0) || v != v {
		return v
	}
	b := math.Float64bits(v)
	if b&1 == 0 {
		if v == 0 {
			return math.Copysign(math.SmallestNonzeroFloat64, err)
		}
		if (err > 0) == (v > 0) {
			b++
		} else {
			b--
		}
	}
	return math.Float64frombits(b)
}

func oddSum(x, y float64) float64 {
	sum := x + y
	back := sum - x
	return toOdd(sum, float64(x-float64(sum-back))+float64(y-back))
}

// roundBig rounds an exact number to 64-bit floating point.
func roundBig(v *big.Float, mode Rounding) float64 {
	modes := [...]big.RoundingMode{big.ToNearestEven, big.ToZero, big.ToNegativeInf, big.ToPositiveInf, big.ToNearestAway}
	r := new(big.Float).SetMode(modes[mode]).SetPrec(53).Set(v)
	out, _ := r.Float64()
	if math.IsInf(out, 0) && (mode == TowardsZero || mode == Down && out > 0 || mode == Up && out < 0) {
		return math.Copysign(math.MaxFloat64, out)
	}
	return out
}

// rounded computes x op y, or x*y+z, rounded once to a format.
func rounded(op floatOp, f Format, mode Rounding, x, y, z float64) uint64 {
	if mode == NearestEven && f == Double {
		return f.Round(plainFloat(op, x, y, z), mode)
	}
	plain := plainFloat(op, x, y, z)
	if plain != plain || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) || op == floatRcp && x == 0 || op == floatDiv && y == 0 {
		return f.Round(plain, mode)
	}
	if f == Double {
		return math.Float64bits(exactly(op, mode, x, y, z, plain))
	}
	switch op {
	case floatAdd:
		plain = oddSum(x, y)
	case floatSub:
		plain = oddSum(x, -y)
	case floatMul: // exact
	case floatFMA:
		plain = oddSum(x*y, z)
	case floatDiv:
		plain = toOdd(plain, math.FMA(-plain, y, x)*math.Copysign(1, y))
	case floatRcp:
		plain = toOdd(plain, math.FMA(-plain, x, 1)*math.Copysign(1, x))
	case floatSqrt:
		plain = toOdd(plain, math.FMA(-plain, plain, x))
	}
	if plain == 0 && mode == Down && (op == floatAdd || op == floatSub || op == floatFMA) {
		return f.Round(zeroDown(op, x, y, z), mode)
	}
	return f.Round(plain, mode)
}

// zeroDown is a sum that is exactly zero, rounded down: -0 unless both terms are +0.
func zeroDown(op floatOp, x, y, z float64) float64 {
	a, b := x, y
	switch op {
	case floatSub:
		b = -y
	case floatFMA:
		a, b = x*y, z
	}
	if a == 0 && b == 0 && !math.Signbit(a) && !math.Signbit(b) {
		return 0
	}
	return math.Copysign(0, -1)
}

// exactly computes in numbers of any length.
func exactly(op floatOp, mode Rounding, x, y, z, plain float64) float64 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(4400).SetFloat64(v) }
	r := num(0)
	switch op {
	case floatAdd:
		r.Add(num(x), num(y))
	case floatSub:
		r.Sub(num(x), num(y))
	case floatMul:
		r.Mul(num(x), num(y))
	case floatFMA:
		r.Add(r.Mul(num(x), num(y)), num(z))
	case floatDiv:
		r.SetMode(big.ToZero).Quo(num(x), num(y))
	case floatRcp:
		r.SetMode(big.ToZero).Quo(num(1), num(x))
	case floatSqrt:
		if x <= 0 {
			return plain
		}
		r.Sqrt(num(x))
	}
	if r.Sign() == 0 {
		if mode == Down && (op == floatAdd || op == floatSub || op == floatFMA) {
			return zeroDown(op, x, y, z)
		}
		return plain
	}
	return roundBig(r, mode)
}

// floatOp is an operation on floats.
type floatOp uint8

const (
	floatAdd floatOp = iota
	floatSub
	floatMul
	floatFMA
	floatDiv
	floatRcp
	floatSqrt
	floatMin
	floatMax
)

func plainFloat(op floatOp, x, y, z float64) float64 {
	switch op {
	case floatAdd:
		return x + y
	case floatSub:
		return x - y
	case floatMul:
		return x * y
	case floatFMA:
		return math.FMA(x, y, z)
	case floatDiv:
		return x / y
	case floatRcp:
		return 1 / x
	}
	return math.Sqrt(x)
}

// integerTo returns the bits of an integer in a format.
func (f Format) integerTo(n uint64, signed bool, mode Rounding) uint64 {
	negative := signed && int64(n) < 0
	if f == Double {
		v := new(big.Float).SetPrec(64)
		if signed {
			v.SetInt64(int64(n))
		} else {
			v.SetUint64(n)
		}
		if n == 0 {
			return 0
		}
		return math.Float64bits(roundBig(v, mode))
	}
	if negative {
		n = -n
	}
	// At most 53 bits, the last of them set if any below was.
	if drop := bits.Len64(n) - 53; drop > 0 {
		lost := n & (1<<drop - 1)
		n = n >> drop
		if lost != 0 {
			n |= 1
		}
		n <<= drop
	}
	v := float64(n)
	if negative {
		v = -v
	}
	return f.Round(v, mode)
}
