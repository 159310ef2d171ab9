package ir

import (
	"math"

	"github.com/weft-gpu/weft/gpu"
)

func evalFloat(op Op, k Kind, x, y, z uint64) (uint64, error) {
	switch op { // these work on the bits
	case OpNeg:
		return x ^ 1<<(k.Bits()-1), nil
	case OpAbs:
		return x &^ (1 << (k.Bits() - 1)), nil
	}
	if k == F32 {
		a, b, c := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)), math.Float32frombits(uint32(z))
		if op == OpFMA {
			return uint64(math.Float32bits(FMA32(a, b, c))), nil
		}
		if approximate := approximations[op]; approximate != nil {
			return uint64(math.Float32bits(approximate(a))), nil
		}
		r, err := sameOp(op, a, b)
		return uint64(math.Float32bits(r)), err
	}
	a, b, c := math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z)
	if op == OpFMA {
		return math.Float64bits(math.FMA(a, b, c)), nil
	}
	r, err := sameOp(op, a, b)
	return math.Float64bits(r), err
}

// approximations are what the special function unit computes; they exist for F32 alone.
var approximations = [NumOps]func(x float32) float32{
	OpApproxExp2:  gpu.ApproxExp2,
	OpApproxLog2:  gpu.ApproxLog2,
	OpApproxSin:   gpu.ApproxSin,
	OpApproxCos:   gpu.ApproxCos,
	OpApproxTanh:  gpu.ApproxTanh,
	OpApproxSqrt:  gpu.ApproxSqrt,
	OpApproxRsqrt: gpu.ApproxRsqrt,
	OpApproxRcp:   gpu.ApproxRcp,
}

// sameOp computes an op that is the same for both kinds. A float32 that is widened to float64 has a square root that
// rounds to what float32 arithmetic gives, and the same integers next to it.
func sameOp[T float32 | float64](op Op, x, y T) (T, error) {
	switch op {
	case OpAdd:
		return x + y, nil
	case OpSub:
		return x - y, nil
	case OpMul:
		return x * y, nil
	case OpDiv:
		return x / y, nil
	case OpMin:
		return min(x, y), nil
	case OpMax:
		return max(x, y), nil
	case OpSqrt:
		return T(math.Sqrt(float64(x))), nil
	case OpFloor:
		return T(math.Floor(float64(x))), nil
	case OpCeil:
		return T(math.Ceil(float64(x))), nil
	case OpTrunc:
		return T(math.Trunc(float64(x))), nil
	}
	return 0, ErrNoScalar
}

// FMA32 returns x*y+z, rounded once. The product is exact in 64 bits. The
// 64-bit sum is rounded to odd, so that the final rounding to 32 bits gives the
// correctly rounded result.
func FMA32(x, y, z float32) float32 {
	product, addend := float64(x)*float64(y), float64(z)
	sum := product + addend
	back := sum - product
	error := float64(product-float64(sum-back)) + float64(addend-back) // the exact error of s
	// To odd: a sum that is not exact and even is moved by one unit towards the exact value, so that the rounding to 32 bits
	// sees on which side of a tie it lies (Boldo and Melquiond, 2008).
	if error != 0 && !math.IsNaN(error) && !math.IsInf(sum, 0) {
		if bits := math.Float64bits(sum); bits&1 == 0 {
			if (error > 0) == (sum > 0) {
				bits++
			} else {
				bits--
			}
			sum = math.Float64frombits(bits)
		}
	}
	return float32(sum)
}

// convert converts x from one kind to another as Go does; float to integer
// saturates.
func convert(to, from Kind, x uint64) uint64 {
	switch {
	case to.Float() && from.Float():
		return fromFloat(to, toFloat(from, x))
	case to.Float():
		return intToFloat(to, from, x)
	case from.Float():
		return narrow(to, floatToInt(to, toFloat(from, x)))
	}
	return narrow(to, widen(from, x))
}

func fromFloat(k Kind, f float64) uint64 {
	if k == F32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// intToFloat rounds once; going through float64 would round twice.
func intToFloat(to, from Kind, x uint64) uint64 {
	x = widen(from, x)
	switch {
	case to == F32 && from.Signed():
		return uint64(math.Float32bits(float32(int64(x))))
	case to == F32:
		return uint64(math.Float32bits(float32(x)))
	case from.Signed():
		return math.Float64bits(float64(int64(x)))
	}
	return math.Float64bits(float64(x))
}

func floatToInt(to Kind, f float64) uint64 {
	width := to.Bits()
	if f != f {
		return 0
	}
	if to.Signed() {
		limit := math.Ldexp(1, width-1)
		switch {
		case f >= limit:
			return 1<<(width-1) - 1
		case f <= -limit:
			return -uint64(1 << (width - 1))
		}
		return uint64(int64(f))
	}
	switch limit := math.Ldexp(1, width); {
	case f >= limit:
		return ^uint64(0) >> (64 - width)
	case f <= 0:
		return 0
	// Above 2^63 Go's conversion to int64 would be undefined.
	case f >= 1<<63:
		return uint64(int64(f-1<<63)) + 1<<63
	}
	return uint64(int64(f))
}
