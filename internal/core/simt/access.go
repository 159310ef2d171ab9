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
	base, imm := w.Row(in.Src[0]), uint64(in.Imm)
	if manyLanes(mask) {
		vectorAdd(out, base, imm, mask)
		return
	}
	if mask == Full {
		for i := range out {
			out[i] = base[i] + imm
		}
		return
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		out[i] = base[i] + imm
	}
}

// Check checks that each lane of mask accesses only the memory object that in
// must stay in, at an aligned address. It returns the fault of the lowest lane
// that does not; nil if all are valid.
func (w *Warp) Check(in *ir.Inst, mask uint32, addrs *Row) *device.Fault {
	bytes := uint64(in.Mem.Bytes())
	var inside *Range
	if in.Root >= 0 {
		inside = &w.Grid.Roots[in.Root]
	} else if mask != 0 {
		// The lanes of a warp nearly always access one object, also if the compiler
		// does not know which.
		first := bits.TrailingZeros32(mask)
		if found, ok := w.rangeAt(in, addrs[first]); ok && found.Space != ir.Local && w.clusterFault(in, first, addrs[first]) == nil {
			inside = &found
		}
	}
	if inside != nil {
		// One unsigned comparison covers both ends: an address below the range
		// wraps around to a large offset. limit would wrap around too if the
		// range were smaller than the access.
		if lo, limit := inside.Lo, inside.Bytes-bytes; inside.Bytes >= bytes {
			bad := false
			for left := mask; left != 0; left &= left - 1 {
				addr := addrs[bits.TrailingZeros32(left)&31]
				// A vector access must be aligned to all its bytes, a power of
				// two (PTX ISA, Addresses as Operands: naturally aligned to a
				// multiple of the access size).
				bad = bad || addr-lo > limit || addr&(bytes-1) != 0
			}
			if !bad {
				return nil
			}
		}
	}
	// Only for the message: which lane, and why.
	for left := mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros32(left)
		if fault := w.AccessFault(in, lane, addrs[lane]); fault != nil {
			return fault
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
	grid := w.Grid
	switch SpaceOf(addr) {
	// The root is unknown at compile time, so the variable that holds the
	// address is looked for. Its own bounds are stricter than those of the
	// whole memory.
	case ir.Shared:
		// That of another block of the cluster has the same variables.
		_, own, _ := ir.SharedOf(addr)
		block := addr - own
		for i := range grid.Shared {
			if variable := &grid.Shared[i]; own-(ir.SharedWindow|uint64(variable.Off)) < uint64(variable.Size) {
				r := grid.rangeOf(ir.Root{Space: ir.Shared, Leaf: -1, Var: i}, nil)
				r.Lo += block
				return r, true
			}
		}
		// Between two variables: inside of the memory, but in no variable.
		return Range{Space: ir.Shared, Name: "shared memory", Lo: ir.SharedWindow + block, Bytes: uint64(len(w.Block.Shared)), Size: 1}, true
	case ir.Local:
		for i := range grid.Prog.Local {
			if variable := &grid.Prog.Local[i]; addr-(ir.LocalWindow|uint64(variable.Off)) < uint64(variable.Size) {
				return grid.rangeOf(ir.Root{Space: ir.Local, Leaf: -1, Var: i}, nil), true
			}
		}
		return Range{Space: ir.Local, Name: "local memory", Lo: ir.LocalWindow, Bytes: uint64(grid.Prog.LocalBytes), Size: 1}, true
	}
	buffer, _ := grid.Mem.Lookup(addr)
	if buffer == nil {
		return Range{}, false
	}
	return Range{Space: ir.Global, Name: buffer.Name, Lo: buffer.Base(), Bytes: uint64(len(buffer.Data)), Size: uint64(buffer.Elem.Bytes()), Alloc: buffer, Data: buffer.Data}, true
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
func (w *Warp) Resolve(lane int, addr uint64) (data []byte, off int, buffer *Allocation) {
	switch SpaceOf(addr) {
	case ir.Shared:
		b, own := w.sharedOf(addr)
		return b.Shared, int(own &^ ir.SharedWindow), nil
	case ir.Local:
		bytes := w.Grid.Prog.LocalBytes
		return w.Local[lane*bytes : (lane+1)*bytes], int(addr &^ ir.LocalWindow), nil
	}
	buffer, off = w.Grid.Mem.Lookup(addr)
	if buffer == nil {
		return nil, 0, nil
	}
	return buffer.Data, off, buffer
}

// LoadLane executes the load of one lane and writes its registers. Check must
// have passed.
func (w *Warp) LoadLane(in *ir.Inst, lane int, addr uint64) {
	data, off, _ := w.Resolve(lane, addr)
	w.WriteBack(in, lane, data, off)
}

// LoadShared is LoadLane for the lanes of mask, whose addresses are all in shared
// memory.
func (w *Warp) LoadShared(in *ir.Inst, mask uint32, addrs *Row) {
	if in.Mem.Vec == 1 && in.Mem.Kind.Bytes() == 4 && in.K != ir.Pred { // nearly all loads
		row, data := &w.Regs[in.Dst[0]], w.Block.Shared
		for left := mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			row[i] = uint64(binary.NativeEndian.Uint32(data[addrs[i]&^ir.SharedWindow:]))
		}
		return
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		w.LoadLane(in, i, addrs[i])
	}
}

// WriteBack writes the registers of one lane of a load from the bytes at offset
// off of data.
func (w *Warp) WriteBack(in *ir.Inst, lane int, data []byte, off int) {
	k := in.Mem.Kind
	for element := range int(in.Mem.Vec) {
		bits := Load(data, off+element*k.Bytes(), k)
		if in.K == ir.Pred {
			// A bool takes a byte in memory; only its lowest bit counts.
			w.SetPred(in.Dst[element], -uint32(bits&1), 1<<lane)
			continue
		}
		w.Regs[in.Dst[element]][lane] = bits
	}
}

// WriteBackLanes is WriteBack for the lanes of mask, each with its own offset
// in data.
func (w *Warp) WriteBackLanes(in *ir.Inst, mask uint32, data []byte, off *[Lanes]uint8) {
	if in.Mem.Vec == 1 && in.Mem.Kind.Bytes() == 4 && in.K != ir.Pred { // nearly all accesses
		row := &w.Regs[in.Dst[0]]
		for left := mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			row[i] = uint64(binary.NativeEndian.Uint32(data[off[i]:]))
		}
		return
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		w.WriteBack(in, i, data, int(off[i]))
	}
}

