package simt

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mbarrier"
)

// Destination returns an asynchronous copy as the store, or the atomic, that it becomes in shared memory.
func Destination(in *ir.Inst) (out ir.Inst) {
	out = *in
	out.Op, out.Root, out.Imm, out.NSrc, out.Src[0], out.Mem.Space = ir.OpStore, in.To, 0, 1, in.Src[1], ir.Shared
	if update := in.Op.Updates(); update != ir.OpInvalid {
		out.Op = update
	}
	return out
}

// Origin returns an asynchronous copy as the load from global memory that it begins with.
func Origin(in *ir.Inst) *ir.Inst {
	out := *in
	out.Op = ir.OpLoad
	return &out
}

// CheckCopy checks both addresses of an asynchronous copy in the lanes of mask, and how many bytes each reads, and returns the fault
// of a lane; nil if all are valid. to is Destination of in.
func (w *Warp) CheckCopy(in, to *ir.Inst, mask uint32, from, dst *Row) *device.Fault {
	whole, size, reads := mask, in.Mem.Bytes(), w.Row(in.Src[2])
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		if why := notOwn(dst[lane]); why != "" {
			return w.Fault(in, lane, "an asynchronous copy to address %#x, %s", dst[lane], why)
		}
		n := int(reads[lane])
		switch {
		case n == size:
			continue
		case n > size: // PTX ISA, "cp.async": undefined
			return w.Fault(in, lane, "an asynchronous copy of %d bytes that reads %d", size, n)
		case n > 0:
			part := *in
			part.Mem.Kind, part.Mem.Vec = ir.U8, uint8(n)
			if fault := w.faultOf(&part, lane, from[lane], uint64(size)); fault != nil {
				return fault
			}
		}
		whole &^= 1 << lane
	}
	if fault := w.Check(in, whole, from); fault != nil {
		return fault
	}
	for left := whole; left != 0; left &= left - 1 {
		if lane := bits.TrailingZeros32(left) & 31; SpaceOf(from[lane]) != ir.Global {
			return w.Fault(in, lane, "an asynchronous copy from address %#x, which is not in global memory", from[lane])
		}
	}
	return w.Check(to, mask, dst)
}

// LandCopy completes an asynchronous copy of a lane: its first bytes come from source, the others are zeros. It reports whether a
// byte changed.
func (w *Warp) LandCopy(in *ir.Inst, dst uint64, source []byte) (changed bool) {
	var whole [16]byte
	copy(whole[:], source)
	return w.LandBytes(dst, whole[:in.Mem.Bytes()])
}

// ArriveCopied counts the arrival of a lane's copies at the mbarrier at addr, of which in has told it, and returns the object before
// and after. The error is a fault if PTX leaves undefined what it does.
func (w *Warp) ArriveCopied(in *ir.Inst, lane int, addr uint64) (old, now uint64, fault *device.Fault) {
	return w.afterCopies(in, lane, addr, func(s mbarrier.State) (mbarrier.State, string) { return s.Arrive(1) })
}

// PendingFault returns the fault of a lane's access at addr to memory that a pending copy, issued by the thread at a place, will
// write or, if writes is not set, may still read. That thread may be of another block of the cluster.
func (w *Warp) PendingFault(in *ir.Inst, lane int, addr uint64, copies *ir.Inst, by Place, writes bool) *device.Fault {
	does, may := "read", "write"
	if in.Op != ir.OpLoad {
		does = "written"
	}
	if !writes {
		may = "read"
	}
	block, wait, a := "the block", "that thread must wait for the copy first", "an asynchronous copy"
	if by.Block != w.Block.ID {
		block = fmt.Sprintf("block %d", by.Block)
	}
	switch {
	case copies.Op.SendsValue():
		wait, a = "a thread must wait for the phase in which that completes first", copies.Source()
	case copies.Op.ToCluster():
		wait = "a thread must wait for the phase in which the copy completes first"
	}
	what, r, ok := w.elementAt(in, addr)
	fault := w.Fault(in, lane, "%s is %s while %s of thread %d of %s, issued%s, may still %s it; %s",
		what, does, a, by.Thread, block, w.Grid.placeOf(copies), may, wait)
	if ok {
		fault.Buffer, fault.Index, fault.Length = r.Name, int64((addr-r.Lo)/r.Size), int64(r.Bytes/r.Size)
	}
	return fault
}

// elementAt names what an access is to, and returns the variable or buffer, if it is an element of one.
func (w *Warp) elementAt(in *ir.Inst, addr uint64) (what string, r Range, ok bool) {
	if r, ok = w.rangeAt(in, addr); ok && r.Size > 0 {
		return w.Grid.element(&r, addr), r, true
	}
	return fmt.Sprintf("address %#x", addr), r, false
}

// element names the element of a variable or buffer at an address.
func (g *Grid) element(r *Range, addr uint64) string {
	return fmt.Sprintf("element %d of %s%s", (addr-r.Lo)/r.Size, map[bool]string{true: "shared "}[r.Space == ir.Shared], r.Name)
}
