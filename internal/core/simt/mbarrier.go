package simt

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// MBarrierMisuse returns the fault of a lane's operation on the mbarrier at addr, if PTX leaves undefined what it does; nil for
// other instructions. Check must have passed.
func (w *Warp) MBarrierMisuse(in *ir.Inst, lane int, addr uint64) *device.Fault {
	if !in.Op.IsMBarrier() {
		return nil
	}
	if SpaceOf(addr) != ir.Shared {
		return w.Fault(in, lane, "%s at address %#x, %s", in.Source(), addr, notOwn(addr))
	}
	data, off, _ := w.Resolve(lane, addr)
	y, _ := w.AtomicOperands(in, lane)
	if _, why := in.Op.UpdateMBarrier(Load(data, off, ir.U64), y); why != "" {
		return w.Fault(in, lane, "%s", why)
	}
	return nil
}

// PhaseComplete reports whether the phase for which a lane asks is complete. It is false for an address that is none of shared memory.
func (w *Warp) PhaseComplete(in *ir.Inst, lane int, addr uint64) bool {
	if notOwn(addr) != "" || addr&^ir.SharedWindow+8 > uint64(len(w.Block.Shared)) || addr%8 != 0 {
		return false
	}
	data, off, _ := w.Resolve(lane, addr)
	phase, _ := w.AtomicOperands(in, lane)
	return (Load(data, off, ir.U64)^phase)>>63 != 0
}
