package simt

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// Tensor is what a launch binds to a tensor map that the kernel copies boxes of.
type Tensor struct {
	tensormap.Map
	Root int32 // of its buffer
}

// bindTensors reads the tensor maps that the kernel copies boxes of, and returns what is wrong with one; "" if nothing is.
func (g *Grid) bindTensors(values []leafValue) string {
	for _, use := range g.Prog.Tensors {
		base := g.Prog.Roots[use.Root].Leaf
		at, leaves, leaf, buffer := ir.TensorLeavesOf(use.Dims), g.Leaves[base:], &g.Prog.Leaves[base], &values[base]
		m := tensormap.New(use.Dims, uint64(leaf.Size))
		for d := range use.Dims {
			m.Sizes[d], m.Box[d] = uint64(uint32(leaves[at.Sizes+d])), uint64(uint32(leaves[at.Box+d]))
			if d > 0 {
				m.Pitches[d] = uint64(uint32(leaves[at.Pitches+d-1]))
			}
		}
		m.Swizzle = uint64(uint32(leaves[at.Swizzle]))
		why := m.Misuse(uint64(buffer.count), uint64(uint32(leaves[at.Bytes])))
		if why == "" && use.Stored {
			why = m.Unstorable()
		}
		if why == "" && buffer.bits%bulkAlign != 0 {
			why = "its buffer begins at no multiple of 16 bytes"
		}
		if why != "" {
			return "tensor map of " + leaf.Name + ": " + why
		}
		g.Tensors = append(g.Tensors, Tensor{m, use.Root})
	}
	return ""
}

// tensorAt returns the tensor in the buffer of a root; nil if the kernel copies no box of one.
func (g *Grid) tensorAt(root int32) *tensormap.Map {
	for i := range g.Tensors {
		if g.Tensors[i].Root == root {
			return &g.Tensors[i].Map
		}
	}
	return nil
}

// Box returns the box that a lane copies.
func (w *Warp) Box(in *ir.Inst, lane int) tensormap.Box {
	box := tensormap.Box{Map: w.Grid.tensorAt(in.Root)}
	if in.Op.ByMap() {
		m, _, ok := w.mapOf(in, lane)
		if !ok {
			m = tensormap.New(1, bulkAlign) // CheckBox says what it is
		}
		box.Map = &m
	}
	for d := range in.Op.TensorDims() {
		box.At[d] = int64(int32(w.Row(in.Src[in.Op.Coordinates()+d])[lane]))
	}
	return box
}

// CheckBox checks a lane's copy of a box to or from the address at in shared memory, and returns its fault; nil if it is valid. shared is
// simt.Destination or simt.Source of in.
func (w *Warp) CheckBox(in, shared *ir.Inst, lane int, box *tensormap.Box, at uint64) *device.Fault {
	if in.Op.ByMap() {
		if fault := w.checkMap(in, lane); fault != nil {
			return fault
		}
	}
	if why := notOwn(at); why != "" {
		return w.Fault(in, lane, "a copy of a box with address %#x, %s", at, why)
	}
	if fault := w.checkRange(shared, lane, at, box.Bytes()); fault != nil {
		return fault
	}
	if why := box.Misplaced(in.Op.StoresBulk()); why != "" {
		return w.Fault(in, lane, "%s", why)
	}
	if off := at &^ ir.SharedWindow; off%box.Align() != 0 {
		return w.Grid.boxAlignFault(in, w.Place(lane), off, box.Align())
	}
	if in.Op.Multicasts() {
		return w.CheckRanks(in, lane)
	}
	return nil
}

// BoxAlignFault returns the fault of a copy of a box at a byte of shared memory.
func (g *Grid) BoxAlignFault(in *ir.Inst, place Place, off uint64) *device.Fault {
	return g.boxAlignFault(in, place, off, g.tensorAt(in.Root).Align())
}

func (g *Grid) boxAlignFault(in *ir.Inst, place Place, off, align uint64) *device.Fault {
	return g.Fault(in, place, "a copy of a box at byte %d of shared memory, which is not a multiple of %d", off, align)
}

// mapOf returns the tensor map that the words of a lane describe, and of how many dimensions the instruction copies a box; ok is false if they are of none.
func (w *Warp) mapOf(in *ir.Inst, lane int) (m tensormap.Map, dims int, ok bool) {
	var words tensormap.Words
	first := in.Op.Coordinates() + in.Op.TensorDims()
	for i := range words {
		words[i] = w.Row(in.Src[first+i])[lane]
	}
	return words.Decode()
}

// checkMap returns the fault of a lane that copies a box of what is no tensor map, or of one that has other dimensions, or whose tensor is not all in one
// object; nil if it has none.
func (w *Warp) checkMap(in *ir.Inst, lane int) *device.Fault {
	m, dims, ok := w.mapOf(in, lane)
	switch {
	case !ok:
		return w.Fault(in, lane, "a copy of a box by what is no tensor map: cuTensorMapEncodeTiled has not made it")
	case dims != m.Dims:
		return w.Fault(in, lane, "a copy of a box of %d dimensions by a tensor map of %d", dims, m.Dims)
	case in.Op.StoresBulk() && m.Unstorable() != "":
		return w.Fault(in, lane, "a box is stored to a tensor whose globalDim[0] is %d elements, %d bytes; want a multiple of %d bytes", m.Sizes[0], m.Sizes[0]*m.Elem, bulkAlign)
	}
	base := w.Row(in.Src[0])[lane] + uint64(in.Imm)
	if fault := w.AccessFault(in, lane, base); fault != nil {
		return fault
	}
	if r, found := w.rangeAt(in, base); found && base-r.Lo+m.Extent() > r.Bytes {
		return w.Fault(in, lane, "a copy of a box of a tensor that has %d bytes from byte %d of %s on, which has %d", m.Extent(), base-r.Lo, r.Name, r.Bytes)
	}
	return nil
}

// BoxFault returns the fault of a copy of a box whose coordinate of a dimension no GPU takes.
func (g *Grid) BoxFault(in *ir.Inst, place Place, dim int, at int32) *device.Fault {
	box := tensormap.Box{Map: g.tensorAt(in.Root)}
	box.At[dim] = int64(at)
	return g.Fault(in, place, "%s", box.Misplaced(in.Op.StoresBulk()))
}

// CheckBarrier returns the fault of a lane whose copy completes at an address where no mbarrier can be; nil if one can.
func (w *Warp) CheckBarrier(in *ir.Inst, lane int, barrier uint64) *device.Fault {
	switch {
	case notOwn(barrier) != "":
		return w.Fault(in, lane, "a copy in bulk that completes at address %#x, %s", barrier, notOwn(barrier))
	case barrier%8 != 0 || barrier&^ir.SharedWindow+8 > uint64(len(w.Block.Shared)):
		return w.Fault(in, lane, "a copy in bulk that completes at address %#x, where no mbarrier of shared memory is", barrier)
	}
	return nil
}
