package simt

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Frames returns a position and the calls from which it was inlined, innermost
// first; nil if it is unknown.
func Frames(table []ir.PosInfo, pos ir.Pos) []device.Frame {
	var out []device.Frame
	for pos > 0 && int(pos) < len(table) && len(out) < 64 {
		p := &table[pos]
		out = append(out, device.Frame{File: p.File, Line: p.Line, Col: p.Col, Func: p.Func})
		pos = p.Parent
	}
	return out
}

// At returns the source position of instruction in, with its inlined calls.
func (g *Grid) At(in *ir.Inst) []device.Frame { return Frames(g.Prog.Pos, in.Pos) }

// Place identifies a thread of a grid.
type Place struct {
	Block  int
	Thread int // index in the block
}

// Place returns the place of a lane's thread.
func (w *Warp) Place(lane int) Place { return Place{w.Block.ID, w.Index*Lanes + lane} }

// Fault returns the fault of a lane at instruction in.
func (w *Warp) Fault(in *ir.Inst, lane int, format string, args ...any) *device.Fault {
	return w.Grid.Fault(in, w.Place(lane), format, args...)
}

// Fault returns the fault of the thread at p at instruction in.
func (g *Grid) Fault(in *ir.Inst, p Place, format string, args ...any) *device.Fault {
	return &device.Fault{Kernel: g.Kernel.Name, What: fmt.Sprintf(format, args...), At: g.At(in), Block: p.Block, Thread: p.Thread, Shape: g.Shape}
}

// Element names an address by its buffer or variable, and the index: "done[3]".
func (g *Grid) Element(addr uint64) string {
	switch SpaceOf(addr) {
	case ir.Shared:
		rank, own, named := ir.SharedOf(addr)
		where := "shared memory"
		if named {
			where = fmt.Sprintf("shared memory of block %d of the cluster", rank)
		}
		off := int(own &^ ir.SharedWindow)
		for i := range g.Shared {
			if v := &g.Shared[i]; off >= v.Off && off < v.Off+v.Size {
				return fmt.Sprintf("%s[%d] in %s", v.Name, (off-v.Off)/max(v.ElemSize, 1), where)
			}
		}
		return fmt.Sprintf("byte %d of %s", off, where)
	case ir.Local:
		return "local memory"
	}
	a, off := g.Mem.Lookup(addr)
	if a == nil {
		return fmt.Sprintf("address %#x", addr)
	}
	return fmt.Sprintf("%s[%d]", a.Name, off/a.Elem.Bytes())
}

// DivideFault returns the fault of a lane that divides an integer by zero.
func (w *Warp) DivideFault(in *ir.Inst, lane int) *device.Fault {
	return w.Grid.DivideFault(in, w.Place(lane))
}

// DivideFault returns the fault of a thread that divides an integer by zero.
func (g *Grid) DivideFault(in *ir.Inst, p Place) *device.Fault {
	return g.Fault(in, p, "integer division by zero")
}

// TrapFault returns the fault of a lane at an OpTrap.
func (w *Warp) TrapFault(in *ir.Inst, lane int) *device.Fault {
	return w.Grid.TrapFault(in, w.Place(lane))
}

// TrapFault returns the fault of a thread at an OpTrap.
func (g *Grid) TrapFault(in *ir.Inst, p Place) *device.Fault {
	text := "trap"
	if in.Imm >= 0 && int(in.Imm) < len(g.Prog.Traps) {
		text = printable.Line(g.Prog.Traps[in.Imm])
		if g.Kernel.Source == nil {
			text = "panic: " + text
		}
	}
	return g.Fault(in, p, "%s", text)
}

// AccessFault returns the fault of a lane's access at addr; nil if the access
// is valid. Check finds the lane.
func (w *Warp) AccessFault(in *ir.Inst, lane int, addr uint64) *device.Fault {
	return w.faultOf(in, lane, addr, uint64(in.Mem.Bytes()))
}

