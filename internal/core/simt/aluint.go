package simt

import (
	"math/bits"
	"unsafe"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

type rowFunc = func(d, a, b, c *Row)

// intRow returns the row operation of an op on integers and its operand count;
// nil if there is none. If only the low bits matter, signed and unsigned kinds
// share one function.
func intRow(op ir.Op, k, argK ir.Kind) (rowFunc, int) {
	switch op { // the same for every width, since lanes are zero-extended
	case ir.OpMov, ir.OpBitcast:
		return movRow, 1
	case ir.OpPopc:
		return popcRow, 1
	case ir.OpClz:
		if argK.Bits() == 32 {
			return clz32Row, 1
		}
		return clz64Row, 1
	case ir.OpExt:
		return extRow(argK), 1
	}
	if !k.Int() {
		return nil, 0
	}
	switch op {
	case ir.OpAnd:
		return andRow, 2
	case ir.OpOr:
		return orRow, 2
	case ir.OpXor:
		return xorRow, 2
	case ir.OpAndNot:
		return andNotRow, 2
	case ir.OpMin, ir.OpMax, ir.OpShr, ir.OpMulHi:
		return signedRow(op, k), 2
	}
	wide := k.Bits() == 64
	pick := func(narrow, full rowFunc) rowFunc {
		if wide {
			return full
		}
		return narrow
	}
	switch op {
	case ir.OpAdd:
		return pick(add32Row, add64Row), 2
	case ir.OpSub:
		return pick(sub32Row, sub64Row), 2
	case ir.OpMul:
		return pick(mul32Row, mul64Row), 2
	case ir.OpMad:
		return pick(mad32Row, mad64Row), 3
	case ir.OpShl:
		return pick(shl32Row, shl64Row), 2
	case ir.OpNeg:
		return pick(neg32Row, neg64Row), 1
	case ir.OpNot:
		return pick(not32Row, not64Row), 1
	case ir.OpBrev:
		return pick(brev32Row, brev64Row), 1
	}
	return nil, 0
}

func signedRow(op ir.Op, k ir.Kind) rowFunc {
	switch k {
	case ir.U32:
		return signedRowOf[uint32](op, mulHiU32Row)
	case ir.S32:
		return signedRowOf[int32](op, mulHiS32Row)
	case ir.U64:
		return signedRowOf[uint64](op, mulHi64Row)
	case ir.S64:
		return signedRowOf[int64](op, mulHiS64Row)
	}
	return nil
}

type word interface {
	uint32 | int32 | uint64 | int64
}

// zeroExtend returns the mask that reduces a T converted to uint64 to the bits
// of a lane.
func zeroExtend[T word]() uint64 {
	var v T
	return 1<<(8*unsafe.Sizeof(v)) - 1
}

func signedRowOf[T word](op ir.Op, mulHi rowFunc) rowFunc {
	switch op {
	case ir.OpMin:
		return func(d, a, b, _ *Row) {
			for i := range d {
				x, y := T(a[i]), T(b[i])
				r := a[i]
				if y < x {
					r = b[i]
				}
				d[i] = r
			}
		}
	case ir.OpMax:
		return func(d, a, b, _ *Row) {
			for i := range d {
				x, y := T(a[i]), T(b[i])
				r := a[i]
				if y > x {
					r = b[i]
				}
				d[i] = r
			}
		}
	case ir.OpShr:
		return func(d, a, b, _ *Row) {
			// A negative int32 would fill the upper half of the lane with ones.
			m := zeroExtend[T]()
			for i := range d {
				// Go shifts by a count of the width or more as by repeated
				// shifts by one, which is what the op means.
				d[i] = uint64(T(a[i])>>b[i]) & m
			}
		}
	}
	return mulHi
}

func movRow(d, a, _, _ *Row) { *d = *a }

func popcRow(d, a, _, _ *Row) {
	for i := range d {
		d[i] = uint64(bits.OnesCount64(a[i]))
	}
}

func clz32Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = uint64(bits.LeadingZeros32(uint32(a[i])))
	}
}

func clz64Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = uint64(bits.LeadingZeros64(a[i]))
	}
}

func extRow(k ir.Kind) rowFunc {
	switch k {
	case ir.U8:
		return func(d, a, _, _ *Row) {
			for i := range d {
				d[i] = uint64(uint8(a[i]))
			}
		}
	case ir.U16:
		return func(d, a, _, _ *Row) {
			for i := range d {
				d[i] = uint64(uint16(a[i]))
			}
		}
	case ir.S8:
		return func(d, a, _, _ *Row) {
			for i := range d {
				d[i] = uint64(uint32(int8(a[i])))
			}
		}
	case ir.S16:
		return func(d, a, _, _ *Row) {
			for i := range d {
				d[i] = uint64(uint32(int16(a[i])))
			}
		}
	}
	return nil
}
