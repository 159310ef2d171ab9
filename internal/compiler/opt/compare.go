package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// compare simplifies comparisons. A constant operand is always the second.
func (s *simplifier) compare(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	k := v.ArgK
	if k == ir.Pred {
		s.comparePreds(v, x, y)
		return
	}
	// NaN compares false with everything, so that none of the rules below holds
	// for floats: x == x is not always true.
	if k.Float() {
		return
	}
	if x == y {
		s.replace(v, s.boolean(v.Op == ir.OpEq || v.Op == ir.OpLe || v.Op == ir.OpGe))
		return
	}
	if s.narrowCompare(v, x, y) {
		return
	}
	c, ok := isConst(y)
	if !ok {
		if v.Op == ir.OpEq || v.Op == ir.OpNe {
			s.equalities(v, x, y)
		}
		return
	}
	if !k.Signed() && s.unsignedRange(v, x, c) {
		return
	}
	switch {
	case x.Op == ir.OpSelect && s.res(x.Args[1]).Op == ir.OpConst && s.res(x.Args[2]).Op == ir.OpConst:
		s.compareChoice(v, x, y)
	// What follows holds for equality only.
	case v.Op != ir.OpEq && v.Op != ir.OpNe:
	// x + d == c is x == c - d also when the sum wraps around. For an order
	// comparison it is not. If x has other uses, the sum stays anyway and
	// nothing is saved.
	case x.Op == ir.OpAdd && s.once(x) && s.res(x.Args[1]).Op == ir.OpConst && x.K.Bits() == k.Bits():
		d := s.res(x.Args[1]).Bits()
		s.become(v, v.Op, ir.Pred, k, s.res(x.Args[0]), s.constant(y.K, c-d))
	case c == 0 && (x.Op == ir.OpSub || x.Op == ir.OpXor):
		s.become(v, v.Op, ir.Pred, k, s.res(x.Args[0]), s.res(x.Args[1]))
	}
}

// comparePreds turns comparisons of predicates into logic.
func (s *simplifier) comparePreds(v, x, y *ir.Value) {
	not := v.Op == ir.OpEq
	c, ok := isConst(y)
	switch {
	case x == y:
		s.replace(v, s.boolean(not))
	// p == true and p != false are p.
	case ok && (c != 0) == not:
		s.replace(v, x)
	case ok:
		s.become(v, ir.OpNot, ir.Pred, ir.Void, x)
	case not:
		d := s.insert(ir.OpXor, ir.Pred, v.Pos, x, y)
		s.become(v, ir.OpNot, ir.Pred, ir.Void, d)
	default:
		s.become(v, ir.OpXor, ir.Pred, ir.Void, x, y)
	}
}

// equalities removes what both operands have in common, and turns the
// comparison of a minimum or maximum with one of its operands into an order
// comparison.
func (s *simplifier) equalities(v, x, y *ir.Value) {
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
				if v.Op == ir.OpNe {
					op = inverse[op]
				}
				s.become(v, op, ir.Pred, x.K, y, b)
				return
			}
		}
		x, y = y, x
	}
	// Adding the same number on both sides is one-to-one, also when it wraps
	// around.
	if x.Op == ir.OpAdd && y.Op == ir.OpAdd && s.res(x.Args[1]) == s.res(y.Args[1]) {
		s.become(v, v.Op, ir.Pred, v.ArgK, s.res(x.Args[0]), s.res(y.Args[0]))
	}
}

// unsignedRange decides comparisons with a constant from the range of x.
func (s *simplifier) unsignedRange(v, x *ir.Value, c uint64) bool {
	most := upperBound(x)
	var known, is bool
	switch v.Op {
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
		s.replace(v, s.boolean(is))
		return true
	}
	// x > 0 is x != 0, x < 1 is x == 0.
	switch {
	case v.Op == ir.OpGt && c == 0, v.Op == ir.OpGe && c == 1:
		s.become(v, ir.OpNe, ir.Pred, v.ArgK, x, s.constant(v.ArgK, 0))
	case v.Op == ir.OpLt && c == 1, v.Op == ir.OpLe && c == 0:
		s.become(v, ir.OpEq, ir.Pred, v.ArgK, x, s.constant(v.ArgK, 0))
	default:
		return false
	}
	return true
}

