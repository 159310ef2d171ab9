package simt

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Addresses computes the addresses that the lanes of mask access; it does not
// change the other lanes of out.
func (w *Warp) Addresses(in *ir.Inst, mask uint32, out *Row) {
	a, imm := w.Row(in.Src[0]), uint64(in.Imm)
	if mask == Full {
		for i := range out {
			out[i] = a[i] + imm
		}
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		out[i] = a[i] + imm
	}
}

// Check checks that each lane of mask accesses only the memory object that in
// must stay in, at an aligned address. It returns the fault of the lowest lane
// that does not; nil if all are valid.
func (w *Warp) Check(in *ir.Inst, mask uint32, addrs *Row) *device.Fault {
	n := uint64(in.Mem.Bytes())
	if in.Root >= 0 {
		r := &w.Grid.Roots[in.Root]
		if lo, limit := r.Lo, r.Bytes-n; r.Bytes >= n {
			bad := false
			for m := mask; m != 0; m &= m - 1 {
				a := addrs[bits.TrailingZeros32(m)&31]
				bad = bad || a-lo > limit || a&(n-1) != 0
			}
			if !bad {
				return nil
			}
		}
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if f := w.AccessFault(in, lane, addrs[lane]); f != nil {
			return f
		}
	}
	return nil
}

// rangeAt returns the range that the access of in at addr must stay in; ok is
// false if addr is in no memory.
func (w *Warp) rangeAt(in *ir.Inst, addr uint64) (Range, bool) {
	if in.Root >= 0 {
		return w.Grid.Roots[in.Root], true
	}
	g := w.Grid
	switch SpaceOf(addr) {
	case ir.Shared:
		for i := range g.Shared {
			if v := &g.Shared[i]; addr-(ir.SharedWindow|uint64(v.Off)) < uint64(v.Size) {
				return g.rangeOf(ir.Root{Space: ir.Shared, Leaf: -1, Var: i}, nil), true
			}
		}
		return Range{Space: ir.Shared, Name: "shared memory", Lo: ir.SharedWindow, Bytes: uint64(len(w.Block.Shared)), Size: 1}, true
	case ir.Local:
		for i := range g.Prog.Local {
			if v := &g.Prog.Local[i]; addr-(ir.LocalWindow|uint64(v.Off)) < uint64(v.Size) {
				return g.rangeOf(ir.Root{Space: ir.Local, Leaf: -1, Var: i}, nil), true
			}
		}
		return Range{Space: ir.Local, Name: "local memory", Lo: ir.LocalWindow, Bytes: uint64(g.Prog.LocalBytes), Size: 1}, true
	}
	a, _ := g.Mem.Lookup(addr)
	if a == nil {
		return Range{}, false
	}
	return Range{Space: ir.Global, Name: a.Name, Lo: a.Base(), Bytes: uint64(len(a.Data)), Size: uint64(a.Elem.Bytes()), Alloc: a, Data: a.Data}, true
}

// SpaceOf returns the memory space of a generic address.
func SpaceOf(addr uint64) ir.Space {
	switch {
	case addr&ir.SharedWindow != 0:
		return ir.Shared
	case addr&ir.LocalWindow != 0:
		return ir.Local
	}
	return ir.Global
}

// Resolve returns the memory that contains addr of a lane, and the byte offset
// in it. Check must have passed. For global memory, data is the whole
// allocation, and its Allocation is returned too.
func (w *Warp) Resolve(lane int, addr uint64) (data []byte, off int, a *Allocation) {
	switch SpaceOf(addr) {
	case ir.Shared:
		return w.Block.Shared, int(addr &^ ir.SharedWindow), nil
	case ir.Local:
		n := w.Grid.Prog.LocalBytes
		return w.Local[lane*n : (lane+1)*n], int(addr &^ ir.LocalWindow), nil
	}
	a, off = w.Grid.Mem.Lookup(addr)
	if a == nil {
		return nil, 0, nil
	}
	return a.Data, off, a
}

// LoadLane executes the load of one lane and writes its registers. Check must
// have passed.
func (w *Warp) LoadLane(in *ir.Inst, lane int, addr uint64) {
	data, off, _ := w.Resolve(lane, addr)
	w.WriteBack(in, lane, data, off)
}

