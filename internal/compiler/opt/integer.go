package opt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// integer simplifies arithmetic and logic on integers and predicates.
func (s *simplifier) integer(v *ir.Value) {
	x := v.Args[0]
	if len(v.Args) == 1 {
		s.unary(v, x)
		return
	}
	y := v.Args[1]
	if c, ok := isConst(y); ok && len(v.Args) == 2 {
		s.withConst(v, x, c)
		return
	}
	same := x == y
	zero := func() { s.replace(v, s.constant(v.K, 0)) }
	switch v.Op {
	case ir.OpSub, ir.OpXor, ir.OpAndNot:
		if same {
			zero()
		}
	case ir.OpAnd, ir.OpOr, ir.OpMin, ir.OpMax:
		if same {
			s.replace(v, x)
		}
	case ir.OpAdd:
		// (x + c) + y becomes (x + y) + c, so that c can be folded into the
		// access.
		s.reassociate(v, x, y)
	}
	// A predicate and a negation take one instruction this way, and the
	// negation often has no other use.
	if v.Op == ir.OpAnd && v.K == ir.Pred {
		switch {
		case y.Op == ir.OpNot:
			s.become(v, ir.OpAndNot, ir.Pred, ir.Void, x, s.res(y.Args[0]))
		case x.Op == ir.OpNot:
			s.become(v, ir.OpAndNot, ir.Pred, ir.Void, y, s.res(x.Args[0]))
		}
	}
}

func (s *simplifier) unary(v, x *ir.Value) {
	switch {
	case v.Op == ir.OpNot && x.Op == ir.OpNot, v.Op == ir.OpNeg && x.Op == ir.OpNeg:
		s.replace(v, s.res(x.Args[0]))
	case v.Op == ir.OpNot && v.K == ir.Pred && x.Op.IsCompare():
		if x.ArgK.Float() && x.Op != ir.OpEq && x.Op != ir.OpNe {
			return // not a<b is not a>=b if one of them is NaN
		}
		s.become(v, inverse[x.Op], ir.Pred, x.ArgK, s.res(x.Args[0]), s.res(x.Args[1]))
	// Integers only: 0.0 - 0.0 is +0 in both orders, and its negation is -0.
	case v.Op == ir.OpNeg && x.Op == ir.OpSub:
		s.become(v, ir.OpSub, v.K, ir.Void, s.res(x.Args[1]), s.res(x.Args[0]))
	}
}

func (s *simplifier) reassociate(v, x, y *ir.Value) {
	if x.Op != ir.OpAdd {
		x, y = y, x
	}
	if x.Op != ir.OpAdd || s.res(x.Args[1]).Op != ir.OpConst || v.K.Bits() != 64 {
		return
	}
	// The constant goes to the outer sum, from which address takes it.
	sum := s.insert(ir.OpAdd, v.K, v.Pos, s.res(x.Args[0]), y)
	s.become(v, ir.OpAdd, v.K, ir.Void, sum, s.res(x.Args[1]))
}

// withConst simplifies x op c.
func (s *simplifier) withConst(v, x *ir.Value, c uint64) {
	k := v.K
	ones := allOnes(k)
	konst := func(bits uint64) *ir.Value { return s.constant(k, bits) }
	inner := func(op ir.Op) (y *ir.Value, d uint64, ok bool) {
		if x.Op != op || len(x.Args) != 2 || x.K.Bits() != k.Bits() {
			return nil, 0, false
		}
		d, ok = isConst(s.res(x.Args[1]))
		return s.res(x.Args[0]), d, ok
	}
	shift := func(op ir.Op, n int) { s.become(v, op, k, ir.Void, x, s.constant(ir.U32, uint64(n))) }
	switch v.Op {
	case ir.OpAdd:
		if c == 0 {
			s.replace(v, x)
		} else if y, d, ok := inner(ir.OpAdd); ok {
			s.become(v, ir.OpAdd, k, ir.Void, y, konst(c+d))
		}
	// One form for both: the rules for sums then also see differences.
	case ir.OpSub:
		s.become(v, ir.OpAdd, k, ir.Void, x, konst(-c))
	case ir.OpMul:
		switch {
		case c == 0:
			s.replace(v, konst(0))
		case c == 1:
			s.replace(v, x)
		case c&(c-1) == 0:
			shift(ir.OpShl, bits.TrailingZeros64(c))
		case c == ones:
			s.become(v, ir.OpNeg, k, ir.Void, x)
		default:
			if y, d, ok := inner(ir.OpMul); ok {
				s.become(v, ir.OpMul, k, ir.Void, y, konst(c*d))
			}
		}
	case ir.OpMulHi:
		// A negative x times 1 has an upper half of all ones.
		if c == 0 || c == 1 && !k.Signed() {
			s.replace(v, konst(0))
		}
	case ir.OpDiv, ir.OpRem:
		s.divide(v, x, c)
	case ir.OpAnd:
		if c == ones {
			s.replace(v, x)
		} else if c == 0 {
			s.replace(v, konst(0))
		} else if y, d, ok := inner(ir.OpAnd); ok {
			s.become(v, ir.OpAnd, k, ir.Void, y, konst(c&d))
		} else if upperBound(x) <= c && c&(c+1) == 0 {
			// The mask covers all bits that x can have.
			s.replace(v, x)
		}
	case ir.OpOr:
		if c == 0 {
			s.replace(v, x)
		} else if c == ones {
			s.replace(v, konst(ones))
		} else if y, d, ok := inner(ir.OpOr); ok {
			s.become(v, ir.OpOr, k, ir.Void, y, konst(c|d))
		}
	case ir.OpXor:
		if c == 0 {
			s.replace(v, x)
		} else if c == ones {
			s.become(v, ir.OpNot, k, ir.Void, x)
		} else if y, d, ok := inner(ir.OpXor); ok {
			s.become(v, ir.OpXor, k, ir.Void, y, konst(c^d))
		}
	case ir.OpAndNot:
		s.become(v, ir.OpAnd, k, ir.Void, x, konst(^c&ones))
	case ir.OpShl, ir.OpShr:
		s.shift(v, x, c)
	case ir.OpMin, ir.OpMax:
		if !k.Signed() && c == 0 {
			if v.Op == ir.OpMin {
				s.replace(v, konst(0))
			} else {
				s.replace(v, x)
			}
		}
	}
}

