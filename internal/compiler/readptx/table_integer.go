package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

// integerRows are the integer arithmetic instructions (PTX ISA, "Integer Arithmetic
// Instructions" and "Extended-Precision Integer Arithmetic Instructions").
var integerRows = []row{
	{pattern: "add.{u16,s16,u32,s32,u64,s64}", args: "d, a, b", pure: true, build: buildAdd},
	{pattern: "add.sat.s32", args: "d, a, b", pure: true, build: saturated(ir.OpAdd)},
	{pattern: "add.{u16x2,s16x2}", args: "d, a, b", pure: true, build: packed(ir.OpAdd)},
	{pattern: "sub.{u16,s16,u32,s32,u64,s64}", args: "d, a, b", pure: true, build: two(ir.OpSub)},
	{pattern: "sub.sat.s32", args: "d, a, b", pure: true, build: saturated(ir.OpSub)},
	{pattern: "mul.lo.{u16,s16,u32,s32,u64,s64}", args: "d, a, b", pure: true, build: two(ir.OpMul)},
	{pattern: "mul.hi.{u32,s32,u64,s64}", args: "d, a, b", pure: true, build: two(ir.OpMulHi)},
	{pattern: "mul.hi.{u16,s16}", args: "d, a, b", pure: true, build: buildMulHi16},
	{pattern: "mul.wide.{u16,s16,u32,s32}", args: "d, a, b", pure: true, build: buildMulWide},
	{pattern: "mad.lo.{u16,s16,u32,s32,u64,s64}", args: "d, a, b, c", pure: true, build: three(ir.OpMad)},
	{pattern: "mad.hi.{u32,s32,u64,s64}", args: "d, a, b, c", pure: true, build: buildMadHi},
	{pattern: "mad.hi.{u16,s16}", args: "d, a, b, c", pure: true, build: buildMulHi16},
	{pattern: "mad.hi.sat.s32", args: "d, a, b, c", pure: true, build: buildMadHiSat},
	{pattern: "mad.wide.{u16,s16,u32,s32}", args: "d, a, b, c", pure: true, build: buildMulWide},
	{pattern: "mul24.{lo,hi}.{u32,s32}", args: "d, a, b", pure: true, build: buildMul24},
	{pattern: "mad24.{lo,hi}.{u32,s32}", args: "d, a, b, c", pure: true, build: buildMul24},
	{pattern: "mad24.hi.sat.s32", args: "d, a, b, c", pure: true, build: buildMul24},
	{pattern: "sad.{u16,s16,u32,s32,u64,s64}", args: "d, a, b, c", pure: true, build: buildSad},
	{pattern: "div.{u16,s16,u32,s32,u64,s64}", args: "d, a, b", build: two(ir.OpDiv)},
	{pattern: "rem.{u16,s16,u32,s32,u64,s64}", args: "d, a, b", build: two(ir.OpRem)},
	{pattern: "abs.{s16,s32,s64}", args: "d, a", pure: true, build: buildAbs},
	{pattern: "neg.{s16,s32,s64}", args: "d, a", pure: true, build: one(ir.OpNeg)},
	{pattern: "min.{u16,s16,u32,s32,u64,s64}", args: "d, a, b", pure: true, build: two(ir.OpMin)},
	{pattern: "max.{u16,s16,u32,s32,u64,s64}", args: "d, a, b", pure: true, build: two(ir.OpMax)},
	{pattern: "min.{u16x2,s16x2}", args: "d, a, b", pure: true, build: packed(ir.OpMin)},
	{pattern: "max.{u16x2,s16x2}", args: "d, a, b", pure: true, build: packed(ir.OpMax)},
	{pattern: "min.relu.s32", args: "d, a, b", pure: true, build: relu(ir.OpMin)},
	{pattern: "max.relu.s32", args: "d, a, b", pure: true, build: relu(ir.OpMax)},
	{pattern: "popc.{b32,b64}", args: "d, a", pure: true, build: count(ir.OpPopc)},
	{pattern: "clz.{b32,b64}", args: "d, a", pure: true, build: count(ir.OpClz)},
	{pattern: "bfind{.shiftamt}.{u32,s32,u64,s64}", args: "d, a", pure: true, build: buildBfind},
	{pattern: "fns.b32", args: "d, mask, base, offset", pure: true, build: buildFns},
	{pattern: "brev.{b32,b64}", args: "d, a", pure: true, build: one(ir.OpBrev)},
	{pattern: "bfe.{u32,s32,u64,s64}", args: "d, a, b, c", pure: true, build: buildBfe},
	{pattern: "bfi.{b32,b64}", args: "f, a, b, c, d", pure: true, build: buildBfi},
	{pattern: "szext.{clamp,wrap}.{u32,s32}", args: "d, a, b", pure: true, build: buildSzext},
	{pattern: "bmsk.{clamp,wrap}.b32", args: "d, a, b", pure: true, build: buildBmsk},
	{pattern: "dp4a.{u32,s32}.{u32,s32}", args: "d, a, b, c", pure: true, build: buildDot},
	{pattern: "dp2a.{lo,hi}.{u32,s32}.{u32,s32}", args: "d, a, b, c", pure: true, build: buildDot},
	{pattern: "add.cc.{u32,s32,u64,s64}", args: "d, a, b", build: buildCarry},
	{pattern: "addc{.cc}.{u32,s32,u64,s64}", args: "d, a, b", build: buildCarry},
	{pattern: "sub.cc.{u32,s32,u64,s64}", args: "d, a, b", build: buildBorrow},
	{pattern: "subc{.cc}.{u32,s32,u64,s64}", args: "d, a, b", build: buildBorrow},
	{pattern: "mad.{lo,hi}.cc.{u32,s32,u64,s64}", args: "d, a, b, c", build: buildMadCarry},
	{pattern: "madc.{lo,hi}{.cc}.{u32,s32,u64,s64}", args: "d, a, b, c", build: buildMadCarry},
}