// StoreLane executes the store of one lane and reports whether a byte changed.
// Check must have passed.
func (w *Warp) StoreLane(in *ir.Inst, lane int, addr uint64) (changed bool) {
	data, off, _ := w.Resolve(lane, addr)
	k := in.Mem.Kind
	for element := range int(in.Mem.Vec) {
		at := off + element*k.Bytes()
		old := Load(data, at, k)
		Store(data, at, k, w.StoreValue(in, element, lane))
		// Compared after the store, as memory keeps it: bits above the width of
		// the element do not count as a change.
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
	value, cmp := w.AtomicOperands(in, lane)
	k := in.Mem.Kind
	old := Load(data, off, k)
	now := AtomicApply(in.Op, k, old, value, cmp)
	Store(data, off, k, now)
	w.AtomicResult(in, lane, old)
	return now != old
}

// AtomicOperands returns the operand of a lane's atomic and, for OpAtomCAS, the
// value to compare with.
func (w *Warp) AtomicOperands(in *ir.Inst, lane int) (v, cmp uint64) {
	if in.Op == ir.OpAtomCAS {
		// OpAtomCAS has the value to compare with first, as atom.cas in PTX.
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
		// The slice expression checks the bounds once for the whole element.
		return uint64(*(*uint32)(unsafe.Pointer(&data[off : off+4][0])))
	case 8:
		return *(*uint64)(unsafe.Pointer(&data[off : off+8][0]))
	case 2:
		half := *(*uint16)(unsafe.Pointer(&data[off : off+2][0]))
		// Sign-extended to 32 bits and from there with zeros, as every 32-bit
		// register is kept.
		if k == ir.S16 {
			return uint64(uint32(int16(half)))
		}
		return uint64(half)
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
