package simt

import (
	"fmt"
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// Unaligned returns the fault of an instruction that all lanes of a warp have to execute together, and that the lanes of mask
// execute, which are not all.
func (w *Warp) Unaligned(in *ir.Inst, mask uint32) *device.Fault {
	missing, lane := ^mask, bits.TrailingZeros32(mask)
	switch {
	case missing&^w.Exists != 0:
		return w.Fault(in, lane, "%s in a warp without lanes %08x: the block has %d threads, and all 32 lanes have to take part", in.Name(), missing&^w.Exists, w.Grid.Threads)
	case missing&w.Exited != 0:
		return w.Fault(in, lane, "%s while lanes %08x have exited: all 32 lanes of the warp have to take part", in.Name(), missing&w.Exited)
	}
	return w.Fault(in, lane, "%s while lanes %08x of the warp are elsewhere: all 32 lanes have to execute it together", in.Name(), missing)
}

// multiply executes a product of matrices, in all lanes.
func (w *Warp) multiply(in *ir.Inst) {
	v := ir.MMA(in.Imm).Variant()
	var rows [ir.MaxOperands]*mma.Row
	for i := 1; i < int(in.NSrc); i++ {
		rows[i] = (*mma.Row)(w.Row(in.Src[i]))
	}
	var d [4]*mma.Row
	for i, to := range in.Dst[:in.NDst] {
		d[i] = (*mma.Row)(&w.Regs[to])
	}
	a, b, c := v.Registers()
	v.Multiply(d[:in.NDst], rows[1:1+a], rows[1+a:1+a+b], rows[1+a+b:1+a+b+c])
}

// transpose executes movmatrix: a lane holds two neighbours of a row of a matrix of 8 by 8 elements of 16 bits.
func (w *Warp) transpose(in *ir.Inst) {
	mma.Transpose((*mma.Row)(&w.Regs[in.Dst[0]]), (*mma.Row)(w.Row(in.Src[1])))
}

// LoadMatrices executes a load of matrices, in all lanes. addrs are the addresses of the rows, of which Check has passed.
func (w *Warp) LoadMatrices(in *ir.Inst, addrs *Row) *device.Fault {
	n, transposes := in.Op.Matrices()
	if fault := w.rowsElsewhere(in, addrs); fault != nil {
		return fault
	}
	half := func(row, column int) uint64 {
		return Load(w.Block.Shared, int(addrs[row&31]&^ir.SharedWindow)+2*column, ir.U16)
	}
	var out [4]Row
	for j := range n {
		for lane := range Lanes {
			row, column := lane/4, lane%4*2
			if transposes {
				out[j][lane] = half(8*j+column, row) | half(8*j+column+1, row)<<16
			} else {
				out[j][lane] = half(8*j+row, column) | half(8*j+row, column+1)<<16
			}
		}
	}
	for j := range n {
		w.Regs[in.Dst[j]] = out[j]
	}
	return nil
}

// StoreMatrices executes a store of matrices, in all lanes, as LoadMatrices a load. changed reports whether a value in memory changed.
func (w *Warp) StoreMatrices(in *ir.Inst, addrs *Row) (changed bool, fault *device.Fault) {
	n, transposes := in.Op.Matrices()
	if fault := w.rowsElsewhere(in, addrs); fault != nil {
		return false, fault
	}
	for j := range n {
		from := w.Row(in.Src[1+j])
		for lane := range Lanes {
			for half := range 2 {
				row, column := lane/4, lane%4*2+half
				if transposes {
					row, column = column, row
				}
				at, v := int(addrs[8*j+row]&^ir.SharedWindow)+2*column, from[lane]>>(16*half)&0xFFFF
				changed = changed || Load(w.Block.Shared, at, ir.U16) != v
				Store(w.Block.Shared, at, ir.U16, v)
			}
		}
	}
	return changed, nil
}

// rowsElsewhere returns the fault of a load or store of matrices with a row that is not in the block's own shared memory; nil if there is
// none.
func (w *Warp) rowsElsewhere(in *ir.Inst, addrs *Row) *device.Fault {
	n, _ := in.Op.Matrices()
	for lane := range 8 * n {
		if SpaceOf(addrs[lane]) != ir.Shared {
			return w.Fault(in, lane, "%s at address %#x, %s", in.Source(), addrs[lane], notOwn(addrs[lane]))
		}
	}
	return nil
}

// misplaced returns the fault of an instruction wmma whose matrix does not lie as PTX wants it, in all lanes: they must give the same
// address and distance, which must be multiples of some bytes (PTX ISA, "wmma.load", "Matrix Storage").
func (w *Warp) misplaced(in *ir.Inst) *device.Fault {
	f := &mma.Fragments[in.Imm]
	at, leading := w.Row(in.Src[1]), w.Row(in.Src[2])
	for lane := range Lanes {
		if at[lane] != at[0] || leading[lane] != leading[0] {
			return w.Fault(in, lane, "%s in %s: lanes 0 and %d give other matrices; all lanes of the warp must give the same address and the same distance of rows or columns", f.PTX(), w.within(in, at[lane]), lane)
		}
	}
	if align := uint64(f.Bytes()); at[0]%align != 0 {
		return w.Fault(in, 0, "%s at %s: the matrix must begin at a multiple of %d bytes", f.PTX(), w.within(in, at[0]), align)
	}
	bytes := uint32(leading[0]) * uint32(f.Type.Bits()) / 8
	if align := uint32(f.Aligned()); bytes%align != 0 {
		return w.Fault(in, 0, "%s at %s: rows or columns that are %d elements apart, which is %d bytes; it must be a multiple of %d bytes", f.PTX(), w.within(in, at[0]), uint32(leading[0]), bytes, align)
	}
	return nil
}

// within says where an address is: "byte 16 of tile (address 0x90)".
func (w *Warp) within(in *ir.Inst, at uint64) string {
	r, ok := w.rangeAt(in, at)
	if !ok {
		return fmt.Sprintf("address %#x", at)
	}
	number := at
	if r.Space != ir.Global {
		number &^= ir.SharedWindow | ir.LocalWindow
	}
	return fmt.Sprintf("byte %d of %s (address %#x)", at-r.Lo, r.Name, number)
}
