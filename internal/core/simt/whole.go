package simt

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// This file executes the accesses of a whole warp at once, for executors in
// which an access happens when it is issued. The lanes execute in order.

// window is the memory that the lanes of an access can
// access: lane i accesses p + (address - lo); this offset must be at most
// limit.
type window struct {
	p         unsafe.Pointer
	lo, limit uint64
}

// window returns false if the lanes must be checked one by one: for local memory, or a range that is smaller than an access. If the root is
// unknown, lanes outside of the window may be in another object.
func (w *Warp) window(in *ir.Inst, mask uint32) (win window, ok bool) {
	// Vectors and narrow atomics are rare and take the general way.
	if in.Mem.Vec != 1 || in.Op.IsAtomic() && in.Mem.Kind.Bytes() < 4 {
		return win, false
	}
	if in.Root < 0 {
		return w.found(in, mask)
	}
	root, bytes := &w.Grid.Roots[in.Root], uint64(in.Mem.Kind.Bytes())
	if root.Bytes < bytes {
		return win, false
	}
	data := root.Data
	if root.Space != ir.Global {
		if root.Space != ir.Shared {
			return win, false
		}
		data = w.Block.Shared[root.Lo&^ir.SharedWindow:]
	}
	// The lanes will access memory without Go's checks, so that the range must
	// be inside of it.
	if uint64(len(data)) < root.Bytes {
		return win, false
	}
	return window{p: unsafe.Pointer(&data[0]), lo: root.Lo, limit: root.Bytes - bytes}, true
}

// found is window for an access whose root is unknown, as those of PTX are: the object that the lowest lane accesses, in which the others
// nearly always are.
func (w *Warp) found(in *ir.Inst, mask uint32) (win window, ok bool) {
	if mask == 0 {
		return win, false
	}
	addr := w.Row(in.Src[0])[bits.TrailingZeros32(mask)] + uint64(in.Imm)
	base, data := addr&^offMask, []byte(nil)
	switch SpaceOf(addr) {
	case ir.Global:
		buffer, _ := w.Grid.Mem.Lookup(addr)
		if buffer == nil {
			return win, false
		}
		data = buffer.Data
	case ir.Shared:
		r, _ := w.rangeAt(in, addr)
		if _, _, named := ir.SharedOf(addr); named { // of another block of the cluster
			return win, false
		}
		from := r.Lo &^ ir.SharedWindow
		if from+r.Bytes > uint64(len(w.Block.Shared)) {
			return win, false
		}
		base, data = r.Lo, w.Block.Shared[from:from+r.Bytes]
	}
	bytes := uint64(in.Mem.Kind.Bytes())
	if uint64(len(data)) < bytes || base&(bytes-1) != 0 { // aligned in the window would not be aligned
		return win, false
	}
	return window{p: unsafe.Pointer(&data[0]), lo: base, limit: uint64(len(data)) - bytes}, true
}

// LoadAll executes a load in the lanes of mask.
func (w *Warp) LoadAll(in *ir.Inst, mask uint32) *device.Fault {
	win, ok := w.window(in, mask)
	if !ok {
		return w.loadEach(in, mask)
	}
	addrs, dst := w.Row(in.Src[0]), &w.Regs[in.Dst[0]]
	imm := uint64(in.Imm)
	// The constant offset is taken off once and not added for each lane.
	lo := win.lo - imm
	switch in.Mem.Kind {
	case ir.U32, ir.S32, ir.F32:
		if mask == Full {
			for i, addr := range addrs {
				off := addr - lo
				if off > win.limit || off&3 != 0 {
					return w.loadRest(in, mask, i)
				}
				dst[i] = uint64(*(*uint32)(unsafe.Add(win.p, off)))
			}
			return nil
		}
		for left := mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			off := addrs[i] - lo
			// The comparison is unsigned, so that it also finds addresses below
			// the range.
			if off > win.limit || off&3 != 0 {
				return w.loadRest(in, mask, i)
			}
			dst[i] = uint64(*(*uint32)(unsafe.Add(win.p, off)))
		}
	case ir.U64, ir.S64, ir.F64:
		for left := mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			off := addrs[i] - lo
			if off > win.limit || off&7 != 0 {
				return w.loadRest(in, mask, i)
			}
			dst[i] = *(*uint64)(unsafe.Add(win.p, off))
		}
	case ir.U8:
		for left := mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			off := addrs[i] - lo
			if off > win.limit {
				return w.loadRest(in, mask, i)
			}
			dst[i] = uint64(*(*uint8)(unsafe.Add(win.p, off)))
		}
	default:
		return w.loadEach(in, mask)
	}
	return nil
}

// loadRest executes the load of the lanes of mask from lane i on, which is outside of the window.
func (w *Warp) loadRest(in *ir.Inst, mask uint32, i int) *device.Fault {
	if in.Root >= 0 {
		return w.AccessFault(in, i, w.Row(in.Src[0])[i]+uint64(in.Imm))
	}
	return w.loadEach(in, mask>>i<<i)
}

func (w *Warp) loadEach(in *ir.Inst, mask uint32) *device.Fault {
	w.Addresses(in, mask, w.Block.Scratch)
	if fault := w.Check(in, mask, w.Block.Scratch); fault != nil {
		return fault
	}
	if in.Op.IsLoadMatrix() {
		return w.LoadMatrices(in, w.Block.Scratch)
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		w.LoadLane(in, i, w.Block.Scratch[i])
	}
	return nil
}

