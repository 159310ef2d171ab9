package simt

import (
	"math"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// AtomicApply returns the new memory value of an atomic of kind k, given the
// old value and operand v; OpAtomCAS compares old with cmp. Values are
// zero-extended bits.
func AtomicApply(op ir.Op, k ir.Kind, old, v, cmp uint64) uint64 {
	switch op {
	case ir.OpAtomAdd:
		switch k {
		case ir.F32:
			return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(v))))
		case ir.F64:
			return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(v))
		}
		if k.Bits() <= 32 {
			return uint64(uint32(old + v))
		}
		return old + v
	case ir.OpAtomMin:
		if less(k, v, old) {
			return v
		}
		return old
	case ir.OpAtomMax:
		if less(k, old, v) {
			return v
		}
		return old
	case ir.OpAtomAnd:
		return old & v
	case ir.OpAtomOr:
		return old | v
	case ir.OpAtomXor:
		return old ^ v
	case ir.OpAtomExch:
		return v
	case ir.OpAtomInc:
		if old >= v {
			return 0
		}
		return old + 1
	case ir.OpAtomDec:
		if old == 0 || old > v {
			return v
		}
		return old - 1
	// On bits, as atom.cas.b32 and .b64: +0 and -0 differ, and a NaN equals
	// itself.
	case ir.OpAtomCAS:
		if k == ir.U16 { // registers may have more above
			cmp, v = cmp&0xFFFF, v&0xFFFF
		}
		if old == cmp {
			return v
		}
	default:
		if op.IsMBarrier() {
			now, _ := op.UpdateMBarrier(old, v)
			return now
		}
		if op.Halves() {
			return op.UpdateHalves(k, old, v)
		}
	}
	return old
}

func less(k ir.Kind, a, b uint64) bool {
	switch k {
	// Zero-extended lanes have lost the sign.
	case ir.S32:
		return int32(a) < int32(b)
	case ir.S64:
		return int64(a) < int64(b)
	}
	return a < b
}
