package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// The functions in this file are called only if Options.Strict is set. They end a launch at what PTX and CUDA leave
// undefined, like the functional device.

// undefined returns the fault of a collective that the lanes of mask execute and that PTX leaves undefined. On machines
// with independent lanes the lanes of a warp barrier may come from several places.
func (m *machine) undefined(w *simt.Warp, in *ir.Inst, mask uint32) *device.Fault {
	if lane, named, ok := w.MaskMisuse(in, mask); !ok && (named>>lane&1 == 0 || !m.its || in.Op != ir.OpWarpBar) {
		return w.Misuse(in, mask)
	}
	return w.Undefined(in, mask)
}

// ends records that the lanes of mask exit at in. It reports whether they may.
func (m *machine) ends(wp *warp, in *ir.Inst, mask uint32) bool {
	f := wp.block.meeting.End(wp.w, in, mask)
	if f != nil {
		m.fault(f)
	}
	return f == nil
}

// unwritten returns the fault of an access that reads memory to which nothing has been written, and records what it
// writes. Both count when the access is issued. The addresses are in m.addrs.
func (m *machine) unwritten(wp *warp, in *ir.Inst, mask uint32) *device.Fault {
	w, b := wp.w, wp.block
	if in.Op == ir.OpStore || in.Op == ir.OpAtomExch { // an exchange may initialise a variable
		b.written.Define(in, &m.addrs, 0, mask)
		w.Define(in, &m.addrs, 0, mask)
		return nil
	}
	if f := b.written.Defined(w, in, &m.addrs, 0, mask); f != nil {
		return f
	}
	return w.Defined(in, &m.addrs, 0, mask)
}
