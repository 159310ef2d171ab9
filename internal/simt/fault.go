package simt

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
)

// Frames is a position with the calls it was inlined from, innermost first;
// nil where it is unknown.
func Frames(table []ir.PosInfo, pos ir.Pos) []device.Frame {
	var out []device.Frame
	for pos > 0 && int(pos) < len(table) && len(out) < 64 {
		p := &table[pos]
		out = append(out, device.Frame{File: p.File, Line: p.Line, Col: p.Col, Func: p.Func})
		pos = p.Parent
	}
	return out
}

// At is the source of instruction in.
func (g *Grid) At(in *ir.Inst) []device.Frame { return Frames(g.Prog.Pos, in.Pos) }

// Fault is an error of the lane of warp w at instruction in.
func (w *Warp) Fault(in *ir.Inst, lane int, format string, args ...any) *device.Fault {
	return &device.Fault{
		Kernel: w.Grid.Kernel.Name,
		What:   fmt.Sprintf(format, args...),
		At:     w.Grid.At(in),
		Block:  w.Block.ID,
		Thread: w.Index*Lanes + lane,
	}
}

// DivideFault is the error of a lane that divides an integer by zero.
func (w *Warp) DivideFault(in *ir.Inst, lane int) *device.Fault {
	return w.Fault(in, lane, "integer division by zero")
}

// TrapFault is the error of a lane at an OpTrap.
func (w *Warp) TrapFault(in *ir.Inst, lane int) *device.Fault {
	text := "trap"
	if in.Imm >= 0 && int(in.Imm) < len(w.Grid.Prog.Traps) {
		text = "panic: " + w.Grid.Prog.Traps[in.Imm]
	}
	return w.Fault(in, lane, "%s", text)
}

// AccessFault says why the access of one lane at addr is wrong; nil where it
// is right. Check finds the lane.
func (w *Warp) AccessFault(in *ir.Inst, lane int, addr uint64) *device.Fault {
	r, ok := w.rangeAt(in, addr)
	if !ok {
		if addr < 1<<addrBits {
			return w.Fault(in, lane, "%s through a nil pointer (address %#x)", verb(in), addr)
		}
		return w.Fault(in, lane, "%s at address %#x, where nothing is allocated", verb(in), addr)
	}
	n := uint64(in.Mem.Bytes())
	if off := addr - r.Lo; off > r.Bytes || off+n > r.Bytes {
		return w.rangeFault(in, lane, addr, &r)
	}
	if addr&(n-1) != 0 {
		return w.Fault(in, lane, "%s of %d bytes of %s at byte offset %d, which is not a multiple of %d",
			verb(in), n, r.Name, addr-r.Lo, n)
	}
	return nil
}

func (w *Warp) rangeFault(in *ir.Inst, lane int, addr uint64, r *Range) *device.Fault {
	// An address below the range is a negative index.
	index := int64(addr - r.Lo)
	if index < 0 {
		index -= int64(r.Size) - 1
	}
	index /= int64(r.Size)
	length := int64(r.Bytes / r.Size)
	var f *device.Fault
	switch {
	case r.Pointer && r.Bytes == 0:
		f = w.Fault(in, lane, "%s through the nil pointer %s", verb(in), r.Name)
	case in.Mem.Vec > 1 && uint64(in.Mem.Bytes()) > r.Size:
		last := index + int64(in.Mem.Bytes())/int64(r.Size) - 1
		f = w.Fault(in, lane, "indices %d to %d out of range of %s with length %d", index, last, r.Name, length)
	default:
		f = w.Fault(in, lane, "index %d out of range of %s with length %d", index, r.Name, length)
	}
	f.Buffer, f.Index, f.Length = r.Name, index, length
	if r.Alloc != nil {
		f.Buffer = r.Alloc.Name
	}
	return f
}

func verb(in *ir.Inst) string {
	switch {
	case in.Op == ir.OpStore:
		return "store"
	case in.Op.IsAtomic():
		return "atomic"
	}
	return "load"
}
