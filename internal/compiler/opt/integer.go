package opt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// integer simplifies arithmetic and logic on integers and predicates.
func (s *simplifier) integer(value *ir.Value) {
	x := value.Args[0]
	if len(value.Args) == 1 {
		s.unary(value, x)
		return
	}
	y := value.Args[1]
	if c, ok := isConst(y); ok && len(value.Args) == 2 {
		s.withConst(value, x, c)
		return
	}
	same := x == y
	zero := func() { s.replace(value, s.constant(value.K, 0)) }
	switch value.Op {
	case ir.OpSub, ir.OpXor, ir.OpAndNot:
		if same {
			zero()
		}
	case ir.OpAnd, ir.OpOr, ir.OpMin, ir.OpMax:
		if same {
			s.replace(value, x)
		}
	case ir.OpAdd:
		// (x + c) + y becomes (x + y) + c, so that c can be folded into the
		// access.
		s.reassociate(value, x, y)
	}
	// A predicate and a negation take one instruction this way, and the
	// negation often has no other use.
	if value.Op == ir.OpAnd && value.K == ir.Pred {
		switch {
		case y.Op == ir.OpNot:
			s.become(value, ir.OpAndNot, ir.Pred, ir.Void, x, s.res(y.Args[0]))
		case x.Op == ir.OpNot:
			s.become(value, ir.OpAndNot, ir.Pred, ir.Void, y, s.res(x.Args[0]))
		}
	}
}

func (s *simplifier) unary(value, x *ir.Value) {
	switch {
	case value.Op == ir.OpNot && x.Op == ir.OpNot, value.Op == ir.OpNeg && x.Op == ir.OpNeg:
		s.replace(value, s.res(x.Args[0]))
	case value.Op == ir.OpNot && value.K == ir.Pred && x.Op.IsCompare():
		if x.ArgK.Float() && x.Op != ir.OpEq && x.Op != ir.OpNe {
			return // not a<b is not a>=b if one of them is NaN
		}
		s.become(value, inverse[x.Op], ir.Pred, x.ArgK, s.res(x.Args[0]), s.res(x.Args[1]))
	// Integers only: 0.0 - 0.0 is +0 in both orders, and its negation is -0.
	case value.Op == ir.OpNeg && x.Op == ir.OpSub:
		s.become(value, ir.OpSub, value.K, ir.Void, s.res(x.Args[1]), s.res(x.Args[0]))
	}
}

func (s *simplifier) reassociate(value, x, y *ir.Value) {
	if x.Op != ir.OpAdd {
		x, y = y, x
	}
	if x.Op != ir.OpAdd || s.res(x.Args[1]).Op != ir.OpConst || value.K.Bits() != 64 {
		return
	}
	// The constant goes to the outer sum, from which address takes it.
	sum := s.insert(ir.OpAdd, value.K, value.Pos, s.res(x.Args[0]), y)
	s.become(value, ir.OpAdd, value.K, ir.Void, sum, s.res(x.Args[1]))
}

// withConst simplifies x op c.
func (s *simplifier) withConst(value, x *ir.Value, c uint64) {
	kind := value.K
	ones := allOnes(kind)
	konst := func(bits uint64) *ir.Value { return s.constant(kind, bits) }
	inner := func(op ir.Op) (y *ir.Value, d uint64, ok bool) {
		if x.Op != op || len(x.Args) != 2 || x.K.Bits() != kind.Bits() {
			return nil, 0, false
		}
		d, ok = isConst(s.res(x.Args[1]))
		return s.res(x.Args[0]), d, ok
	}
	shift := func(op ir.Op, n int) { s.become(value, op, kind, ir.Void, x, s.constant(ir.U32, uint64(n))) }
	switch value.Op {
	case ir.OpAdd:
		if c == 0 {
			s.replace(value, x)
		} else if y, d, ok := inner(ir.OpAdd); ok {
			s.become(value, ir.OpAdd, kind, ir.Void, y, konst(c+d))
		}
	// One form for both: the rules for sums then also see differences.
	case ir.OpSub:
		s.become(value, ir.OpAdd, kind, ir.Void, x, konst(-c))
	case ir.OpMul:
		switch {
		case c == 0:
			s.replace(value, konst(0))
		case c == 1:
			s.replace(value, x)
		case c&(c-1) == 0:
			shift(ir.OpShl, bits.TrailingZeros64(c))
		case c == ones:
			s.become(value, ir.OpNeg, kind, ir.Void, x)
		default:
			if y, d, ok := inner(ir.OpMul); ok {
				s.become(value, ir.OpMul, kind, ir.Void, y, konst(c*d))
			}
		}
	case ir.OpMulHi:
		// A negative x times 1 has an upper half of all ones.
		if c == 0 || c == 1 && !kind.Signed() {
			s.replace(value, konst(0))
		}
	case ir.OpDiv, ir.OpRem:
		s.divide(value, x, c)
	case ir.OpAnd:
		if c == ones {
			s.replace(value, x)
		} else if c == 0 {
			s.replace(value, konst(0))
		} else if y, d, ok := inner(ir.OpAnd); ok {
			s.become(value, ir.OpAnd, kind, ir.Void, y, konst(c&d))
		} else if upperBound(x) <= c && c&(c+1) == 0 {
			// The mask covers all bits that x can have.
			s.replace(value, x)
		}
	case ir.OpOr:
		if c == 0 {
			s.replace(value, x)
		} else if c == ones {
			s.replace(value, konst(ones))
		} else if y, d, ok := inner(ir.OpOr); ok {
			s.become(value, ir.OpOr, kind, ir.Void, y, konst(c|d))
		}
	case ir.OpXor:
		if c == 0 {
			s.replace(value, x)
		} else if c == ones {
			s.become(value, ir.OpNot, kind, ir.Void, x)
		} else if y, d, ok := inner(ir.OpXor); ok {
			s.become(value, ir.OpXor, kind, ir.Void, y, konst(c^d))
		}
	case ir.OpAndNot:
		s.become(value, ir.OpAnd, kind, ir.Void, x, konst(^c&ones))
	case ir.OpShl, ir.OpShr:
		s.shift(value, x, c)
	case ir.OpMin, ir.OpMax:
		if !kind.Signed() && c == 0 {
			if value.Op == ir.OpMin {
				s.replace(value, konst(0))
			} else {
				s.replace(value, x)
			}
		}
	}
}

