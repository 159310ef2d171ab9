package simt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/ir"
)

// ALU executes an instruction that is a function of its operands (arithmetic,
// comparison, conversion, select, move) in the lanes of mask. It returns the
// lanes that divide an integer by zero; those keep their destination.
func (w *Warp) ALU(in *ir.Inst, mask uint32) (divZero uint32) {
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		var src [3]uint64
		for i := range src[:min(int(in.NSrc), len(src))] {
			src[i] = w.operand(in, i, lane)
		}
		r, err := ir.Eval(in.Op, in.K, in.ArgK, in.Imm, src[0], src[1], src[2])
		switch {
		case err != nil:
			divZero |= 1 << lane
		case in.K == ir.Pred:
			w.SetPred(in.Dst[0], -uint32(r), 1<<lane)
		default:
			w.Regs[in.Dst[0]][lane] = r
		}
	}
	return divZero
}

// operand is one lane of an operand, predicate or not.
func (w *Warp) operand(in *ir.Inst, i, lane int) uint64 {
	pred := in.K == ir.Pred && (!in.Op.IsCompare() || in.ArgK == ir.Pred) || in.Op == ir.OpSelect && i == 0
	if pred {
		return uint64(w.Pred(in.Src[i]) >> lane & 1)
	}
	return w.Row(in.Src[i])[lane]
}
