package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// compare simplifies comparisons. A constant operand is always the second.
func (s *simplifier) compare(value *ir.Value) {
	x, y := value.Args[0], value.Args[1]
	kind := value.ArgK
	if kind == ir.Pred {
		s.comparePreds(value, x, y)
		return
	}
	// NaN compares false with everything, so that none of the rules below holds
	// for floats: x == x is not always true.
	if kind.Float() {
		return
	}
	if x == y {
		s.replace(value, s.boolean(value.Op == ir.OpEq || value.Op == ir.OpLe || value.Op == ir.OpGe))
		return
	}
	if s.narrowCompare(value, x, y) {
		return
	}
	c, ok := isConst(y)
	if !ok {
		if value.Op == ir.OpEq || value.Op == ir.OpNe {
			s.equalities(value, x, y)
		}
		return
	}
	if !kind.Signed() && s.unsignedRange(value, x, c) {
		return
	}
	switch {
	case x.Op == ir.OpSelect && s.res(x.Args[1]).Op == ir.OpConst && s.res(x.Args[2]).Op == ir.OpConst:
		s.compareChoice(value, x, y)
	// What follows holds for equality only.
	case value.Op != ir.OpEq && value.Op != ir.OpNe:
	// x + d == c is x == c - d also when the sum wraps around. For an order
	// comparison it is not. If x has other uses, the sum stays anyway and
	// nothing is saved.
	case x.Op == ir.OpAdd && s.once(x) && s.res(x.Args[1]).Op == ir.OpConst && x.K.Bits() == kind.Bits():
		d := s.res(x.Args[1]).Bits()
		s.become(value, value.Op, ir.Pred, kind, s.res(x.Args[0]), s.constant(y.K, c-d))
	case c == 0 && (x.Op == ir.OpSub || x.Op == ir.OpXor):
		s.become(value, value.Op, ir.Pred, kind, s.res(x.Args[0]), s.res(x.Args[1]))
	}
}

// comparePreds turns comparisons of predicates into logic.
func (s *simplifier) comparePreds(value, x, y *ir.Value) {
	not := value.Op == ir.OpEq
	c, ok := isConst(y)
	switch {
	case x == y:
		s.replace(value, s.boolean(not))
	// p == true and p != false are p.
	case ok && (c != 0) == not:
		s.replace(value, x)
	case ok:
		s.become(value, ir.OpNot, ir.Pred, ir.Void, x)
	case not:
		d := s.insert(ir.OpXor, ir.Pred, value.Pos, x, y)
		s.become(value, ir.OpNot, ir.Pred, ir.Void, d)
	default:
		s.become(value, ir.OpXor, ir.Pred, ir.Void, x, y)
	}
}

// equalities removes what both operands have in common, and turns the
// comparison of a minimum or maximum with one of its operands into an order
// comparison.
func (s *simplifier) equalities(value, x, y *ir.Value) {
	for range 2 {
		if x.Op == ir.OpMin || x.Op == ir.OpMax {
			a, b := s.res(x.Args[0]), s.res(x.Args[1])
			if b == y {
				a, b = b, a
			}
			if a == y { // min(y, b) equals y if y <= b
				op := ir.OpLe
				if x.Op == ir.OpMax {
					op = ir.OpGe
				}
				if value.Op == ir.OpNe {
					op = inverse[op]
				}
				s.become(value, op, ir.Pred, x.K, y, b)
				return
			}
		}
		x, y = y, x
	}
	// Adding the same number on both sides is one-to-one, also when it wraps
	// around.
	if x.Op == ir.OpAdd && y.Op == ir.OpAdd && s.res(x.Args[1]) == s.res(y.Args[1]) {
		s.become(value, value.Op, ir.Pred, value.ArgK, s.res(x.Args[0]), s.res(y.Args[0]))
	}
}

// unsignedRange decides comparisons with a constant from the range of x.
func (s *simplifier) unsignedRange(value, x *ir.Value, c uint64) bool {
	most := upperBound(x)
	var known, is bool
	switch value.Op {
	case ir.OpLt:
		known, is = c == 0 || most < c, most < c
	case ir.OpLe:
		known, is = most <= c, true
	case ir.OpGt:
		known, is = most <= c, false
	case ir.OpGe:
		known, is = c == 0 || most < c, c == 0
	case ir.OpEq:
		known, is = most < c, false
	case ir.OpNe:
		known, is = most < c, true
	}
	if known {
		s.replace(value, s.boolean(is))
		return true
	}
	// x > 0 is x != 0, x < 1 is x == 0.
	switch {
	case value.Op == ir.OpGt && c == 0, value.Op == ir.OpGe && c == 1:
		s.become(value, ir.OpNe, ir.Pred, value.ArgK, x, s.constant(value.ArgK, 0))
	case value.Op == ir.OpLt && c == 1, value.Op == ir.OpLe && c == 0:
		s.become(value, ir.OpEq, ir.Pred, value.ArgK, x, s.constant(value.ArgK, 0))
	default:
		return false
	}
	return true
}

// compareChoice simplifies the comparison of select(p, a, b) with c if a, b and
// c are constant.
func (s *simplifier) compareChoice(value, x, y *ir.Value) {
	p := s.res(x.Args[0])
	a, errA := ir.Eval(value.Op, ir.Pred, value.ArgK, 0, s.res(x.Args[1]).Bits(), y.Bits(), 0)
	b, errB := ir.Eval(value.Op, ir.Pred, value.ArgK, 0, s.res(x.Args[2]).Bits(), y.Bits(), 0)
	switch {
	case errA != nil || errB != nil:
	case a == b:
		s.replace(value, s.boolean(a != 0))
	case a != 0:
		s.replace(value, p)
	default:
		s.become(value, ir.OpNot, ir.Pred, ir.Void, p)
	}
}

