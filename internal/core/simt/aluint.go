package simt

import (
	"math/bits"
	"unsafe"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

type rowFunc = func(d, a, b, c *Row)

// rows are the row operations of an op on words of 32 and of 64 bits.
type rows struct {
	narrow, wide rowFunc
	operands     int
}

// of returns the row operation for words of some bits, and its operand count.
func (r rows) of(bits int) (rowFunc, int) {
	if bits == 64 {
		return r.wide, r.operands
	}
	return r.narrow, r.operands
}

// intRows are the row operations on integers of which only the low bits matter, so that signed and unsigned kinds share one.
var intRows = map[ir.Op]rows{
	ir.OpAnd:    {andRow, andRow, 2},
	ir.OpOr:     {orRow, orRow, 2},
	ir.OpXor:    {xorRow, xorRow, 2},
	ir.OpAndNot: {andNotRow, andNotRow, 2},
	ir.OpAdd:    {add32Row, add64Row, 2},
	ir.OpSub:    {sub32Row, sub64Row, 2},
	ir.OpMul:    {mul32Row, mul64Row, 2},
	ir.OpMad:    {mad32Row, mad64Row, 3},
	ir.OpShl:    {shl32Row, shl64Row, 2},
	ir.OpNeg:    {neg32Row, neg64Row, 1},
	ir.OpNot:    {not32Row, not64Row, 1},
	ir.OpBrev:   {brev32Row, brev64Row, 1},
}

// intRow returns the row operation of an op on integers and its operand count; nil if there is none.
func intRow(op ir.Op, k, argK ir.Kind) (rowFunc, int) {
	switch op { // the same for every width, since lanes are zero-extended
	case ir.OpMov, ir.OpBitcast:
		return movRow, 1
	case ir.OpPopc:
		return popcRow, 1
	case ir.OpClz:
		return rows{clz32Row, clz64Row, 1}.of(argK.Bits())
	case ir.OpExt:
		return extRow(argK), 1
	}
	if !k.Int() {
		return nil, 0
	}
	switch op {
	case ir.OpMin, ir.OpMax, ir.OpShr, ir.OpMulHi:
		return signedRow(op, k), 2
	}
	return intRows[op].of(k.Bits())
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
