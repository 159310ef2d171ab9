package opt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// lowBits says which of the lowest bits of an integer are known: from bit 0 upwards without a gap, since a sum carries only upwards.
type lowBits struct {
	known int32  // how many, 0 to 32; undefined if nothing can be said yet
	bits  uint32 // what they are; 0 above
}

// undefined is what is known of a value that the walk has not come to: everything that the other operands of a phi say.
const undefined = 33

// most is the number of low bits that are followed: enough for every alignment.
const most = 32

func low(known int32, value uint32) lowBits {
	known = min(max(known, 0), most)
	return lowBits{known, value & uint32(uint64(1)<<known-1)}
}

// zeros returns how many of the lowest bits are known to be zero.
func (l lowBits) zeros() int32 { return min(l.known, int32(bits.TrailingZeros32(l.bits))) }

// meet returns what is known of a value that is one of two.
func (l lowBits) meet(m lowBits) lowBits {
	switch {
	case l.known == undefined:
		return m
	case m.known == undefined:
		return l
	}
	return low(min(l.known, m.known, int32(bits.TrailingZeros32(l.bits^m.bits))), l.bits)
}

// findLowBits computes what is known of the low bits of each integer: the greatest fixed point, from undefined downwards, so that an address that
// a loop advances by 128 bytes keeps the alignment with which it begins. Shared memory begins at a multiple of dynamicAlign bytes.
func findLowBits(fn *ir.Func, shared []ir.Var) []lowBits {
	of := make([]lowBits, fn.NumValues())
	for i := range of {
		of[i].known = undefined
	}
	for changed := true; changed; {
		changed = false
		for _, block := range fn.Blocks {
			for _, list := range [][]*ir.Value{block.Phis, block.Ins} {
				for _, value := range list {
					for _, arg := range value.Args {
						if arg.Block == nil { // a constant, a parameter or the address of a variable
							of[arg.ID] = transferLowBits(arg, of, shared)
						}
					}
					if now := transferLowBits(value, of, shared); now != of[value.ID] {
						of[value.ID], changed = now, true
					}
				}
			}
		}
	}
	return of
}

// transferLowBits returns what is known of the value by what is known of its operands.
func transferLowBits(value *ir.Value, of []lowBits, shared []ir.Var) lowBits {
	if !value.K.Int() || value.K.Bits() < 32 {
		return lowBits{}
	}
	switch value.Op {
	case ir.OpConst:
		return low(most, uint32(value.Bits()))
	case ir.OpShared:
		return low(int32(bits.TrailingZeros(dynamicAlign)), uint32(shared[value.Imm].Off))
	}
	var args [3]lowBits
	for i, arg := range value.Args[:min(len(value.Args), len(args))] {
		if args[i] = of[arg.ID]; args[i].known == undefined && value.Op != ir.OpPhi {
			return args[i]
		}
	}
	x, y, z := args[0], args[1], args[2]
	sum := func(a, b lowBits) lowBits { return low(min(a.known, b.known), a.bits+b.bits) }
	switch value.Op {
	case ir.OpAdd:
		return sum(x, y)
	case ir.OpSub:
		return low(min(x.known, y.known), x.bits-y.bits)
	case ir.OpNeg:
		return low(x.known, -x.bits)
	case ir.OpMul, ir.OpMulWide:
		return x.times(y)
	case ir.OpMad:
		return sum(x.times(y), z)
	case ir.OpLea:
		return sum(x, y.times(low(most, uint32(value.Imm))))
	case ir.OpShl:
		if n, ok := isConst(value.Args[1]); ok && n < most {
			return x.times(low(most, 1<<n))
		}
	case ir.OpAnd:
		// A bit is known if both are, or if one is zero.
		decided := x.mask()&y.mask() | x.mask()&^x.bits | y.mask()&^y.bits
		return low(int32(bits.TrailingZeros32(^decided)), x.bits&y.bits)
	case ir.OpOr:
		decided := x.mask()&y.mask() | x.bits | y.bits
		return low(int32(bits.TrailingZeros32(^decided)), x.bits|y.bits)
	case ir.OpXor:
		return low(min(x.known, y.known), x.bits^y.bits)
	case ir.OpCvt, ir.OpBitcast:
		if value.ArgK.Int() && value.ArgK.Bits() >= 32 {
			return x
		}
	case ir.OpSelect:
		return y.meet(z)
	case ir.OpPhi:
		all := lowBits{known: undefined}
		for _, arg := range value.Args {
			all = all.meet(of[arg.ID])
		}
		return all
	}
	return lowBits{}
}

// mask has the bits that are known.
func (l lowBits) mask() uint32 { return uint32(uint64(1)<<l.known - 1) }

// times returns what is known of a product: the bits below what the unknown part of one factor and the zeros of the other make.
func (l lowBits) times(m lowBits) lowBits {
	return low(min(l.known+m.zeros(), m.known+l.zeros()), l.bits*m.bits)
}