// buildAdd adds. The sum of an address and a product, or of a shifted index, is one
// instruction of the IR.
func buildAdd(b *builder, s *inst) {
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	if s.t.bits == 64 {
		if !scaled(y) {
			x, y = y, x
		}
		if scaled(y) {
			v := b.of(ir.OpLea, ir.U64, ir.U64, x, y.Args[0])
			if y.Op == ir.OpLea {
				v.Args[1], v.ArgK, v.Imm = y.Args[1], y.ArgK, y.Imm
			} else {
				v.Imm = 1 << y.Args[1].Bits()
			}
			b.set(s, s.args[0], s.t, v)
			return
		}
	}
	b.set(s, s.args[0], s.t, b.ins(ir.OpAdd, s.t.reg(), x, y))
}

// scaled reports whether v is an index times the size of an element.
func scaled(v *ir.Value) bool {
	switch v.Op {
	case ir.OpLea:
		return v.Args[0].Op == ir.OpConst && v.Args[0].Imm == 0
	case ir.OpShl:
		return v.Args[1].Op == ir.OpConst && v.Args[1].Bits() < 16
	}
	return false
}

// one builds an instruction that is an op of the IR with one operand.
func one(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		b.set(s, s.args[0], s.t, b.ins(op, s.t.reg(), b.value(s.args[1], s.t)))
	}
}

// two is one for two operands.
func two(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
		b.set(s, s.args[0], s.t, b.ins(op, s.t.reg(), x, y))
	}
}

// three is one for three operands.
func three(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		x, y, z := b.value(s.args[1], s.t), b.value(s.args[2], s.t), b.value(s.args[3], s.t)
		b.set(s, s.args[0], s.t, b.ins(op, s.t.reg(), x, y, z))
	}
}

// count builds an instruction whose result has 32 bits whatever its operand has.
func count(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		b.set(s, s.args[0], types[".u32"], b.of(op, ir.U32, s.t.reg(), b.value(s.args[1], s.t)))
	}
}

// saturated computes in 64 bits and brings the result into the range of 32.
func saturated(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		x, y := b.widen(b.value(s.args[1], s.t), true), b.widen(b.value(s.args[2], s.t), true)
		b.set(s, s.args[0], s.t, b.clamp32(b.ins(op, ir.S64, x, y)))
	}
}

