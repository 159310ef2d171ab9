package kernel

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// setRegisters changes how many registers a warp has. Those that wait for some come again when others have been given back.
func (s *System) setRegisters(b *block, w *simt.Warp, in *ir.Inst, x *strand) error {
	waits, frees, f := b.named.Set(w, in)
	if f != nil {
		return f
	}
	if !waits {
		x.leave()
	}
	for i := range b.Warps {
		for j := range b.strands[i] {
			if other := &b.strands[i][j]; frees && other.arrived && s.g.Prog.Code[other.pc].Op == ir.OpRegistersTake {
				other.arrived = false // a step again
			}
		}
	}
	return nil
}