// StoreAll executes a store in the lanes of mask. If two lanes write the same
// bytes, the value of the higher lane remains. changed reports whether a value
// in memory changed.
func (w *Warp) StoreAll(in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	if in.Op.IsStoreMatrix() {
		return w.storeEach(in, mask&in.Op.Rows())
	}
	win, ok := w.window(in, mask)
	if !ok {
		return w.storeEach(in, mask)
	}
	addrs, values := w.Row(in.Src[0]), w.Row(in.Src[1])
	imm := uint64(in.Imm)
	lo := win.lo - imm
	var diff uint64
	switch in.Mem.Kind {
	case ir.U32, ir.S32, ir.F32:
		for left := mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			off := addrs[i] - lo
			if off > win.limit || off&3 != 0 {
				return w.storeRest(in, mask, i, diff != 0)
			}
			word := (*uint32)(unsafe.Add(win.p, off))
			// Or-ed over all lanes: one test at the end instead of one for
			// each.
			diff |= uint64(*word ^ uint32(values[i]))
			*word = uint32(values[i])
		}
	case ir.U64, ir.S64, ir.F64:
		for left := mask; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			off := addrs[i] - lo
			if off > win.limit || off&7 != 0 {
				return w.storeRest(in, mask, i, diff != 0)
			}
			word := (*uint64)(unsafe.Add(win.p, off))
			diff |= *word ^ values[i]
			*word = values[i]
		}
	default:
		return w.storeEach(in, mask)
	}
	return diff != 0, nil
}

// storeRest executes the store of the lanes of mask from lane i on, which is outside of the window.
func (w *Warp) storeRest(in *ir.Inst, mask uint32, i int, before bool) (changed bool, fault *device.Fault) {
	if in.Root >= 0 {
		return before, w.AccessFault(in, i, w.Row(in.Src[0])[i]+uint64(in.Imm))
	}
	changed, fault = w.storeEach(in, mask>>i<<i)
	return changed || before, fault
}

func (w *Warp) storeEach(in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	w.Addresses(in, mask, w.Block.Scratch)
	if fault := w.Check(in, mask, w.Block.Scratch); fault != nil {
		return false, fault
	}
	if in.Op.IsStoreMatrix() {
		return w.StoreMatrices(in, w.Block.Scratch)
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		if w.StoreLane(in, i, w.Block.Scratch[i]) {
			changed = true
		}
	}
	return changed, nil
}

// AtomicAll executes an atomic in the lanes of mask, one after the other.
func (w *Warp) AtomicAll(in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	if in.Op.IsMBarrier() {
		return w.atomicEach(in, mask)
	}
	win, ok := w.window(in, mask)
	if !ok {
		return w.atomicEach(in, mask)
	}
	addrs, val, cmp := w.Row(in.Src[0]), w.Row(in.Src[1]), w.Row(in.Src[1])
	if in.Op == ir.OpAtomCAS {
		val = w.Row(in.Src[2])
	}
	// Without a result, the old values go to a scratch row.
	olds := w.Block.Scratch
	if in.NDst > 0 {
		olds = &w.Regs[in.Dst[0]]
	}
	imm, k, align := uint64(in.Imm), in.Mem.Kind, uint64(in.Mem.Kind.Bytes())-1
	lo := win.lo - imm
	if in.Op == ir.OpAtomAdd && k == ir.F32 {
		return w.addFloats(in, mask, win, olds)
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		off := addrs[i] - lo
		if off > win.limit || off&align != 0 {
			return w.atomicRest(in, mask, i, changed)
		}
		var old, now uint64
		if word := unsafe.Add(win.p, off); align == 3 {
			old = uint64(*(*uint32)(word))
			// In lane order; PTX leaves the order of the lanes open, so any one
			// is right.
			now = AtomicApply(in.Op, k, old, val[i], cmp[i])
			*(*uint32)(word) = uint32(now)
		} else {
			old = *(*uint64)(word)
			now = AtomicApply(in.Op, k, old, val[i], cmp[i])
			*(*uint64)(word) = now
		}
		olds[i] = old
		changed = changed || now != old
	}
	return changed, nil
}

// addFloats is AtomicAll for the addition of floats of 32 bits, of which PageRank and sums in blocks
// have one per arc or thread.
func (w *Warp) addFloats(in *ir.Inst, mask uint32, win window, olds *Row) (changed bool, fault *device.Fault) {
	addrs, val := w.Row(in.Src[0]), w.Row(in.Src[1])
	lo := win.lo - uint64(in.Imm)
	var diff uint32
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		off := addrs[i] - lo
		if off > win.limit || off&3 != 0 {
			return w.atomicRest(in, mask, i, diff != 0)
		}
		word := (*uint32)(unsafe.Add(win.p, off))
		old := *word
		now := math.Float32bits(math.Float32frombits(old) + lo32(val[i]))
		*word = now
		diff |= old ^ now
		olds[i] = uint64(old)
	}
	return diff != 0, nil
}

// atomicRest executes the atomic of the lanes of mask from lane i on, which is outside of the window.
func (w *Warp) atomicRest(in *ir.Inst, mask uint32, i int, before bool) (changed bool, fault *device.Fault) {
	if in.Root >= 0 {
		return before, w.AccessFault(in, i, w.Row(in.Src[0])[i]+uint64(in.Imm))
	}
	changed, fault = w.atomicEach(in, mask>>i<<i)
	return changed || before, fault
}

func (w *Warp) atomicEach(in *ir.Inst, mask uint32) (changed bool, fault *device.Fault) {
	w.Addresses(in, mask, w.Block.Scratch)
	if fault := w.Check(in, mask, w.Block.Scratch); fault != nil {
		return false, fault
	}
	for left := mask; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		if fault := w.MBarrierMisuse(in, i, w.Block.Scratch[i]); fault != nil {
			return changed, fault
		}
		if w.AtomicLane(in, i, w.Block.Scratch[i]) {
			changed = true
		}
	}
	return changed, nil
}