func (s *simplifier) shift(v, x *ir.Value, c uint64) {
	k := v.K
	width := uint64(k.Bits())
	switch {
	case c == 0:
		s.replace(v, x)
		return
	// Go shifts by a count of the width or more as by repeated shifts by one;
	// so does PTX, which clamps the count.
	case c >= width && v.Op == ir.OpShr && k.Signed():
		v.Args[1], s.changed = s.constant(ir.U32, width-1), true
		return
	case c >= width:
		s.replace(v, s.constant(k, 0))
		return
	}
	d, ok := uint64(0), false
	if (x.Op == ir.OpShl || x.Op == ir.OpShr) && x.K.Bits() == k.Bits() {
		d, ok = isConst(s.res(x.Args[1]))
	}
	if !ok || d >= width {
		return
	}
	y := s.res(x.Args[0])
	switch {
	// Two right shifts combine only if both fill with the same bits.
	case v.Op == x.Op && (v.Op == ir.OpShl || x.K == k):
		sum := c + d
		if sum >= width {
			if v.Op != ir.OpShr || !k.Signed() {
				s.replace(v, s.constant(k, 0))
				return
			}
			sum = width - 1
		}
		s.become(v, v.Op, k, ir.Void, y, s.constant(ir.U32, sum))
	case v.Op == ir.OpShr && x.Op == ir.OpShl && !k.Signed() && c == d:
		s.become(v, ir.OpAnd, k, ir.Void, y, s.constant(k, allOnes(k)>>c))
	// Whatever the right shift has filled in at the top, the left shift drops.
	case v.Op == ir.OpShl && x.Op == ir.OpShr && c == d:
		s.become(v, ir.OpAnd, k, ir.Void, y, s.constant(k, allOnes(k)<<c&allOnes(k)))
	}
}

// upperBound returns an upper bound of v as an unsigned value, derived from its
// definition.
func upperBound(v *ir.Value) uint64 { return boundWithin(v, 6) }

// boundWithin is upperBound limited to depth levels of operands.
func boundWithin(v *ir.Value, depth int) uint64 {
	all := allOnes(v.K)
	if depth == 0 {
		return all
	}
	switch v.Op {
	case ir.OpConst:
		return v.Bits()
	case ir.OpLoad:
		// Loads of unsigned narrow kinds zero-extend (Load in package simt).
		if v.Mem.Kind == ir.U8 || v.Mem.Kind == ir.U16 {
			return 1<<v.Mem.Kind.Bits() - 1
		}
	case ir.OpExt:
		if !v.ArgK.Signed() {
			return 1<<v.ArgK.Bits() - 1
		}
	case ir.OpAnd:
		return min(boundWithin(v.Args[0], depth-1), boundWithin(v.Args[1], depth-1))
	case ir.OpShr:
		if n, ok := isConst(v.Args[1]); ok && !v.K.Signed() && n < uint64(v.K.Bits()) {
			return all >> n
		}
	case ir.OpCvt:
		if v.ArgK == ir.U32 && v.K.Int() && v.K.Bits() == 64 {
			return min(1<<32-1, boundWithin(v.Args[0], depth-1))
		}
	case ir.OpPopc, ir.OpClz:
		return uint64(v.ArgK.Bits())
	case ir.OpSpecial:
		if most := ir.Specials[v.Imm].Most; most != 0 {
			return most
		}
	case ir.OpSelect:
		return max(boundWithin(v.Args[1], depth-1), boundWithin(v.Args[2], depth-1))
	case ir.OpMin:
		// A signed minimum may be a negative number, which is large when it is
		// read as unsigned.
		if !v.K.Signed() {
			return min(boundWithin(v.Args[0], depth-1), boundWithin(v.Args[1], depth-1))
		}
	}
	return all
}
