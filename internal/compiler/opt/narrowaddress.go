package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// wideValues says of each value whether anything may be done with the upper half of a 64-bit integer. What serves as an address in shared memory
// alone is not wide: the hardware's instructions take 32 bits for these, so that it has one register.
func wideValues(fn *ir.Func) []bool {
	wide := make([]bool, fn.NumValues())
	for changed := true; changed; {
		changed = false
		use := func(value *ir.Value, first int) {
			for _, arg := range value.Args[first:] {
				if !wide[arg.ID] {
					wide[arg.ID], changed = true, true
				}
			}
		}
		for _, block := range fn.Blocks {
			for _, list := range [][]*ir.Value{block.Phis, block.Ins} {
				for _, value := range list {
					switch {
					case value.Op.Addressed() && value.Mem.Space == ir.Shared:
						use(value, 1)
					case !lowHalf(value.Op) || value.K.Bits() != 64 || wide[value.ID]:
						use(value, 0)
					}
				}
			}
		}
	}
	return wide
}

// lowHalf reports whether the lower half of an operation's result depends on the lower halves of its operands alone.
func lowHalf(op ir.Op) bool {
	switch op {
	case ir.OpLea, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMad, ir.OpMulWide, ir.OpShl, ir.OpSelect, ir.OpCvt, ir.OpBitcast, ir.OpPhi:
		return true
	}
	return false
}