// clamp32 brings a 64-bit integer into the range of s32.
func (b *builder) clamp32(v *ir.Value) *ir.Value {
	v = b.ins(ir.OpMin, ir.S64, v, b.number(ir.S64, 1<<31-1))
	v = b.ins(ir.OpMax, ir.S64, v, b.number(ir.S64, ^uint64(1<<31)+1))
	return b.low(v)
}

// packed computes the two halves of a register on their own.
func packed(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		word := types[".b32"]
		x, y := b.value(s.args[1], word), b.value(s.args[2], word)
		k := ir.U16
		if s.t.letter == 's' {
			k = ir.S16
		}
		half := func(v *ir.Value, upper bool) *ir.Value {
			if upper {
				v = b.ins(ir.OpShr, ir.U32, v, b.u32(16))
			}
			return b.of(ir.OpExt, k.Register(), k, v)
		}
		low := b.cut(b.ins(op, k.Register(), half(x, false), half(y, false)), 16)
		high := b.ins(op, k.Register(), half(x, true), half(y, true))
		b.set(s, s.args[0], word, b.ins(ir.OpOr, ir.U32, low, b.ins(ir.OpShl, ir.U32, high, b.u32(16))))
	}
}

// relu is min or max, and at least 0.
func relu(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		v := b.ins(op, ir.S32, b.value(s.args[1], s.t), b.value(s.args[2], s.t))
		b.set(s, s.args[0], s.t, b.ins(ir.OpMax, ir.S32, v, b.number(ir.S32, 0)))
	}
}

func buildMulHi16(b *builder, s *inst) {
	k := s.t.reg()
	shift := ir.OpShr
	v := b.ins(shift, k, b.ins(ir.OpMul, k, b.value(s.args[1], s.t), b.value(s.args[2], s.t)), b.u32(16))
	if len(s.args) > 3 {
		v = b.ins(ir.OpAdd, k, v, b.value(s.args[3], s.t))
	}
	b.set(s, s.args[0], s.t, v)
}

// buildMulWide multiplies two numbers to one of twice their width.
func buildMulWide(b *builder, s *inst) {
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	wide := typ{s.t.letter, s.t.bits * 2, false}
	if s.t.bits == 16 {
		v := b.ins(ir.OpMul, wide.reg(), x, y)
		if len(s.args) > 3 {
			v = b.ins(ir.OpAdd, wide.reg(), v, b.value(s.args[3], wide))
		}
		b.set(s, s.args[0], wide, v)
		return
	}
	// A factor that is a constant makes the product an offset for the address that it is
	// added to: one instruction computes both.
	base := b.number(ir.U64, 0)
	if len(s.args) > 3 {
		base = b.value(s.args[3], wide)
	}
	if x.Op == ir.OpConst {
		x, y = y, x
	}
	if y.Op == ir.OpConst {
		by := int64(y.Bits())
		if s.t.signed() {
			by = int64(int32(by))
		}
		v := b.of(ir.OpLea, ir.U64, s.t.reg(), base, x)
		v.Imm = by
		b.set(s, s.args[0], wide, v)
		return
	}
	v := b.of(ir.OpMulWide, wide.reg(), s.t.reg(), x, y)
	if len(s.args) > 3 {
		v = b.ins(ir.OpAdd, wide.reg(), v, base)
	}
	b.set(s, s.args[0], wide, v)
}

func buildMadHi(b *builder, s *inst) {
	k := s.t.reg()
	v := b.ins(ir.OpMulHi, k, b.value(s.args[1], s.t), b.value(s.args[2], s.t))
	b.set(s, s.args[0], s.t, b.ins(ir.OpAdd, k, v, b.value(s.args[3], s.t)))
}

func buildMadHiSat(b *builder, s *inst) {
	v := b.widen(b.ins(ir.OpMulHi, ir.S32, b.value(s.args[1], s.t), b.value(s.args[2], s.t)), true)
	b.set(s, s.args[0], s.t, b.clamp32(b.ins(ir.OpAdd, ir.S64, v, b.widen(b.value(s.args[3], s.t), true))))
}

