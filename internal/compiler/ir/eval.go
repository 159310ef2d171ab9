package ir

import (
	"errors"
	"math"
	"math/bits"
)

// ErrDivideByZero is Eval's error for an integer division by zero. ErrNoScalar
// is its error for an op whose result depends on more than its operands.
var (
	ErrDivideByZero = errors.New("integer division by zero")
	ErrNoScalar     = errors.New("op is no function of scalar operands")
)

// Eval computes op on one lane and returns the bits of the result. It defines
// the meaning of every op that is a function of its operands. k is the kind of
// the result; argK is the kind of the operands if it differs from k
// (comparisons, conversions, bit counts, the index of OpLea); imm is the
// instruction's Imm. In operands and result, 32-bit kinds are zero-extended and
// Pred is 0 or 1.
//
// Floats are rounded after each operation. Conversions from float to integer
// saturate and turn NaN into 0. A shift count of the width or more gives 0, or
// copies of the sign bit for an arithmetic right shift.
func Eval(op Op, k, argK Kind, imm int64, x, y, z uint64) (uint64, error) {
	switch op {
	case OpConst:
		return narrow(k, uint64(imm)), nil
	case OpMov, OpBitcast:
		return x, nil
	case OpSelect:
		if x&1 != 0 {
			return y, nil
		}
		return z, nil
	case OpLea:
		return x + widen(argK, y)*uint64(imm), nil
	case OpExt:
		return narrow(k, widen(argK, x)), nil
	case OpCvt:
		return convert(k, argK, x), nil
	case OpMapShared:
		return MapShared(x, uint64(uint32(y))), nil
	case OpMulWide:
		return widen(argK, x) * widen(argK, y), nil
	case OpCalc1, OpCalc2, OpCalc3:
		r, err := calc(k, argK, imm, x, y, z)
		return narrow(k, r), err
	case OpPopc:
		return uint64(bits.OnesCount64(narrow(argK, x))), nil
	case OpClz:
		return uint64(bits.LeadingZeros64(narrow(argK, x)) - 64 + argK.Bits()), nil
	}
	if op.IsCompare() {
		return evalCompare(op, argK, x, y)
	}
	switch {
	case k.Float():
		return evalFloat(op, k, x, y, z)
	case k.Int() || k == Pred:
		return evalInt(op, k, x, y, z)
	}
	return 0, ErrNoScalar
}

// narrow zero-extends the bits of kind k to 64.
func narrow(k Kind, x uint64) uint64 {
	return x & (1<<k.Bits() - 1)
}

// widen extends an integer of kind k to 64 bits: with its sign if k is signed,
// else with zeros.
func widen(k Kind, x uint64) uint64 {
	n := 64 - k.Bits()
	if k.Signed() {
		return uint64(int64(x<<n) >> n)
	}
	return x << n >> n
}

func evalInt(op Op, k Kind, x, y, z uint64) (uint64, error) {
	r, err := intOp(op, k, widen(k, x), widen(k, y), widen(k, z), y)
	return narrow(k, r), err
}

// intOp computes op on operands that are extended to 64 bits. count is the
// unextended y: shift counts are unsigned whatever k is.
func intOp(op Op, k Kind, x, y, z, count uint64) (uint64, error) {
	switch op {
	case OpAdd:
		return x + y, nil
	case OpSub:
		return x - y, nil
	case OpMul:
		return x * y, nil
	case OpMulHi:
		return mulHi(k, x, y), nil
	case OpMad:
		return x*y + z, nil
	case OpDiv, OpRem:
		return divide(op, k, x, y)
	case OpAnd:
		return x & y, nil
	case OpOr:
		return x | y, nil
	case OpXor:
		return x ^ y, nil
	case OpAndNot:
		return x &^ y, nil
	case OpShl:
		// Go and PTX agree here: shl.b32 by 32 or more gives 0, unlike the shifts of x86 (PTX ISA, shl).
		if count >= uint64(k.Bits()) {
			return 0, nil
		}
		return x << count, nil
	case OpShr:
		if k.Signed() {
			// Operands are extended to 64 bits, so that a shift by the width or
			// more fills with the sign of the narrow kind. Go allows any count.
			return uint64(int64(x) >> count), nil
		}
		return x >> count, nil
	case OpMin:
		return pick(lessInt(k, x, y), x, y), nil
	case OpMax:
		return pick(lessInt(k, x, y), y, x), nil
	case OpNeg:
		return -x, nil
	case OpNot:
		return ^x, nil
	case OpBrev:
		return bits.Reverse64(x) >> (64 - k.Bits()), nil
	}
	return 0, ErrNoScalar
}

func pick(c bool, x, y uint64) uint64 {
	if c {
		return x
	}
	return y
}

func lessInt(k Kind, x, y uint64) bool {
	if k.Signed() {
		return int64(x) < int64(y)
	}
	return x < y
}

func mulHi(k Kind, x, y uint64) uint64 {
	if k.Bits() <= 32 {
		// Extended operands have their whole product in 64 bits.
		return x * y >> 32
	}
	hi, _ := bits.Mul64(x, y)
	if k.Signed() {
		// Each operand's sign bit weighs -2^64 instead of 2^64.
		if int64(x) < 0 {
			hi -= y
		}
		if int64(y) < 0 {
			hi -= x
		}
	}
	return hi
}

func divide(op Op, k Kind, x, y uint64) (uint64, error) {
	switch {
	case y == 0:
		return 0, ErrDivideByZero
	// The smallest number by -1 wraps around in Go, with no fault.
	case k.Signed() && op == OpDiv:
		return uint64(int64(x) / int64(y)), nil
	case k.Signed():
		return uint64(int64(x) % int64(y)), nil
	case op == OpDiv:
		return x / y, nil
	}
	return x % y, nil
}

func evalCompare(op Op, k Kind, x, y uint64) (uint64, error) {
	var lt, eq, gt bool
	switch k {
	case Void:
		return 0, ErrNoScalar
	case F32, F64:
		a, b := toFloat(k, x), toFloat(k, y)
		lt, eq, gt = a < b, a == b, a > b
	default:
		a, b := widen(k, x), widen(k, y)
		lt, eq = lessInt(k, a, b), a == b
		// Not for floats: with NaN none of the three holds.
		gt = !lt && !eq
	}
	var holds bool
	switch op {
	case OpEq:
		holds = eq
	case OpNe:
		holds = !eq
	case OpLt:
		holds = lt
	case OpLe:
		holds = lt || eq
	case OpGt:
		holds = gt
	case OpGe:
		holds = gt || eq
	}
	return pick(holds, 1, 0), nil
}

func toFloat(k Kind, x uint64) float64 {
	if k == F32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}
