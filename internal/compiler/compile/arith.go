package compile

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Integer registers have no signedness: the kind of an operation comes from the
// Go type, not from the operand. Conversions between integers of the same width
// are therefore free.

var arithOps = map[token.Token]ir.Op{
	token.ADD: ir.OpAdd, token.SUB: ir.OpSub, token.MUL: ir.OpMul, token.QUO: ir.OpDiv, token.REM: ir.OpRem,
	token.AND: ir.OpAnd, token.OR: ir.OpOr, token.XOR: ir.OpXor, token.AND_NOT: ir.OpAndNot,
	token.SHL: ir.OpShl, token.SHR: ir.OpShr,
}

var compareOps = map[token.Token]ir.Op{
	token.EQL: ir.OpEq, token.NEQ: ir.OpNe, token.LSS: ir.OpLt, token.LEQ: ir.OpLe, token.GTR: ir.OpGt, token.GEQ: ir.OpGe,
}

// leafOf returns the only leaf of a scalar type. It rejects other types; what
// names the operation in the error.
func (lo *lowerer) leafOf(t types.Type, pos token.Pos, what string) leafType {
	l := lo.layoutAt(t, pos)
	if len(l.leaves) != 1 || l.leaves[0].k == ir.Void {
		lo.fail(pos, "%s is not supported for %s in device code; use numbers", what, lo.c.typeName(t))
	}
	return l.leaves[0]
}

func (lo *lowerer) unary(fr *frame, in *ssa.UnOp) []leaf {
	pos := in.Pos()
	switch in.Op {
	case token.MUL:
		return lo.load(lo.address(fr, in.X, pos), in.Type(), pos)
	case token.ARROW:
		lo.reject(in)
	}
	t := lo.leafOf(in.Type(), pos, "operator "+in.Op.String())
	x := lo.operand(fr, in.X, pos)
	op := ir.OpNot
	if in.Op == token.SUB {
		op = ir.OpNeg
	}
	return []leaf{lo.canonical(lo.pure(op, t.k, ir.Void, x), t)}
}

// canonical extends the result of an 8- or 16-bit operation again.
func (lo *lowerer) canonical(v *ir.Value, t leafType) *ir.Value {
	if !t.narrow() {
		return v
	}
	return lo.pure(ir.OpExt, t.k, t.m, v)
}

func (lo *lowerer) binary(fr *frame, in *ssa.BinOp) leaf {
	pos := in.Pos()
	xs, ys := lo.val(fr, in.X, pos), lo.val(fr, in.Y, pos)
	if left, ok := constText(xs); ok {
		if right, ok := constText(ys); ok {
			return lo.textOp(in.Op, left, right)
		}
	}
	if op, ok := compareOps[in.Op]; ok {
		return lo.compare(op, in.X.Type(), xs, ys, pos)
	}
	result := lo.leafOf(in.Type(), pos, "operator "+in.Op.String())
	left, right := lo.reg(xs[0], pos), lo.reg(ys[0], pos)
	op := arithOps[in.Op]
	switch op {
	case ir.OpShl, ir.OpShr:
		right = lo.shiftCount(right, lo.leafOf(in.Y.Type(), pos, "a shift count"))
	case ir.OpDiv, ir.OpRem:
		if result.k.Float() {
			break
		}
		// A division by zero is a fault in Go, so that it stays where it is, and is folded only if the divisor is known.
		v := lo.f.NewValue(op, result.k, fr.pos(lo), left, right)
		if c := lo.fold(v); c != nil {
			return lo.canonical(c, result)
		}
		return lo.canonical(lo.append(v), result)
	}
	v := lo.pure(op, result.k, ir.Void, left, right)
	switch op {
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpShr:
		return v // canonical if the operands are
	}
	return lo.canonical(v, result)
}

