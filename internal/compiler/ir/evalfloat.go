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
		r, err := float32Op(op, math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)), math.Float32frombits(uint32(z)))
		return uint64(math.Float32bits(r)), err
	}
	r, err := float64Op(op, math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z))
	return math.Float64bits(r), err
}

func float32Op(op Op, x, y, z float32) (float32, error) {
	switch op {
	case OpAdd:
		return x + y, nil
	case OpSub:
		return x - y, nil
	case OpMul:
		return x * y, nil
	case OpDiv:
		return x / y, nil
	case OpFMA:
		return FMA32(x, y, z), nil
	case OpMin:
		return min(x, y), nil
	case OpMax:
		return max(x, y), nil
	case OpSqrt:
		return float32(math.Sqrt(float64(x))), nil
	case OpFloor:
		return float32(math.Floor(float64(x))), nil
	case OpCeil:
		return float32(math.Ceil(float64(x))), nil
	case OpTrunc:
		return float32(math.Trunc(float64(x))), nil
	case OpApproxExp2:
		return gpu.ApproxExp2(x), nil
	case OpApproxLog2:
		return gpu.ApproxLog2(x), nil
	case OpApproxSin:
		return gpu.ApproxSin(x), nil
	case OpApproxCos:
		return gpu.ApproxCos(x), nil
	case OpApproxTanh:
		return gpu.ApproxTanh(x), nil
	case OpApproxSqrt:
		return gpu.ApproxSqrt(x), nil
	case OpApproxRsqrt:
		return gpu.ApproxRsqrt(x), nil
	case OpApproxRcp:
		return gpu.ApproxRcp(x), nil
	}
	return 0, ErrNoScalar
}

func float64Op(op Op, x, y, z float64) (float64, error) {
	switch op {
	case OpAdd:
		return x + y, nil
	case OpSub:
		return x - y, nil
	case OpMul:
		return x * y, nil
	case OpDiv:
		return x / y, nil
	case OpFMA:
		return math.FMA(x, y, z), nil
	case OpMin:
		return min(x, y), nil
	case OpMax:
		return max(x, y), nil
	case OpSqrt:
		return math.Sqrt(x), nil
	case OpFloor:
		return math.Floor(x), nil
	case OpCeil:
		return math.Ceil(x), nil
	case OpTrunc:
		return math.Trunc(x), nil
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