// buildMul24 multiplies the lower 24 bits of two numbers; .hi takes bits 47 to 16 of the
// product, and .lo bits 31 to 0.
func buildMul24(b *builder, s *inst) {
	k, wide := s.t.reg(), ir.U64
	if s.t.signed() {
		wide = ir.S64
	}
	part := func(o operand) *ir.Value {
		v := b.ins(ir.OpShl, ir.U32, b.value(o, s.t), b.u32(8))
		return b.ins(ir.OpShr, k, v, b.u32(8))
	}
	x, y := part(s.args[1]), part(s.args[2])
	var v *ir.Value
	if s.has(".lo") {
		v = b.ins(ir.OpMul, k, x, y)
	} else {
		v = b.of(ir.OpMulWide, wide, k, x, y)
		v = b.low(b.ins(ir.OpShr, wide, v, b.u32(16)))
	}
	switch {
	case len(s.args) == 3:
	case s.has(".sat"):
		v = b.clamp32(b.ins(ir.OpAdd, ir.S64, b.widen(v, true), b.widen(b.value(s.args[3], s.t), true)))
	default:
		v = b.ins(ir.OpAdd, k, v, b.value(s.args[3], s.t))
	}
	b.set(s, s.args[0], s.t, v)
}

func buildSad(b *builder, s *inst) {
	k := s.t.reg()
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	v := b.ins(ir.OpSub, k, b.ins(ir.OpMax, k, x, y), b.ins(ir.OpMin, k, x, y))
	b.set(s, s.args[0], s.t, b.ins(ir.OpAdd, k, v, b.value(s.args[3], s.t)))
}

func buildAbs(b *builder, s *inst) {
	k := s.t.reg()
	x := b.value(s.args[1], s.t)
	b.set(s, s.args[0], s.t, b.ins(ir.OpMax, k, x, b.ins(ir.OpNeg, k, x)))
}

// buildBfind finds the highest bit that differs from the sign; all ones if there is none.
func buildBfind(b *builder, s *inst) {
	k := s.t.reg()
	x := b.value(s.args[1], s.t)
	if s.t.signed() {
		x = b.ins(ir.OpXor, k, x, b.ins(ir.OpShr, k, x, b.u32(uint64(s.t.bits-1))))
	}
	zeros := b.of(ir.OpClz, ir.U32, typ{'u', s.t.bits, false}.reg(), x)
	v := b.ins(ir.OpSub, ir.U32, b.u32(uint64(s.t.bits-1)), zeros) // -1 if there is no bit
	if s.has(".shiftamt") {
		none := b.of(ir.OpEq, ir.Pred, ir.U32, zeros, b.u32(uint64(s.t.bits)))
		v = b.ins(ir.OpSelect, ir.U32, none, b.u32(1<<32-1), zeros)
	}
	b.set(s, s.args[0], types[".u32"], v)
}

func buildFns(b *builder, s *inst) {
	t := types[".b32"]
	b.set(s, s.args[0], t, b.calc(ir.FuncFns, ir.U32, ir.U32, 0, b.value(s.args[1], t), b.value(s.args[2], t), b.value(s.args[3], t)))
}

// buildBfe extracts bits: c of them from bit b on, extended with the sign if there is one.
func buildBfe(b *builder, s *inst) {
	t := types[".u32"]
	x, from, n := b.value(s.args[1], s.t), b.value(s.args[2], t), b.value(s.args[3], t)
	if s.t.bits == 64 {
		from, n = b.widen(from, false), b.widen(n, false)
	}
	b.set(s, s.args[0], s.t, b.calc(ir.FuncBfe, s.t.reg(), s.t.reg(), 0, x, from, n))
}

// buildBfi inserts the lower d bits of a into b from bit c on.
func buildBfi(b *builder, s *inst) {
	t, k := types[".u32"], s.t.reg()
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	from, n := b.value(s.args[3], t), b.value(s.args[4], t)
	if s.t.bits == 64 {
		from, n = b.widen(from, false), b.widen(n, false)
	}
	mask := b.calc(ir.FuncFieldMask, k, k, 0, from, n)
	// The mask, the shifted bits, and both put together: ptxas takes as many.
	from = b.ins(ir.OpAnd, k, from, b.number(k, 255))
	if s.t.bits == 64 {
		from = b.low(from)
	}
	moved := b.ins(ir.OpAnd, k, b.ins(ir.OpShl, k, x, from), mask)
	b.set(s, s.args[0], s.t, b.ins(ir.OpOr, k, moved, b.ins(ir.OpAndNot, k, y, mask)))
}