// compareChoice simplifies the comparison of select(p, a, b) with c if a, b and
// c are constant.
func (s *simplifier) compareChoice(v, x, y *ir.Value) {
	p := s.res(x.Args[0])
	a, errA := ir.Eval(v.Op, ir.Pred, v.ArgK, 0, s.res(x.Args[1]).Bits(), y.Bits(), 0)
	b, errB := ir.Eval(v.Op, ir.Pred, v.ArgK, 0, s.res(x.Args[2]).Bits(), y.Bits(), 0)
	switch {
	case errA != nil || errB != nil:
	case a == b:
		s.replace(v, s.boolean(a != 0))
	case a != 0:
		s.replace(v, p)
	default:
		s.become(v, ir.OpNot, ir.Pred, ir.Void, p)
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
func (s *simplifier) narrowCompare(v, x, y *ir.Value) bool {
	if v.ArgK.Bits() != 64 {
		return false
	}
	a, ka := s.widened(x)
	if a == nil {
		return false
	}
	// Both extensions keep the order of their own kind. Sign extension keeps
	// that of an unsigned 64-bit comparison only for equality.
	if b, kb := s.widened(y); b != nil && ka == kb && (!ka.Signed() || v.ArgK.Signed() || v.Op == ir.OpEq || v.Op == ir.OpNe) {
		s.become(v, v.Op, ir.Pred, ka, a, b)
		return true
	}
	// The upper half of a length is zero, so that comparing the lower halves
	// decides.
	if ka == ir.U32 && s.isLength(y) {
		n := s.insert(ir.OpCvt, ir.U32, v.Pos, y)
		n.ArgK = y.K
		s.become(v, v.Op, ir.Pred, ka, a, n)
		return true
	}
	c, ok := isConst(y)
	if !ok {
		return false
	}
	n := int64(c)
	switch {
	case ka == ir.U32 && c <= 1<<32-1, ka == ir.S32 && v.ArgK.Signed() && n == int64(int32(n)):
		s.become(v, v.Op, ir.Pred, ka, a, s.constant(ka, c))
		return true
	case ka == ir.U32 && v.ArgK.Signed() && n < 0: // x is not negative
		s.replace(v, s.boolean(v.Op == ir.OpNe || v.Op == ir.OpGt || v.Op == ir.OpGe))
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
func (s *simplifier) selection(v *ir.Value) {
	p, x, y := v.Args[0], v.Args[1], v.Args[2]
	if c, ok := isConst(p); ok {
		if c != 0 {
			s.replace(v, x)
		} else {
			s.replace(v, y)
		}
		return
	}
	if x == y {
		s.replace(v, x)
		return
	}
	if p.Op == ir.OpNot {
		s.become(v, ir.OpSelect, v.K, ir.Void, s.res(p.Args[0]), y, x)
		return
	}
	if v.K == ir.Pred {
		s.choosePred(v, p, x, y)
		return
	}
	// A select by an order comparison of its own operands is a minimum or
	// maximum, in the order of the comparison's kind. Equal operands have equal
	// bits, so that < and <= are the same here. The widths must agree: a
	// comparison of 64-bit values says nothing about their 32-bit halves.
	// Floats are left alone: min treats NaN and -0 in another way than the
	// select.
	if v.K.Int() && p.Op.IsCompare() && p.ArgK.Int() && p.ArgK.Bits() == v.K.Bits() && p.Op != ir.OpEq && p.Op != ir.OpNe {
		a, b := s.res(p.Args[0]), s.res(p.Args[1])
		less := p.Op == ir.OpLt || p.Op == ir.OpLe
		switch {
		case x == a && y == b:
			s.minMax(v, less, p.ArgK, a, b)
		case x == b && y == a:
			s.minMax(v, !less, p.ArgK, a, b)
		}
	}
}

// minMax turns v into the minimum or maximum of a and b in the order of kind k.
func (s *simplifier) minMax(v *ir.Value, smaller bool, k ir.Kind, a, b *ir.Value) {
	op := ir.OpMax
	if smaller {
		op = ir.OpMin
	}
	s.become(v, op, k, ir.Void, a, b)
}

// choosePred turns a select between predicates into logic.
func (s *simplifier) choosePred(v, p, x, y *ir.Value) {
	cx, okx := isConst(x)
	cy, oky := isConst(y)
	switch {
	case okx && oky && cx != 0:
		s.replace(v, p)
	case okx && oky:
		s.become(v, ir.OpNot, ir.Pred, ir.Void, p)
	case okx && cx != 0:
		s.become(v, ir.OpOr, ir.Pred, ir.Void, p, y)
	case okx:
		s.become(v, ir.OpAndNot, ir.Pred, ir.Void, y, p)
	case oky && cy == 0:
		s.become(v, ir.OpAnd, ir.Pred, ir.Void, p, x)
	case oky: // !p || x
		n := s.insert(ir.OpAndNot, ir.Pred, v.Pos, p, x)
		s.become(v, ir.OpNot, ir.Pred, ir.Void, n)
	default:
		a := s.insert(ir.OpAnd, ir.Pred, v.Pos, p, x)
		b := s.insert(ir.OpAndNot, ir.Pred, v.Pos, y, p)
		s.become(v, ir.OpOr, ir.Pred, ir.Void, a, b)
	}
}
