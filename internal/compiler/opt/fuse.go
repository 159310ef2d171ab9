package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// fuse combines a 32-bit integer multiplication (or a shift by a constant) and
// an addition into one instruction if the product has no other use. Float
// operations keep their two roundings.
func fuse(c *context) {
	// For the loop depths.
	c.f.Dominate()
	uses := c.countUses()
	for _, block := range c.f.Blocks {
		for _, value := range block.Ins {
			if value.Op != ir.OpAdd || !value.K.Int() || value.K.Bits() != 32 {
				continue
			}
			x, y := value.Args[0], value.Args[1]
			if !product(x, uses) {
				x, y = y, x
			}
			if !product(x, uses) || x.Block.Depth < block.Depth {
				continue // hoisted out of the loop, the product costs nothing
			}
			factor := x.Args[1]
			if x.Op == ir.OpShl {
				factor = c.constant(value.K, 1<<factor.Bits())
			}
			value.Op, value.Args = ir.OpMad, []*ir.Value{x.Args[0], factor, y}
		}
	}
}

// product reports whether the value is a product with exactly one use.
func product(value *ir.Value, uses []int32) bool {
	if value.K.Bits() != 32 || value.ID >= len(uses) || uses[value.ID] != 1 {
		return false
	}
	switch value.Op {
	case ir.OpMul:
		return true
	case ir.OpShl:
		n, ok := isConst(value.Args[1])
		return ok && n < 32
	}
	return false
}