func (s *simplifier) shift(value, x *ir.Value, c uint64) {
	kind := value.K
	width := uint64(kind.Bits())
	switch {
	case c == 0:
		s.replace(value, x)
		return
	// Go shifts by a count of the width or more as by repeated shifts by one;
	// so does PTX, which clamps the count.
	case c >= width && value.Op == ir.OpShr && kind.Signed():
		value.Args[1], s.changed = s.constant(ir.U32, width-1), true
		return
	case c >= width:
		s.replace(value, s.constant(kind, 0))
		return
	}
	d, ok := uint64(0), false
	if (x.Op == ir.OpShl || x.Op == ir.OpShr) && x.K.Bits() == kind.Bits() {
		d, ok = isConst(s.res(x.Args[1]))
	}
	if !ok || d >= width {
		return
	}
	y := s.res(x.Args[0])
	switch {
	// Two right shifts combine only if both fill with the same bits.
	case value.Op == x.Op && (value.Op == ir.OpShl || x.K == kind):
		sum := c + d
		if sum >= width {
			if value.Op != ir.OpShr || !kind.Signed() {
				s.replace(value, s.constant(kind, 0))
				return
			}
			sum = width - 1
		}
		s.become(value, value.Op, kind, ir.Void, y, s.constant(ir.U32, sum))
	case value.Op == ir.OpShr && x.Op == ir.OpShl && !kind.Signed() && c == d:
		s.become(value, ir.OpAnd, kind, ir.Void, y, s.constant(kind, allOnes(kind)>>c))
	// Whatever the right shift has filled in at the top, the left shift drops.
	case value.Op == ir.OpShl && x.Op == ir.OpShr && c == d:
		s.become(value, ir.OpAnd, kind, ir.Void, y, s.constant(kind, allOnes(kind)<<c&allOnes(kind)))
	}
}

// upperBound returns an upper bound of v as an unsigned value, derived from its
// definition.
func upperBound(v *ir.Value) uint64 { return boundWithin(v, 6) }

// boundWithin is upperBound limited to depth levels of operands.
func boundWithin(value *ir.Value, depth int) uint64 {
	all := allOnes(value.K)
	if depth == 0 {
		return all
	}
	switch value.Op {
	case ir.OpConst:
		return value.Bits()
	case ir.OpLoad:
		// Loads of unsigned narrow kinds zero-extend (Load in package simt).
		if value.Mem.Kind == ir.U8 || value.Mem.Kind == ir.U16 {
			return 1<<value.Mem.Kind.Bits() - 1
		}
	case ir.OpExt:
		if !value.ArgK.Signed() {
			return 1<<value.ArgK.Bits() - 1
		}
	case ir.OpAnd:
		return min(boundWithin(value.Args[0], depth-1), boundWithin(value.Args[1], depth-1))
	case ir.OpShr:
		if n, ok := isConst(value.Args[1]); ok && !value.K.Signed() && n < uint64(value.K.Bits()) {
			return all >> n
		}
	case ir.OpCvt:
		if value.ArgK == ir.U32 && value.K.Int() && value.K.Bits() == 64 {
			return min(1<<32-1, boundWithin(value.Args[0], depth-1))
		}
	case ir.OpPopc, ir.OpClz:
		return uint64(value.ArgK.Bits())
	case ir.OpSpecial:
		if most := ir.Specials[value.Imm].Most; most != 0 {
			return most
		}
	case ir.OpSelect:
		return max(boundWithin(value.Args[1], depth-1), boundWithin(value.Args[2], depth-1))
	case ir.OpMin:
		// A signed minimum may be a negative number, which is large when it is
		// read as unsigned.
		if !value.K.Signed() {
			return min(boundWithin(value.Args[0], depth-1), boundWithin(value.Args[1], depth-1))
		}
	}
	return all
}
