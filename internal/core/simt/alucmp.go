package simt

import (
	"math"
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// compareRow returns a comparison that gives the mask of lanes in which it
// holds; nil if the kind has none. It compares integers without branches: the
// borrow of a subtraction is the result of a lane.
func compareRow(op ir.Op, k ir.Kind) func(a, b *Row) uint32 {
	if k.Int() && k.Bits() < 32 || k == ir.Void {
		return nil
	}
	if k.Float() {
		return compareFloat(op, k)
	}
	switch op {
	case ir.OpEq:
		return func(a, b *Row) uint32 { return ^neRow(a, b) }
	case ir.OpNe:
		return neRow
	}
	var lt func(a, b *Row) uint32
	switch k {
	case ir.U32:
		lt = ltU32Row
	case ir.S32:
		lt = ltS32Row
	case ir.U64:
		lt = ltU64Row
	default:
		lt = ltS64Row
	}
	switch op {
	case ir.OpLt:
		return lt
	case ir.OpLe:
		// a <= b is not b < a: true for integers, and false for floats with
		// NaN, which compareFloat therefore compares one by one.
		return func(a, b *Row) uint32 { return ^lt(b, a) }
	case ir.OpGt:
		return func(a, b *Row) uint32 { return lt(b, a) }
	}
	return func(a, b *Row) uint32 { return ^lt(a, b) }
}

func neRow(a, b *Row) (m uint32) {
	for i := range a {
		x := a[i] ^ b[i]
		// Each lane's bit enters at the top and is shifted down by the lanes
		// after it, so that lane 0 ends at bit 0. x|-x has its top bit set if x
		// is not zero.
		m = m>>1 | uint32((x|-x)>>63)<<31
	}
	return m
}

func ltU32Row(a, b *Row) (m uint32) {
	for i := range a {
		// Lanes are zero-extended, so that the 64-bit difference borrows
		// exactly if a is less.
		m = m>>1 | uint32((a[i]-b[i])>>63)<<31
	}
	return m
}

func ltS32Row(a, b *Row) (m uint32) {
	for i := range a {
		m = m>>1 | uint32(uint64(int64(int32(a[i]))-int64(int32(b[i])))>>63)<<31
	}
	return m
}

func ltU64Row(a, b *Row) (m uint32) {
	for i := range a {
		_, c := bits.Sub64(a[i], b[i], 0)
		m = m>>1 | uint32(c)<<31
	}
	return m
}

func ltS64Row(a, b *Row) (m uint32) {
	for i := range a {
		// Flipping the sign bits turns the signed order into the unsigned one.
		_, c := bits.Sub64(a[i]^1<<63, b[i]^1<<63, 0)
		m = m>>1 | uint32(c)<<31
	}
	return m
}

// compareFloat compares without branches, too, of which the processor would mispredict many. With NaN
// only "not equal" holds.
func compareFloat(op ir.Op, k ir.Kind) func(a, b *Row) uint32 {
	eq, lt, le := eqF32Row, ltF32Row, leF32Row
	if k == ir.F64 {
		eq, lt, le = eqF64Row, ltF64Row, leF64Row
	}
	switch op {
	case ir.OpEq:
		return eq
	case ir.OpNe:
		return func(a, b *Row) uint32 { return ^eq(a, b) }
	case ir.OpLt:
		return lt
	case ir.OpLe:
		return le
	case ir.OpGt:
		return func(a, b *Row) uint32 { return lt(b, a) }
	}
	return func(a, b *Row) uint32 { return le(b, a) }
}

// bit is 1 if p holds; the compiler makes it without a branch.
func bit(p bool) (b uint32) {
	if p {
		b = 1
	}
	return b
}

func eqF32Row(a, b *Row) (m uint32) {
	for i := range a {
		m = m>>1 | bit(lo32(a[i]) == lo32(b[i]))<<31
	}
	return m
}

func eqF64Row(a, b *Row) (m uint32) {
	for i := range a {
		m = m>>1 | bit(math.Float64frombits(a[i]) == math.Float64frombits(b[i]))<<31
	}
	return m
}

func ltF32Row(a, b *Row) (m uint32) {
	for i := range a {
		m = m>>1 | bit(lo32(a[i]) < lo32(b[i]))<<31
	}
	return m
}

func ltF64Row(a, b *Row) (m uint32) {
	for i := range a {
		m = m>>1 | bit(math.Float64frombits(a[i]) < math.Float64frombits(b[i]))<<31
	}
	return m
}

func leF32Row(a, b *Row) (m uint32) {
	for i := range a {
		m = m>>1 | bit(lo32(a[i]) <= lo32(b[i]))<<31
	}
	return m
}

func leF64Row(a, b *Row) (m uint32) {
	for i := range a {
		m = m>>1 | bit(math.Float64frombits(a[i]) <= math.Float64frombits(b[i]))<<31
	}
	return m
}

// divideOp returns the row operation for integer division or remainder. Since
// these can fail in a lane, they are computed only in the active lanes.
func divideOp(op ir.Op, k ir.Kind) ALUOp {
	var f func(d, a, b *Row, mask uint32) uint32
	rem := op == ir.OpRem
	switch k {
	case ir.U32:
		f = divide[uint32](rem)
	case ir.S32:
		f = divide[int32](rem)
	case ir.U64:
		f = divide[uint64](rem)
	case ir.S64:
		f = divide[int64](rem)
	default:
		return ALUOp{}
	}
	return ALUOp{form: formDiv, div: f}
}

func divide[T word](rem bool) func(d, a, b *Row, mask uint32) uint32 {
	return func(d, a, b *Row, mask uint32) (zero uint32) {
		ext := zeroExtend[T]()
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			x, y := T(a[i]), T(b[i])
			switch {
			case y == 0:
				zero |= 1 << i
			case rem:
				d[i] = uint64(x%y) & ext
			default:
				d[i] = uint64(x/y) & ext
			}
		}
		return zero
	}
}
