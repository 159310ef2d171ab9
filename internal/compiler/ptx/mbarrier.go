package ptx

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// mbarrier prints an operation on an mbarrier. The object is opaque in PTX. Of the result of a wait only bit 63 is used, as what it
// is beside the phase that is asked for, so that it is made of the predicate.
func (w *printer) mbarrier(in *ir.Inst) {
	name, at, order := in.Op.String(), w.space(in)+".b64", ""
	if w.remote && (in.ArrivesInCluster() || in.Op == ir.OpMBarExpect && in.Mem.Space == ir.Generic) {
		w.remoteMBarrier(in)
		return
	}
	if w.remote && in.Op.IsMBarrierWait() {
		order = ".acquire.cluster" // what other blocks of the cluster did before they arrived
	}
	n, known := w.constant(in.Src[1])
	state := "%td0"
	if in.NDst > 0 {
		state = w.dst(in, 0)
	}
	switch in.Op {
	case ir.OpMBarInit:
		w.o("%s%s %s, %s", name, at, w.address(in), w.low(in))
	case ir.OpMBarInval:
		w.o("%s%s %s", name, at, w.address(in))
	case ir.OpMBarArrive, ir.OpMBarDrop:
		count := ""
		if !known || n != 1 {
			count = ", " + w.low(in)
		}
		w.o("%s%s %s, %s%s", name, at, state, w.address(in), count)
	case ir.OpMBarExpect:
		w.o("%s.relaxed.cta%s %s, %s", name, at, w.address(in), w.low(in))
	case ir.OpMBarArriveExpect, ir.OpMBarDropExpect:
		w.o("%s.release.cta%s %s, %s, %s", name, at, state, w.address(in), w.low(in))
	case ir.OpMBarArrivePart, ir.OpMBarDropPart:
		w.o("%s%s %s, %s, %s", name, at, state, w.address(in), w.low(in))
	case ir.OpMBarTrack, ir.OpMBarCopied:
		w.o("%s%s %s", name, at, w.address(in))
	default:
		phase := w.src(in, 1, ir.U64)
		by := phase
		if in.Op.ByParity() {
			if by = fmt.Sprint(n >> 63); !known {
				w.o("shr.u64 %%td1, %s, 63", phase)
				w.o("cvt.u32.u64 %%t0, %%td1")
				by = "%t0"
			}
		}
		w.o("%s%s%s %%q1, %s, %s", name, order, at, w.address(in), by)
		if in.NDst > 0 {
			w.o("selp.b64 %%td1, 0x8000000000000000, 0, %%q1")
			w.o("xor.b64 %s, %s, %%td1", state, phase)
		}
	}
}

// remoteMBarrier prints what may count at an mbarrier of another block of the cluster (PTX ISA, "mbarrier.arrive": an arrival there has
// no result, and no other block sees what came before it unless its scope is the cluster).
func (w *printer) remoteMBarrier(in *ir.Inst) {
	w.o("cvta.to.shared::cluster.u64 %%td1, %s", w.src(in, 0, ir.U64))
	order, state, at := ".release", "_, ", "[%td1]"
	switch {
	case in.Op == ir.OpMBarExpect:
		order, state = ".relaxed", ""
	case in.Mem.Order == ir.Relaxed:
		order = ".relaxed"
	}
	if in.Imm != 0 {
		at = fmt.Sprintf("[%%td1+%d]", in.Imm)
	}
	w.o("%s%s.cluster.shared::cluster.b64 %s%s, %s", in.Op, order, state, at, w.low(in))
}

// low returns the lower half of the second operand.
func (w *printer) low(in *ir.Inst) string {
	if n, known := w.constant(in.Src[1]); known {
		return fmt.Sprint(uint32(n))
	}
	w.o("cvt.u32.u64 %%t0, %s", w.src(in, 1, ir.U64))
	return "%t0"
}
