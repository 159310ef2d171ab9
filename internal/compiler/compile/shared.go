package compile

import (
	"go/types"
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// shared declares a shared variable of the block. There is one for each line
// after inlining.
func shared(c *icall) []leaf {
	t := deref(c.in.Type())
	c.inShared(t)
	// The line with its calls, so that a function that is inlined twice has two variables, and one that is lowered again the
	// same.
	key := c.lineKey()
	if c.shared[key] {
		c.fail(c.at, "two gpu.Shared on one line; write each on a line of its own")
	}
	c.shared[key] = true
	v := c.variable(c.c.varName(c.in, len(c.f.Shared)), t)
	if c.sharedBytes += int64(v.Size) + int64(v.Align); c.sharedBytes > maxSharedBytes {
		c.fail(c.at, "gpu.Shared[%s] takes %d bytes, and the kernel's shared variables more than %d, the most that an SM can have; use a buffer that is a parameter", c.c.typeName(t), v.Size, maxSharedBytes)
	}
	n := int64(len(c.f.Shared))
	c.f.Shared = append(c.f.Shared, v)
	return c.one(c.floating(ir.OpShared, ir.U64, n))
}

// inShared rejects types that cannot be placed in shared memory.
func (c *icall) inShared(t types.Type) {
	c.fits(t, c.at)
	if why := plain(t); why != "" {
		c.fail(c.at, "%s[%s] holds %s; shared memory holds numbers, bools, and structs and arrays of these; use indices instead", c.name, c.c.typeName(t), why)
	}
}

// dynamicShared returns the block's dynamic shared memory from an offset on, as
// a slice. All calls of a kernel refer to the same bytes, so they share one
// variable.
func dynamicShared(c *icall) []leaf {
	t := c.in.Type().Underlying().(*types.Slice).Elem()
	c.inShared(t)
	size := c.c.sizes.Sizeof(t)
	switch {
	case holdsBool(t):
		c.fail(c.at, "%s[%s] holds a bool, and dynamic shared memory has no type of its own: any byte could be there; use a uint8 that is 0 or 1", c.name, c.c.typeName(t))
	case size == 0:
		c.fail(c.at, "%s[%s]: the elements have no size; use a number, or a struct or array of numbers", c.name, c.c.typeName(t))
	}
	base := c.floating(ir.OpShared, ir.U64, c.dynamicVar(t))
	length := c.special(ir.DynamicBytes)
	if len(c.args) > 1 {
		off := c.arg(1)
		if align := c.c.sizes.Alignof(t); off.Op == ir.OpConst && off.Imm%align != 0 {
			c.fail(c.at, "offset %d of %s[%s] must be a multiple of %d, the alignment of its elements", off.Imm, c.name, c.c.typeName(t), align)
		}
		base = c.pure(ir.OpAdd, ir.U64, ir.Void, base, c.pure(ir.OpCvt, ir.U64, ir.U32, off))
		// An offset behind the end leaves a slice of length 0, and not one of four billion.
		length = c.pure(ir.OpSub, ir.U32, ir.Void, c.pure(ir.OpMax, ir.U32, ir.Void, length, off), off)
	}
	if size&(size-1) == 0 {
		length = c.pure(ir.OpShr, ir.U32, ir.Void, length, c.constant(ir.U32, uint64(bits.TrailingZeros64(uint64(size)))))
	} else {
		length = c.emit(ir.OpDiv, ir.U32, length, c.constant(ir.U32, uint64(size)))
	}
	return []leaf{base, c.pure(ir.OpCvt, ir.S64, ir.U32, length)}
}

// dynamicVar returns the kernel's variable for dynamic shared memory. Its
// element type is that of the calls if they agree, else byte.
func (c *icall) dynamicVar(t types.Type) int64 {
	v := c.variable("", t)
	for i := range c.f.Shared {
		if w := &c.f.Shared[i]; w.Dynamic {
			if w.ElemSize != v.Size {
				w.Name, w.Elem, w.ElemSize = "dynamic shared memory (bytes)", ir.U8, 1
			}
			return int64(i)
		}
	}
	n := len(c.f.Shared)
	c.f.Shared = append(c.f.Shared, ir.Var{Name: c.c.varName(c.in, n), Elem: v.Elem, ElemSize: v.Size, Align: 16, Pos: v.Pos, Dynamic: true})
	return int64(n)
}

// holdsBool reports whether t is a bool or contains one.
func holdsBool(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicKind(u) == ir.Pred
	case *types.Array:
		return holdsBool(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if holdsBool(f.Type()) {
				return true
			}
		}
	}
	return false
}
