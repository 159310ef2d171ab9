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
		return w.Fault(in, lane, "%s of an mbarrier that is not in shared memory", in.Op)
	}
	data, off, _ := w.Resolve(lane, addr)
	y, _ := w.AtomicOperands(in, lane)
	if _, why := in.Op.UpdateMBarrier(Load(data, off, ir.U64), y); why != "" {
		return w.Fault(in, lane, "%s", why)
	}
	return nil
}
