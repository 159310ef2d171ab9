package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// fuse combines a 32-bit integer multiplication (or a shift by a constant) and
// an addition into one instruction if the product has no other use. Float
// operations keep their two roundings.
func fuse(c *context) {
	// For the loop depths.
	c.f.Dominate()
	uses := c.countUses()
	for _, b := range c.f.Blocks {
		for _, v := range b.Ins {
			if v.Op != ir.OpAdd || !v.K.Int() || v.K.Bits() != 32 {
				continue
			}
			x, y := v.Args[0], v.Args[1]
			if !product(x, uses) {
				x, y = y, x
			}
			if !product(x, uses) || x.Block.Depth < b.Depth {
				continue // hoisted out of the loop, the product costs nothing
			}
			factor := x.Args[1]
			if x.Op == ir.OpShl {
				factor = c.constant(v.K, 1<<factor.Bits())
			}
			v.Op, v.Args = ir.OpMad, []*ir.Value{x.Args[0], factor, y}
		}
	}
}

// product reports whether v is a product with exactly one use.
func product(v *ir.Value, uses []int32) bool {
	if v.K.Bits() != 32 || v.ID >= len(uses) || uses[v.ID] != 1 {
		return false
	}
	switch v.Op {
	case ir.OpMul:
		return true
	case ir.OpShl:
		n, ok := isConst(v.Args[1])
		return ok && n < 32
	}
	return false
}