func buildSzext(b *builder, s *inst) {
	k, imm := s.t.reg(), int64(0)
	if s.has(".wrap") {
		imm = 1
	}
	b.set(s, s.args[0], s.t, b.calc(ir.FuncSzext, k, k, imm, b.value(s.args[1], s.t), b.value(s.args[2], types[".u32"])))
}

func buildBmsk(b *builder, s *inst) {
	t, imm := types[".b32"], int64(0)
	if s.has(".wrap") {
		imm = 1
	}
	b.set(s, s.args[0], t, b.calc(ir.FuncBmsk, ir.U32, ir.U32, imm, b.value(s.args[1], t), b.value(s.args[2], t)))
}

// buildDot multiplies bytes, or 16-bit numbers and bytes, and adds the products.
func buildDot(b *builder, s *inst) {
	f, imm := ir.FuncDp4a, int64(0)
	if s.op == "dp2a" {
		f = ir.FuncDp2a
		if s.has(".hi") {
			imm |= 4
		}
	}
	if s.from.signed() {
		imm |= 1
	}
	if s.t.signed() {
		imm |= 2
	}
	t := types[".b32"]
	b.set(s, s.args[0], t, b.calc(f, ir.U32, ir.U32, imm, b.value(s.args[1], t), b.value(s.args[2], t), b.value(s.args[3], t)))
}

// The carry of an extended addition, or the borrow of a subtraction, is a predicate.

func (b *builder) carried(k ir.Kind) *ir.Value {
	return b.ins(ir.OpSelect, k, b.ssa.read(b.carry, b.cur), b.number(k, 1), b.number(k, 0))
}

// plus adds, with the carry if in is set, and keeps the carry if out is.
func (b *builder) plus(k ir.Kind, x, y *ir.Value, in, out bool) *ir.Value {
	v := b.ins(ir.OpAdd, k, x, y)
	carry := func(of *ir.Value) *ir.Value { return b.of(ir.OpLt, ir.Pred, unsigned(k), v, of) }
	var c *ir.Value
	if out {
		c = carry(x)
	}
	if in {
		sum := v
		v = b.ins(ir.OpAdd, k, sum, b.carried(k))
		if out {
			c = b.ins(ir.OpOr, ir.Pred, c, carry(sum))
		}
	}
	if out {
		b.ssa.write(b.carry, b.cur, c)
	}
	return v
}

func unsigned(k ir.Kind) ir.Kind {
	if k.Bits() == 64 {
		return ir.U64
	}
	return ir.U32
}

func buildCarry(b *builder, s *inst) {
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	b.set(s, s.args[0], s.t, b.plus(s.t.reg(), x, y, s.op == "addc", s.has(".cc")))
}

func buildBorrow(b *builder, s *inst) {
	k := s.t.reg()
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	v := b.ins(ir.OpSub, k, x, y)
	borrow := b.of(ir.OpLt, ir.Pred, unsigned(k), x, y)
	if s.op == "subc" {
		in := b.carried(k)
		less := b.of(ir.OpLt, ir.Pred, unsigned(k), v, in)
		v = b.ins(ir.OpSub, k, v, in)
		borrow = b.ins(ir.OpOr, ir.Pred, borrow, less)
	}
	if s.has(".cc") {
		b.ssa.write(b.carry, b.cur, borrow)
	}
	b.set(s, s.args[0], s.t, v)
}

func buildMadCarry(b *builder, s *inst) {
	k, op := s.t.reg(), ir.OpMul
	if s.has(".hi") {
		op = ir.OpMulHi
	}
	v := b.ins(op, k, b.value(s.args[1], s.t), b.value(s.args[2], s.t))
	b.set(s, s.args[0], s.t, b.plus(k, v, b.value(s.args[3], s.t), s.op == "madc", s.has(".cc")))
}