// shiftCount converts a count to the 32-bit number that shifts take. Counts
// larger than the width have the same effect as 255.
func (lo *lowerer) shiftCount(y *ir.Value, t leafType) *ir.Value {
	if t.k.Bits() == 32 {
		if y.Op == ir.OpConst {
			return lo.constant(ir.U32, y.Bits())
		}
		return y
	}
	// A 64-bit count may have zeros below and bits above: cut to 32 bits it would be another shift.
	y = lo.pure(ir.OpMin, ir.U64, ir.Void, y, lo.constant(ir.U64, 255))
	return lo.pure(ir.OpCvt, ir.U32, ir.U64, y)
}

// compare lowers a comparison of values of any comparable type.
func (lo *lowerer) compare(op ir.Op, t types.Type, xs, ys []leaf, pos token.Pos) leaf {
	eq := op == ir.OpEq || op == ir.OpNe
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return lo.compareNil(op, xs[0], ys[0], pos)
	case *types.Slice:
		xs, ys = xs[:1], ys[:1] // comparison with nil
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			lo.fail(pos, "strings are not supported in device code, except as the text of a panic")
		}
	}
	if !eq {
		k := lo.leafOf(t, pos, "comparison").k
		return lo.pure(op, ir.Pred, k, lo.reg(xs[0], pos), lo.reg(ys[0], pos))
	}
	l := lo.layoutAt(t, pos)
	if len(xs) == 1 && op == ir.OpNe && l.leaves[0].k == ir.Pred {
		return lo.pure(ir.OpXor, ir.Pred, ir.Void, lo.reg(xs[0], pos), lo.reg(ys[0], pos))
	}
	all := lo.constant(ir.Pred, 1)
	for i := range xs {
		all = lo.both(all, lo.equal(l.leaves[i].k, xs[i], ys[i], pos))
	}
	if op == ir.OpEq {
		return all
	}
	// The comparison was just made for this: it is turned around instead of negated.
	if n := len(lo.cur.Ins); len(xs) == 1 && n > 0 && all.Op == ir.OpEq && lo.cur.Ins[n-1] == all {
		all.Op = ir.OpNe
		return all
	}
	return lo.pure(ir.OpNot, ir.Pred, ir.Void, all)
}

// both returns the conjunction of two predicates.
func (lo *lowerer) both(x, y *ir.Value) *ir.Value {
	if x.Op == ir.OpConst && x.Bits() != 0 {
		return y
	}
	return lo.pure(ir.OpAnd, ir.Pred, ir.Void, x, y)
}

// equal compares two leaves. An address of a local is never nil.
func (lo *lowerer) equal(k ir.Kind, x, y leaf, pos token.Pos) *ir.Value {
	ax, okx := x.(localAddr)
	ay, oky := y.(localAddr)
	cx, nilx := lo.isConst(x)
	cy, nily := lo.isConst(y)
	switch {
	case okx && oky:
		return lo.boolean(ax == ay)
	case okx && nily && cy.Imm == 0, oky && nilx && cx.Imm == 0:
		return lo.boolean(false)
	case k == ir.Void:
		lo.fail(pos, "a comparison of functions, interfaces or strings inside a struct is not supported in device code; compare the other fields")
	}
	a, b := lo.reg(x, pos), lo.reg(y, pos)
	if k == ir.Pred {
		return lo.pure(ir.OpNot, ir.Pred, ir.Void, lo.pure(ir.OpXor, ir.Pred, ir.Void, a, b))
	}
	return lo.pure(ir.OpEq, ir.Pred, k, a, b)
}

func (lo *lowerer) boolean(b bool) *ir.Value {
	if b {
		return lo.constant(ir.Pred, 1)
	}
	return lo.constant(ir.Pred, 0)
}

// compareNil compares a function or interface with nil, at compile time.
func (lo *lowerer) compareNil(op ir.Op, x, y leaf, pos token.Pos) leaf {
	_, nx := x.(null)
	_, ny := y.(null)
	if !nx && !ny {
		lo.fail(pos, "interfaces can be compared only with nil in device code; compare what they hold")
	}
	return lo.boolean((nx && ny) == (op == ir.OpEq))
}