// WriteBack writes the registers of one lane of a load from the bytes at offset
// off of data.
func (w *Warp) WriteBack(in *ir.Inst, lane int, data []byte, off int) {
	k := in.Mem.Kind
	for v := range int(in.Mem.Vec) {
		bits := Load(data, off+v*k.Bytes(), k)
		if in.K == ir.Pred {
			w.SetPred(in.Dst[v], -uint32(bits&1), 1<<lane)
			continue
		}
		w.Regs[in.Dst[v]][lane] = bits
	}
}

// WriteBackLanes is WriteBack for the lanes of mask, each with its own offset
// in data.
func (w *Warp) WriteBackLanes(in *ir.Inst, mask uint32, data []byte, off *[Lanes]uint8) {
	if in.Mem.Vec == 1 && in.Mem.Kind.Bytes() == 4 && in.K != ir.Pred { // nearly all accesses
		row := &w.Regs[in.Dst[0]]
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			row[i] = uint64(binary.NativeEndian.Uint32(data[off[i]:]))
		}
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		w.WriteBack(in, i, data, int(off[i]))
	}
}

// StoreLane executes the store of one lane and reports whether a byte changed.
// Check must have passed.
func (w *Warp) StoreLane(in *ir.Inst, lane int, addr uint64) (changed bool) {
	data, off, _ := w.Resolve(lane, addr)
	k := in.Mem.Kind
	for v := range int(in.Mem.Vec) {
		at := off + v*k.Bytes()
		old := Load(data, at, k)
		Store(data, at, k, w.StoreValue(in, v, lane))
		changed = changed || Load(data, at, k) != old
	}
	return changed
}

// StoreValue returns the value that a lane stores as element v of the access.
func (w *Warp) StoreValue(in *ir.Inst, v, lane int) uint64 {
	return w.Row(in.Src[1+v])[lane]
}

// AtomicLane executes the atomic of one lane, writes its register if it has
// one, and reports whether memory changed. Check must have passed.
func (w *Warp) AtomicLane(in *ir.Inst, lane int, addr uint64) (changed bool) {
	data, off, _ := w.Resolve(lane, addr)
	v, cmp := w.AtomicOperands(in, lane)
	k := in.Mem.Kind
	old := Load(data, off, k)
	now := AtomicApply(in.Op, k, old, v, cmp)
	Store(data, off, k, now)
	w.AtomicResult(in, lane, old)
	return now != old
}

// AtomicOperands returns the operand of a lane's atomic and, for OpAtomCAS, the
// value to compare with.
func (w *Warp) AtomicOperands(in *ir.Inst, lane int) (v, cmp uint64) {
	if in.Op == ir.OpAtomCAS {
		return w.Row(in.Src[2])[lane], w.Row(in.Src[1])[lane]
	}
	return w.Row(in.Src[1])[lane], 0
}

// AtomicResult writes the old value to the lane's register if the instruction
// has a result.
func (w *Warp) AtomicResult(in *ir.Inst, lane int, old uint64) {
	if in.NDst > 0 {
		w.Regs[in.Dst[0]][lane] = old
	}
}

// Load returns the element of kind k at byte offset off of data, extended to
// the width of its register.
func Load(data []byte, off int, k ir.Kind) uint64 {
	switch k.Bytes() {
	case 4:
		return uint64(*(*uint32)(unsafe.Pointer(&data[off : off+4][0])))
	case 8:
		return *(*uint64)(unsafe.Pointer(&data[off : off+8][0]))
	case 2:
		x := *(*uint16)(unsafe.Pointer(&data[off : off+2][0]))
		if k == ir.S16 {
			return uint64(uint32(int16(x)))
		}
		return uint64(x)
	}
	if k == ir.S8 {
		return uint64(uint32(int8(data[off])))
	}
	return uint64(data[off])
}

// Store writes the register value v as an element of kind k at byte offset off
// of data.
func Store(data []byte, off int, k ir.Kind, v uint64) {
	switch k.Bytes() {
	case 4:
		*(*uint32)(unsafe.Pointer(&data[off : off+4][0])) = uint32(v)
	case 8:
		*(*uint64)(unsafe.Pointer(&data[off : off+8][0])) = v
	case 2:
		*(*uint16)(unsafe.Pointer(&data[off : off+2][0])) = uint16(v)
	default:
		data[off] = byte(v)
	}
}
