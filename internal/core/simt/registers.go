package simt

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// Registers are those that the warps of a block have given back, and how many each has (PTX ISA, "setmaxnreg").
type Registers struct {
	Free int32     // of a lane, summed over the warps that gave them back
	Held [32]uint8 // by warp, of a lane, in units of ir.RegisterUnit; 0: as many as at launch
}

// held returns how many registers a thread of a warp has.
func (r *Registers) held(w *Warp) int32 {
	if n := r.Held[w.Index]; n > 0 {
		return int32(n) * ir.RegisterUnit
	}
	return int32(w.Grid.Prog.LaunchRegisters)
}

// Set gives registers of a warp back, or takes others. It reports whether the warp has to wait for some and come again, and whether those that
// wait may have enough now. What a warp leaves when it ends stays with its block: PTX has only what was given back in the pool.
func (r *Registers) Set(w *Warp, in *ir.Inst) (waits, frees bool, f *device.Fault) {
	have, want := r.held(w), int32(in.Imm)
	switch last := (w.Index/mma.GroupWarps + 1) * mma.GroupWarps * Lanes; {
	case last > w.Grid.Threads:
		return false, false, w.Fault(in, 0, "%s in warp %d of a block of %d threads: a warpgroup is four whole warps, from a multiple of four on", in.Name(), w.Index, w.Grid.Threads)
	case in.Op == ir.OpRegistersGive && want > have:
		return false, false, w.Fault(in, 0, "%s of all but %d registers in a warp that has %d", in.Name(), want, have)
	case in.Op == ir.OpRegistersTake && want < have:
		return false, false, w.Fault(in, 0, "%s of up to %d registers in a warp that has %d", in.Name(), want, have)
	case want-have > r.Free:
		return true, false, nil
	}
	r.Free -= want - have
	r.Held[w.Index] = uint8(want / ir.RegisterUnit)
	return false, want < have, nil
}

// Waits describes what a warp waits for that needs registers.
func (r *Registers) Waits(w *Warp, in *ir.Inst) string {
	return fmt.Sprintf("waits for %d more registers a thread, of which %d are free in its block", int32(in.Imm)-r.held(w), r.Free)
}

// Lacks returns how many registers of a lane a warp waits for, and how many are free.
func (r *Registers) Lacks(w *Warp, in *ir.Inst) (wants, free int) {
	return int(int32(in.Imm) - r.held(w)), int(r.Free)
}
