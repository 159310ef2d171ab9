package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// suspended reports whether a try_wait of the lanes of mask has found a phase that is not complete, so that the hardware suspends the
// warp (PTX ISA, "mbarrier.try_wait": potentially blocking). Without that, warps that look again and again could keep others from
// the arrival that they wait for.
func suspended(w *simt.Warp, in *ir.Inst, mask uint32) bool {
	if in.Op != ir.OpMBarTry && in.Op != ir.OpMBarTryParity || in.NDst == 0 {
		return false
	}
	state, asked := w.Row(ir.Operand(in.Dst[0])), w.Row(in.Src[1])
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		if (state[lane]^asked[lane])>>63 == 0 { // the phase that is asked for goes on
			return true
		}
	}
	return false
}