// widened returns the 32-bit value that v extends to 64 bits, and its kind.
func (s *simplifier) widened(v *ir.Value) (*ir.Value, ir.Kind) {
	if v.Op == ir.OpCvt && v.K.Int() && v.K.Bits() == 64 && v.ArgK.Int() && v.ArgK.Bits() == 32 {
		return s.res(v.Args[0]), v.ArgK
	}
	return nil, ir.Void
}

// narrowCompare compares 32-bit values before they are extended to 64 bits.
func (s *simplifier) narrowCompare(value, x, y *ir.Value) bool {
	if value.ArgK.Bits() != 64 {
		return false
	}
	a, ka := s.widened(x)
	if a == nil {
		return false
	}
	// Both extensions keep the order of their own kind. Sign extension keeps
	// that of an unsigned 64-bit comparison only for equality.
	if b, kb := s.widened(y); b != nil && ka == kb && (!ka.Signed() || value.ArgK.Signed() || value.Op == ir.OpEq || value.Op == ir.OpNe) {
		s.become(value, value.Op, ir.Pred, ka, a, b)
		return true
	}
	// The upper half of a length is zero, so that comparing the lower halves
	// decides.
	if ka == ir.U32 && s.isLength(y) {
		narrow := s.insert(ir.OpCvt, ir.U32, value.Pos, y)
		narrow.ArgK = y.K
		s.become(value, value.Op, ir.Pred, ka, a, narrow)
		return true
	}
	c, ok := isConst(y)
	if !ok {
		return false
	}
	n := int64(c)
	switch {
	case ka == ir.U32 && c <= 1<<32-1, ka == ir.S32 && value.ArgK.Signed() && n == int64(int32(n)):
		s.become(value, value.Op, ir.Pred, ka, a, s.constant(ka, c))
		return true
	case ka == ir.U32 && value.ArgK.Signed() && n < 0: // x is not negative
		s.replace(value, s.boolean(value.Op == ir.OpNe || value.Op == ir.OpGt || value.Op == ir.OpGe))
		return true
	}
	return false
}

// isLength reports whether v is the length of a slice. It fits 32 bits, because
// a device holds fewer than 2^32 elements per buffer.
func (s *simplifier) isLength(v *ir.Value) bool {
	return v.Op == ir.OpParam && s.f.Leaves[v.Imm].Role == ir.Length
}

// selection simplifies selects.
func (s *simplifier) selection(value *ir.Value) {
	p, x, y := value.Args[0], value.Args[1], value.Args[2]
	if c, ok := isConst(p); ok {
		if c != 0 {
			s.replace(value, x)
		} else {
			s.replace(value, y)
		}
		return
	}
	if x == y {
		s.replace(value, x)
		return
	}
	if p.Op == ir.OpNot {
		s.become(value, ir.OpSelect, value.K, ir.Void, s.res(p.Args[0]), y, x)
		return
	}
	if value.K == ir.Pred {
		s.choosePred(value, p, x, y)
		return
	}
	// A select by an order comparison of its own operands is a minimum or
	// maximum, in the order of the comparison's kind. Equal operands have equal
	// bits, so that < and <= are the same here. The widths must agree: a
	// comparison of 64-bit values says nothing about their 32-bit halves.
	// Floats are left alone: min treats NaN and -0 in another way than the
	// select.
	if value.K.Int() && p.Op.IsCompare() && p.ArgK.Int() && p.ArgK.Bits() == value.K.Bits() && p.Op != ir.OpEq && p.Op != ir.OpNe {
		a, b := s.res(p.Args[0]), s.res(p.Args[1])
		less := p.Op == ir.OpLt || p.Op == ir.OpLe
		switch {
		case x == a && y == b:
			s.minMax(value, less, p.ArgK, a, b)
		case x == b && y == a:
			s.minMax(value, !less, p.ArgK, a, b)
		}
	}
}

// minMax turns the value into the minimum or maximum of a and b in the order of kind.
func (s *simplifier) minMax(value *ir.Value, smaller bool, kind ir.Kind, a, b *ir.Value) {
	op := ir.OpMax
	if smaller {
		op = ir.OpMin
	}
	s.become(value, op, kind, ir.Void, a, b)
}

// choosePred turns a select between predicates into logic.
func (s *simplifier) choosePred(value, p, x, y *ir.Value) {
	cx, okx := isConst(x)
	cy, oky := isConst(y)
	switch {
	case okx && oky && cx != 0:
		s.replace(value, p)
	case okx && oky:
		s.become(value, ir.OpNot, ir.Pred, ir.Void, p)
	case okx && cx != 0:
		s.become(value, ir.OpOr, ir.Pred, ir.Void, p, y)
	case okx:
		s.become(value, ir.OpAndNot, ir.Pred, ir.Void, y, p)
	case oky && cy == 0:
		s.become(value, ir.OpAnd, ir.Pred, ir.Void, p, x)
	case oky: // !p || x
		n := s.insert(ir.OpAndNot, ir.Pred, value.Pos, p, x)
		s.become(value, ir.OpNot, ir.Pred, ir.Void, n)
	default:
		a := s.insert(ir.OpAnd, ir.Pred, value.Pos, p, x)
		b := s.insert(ir.OpAndNot, ir.Pred, value.Pos, y, p)
		s.become(value, ir.OpOr, ir.Pred, ir.Void, a, b)
	}
}
