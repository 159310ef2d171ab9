package simt

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// Matrix is what a warp reads of a factor of a warpgroup's product in shared memory: rows of 32 bytes, or columns of B.
type Matrix struct {
	At          uint64 // address of the first row, or where its place would be without the swizzle
	Layout      mma.Layout
	First, Rows int   // which rows
	All         int   // how many rows the warpgroup reads
	Operand     int   // the number of the operand that is the address
	Root        int32 // index into Program.Roots of what it is in; -1: unknown at compile time
}

// Pieces calls yield with the address of each 16 bytes of it.
func (m *Matrix) Pieces(yield func(at uint64) bool) {
	m.Layout.Pieces(m.At, m.First, m.Rows, yield)
}

// Touches reports whether one of the rows has one of n bytes at an address.
func (m *Matrix) Touches(at, n uint64) bool {
	for piece := range m.Pieces {
		if piece < at+n && at < piece+16 {
			return true
		}
	}
	return false
}

// Matrices returns the factors of a product that are in shared memory: B alone, or A and B.
func (w *Warp) Matrices(in *ir.Inst) (list [2]Matrix, n int) {
	a, b := in.Op.GroupMatrices()
	sums := ir.SumsOf(in.Imm)
	matrix := func(operand, first, rows, all int, root int32, transposed mma.Form) {
		m := Matrix{At: w.Row(in.Src[operand])[0], Layout: mma.LayoutOf(w.Row(in.Src[operand+1])[0]), First: first, Rows: rows, All: all, Operand: operand, Root: root}
		m.Layout.Transposed = sums.Form&transposed != 0
		list[n] = m
		n++
	}
	if a > 0 {
		matrix(a, w.Index%mma.GroupWarps*16, 16, mma.GroupRows, in.Root, mma.TransposedA)
	}
	columns := in.GroupProduct().Columns(sums.Words)
	matrix(b, 0, columns, columns, in.To, mma.TransposedB)
	return list, n
}

// MatrixLoad returns a load of a piece of a matrix that is in a root, for reports.
func MatrixLoad(in *ir.Inst, root int32) (out ir.Inst) {
	out = *in
	out.Op, out.Root, out.Imm, out.NSrc, out.Mem = ir.OpLoad, root, 0, 1, ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Shared}
	return out
}

// CheckProduct returns the fault of a warpgroup's product that all lanes execute; nil if it is valid.
func (w *Warp) CheckProduct(in *ir.Inst) *device.Fault {
	if last := (w.Index/mma.GroupWarps + 1) * mma.GroupWarps * Lanes; last > w.Grid.Threads {
		return w.Fault(in, 0, "%s in warp %d of a block of %d threads: a warpgroup is four whole warps, from a multiple of four on", in.Name(), w.Index, w.Grid.Threads)
	}
	list, n := w.Matrices(in)
	for i := range list[:n] {
		m := &list[i]
		from := MatrixLoad(in, m.Root)
		row := w.Row(in.Src[m.Operand])
		for lane, at := range row {
			if at != m.At {
				return w.Fault(in, lane, "%s of other matrices in lane %d than in lane 0: all threads of a warpgroup name the same", in.Name(), lane)
			}
		}
		if why := notOwn(m.At); why != "" {
			return w.Fault(in, 0, "%s of a matrix at address %#x, %s", in.Name(), m.At, why)
		}
		if w.Row(in.Src[m.Operand+1])[0]>>49&7 != 0 {
			return w.Fault(in, 0, "%s of a matrix with a base offset in its descriptor, which is not supported; let the pattern of the swizzle begin at a multiple of its size", in.Name())
		}
		off := m.At &^ ir.SharedWindow
		switch swizzle := m.Layout.Swizzle; {
		case off%16 != 0:
			return w.Fault(in, 0, "%s of a matrix at byte %d of shared memory, which is no multiple of 16", in.Name(), off)
		case swizzle != 0 && off%(8*swizzle) >= swizzle:
			return w.Fault(in, 0, "%s of a matrix at byte %d of shared memory; with a swizzle of %d it begins in the first %d bytes behind a multiple of %d", in.Name(), off, swizzle, swizzle, 8*swizzle)
		case swizzle != 0 && m.Layout.Crosses(off%swizzle, m.All):
			return w.Fault(in, 0, "%s of a transposed matrix of %d rows or columns at byte %d of shared memory, which do not fit in the %d bytes of its swizzle from there", in.Name(), m.All, off, swizzle)
		}
		for at := range m.Pieces {
			if f := w.checkRange(&from, 0, at, 16); f != nil {
				return f
			}
		}
	}
	return nil
}