// faultOf is AccessFault for an access that must be aligned to some bytes, a power of two.
func (w *Warp) faultOf(in *ir.Inst, lane int, addr, align uint64) *device.Fault {
	within, ok := w.rangeAt(in, addr)
	if !ok {
		if addr < 1<<addrBits {
			return w.Fault(in, lane, "%s through a nil pointer (address %#x)", verb(in), addr)
		}
		return w.Fault(in, lane, "%s at address %#x, where nothing is allocated", verb(in), addr)
	}
	if fault := w.clusterFault(in, lane, addr); fault != nil {
		return fault
	}
	bytes := uint64(in.Mem.Bytes())
	if off := addr - within.Lo; off > within.Bytes || off+bytes > within.Bytes {
		return w.Grid.RangeFault(in, w.Place(lane), addr-within.Lo, &within)
	}
	if addr&(align-1) != 0 {
		return w.Grid.AlignFault(in, w.Place(lane), addr-within.Lo, &within, int(align))
	}
	if within.Space == ir.Local && (in.Op.IsAtomic() || in.Mem.Order != ir.Weak && w.Grid.Kernel.Source == nil) { // volatile variables of CUDA may be local
		// The compiler rejects this if it knows the variable; hardware faults,
		// too.
		return w.Fault(in, lane, "%s on the local variable %s, which no other thread sees", orderedVerb(in), within.Name)
	}
	return nil
}

// orderedVerb names an access that is meant for memory shared between threads.
func orderedVerb(in *ir.Inst) string {
	if in.Op.IsAtomic() {
		return "an atomic"
	}
	return "an ordered " + verb(in)
}

// AlignFault returns the fault of an access at a byte offset of r that is not a
// multiple of align.
func (g *Grid) AlignFault(in *ir.Inst, p Place, off uint64, r *Range, align int) *device.Fault {
	return g.Fault(in, p, "%s of %d bytes of %s at byte offset %d, which is not a multiple of %d", verb(in), in.Mem.Bytes(), r.Name, off, align)
}

// RangeFault returns the fault of an access at a byte offset outside of within.
func (g *Grid) RangeFault(in *ir.Inst, place Place, off uint64, within *Range) *device.Fault {
	// An address below the range comes from a negative index.
	index := int64(off)
	// Division rounds towards zero, but byte -1 is in element -1 and not in
	// element 0.
	if index < 0 {
		index -= int64(within.Size) - 1
	}
	index /= int64(within.Size)
	length := int64(within.Bytes / within.Size)
	var fault *device.Fault
	switch {
	case within.Pointer && within.Bytes == 0:
		fault = g.Fault(in, place, "%s through the nil pointer %s", verb(in), within.Name)
	// What cudaMalloc allocates has no elements.
	case g.Kernel.Source != nil && within.Size == 1 && in.Mem.Bytes() > 1:
		fault = g.Fault(in, place, "%s of %d bytes at byte %d of %s, which has %d bytes", verb(in), in.Mem.Bytes(), index, within.Name, length)
	case in.Mem.Vec > 1 && uint64(in.Mem.Bytes()) > within.Size:
		last := index + int64(in.Mem.Bytes())/int64(within.Size) - 1
		fault = g.Fault(in, place, "indices %d to %d out of range of %s with length %d", index, last, within.Name, length)
	default:
		fault = g.Fault(in, place, "index %d out of range of %s with length %d", index, within.Name, length)
	}
	fault.Buffer, fault.Index, fault.Length = within.Name, index, length
	if within.Alloc != nil {
		fault.Buffer = within.Alloc.Name
	}
	return fault
}

func verb(in *ir.Inst) string {
	switch {
	case in.Op.Stores():
		return "store"
	case in.Op.Action() == ir.ActCopy:
		return "asynchronous copy"
	case in.Op.StoresBulk():
		return "copy in bulk"
	case in.Op.Action() == ir.ActBulk:
		return "reduction in bulk"
	case in.Op.IsAtomic():
		return "atomic"
	}
	return "load"
}

// BarrierName returns the name of a block barrier in kernels.
func BarrierName(in *ir.Inst) string {
	if in.PTX {
		return in.CUDAName()
	}
	switch in.Op {
	case ir.OpBarCount:
		return "SyncCount"
	case ir.OpBarAnd:
		return "SyncAnd"
	case ir.OpBarOr:
		return "SyncOr"
	}
	return "Sync"
}

// MixedBarriers explains the hang of a kernel whose threads wait at barriers of
// different kinds.
const MixedBarriers = "threads of a block wait at barriers of different kinds, so none can complete"
