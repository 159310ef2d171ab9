package compile

import "github.com/weft-gpu/weft/internal/compiler/ir"

// tensorAlign is what a box of a tensor in shared memory begins at a multiple of (PTX ISA, "cp.async.bulk.tensor"), and swizzleRepeat after
// how many bytes the pattern of the widest swizzle repeats: a variable that is as long begins where it does.
const tensorAlign, swizzleRepeat = 128, 1024

// copyTensor lowers a copy of a box of a tensor to shared memory.
func copyTensor(op ir.Op) func(*icall) []leaf {
	return func(c *icall) []leaf {
		c.emit(op, ir.Void, c.box(op, true)...).Mem = ir.Mem{Kind: ir.U32, Vec: 4, Cache: ir.CacheL2}
		return nil
	}
}

// storeTensor lowers a copy of a box of a tensor from shared memory.
func storeTensor(op ir.Op) func(*icall) []leaf {
	return func(c *icall) []leaf {
		c.emit(op, ir.Void, c.box(op, false)...).Mem = ir.Mem{Kind: ir.U32, Vec: 4}
		return nil
	}
}

// box returns the operands of a copy of a box, whose arguments are the address in shared memory, the map, the coordinates, and the
// mbarrier if it has one.
func (c *icall) box(op ir.Op, barrier bool) []*ir.Value {
	dims, in := op.TensorDims(), c.pointer(0)
	if r := c.root(in); r != nil && r.Op != ir.OpShared {
		c.fail(c.at, "%s with an address in a buffer; the box is in a variable of gpu.Shared", c.name)
	} else if r != nil {
		c.alignForBulk(r)
	}
	at, leaves := ir.TensorLeavesOf(dims), c.args[1]
	use := mapUse{err: c.error(c.at, c.name+" of a tensor map that is no parameter of the kernel; the host encodes the map when it launches the kernel")}
	for _, l := range leaves {
		use.leaves = append(use.leaves, c.reg(l, c.at))
	}
	c.maps = append(c.maps, use)
	args := []*ir.Value{c.reg(leaves[0], c.at), in, c.reg(leaves[at.Bytes], c.at)}
	if barrier {
		args = append(args, c.pointer(2+dims))
	}
	for i := range dims {
		args = append(args, c.arg(2+i))
	}
	return args
}

// alignForBulk lets a variable in shared memory begin where boxes of tensors and the patterns of swizzles do.
func (lo *lowerer) alignForBulk(variable *ir.Value) {
	v := &lo.f.Shared[variable.Imm]
	if v.Align = max(v.Align, tensorAlign); v.Size >= swizzleRepeat || v.Dynamic {
		v.Align = max(v.Align, swizzleRepeat)
	}
}

// mapUse is a tensor map of which a box is copied, and the error if it is no parameter.
type mapUse struct {
	leaves []*ir.Value
	err    *Error
}

// checkMaps reports tensor maps that are no parameters. It runs at the end, because only then the values that loops carry are known.
func (lo *lowerer) checkMaps() {
	for _, use := range lo.maps {
		first := lo.res(use.leaves[0])
		for i, v := range use.leaves {
			if v = lo.res(v); v.Op != ir.OpParam || v.Imm != first.Imm+int64(i) {
				lo.report(use.err)
				break
			}
		}
	}
}