// addProduct executes a product of a warpgroup in a warp: at once, whatever it may wait for.
func (w *Warp) addProduct(in *ir.Inst) {
	list, n := w.Matrices(in)
	g, sums := in.GroupProduct(), ir.SumsOf(in.Imm)
	rows := make([]*mma.Row, sums.Words)
	for i := range rows {
		rows[i] = (*mma.Row)(&w.Regs[w.Grid.Prog.Sums+sums.First+i])
	}
	shared := w.Block.Shared
	word := func(at uint64) uint32 { return uint32(Load(shared, int(at&^ir.SharedWindow), ir.U32)) }
	factor := func(m *Matrix) *mma.Factor {
		return &mma.Factor{Layout: m.Layout, At: m.At, First: m.First, Word: word}
	}
	var a *[4]mma.Row
	if n == 2 {
		a = g.Rows(factor(&list[0]))
	} else {
		a = new([4]mma.Row)
		for i := range a {
			a[i] = mma.Row(*w.Row(in.Src[1+i]))
		}
	}
	g.Multiply(rows, a, factor(&list[n-1]), sums.Form)
}

// AccessSums reads or sets a word of sums in the lanes of mask.
func (w *Warp) AccessSums(in *ir.Inst, mask uint32) *device.Fault {
	sums, which := ir.SumsOf(in.Imm), w.Row(in.Src[0])
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left) & 31
		i := which[lane]
		if i >= uint64(sums.Words) {
			return w.Fault(in, lane, "sum %d of %d", i, sums.Words)
		}
		row := &w.Regs[w.Grid.Prog.Sums+sums.First+int(i)]
		if in.Op == ir.OpSumsGet {
			w.Regs[in.Dst[0]][lane] = row[lane]
		} else {
			row[lane] = w.Row(in.Src[1])[lane]
		}
	}
	return nil
}

// BusySumsFault returns the fault of a lane's access to sums to which a product may still be added that the warp has begun by another
// instruction.
func (w *Warp) BusySumsFault(in *ir.Inst, lane int, product *ir.Inst) *device.Fault {
	does, wait := "read", "t.WaitSums"
	if in.Op == ir.OpSumsSet {
		does = "set"
	}
	if in.PTX {
		wait = "wgmma.wait_group"
	}
	return w.Fault(in, lane, "sums are %s to which %s%s may still add; the warp must wait for its group first (%s)", does, product.Name(), w.Grid.placeOf(product), wait)
}

// UnfencedSumsFault returns the fault of a product that is added to sums which the warp has set since its last fence, or that begins before
// its first one.
func (w *Warp) UnfencedSumsFault(in *ir.Inst, set *ir.Inst) *device.Fault {
	fence, where := "t.FenceSums", "no fence is before the first product of the warp"
	if in.PTX {
		fence = "wgmma.fence"
	}
	if set != nil {
		where = "the sums were set" + w.Grid.placeOf(set) + ", and no fence is behind that"
	}
	return w.Fault(in, 0, "%s without a fence: %s; all threads of the warp must execute %s", in.Name(), where, fence)
}

// OtherProductFault returns the fault of a warp whose product in a row of them is not that of another warp of its warpgroup; other is nil if
// that warp ends before it.
func (w *Warp) OtherProductFault(in *ir.Inst, other *Warp, instead *ir.Inst) *device.Fault {
	does := "ends without one"
	if instead != nil {
		does = "executes " + instead.Name() + w.Grid.placeOf(instead)
	}
	return w.Fault(in, 0, "%s, where warp %d of the warpgroup %s: all warps of a warpgroup execute the same products in the same order", in.Name(), other.Index, does)
}

// ReadByProductFault returns the fault of a lane's write at an address of shared memory that a product of a warp, begun by another
// instruction, may still read.
func (w *Warp) ReadByProductFault(in *ir.Inst, lane int, addr uint64, product *ir.Inst, by *Warp) *device.Fault {
	wait := "t.WaitSums"
	if product.PTX {
		wait = "wgmma.wait_group"
	}
	what, r, ok := w.elementAt(in, addr)
	fault := w.Fault(in, lane, "%s is written while %s of warp %d%s may still read it; that warp must wait for its group first (%s)", what, product.Name(), by.Index, w.Grid.placeOf(product), wait)
	if ok {
		fault.Buffer, fault.Index, fault.Length = r.Name, int64((addr-r.Lo)/r.Size), int64(r.Bytes/r.Size)
	}
	return fault
}
