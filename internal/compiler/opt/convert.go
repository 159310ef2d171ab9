package opt

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// conversion simplifies OpCvt, OpBitcast and OpExt.
func (s *simplifier) conversion(value *ir.Value) {
	x := value.Args[0]
	switch value.Op {
	case ir.OpExt:
		s.extension(value, x)
		return
	case ir.OpBitcast:
		if x.Op == ir.OpBitcast && value.ArgK.Bits() == value.K.Bits() {
			s.become(value, ir.OpBitcast, value.K, x.ArgK, s.res(x.Args[0]))
			x = value.Args[0]
		}
		if value.ArgK == value.K || value.K.Int() && x.K.Int() {
			s.replace(value, x) // each op says itself how it reads an integer
		}
		return
	}
	switch {
	case value.K == value.ArgK, value.K.Int() && value.ArgK.Int() && value.K.Bits() == value.ArgK.Bits():
		s.replace(value, x)
	case value.K.Int() && value.K.Bits() == 32 && value.ArgK.Int():
		s.truncation(value, x)
	case value.K.Bits() == 64 && value.K.Int() && value.ArgK == ir.S32 && upperBound(x) < 1<<31:
		value.ArgK, s.changed = ir.U32, true // not negative: use one form of extension for all
	}
}

// truncation moves a conversion from 64 to 32 bits to the operands, where it
// cancels the conversions that widened them.
func (s *simplifier) truncation(value, x *ir.Value) {
	if a, _ := s.widened(x); a != nil {
		s.replace(value, a)
		return
	}
	switch x.Op {
	// The lower half of these results depends only on the lower halves of the
	// operands. It does not for a division, a right shift or a comparison.
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot:
		a, b := s.narrow(s.res(x.Args[0])), s.narrow(s.res(x.Args[1]))
		if a != nil && b != nil {
			s.become(value, x.Op, value.K, ir.Void, a, b)
		}
	case ir.OpShl:
		a := s.narrow(s.res(x.Args[0]))
		// A count of 32 or more would leave nothing of the lower half; the
		// 64-bit shift handles it.
		if n, ok := isConst(s.res(x.Args[1])); a != nil && ok && n < 32 {
			s.become(value, ir.OpShl, value.K, ir.Void, a, s.res(x.Args[1]))
		}
	case ir.OpSelect:
		a, b := s.narrow(s.res(x.Args[1])), s.narrow(s.res(x.Args[2]))
		if a != nil && b != nil {
			s.become(value, ir.OpSelect, value.K, ir.Void, s.res(x.Args[0]), a, b)
		}
	}
}

// narrow returns the lower half of the value if it can do so without an instruction.
func (s *simplifier) narrow(value *ir.Value) *ir.Value {
	if value.Op == ir.OpConst {
		return s.constant(ir.U32, value.Bits())
	}
	a, _ := s.widened(value)
	return a
}

// extension removes an extension whose operand is already in range.
func (s *simplifier) extension(value, x *ir.Value) {
	n := value.ArgK
	switch {
	case x.Op == ir.OpExt && x.ArgK == n, x.Op == ir.OpLoad && x.Mem.Kind == n:
		s.replace(value, x)
	case !n.Signed() && upperBound(x) < 1<<n.Bits(), n.Signed() && upperBound(x) < 1<<(n.Bits()-1):
		s.replace(value, x)
	// The outer extension reads only bits that the inner one has left as they
	// were.
	case x.Op == ir.OpExt && x.ArgK.Bits() >= n.Bits():
		s.become(value, ir.OpExt, value.K, n, s.res(x.Args[0]))
	case x.Op == ir.OpAnd:
		if c, ok := isConst(s.res(x.Args[1])); ok && c&(1<<n.Bits()-1) == 1<<n.Bits()-1 {
			s.become(value, ir.OpExt, value.K, n, s.res(x.Args[0]))
		}
	}
}

