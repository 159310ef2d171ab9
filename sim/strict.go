package sim

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// The functions in this file are called only if Options.Strict is set. They end a launch at what PTX and CUDA leave
// undefined, like the functional device.

// allows reports whether PTX defines a collective that the lanes of mask execute; otherwise it ends the launch. On
// machines with independent lanes the lanes of a warp barrier may come from several places.
func (s *sm) allows(w *simt.Warp, in *ir.Inst, mask uint32) bool {
	if mask == 0 {
		return true
	}
	fault := w.Undefined(in, mask)
	if lane, named, ok := w.MaskMisuse(in, mask); !ok && (named>>lane&1 == 0 || !s.its || in.Op != ir.OpWarpBar) {
		fault = w.Misuse(in, mask)
	}
	if fault != nil {
		s.fault(fault)
	}
	return fault == nil
}

// comes returns the fault of the active lanes of a warp at the block's barrier, if they should not be there. Without
// independent lanes the others could not come to it any more.
func (s *sm) comes(wp *warp) *device.Fault {
	w := wp.w
	if away := w.Live() &^ w.Mask; away != 0 && !s.its {
		in := wp.job.code[w.PC].in
		return w.Fault(in, bits.TrailingZeros32(w.Mask), "%s, while lanes %08x of the warp are elsewhere: all threads of a block must come to the same", simt.BarrierName(in), away)
	}
	return wp.block.meeting.Come(w, w.PC, w.Mask)
}

// ends records that the lanes of mask exit at in. It reports whether they may.
func (s *sm) ends(wp *warp, in *ir.Inst, mask uint32) bool {
	fault := wp.block.meeting.End(wp.w, in, mask)
	if fault != nil {
		s.fault(fault)
	}
	return fault == nil
}

// unwritten returns the fault of an access that reads memory to which nothing has been written, and records what it
// writes. Both count when the access is issued. The addresses are in chip.addrs.
func (s *sm) unwritten(wp *warp, in *ir.Inst, mask uint32) *device.Fault {
	w, block := wp.w, wp.block
	if block.cluster != nil && in.Root < 0 {
		remote := w.Remote(mask, &s.addrs)
		if f := s.remoteUnwritten(wp, in, remote, in.Op.Stores() || in.Op == ir.OpAtomExch || in.Op == ir.OpMBarInit); f != nil {
			return f
		}
		mask &^= remote
		own, _, _ := spaces(in, mask, &s.addrs)
		ownAddresses(own, &s.addrs)
	}
	if in.Op.Stores() || in.Op == ir.OpAtomExch || in.Op == ir.OpMBarInit { // an exchange may initialise a variable
		block.written.Define(in, &s.addrs, 0, mask)
		w.Define(in, &s.addrs, 0, mask)
		return nil
	}
	if f := block.written.Defined(w, in, &s.addrs, 0, mask); f != nil {
		return f
	}
	return w.Defined(in, &s.addrs, 0, mask)
}
