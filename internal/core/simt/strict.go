package simt

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/bitmix"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// This file has the checks of strict devices besides those of memory: see
// package undefined, which lists what PTX and CUDA leave undefined.

// Misuse returns the fault of a collective whose mask is invalid; nil if it is
// valid. See MaskMisuse.
func (w *Warp) Misuse(in *ir.Inst, mask uint32) *device.Fault {
	lane, named, ok := w.MaskMisuse(in, mask)
	switch {
	case ok:
		return nil
	case named>>lane&1 == 0:
		return w.Fault(in, lane, "mask %08x of %s does not name the thread's own lane %d", named, in.Op, lane)
	case named&w.Live()&^mask != 0:
		return w.Fault(in, lane, "mask %08x of %s names lanes %08x, which are not here: only %08x have converged", named, in.Op, named&w.Live()&^mask, mask)
	}
	return w.Fault(in, lane, "mask %08x of %s: a lane that it names gives another mask", named, in.Op)
}

// source returns the lane that lane i reads in a shuffle by a distance or to a
// lane number, as PTX computes it. A shuffle up or down beyond the warp reads
// the lane itself.
func source(op ir.Op, i int, by uint32) int {
	switch {
	// PTX reads five bits of the lane (shfl.sync: bval is b[4:0]).
	case op == ir.OpShfl:
		return int(by & 31)
	case op == ir.OpShflXor:
		return i ^ int(by&31)
	// Here the whole distance counts. PTX would take five bits of it, so the
	// PTX printer tests for a distance of 32 or more.
	case op == ir.OpShflUp && by <= uint32(i):
		return i - int(by)
	case op == ir.OpShflDown && by <= uint32(31-i):
		return i + int(by)
	}
	return i
}

// Undefined returns the fault of a shuffle, executed by the lanes of mask, that
// reads a lane which does not take part; nil if none does. PTX leaves the value
// undefined.
func (w *Warp) Undefined(in *ir.Inst, mask uint32) *device.Fault {
	switch in.Op {
	case ir.OpFragment:
		return w.misplaced(in)
	case ir.OpShfl, ir.OpShflUp, ir.OpShflDown, ir.OpShflXor:
	default:
		return nil
	}
	masks, by := w.Row(in.Src[0]), w.Row(in.Src[2])
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		named := uint32(masks[i])
		from := source(in.Op, i, uint32(by[i]))
		if named&mask>>from&1 != 0 {
			continue
		}
		why := fmt.Sprintf("is not in its mask %08x", named)
		switch {
		case w.Exists>>from&1 == 0:
			why = fmt.Sprintf("does not exist: the block has %d threads", w.Grid.Threads)
		case w.Exited>>from&1 != 0:
			why = "has exited"
		case named>>from&1 != 0:
			why = "is not here"
		}
		return w.Fault(in, i, "%s reads lane %d, which %s: the value is undefined", in.Name(), from, why)
	}
	return nil
}

// poison returns what lane i gets from a shuffle that reads a lane which does
// not take part, on a device that goes on: a number that is out of range as an
// index and NaN as a float, and depends on the seed.
func (w *Warp) poison(k ir.Kind, i int) uint64 {
	x := bitmix.Mix(w.Grid.Seed ^ uint64(w.Block.ID)<<32 ^ uint64(w.Index*Lanes+i))
	if k.Bits() == 64 {
		return 0x7FF8<<48 | x>>16
	}
	return 0x7FE<<20 | x>>44
}

// Meeting is what a strict device knows of the barrier of a block: all threads
// that have not returned must come to the same instruction. Threads that were
// waiting when a thread went around their barrier to the end of the kernel, or
// that come later, are told.
type Meeting struct {
	pc    int32 // at which threads wait
	waits bool
	who   Place // one of them
	past  bool  // a thread has come to the end of the kernel
	gone  Place // it
}

// Come records that the lanes of mask wait at the barrier at their pc.
func (b *Meeting) Come(w *Warp, pc int32, mask uint32) *device.Fault {
	in := &w.Grid.Prog.Code[pc]
	lane := bits.TrailingZeros32(mask) & 31
	switch {
	case b.past:
		return w.Grid.around(in, w.Place(lane), b.gone)
	// Barriers of different ops cannot complete together at all; that is
	// reported as a hang (MixedBarriers).
	case b.waits && b.pc != pc && w.Grid.Prog.Code[b.pc].Op == in.Op:
		return w.Fault(in, lane, "%s, while thread %d of the block waits at another one%s: all threads of a block must come to the same",
			BarrierName(in), b.who.Thread, w.Grid.where(b.pc))
	}
	b.waits, b.pc, b.who = true, pc, w.Place(lane)
	return nil
}

// Open records that the barrier opens.
func (b *Meeting) Open() { b.waits = false }

// End records that the lanes of mask exit at in.
func (b *Meeting) End(w *Warp, in *ir.Inst, mask uint32) *device.Fault {
	if mask == 0 || int(in.Pos) >= len(w.Grid.Prog.Pos) || !w.Grid.Prog.Pos[in.Pos].Ends {
		return nil
	}
	b.past, b.gone = true, w.Place(bits.TrailingZeros32(mask)&31)
	if !b.waits {
		return nil
	}
	return w.Grid.around(&w.Grid.Prog.Code[b.pc], b.who, b.gone)
}

// around returns the fault of a thread at a barrier around which another one
// has gone.
func (g *Grid) around(in *ir.Inst, p, gone Place) *device.Fault {
	return g.Fault(in, p, "%s, around which thread %d of the block has gone to the end of the kernel: all threads of a block must come to it",
		BarrierName(in), gone.Thread)
}

// where returns " at file:line" of the instruction at pc, if it is known.
func (g *Grid) where(pc int32) string { return g.placeOf(&g.Prog.Code[pc]) }

func (g *Grid) placeOf(in *ir.Inst) string {
	if at := g.At(in); len(at) > 0 {
		return fmt.Sprintf(" at %s:%d", at[0].File, at[0].Line)
	}
	return ""
}
