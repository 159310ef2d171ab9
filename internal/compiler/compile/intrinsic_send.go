package compile

import (
	"go/types"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// sendBulk lowers a copy in bulk of elements to shared memory of a block of the cluster, which gpu.MapShared may have named.
func sendBulk(c *icall) []leaf {
	to, from, barrier := c.pointer(0), c.pointer(1), c.pointer(3)
	for _, at := range []*ir.Value{to, barrier} {
		if r := c.mappedRoot(at); r != nil && r.Op != ir.OpShared {
			c.fail(c.at, "%s to a buffer; it copies to a variable of gpu.Shared of a block of the cluster", c.name)
		}
	}
	if r := c.root(from); r != nil && r.Op != ir.OpShared {
		c.fail(c.at, "%s from a buffer; it copies from a variable of gpu.Shared", c.name)
	}
	if c.mapped(from) != nil {
		c.fail(c.at, "%s from another block's shared memory; it copies from that of its own block", c.name)
	}
	c.alignShared(from)
	if r := c.mappedRoot(to); r != nil {
		c.alignShared(r)
	}
	c.emit(ir.OpBulkSend, ir.Void, from, to, c.bulkBytes(), barrier).Mem = ir.Mem{Kind: ir.U32, Vec: 4}
	return nil
}

// sendValues lowers what sends the values of an argument to shared memory of a block of the cluster, which gpu.MapShared may have named.
func (c *icall) sendValues(op ir.Op) []leaf {
	to, barrier := c.pointer(0), c.pointer(2)
	elem := c.param(0).Underlying().(*types.Pointer).Elem()
	t := c.leafOf(elem, c.at, c.name)
	for _, at := range []*ir.Value{to, barrier} {
		if r := c.mappedRoot(at); r != nil && r.Op != ir.OpShared {
			c.fail(c.at, "%s to a buffer; it sends to a variable of gpu.Shared of a block of the cluster", c.name)
		}
	}
	n, bytes := len(c.args[1]), int(c.c.sizes.Sizeof(elem))
	if bytes != 4 && bytes != 8 || n*bytes > 16 {
		c.fail(c.at, "%s of %d times %d bytes; it sends elements of 4 or 8 bytes, at most 16 bytes in all", c.name, n, bytes)
	}
	if r := c.mappedRoot(to); r != nil && n > 1 {
		c.alignShared(r)
	}
	args := []*ir.Value{to, to, c.constant(ir.U32, uint64(n*bytes)), barrier}
	for _, l := range c.args[1] {
		args = append(args, c.reg(l, c.at))
	}
	c.emit(op, ir.Void, args...).Mem = ir.Mem{Kind: t.m, Vec: uint8(n)}
	return nil
}

// multicastBulk lowers a copy in bulk of elements of a buffer to shared memory of several blocks of the cluster.
func multicastBulk(c *icall) []leaf {
	to, from := c.fromBuffer()
	c.emit(ir.OpBulkMulticast, ir.Void, from, to, c.bulkBytes(), c.pointer(3), c.arg(4)).Mem = ir.Mem{Kind: ir.U32, Vec: 4, Cache: ir.CacheL2}
	return nil
}

// multicastTensor lowers a copy of a box of a tensor to shared memory of several blocks of the cluster.
func multicastTensor(op ir.Op) func(*icall) []leaf {
	return func(c *icall) []leaf {
		args := c.box(op, true)
		args = append(args[:ir.MulticastMask:ir.MulticastMask], append([]*ir.Value{c.arg(len(c.args) - 1)}, args[ir.MulticastMask:]...)...)
		c.emit(op, ir.Void, args...).Mem = ir.Mem{Kind: ir.U32, Vec: 4, Cache: ir.CacheL2}
		return nil
	}
}

// bulkBytes returns how many bytes argument 2 of a copy in bulk, a number of elements, is.
func (c *icall) bulkBytes() *ir.Value {
	size := c.c.sizes.Sizeof(c.param(0).Underlying().(*types.Pointer).Elem())
	return c.pure(ir.OpMul, ir.U32, ir.Void, c.arg(2), c.constant(ir.U32, uint64(size)))
}

// mappedRoot is root of an address that gpu.MapShared may have made one of another block: the root of its operand.
func (lo *lowerer) mappedRoot(v *ir.Value) *ir.Value {
	for {
		if r := lo.root(v); r != nil {
			return r
		}
		if v = lo.mapped(v); v == nil {
			return nil
		}
	}
}

// mapped returns what gpu.MapShared has named in another block at an address or before it; nil if nothing.
func (lo *lowerer) mapped(v *ir.Value) *ir.Value {
	for {
		switch v = lo.res(v); v.Op {
		case ir.OpLea, ir.OpAdd:
			v = v.Args[0]
		case ir.OpMapShared:
			return v.Args[0]
		default:
			return nil
		}
	}
}
