package simt

import (
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
	for lane := range 8 * n {
		if SpaceOf(addrs[lane]) != ir.Shared {
			return w.Fault(in, lane, "%s at address %#x, %s", in.Source(), addrs[lane], notOwn(addrs[lane]))
		}
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
