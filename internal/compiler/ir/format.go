package ir

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/weft-gpu/weft/internal/base/floats"
)

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
func roundBig(v *big.Float, mode floats.Rounding) float64 {
	modes := [...]big.RoundingMode{big.ToNearestEven, big.ToZero, big.ToNegativeInf, big.ToPositiveInf, big.ToNearestAway}
	r := new(big.Float).SetMode(modes[mode]).SetPrec(53).Set(v)
	out, _ := r.Float64()
	if math.IsInf(out, 0) && (mode == floats.TowardsZero || mode == floats.Down && out > 0 || mode == floats.Up && out < 0) {
		return math.Copysign(math.MaxFloat64, out)
	}
	return out
}

// rounded computes x op y, or x*y+z, rounded once to a format.
func rounded(op floatOp, f floats.Format, mode floats.Rounding, x, y, z float64) uint64 {
	if mode == floats.NearestEven && f == floats.Double {
		return f.Round(plainFloat(op, x, y, z), mode)
	}
	plain := plainFloat(op, x, y, z)
	if plain != plain || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) || op == floatRcp && x == 0 || op == floatDiv && y == 0 {
		return f.Round(plain, mode)
	}
	if f == floats.Double {
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
	if plain == 0 && mode == floats.Down && (op == floatAdd || op == floatSub || op == floatFMA) {
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
func exactly(op floatOp, mode floats.Rounding, x, y, z, plain float64) float64 {
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
		if mode == floats.Down && (op == floatAdd || op == floatSub || op == floatFMA) {
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
func integerTo(f floats.Format, n uint64, signed bool, mode floats.Rounding) uint64 {
	negative := signed && int64(n) < 0
	if f == floats.Double {
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
