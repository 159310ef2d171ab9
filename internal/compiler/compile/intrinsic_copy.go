package compile

import (
	"go/types"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// copyAsync lowers a copy of a whole value. It needs the alignment of its size, which a launch then checks of a buffer.
func copyAsync(c *icall) []leaf {
	elem := c.param(0).Underlying().(*types.Pointer).Elem()
	size := c.c.sizes.Sizeof(elem)
	if size != 4 && size != 8 && size != 16 {
		c.fail(c.at, "%s of %d bytes; a copy is of 4, 8 or 16", c.name, size)
	}
	for _, l := range c.layoutAt(elem, c.at).leaves {
		if l.k == ir.Void || l.m.Bytes() < 4 {
			c.fail(c.at, "%s of %s; it copies numbers of 32 and 64 bits, and arrays and structs of them", c.name, elem)
		}
	}
	to, from := c.pointer(0), c.pointer(1)
	if r := c.root(to); r != nil && r.Op != ir.OpShared {
		c.fail(c.at, "%s to a buffer; it copies to a variable of gpu.Shared", c.name)
	}
	if r := c.root(from); r != nil && r.Op != ir.OpParam {
		c.fail(c.at, "%s from a variable of gpu.Shared; it copies from a buffer", c.name)
	}
	mem := ir.Mem{Kind: ir.U32, Vec: uint8(size / 4), Cache: ir.CacheAll}
	if size == 16 {
		mem.Cache = ir.CacheL2 // as __pipeline_memcpy_async of CUDA
	}
	c.aligned(to, 0, size, true)
	c.aligned(from, 0, size, true)
	c.emit(ir.OpCopy, ir.Void, from, to, c.constant(ir.U32, uint64(size))).Mem = mem
	return nil
}

// waitGroups lowers a wait for groups of copies.
func waitGroups(op ir.Op) func(*icall) []leaf {
	return func(c *icall) []leaf {
		n := c.arg(0)
		if n.Op != ir.OpConst {
			c.fail(c.at, "the number of groups of %s must be a constant", c.name)
		}
		c.emit(op, ir.Void).Imm = n.Imm
		return nil
	}
}

func waitAllCopies(c *icall) []leaf {
	c.emit(ir.OpCopyCommit, ir.Void)
	c.emit(ir.OpCopyWait, ir.Void)
	return nil
}

// copyBulk lowers a copy in bulk of elements, whose number is known at run time.
func copyBulk(c *icall) []leaf {
	to, from := c.fromBuffer()
	c.emit(ir.OpBulkCopy, ir.Void, from, to, c.bulkBytes(), c.pointer(3)).Mem = ir.Mem{Kind: ir.U32, Vec: 4, Cache: ir.CacheL2}
	return nil
}

// fromBuffer returns the first two arguments of a copy in bulk from a buffer to shared memory.
func (c *icall) fromBuffer() (to, from *ir.Value) {
	to, from = c.pointer(0), c.pointer(1)
	if r := c.root(to); r != nil && r.Op != ir.OpShared {
		c.fail(c.at, "%s to a buffer; it copies to a variable of gpu.Shared", c.name)
	}
	if r := c.root(from); r != nil && r.Op != ir.OpParam {
		c.fail(c.at, "%s from a variable of gpu.Shared; it copies from a buffer", c.name)
	}
	c.alignShared(to)
	return to, from
}

// storeBulk lowers a copy in bulk to a buffer, or a reduction, of elements whose number is known at run time.
func (c *icall) storeBulk(op ir.Op) []leaf {
	elem := c.leafOf(c.param(0).Underlying().(*types.Pointer).Elem(), c.at, c.name)
	to, from := c.pointer(0), c.pointer(1)
	if r := c.root(to); r != nil && r.Op != ir.OpParam {
		c.fail(c.at, "%s to a variable of gpu.Shared; it copies to a buffer", c.name)
	}
	if r := c.root(from); r != nil && r.Op != ir.OpShared {
		c.fail(c.at, "%s from a buffer; it copies from a variable of gpu.Shared", c.name)
	}
	mem := ir.Mem{Kind: ir.U32, Vec: 4}
	if op != ir.OpBulkStore {
		mem = ir.Mem{Kind: elem.m, Vec: uint8(16 / elem.m.Bytes()), Order: ir.Relaxed, Scope: ir.ScopeDevice}
	}
	bytes := c.pure(ir.OpMul, ir.U32, ir.Void, c.arg(2), c.constant(ir.U32, uint64(elem.m.Bytes())))
	c.alignShared(from)
	c.emit(op, ir.Void, to, from, bytes).Mem = mem
	return nil
}

// alignShared makes the variable at an address begin at a multiple of 16.
func (c *icall) alignShared(a *ir.Value) {
	if r := c.root(a); r != nil && r.Op == ir.OpShared {
		v := &c.f.Shared[r.Imm]
		v.Align = max(v.Align, 16)
	}
}