func (lo *lowerer) goConvert(fr *frame, in *ssa.Convert) leaf {
	pos := in.Pos()
	what := "a conversion to " + lo.c.typeName(in.Type())
	from := lo.leafOf(in.X.Type(), pos, what)
	to := lo.leafOf(in.Type(), pos, "a conversion from "+lo.c.typeName(in.X.Type()))
	if from.k == ir.Pred || to.k == ir.Pred {
		lo.fail(pos, "%s is not supported", what)
	}
	return lo.convert(lo.operand(fr, in.X, pos), from, to)
}

// convert converts a number as Go does. A float that the integer type cannot
// represent, for which Go leaves the value open, saturates as in PTX, and NaN
// becomes 0.
func (lo *lowerer) convert(x *ir.Value, from, to leafType) *ir.Value {
	if from.k.Int() && to.k.Int() {
		if from.k.Bits() != to.k.Bits() {
			x = lo.pure(ir.OpCvt, to.k, from.k, x)
		} else if x.Op == ir.OpConst {
			x = lo.constant(to.k, x.Bits())
		}
		// The register holds small integers extended by their type: a type that has all values of the other needs nothing done.
		if holds(to.m, from.m) {
			return x
		}
		return lo.canonical(x, to)
	}
	if from.k == to.k {
		return x
	}
	v := lo.pure(ir.OpCvt, to.k, from.k, x)
	if from.k.Float() && to.narrow() {
		return lo.clamp(v, to)
	}
	return lo.canonical(v, to)
}

// clamp limits a 32-bit integer to the range of a type of 8 or 16 bits.
func (lo *lowerer) clamp(v *ir.Value, t leafType) *ir.Value {
	limit := func(op ir.Op, n int64) { v = lo.pure(op, t.k, ir.Void, v, lo.constant(t.k, uint64(uint32(n)))) }
	if t.k.Signed() {
		limit(ir.OpMax, -1<<(t.m.Bits()-1))
		limit(ir.OpMin, 1<<(t.m.Bits()-1)-1)
	} else {
		limit(ir.OpMin, 1<<t.m.Bits()-1)
	}
	return v
}

// holds reports whether kind a can represent every value of integer kind b.
func holds(a, b ir.Kind) bool {
	switch {
	case a.Signed() == b.Signed():
		return a.Bits() >= b.Bits()
	case a.Signed():
		return a.Bits() > b.Bits()
	}
	return false
}

// constBits returns a Go constant in the representation of kind k.
func constBits(c constant.Value, k ir.Kind) uint64 {
	switch k {
	case ir.Pred:
		if constant.BoolVal(c) {
			return 1
		}
		return 0
	case ir.F32:
		f, _ := constant.Float32Val(constant.ToFloat(c))
		return uint64(math.Float32bits(f))
	case ir.F64:
		f, _ := constant.Float64Val(constant.ToFloat(c))
		return math.Float64bits(f)
	}
	c = constant.ToInt(c)
	if u, ok := constant.Uint64Val(c); ok {
		return u
	}
	i, _ := constant.Int64Val(c)
	return uint64(i)
}

// constText returns the value of a string known at compile time.
func constText(x []leaf) (s string, ok bool) {
	if len(x) != 1 {
		return "", false
	}
	t, ok := x[0].(text)
	return string(t), ok
}

// textOp computes an operation on strings known at compile time.
func (lo *lowerer) textOp(op token.Token, x, y string) leaf {
	if op == token.ADD {
		return text(x + y)
	}
	return lo.boolean(constant.Compare(constant.MakeString(x), op, constant.MakeString(y)))
}

// stringConst returns a string constant as a leaf.
func stringConst(c constant.Value) leaf {
	if s := constant.StringVal(c); s != "" {
		return text(s)
	}
	return null{}
}