// divide replaces a division by a constant: by shifts for a power of two, by a
// multiplication with the reciprocal for other 32-bit divisors.
func (s *simplifier) divide(value, x *ir.Value, c uint64) {
	kind := value.K
	pow2 := c != 0 && c&(c-1) == 0
	n := bits.TrailingZeros64(c)
	switch {
	case c == 0: // division by zero: the instruction faults
	case c == 1 && value.Op == ir.OpDiv:
		s.replace(value, x)
	case c == 1:
		s.replace(value, s.constant(kind, 0))
	case !kind.Signed() && pow2 && value.Op == ir.OpDiv:
		s.become(value, ir.OpShr, kind, ir.Void, x, s.constant(ir.U32, uint64(n)))
	case !kind.Signed() && pow2:
		s.become(value, ir.OpAnd, kind, ir.Void, x, s.constant(kind, c-1))
	// Only positive powers of two; the smallest signed number has one bit set
	// as well, but is negative.
	case kind.Signed() && pow2 && signedBits(kind, c) > 0:
		s.signedPow2(value, x, c, n)
	case kind == ir.U32:
		s.reciprocal(value, x, uint32(c))
	}
}

// signedPow2 divides by 2^n, rounding towards zero: it adds 2^n-1 to a negative
// x before the shift.
func (s *simplifier) signedPow2(value, x *ir.Value, c uint64, n int) {
	kind := value.K
	width := kind.Bits()
	count := func(n int) *ir.Value { return s.constant(ir.U32, uint64(n)) }
	// All ones if x is negative, else zero; shifted right without sign it is
	// 2^n-1 or zero.
	sign := s.insert(ir.OpShr, kind, value.Pos, x, count(width-1))
	bias := s.insert(ir.OpShr, unsigned(kind), value.Pos, sign, count(width-n))
	sum := s.insert(ir.OpAdd, kind, value.Pos, x, bias)
	if value.Op == ir.OpDiv {
		s.become(value, ir.OpShr, kind, ir.Void, sum, count(n))
		return
	}
	// The remainder has the sign of x, as in Go, since the quotient was rounded
	// towards zero: whole is the quotient times 2^n.
	whole := s.insert(ir.OpAnd, kind, value.Pos, sum, s.constant(kind, -c))
	s.become(value, ir.OpSub, kind, ir.Void, x, whole)
}

// reciprocal divides an unsigned 32-bit x by d, which is not a power of two.
// The quotient is the upper half of x*m, shifted right by n. m is 2^(32+n)/d
// rounded up, for the smallest n that is exact for every x (Granlund and
// Montgomery). If m needs 33 bits, x itself is added in for the top bit, by an
// average that cannot overflow.
func (s *simplifier) reciprocal(value, x *ir.Value, d uint32) {
	num := func(n uint64) *ir.Value { return s.constant(ir.U32, n) }
	op := func(op ir.Op, x, y *ir.Value) *ir.Value { return s.insert(op, ir.U32, value.Pos, x, y) }
	last := bits.Len32(d - 1)
	var q, shift *ir.Value
	for n := range last {
		p := uint64(1) << (32 + n)
		// The error m*d - 2^(32+n) must be at most 2^n for the quotient to be
		// exact for all 32-bit x (theorem 4.2 of Granlund and Montgomery,
		// Division by Invariant Integers using Multiplication, 1994).
		if m := (p + uint64(d) - 1) / uint64(d); m < 1<<32 && m*uint64(d)-p <= 1<<n {
			q, shift = op(ir.OpMulHi, x, num(m)), num(uint64(n))
			break
		}
	}
	if q == nil {
		// m is 2^32 too small here. What is missing, x, is added by (x-hi)/2 +
		// hi, which stays below 2^32, where x + hi might not.
		m := (1<<last-uint64(d))<<32/uint64(d) + 1
		hi := op(ir.OpMulHi, x, num(m))
		half := op(ir.OpShr, op(ir.OpSub, x, hi), num(1))
		q, shift = op(ir.OpAdd, half, hi), num(uint64(last-1))
	}
	if value.Op == ir.OpDiv {
		s.become(value, ir.OpShr, ir.U32, ir.Void, q, shift)
		return
	}
	product := op(ir.OpMul, op(ir.OpShr, q, shift), num(uint64(d)))
	s.become(value, ir.OpSub, ir.U32, ir.Void, x, product)
}
