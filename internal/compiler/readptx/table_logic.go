package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

// logicRows are the logic and shift instructions, and those that move data between
// registers (PTX ISA, "Logic and Shift Instructions", "Data Movement").
var logicRows = []row{
	{pattern: "and.{pred,b16,b32,b64}", args: "d, a, b", pure: true, build: two(ir.OpAnd)},
	{pattern: "or.{pred,b16,b32,b64}", args: "d, a, b", pure: true, build: two(ir.OpOr)},
	{pattern: "xor.{pred,b16,b32,b64}", args: "d, a, b", pure: true, build: two(ir.OpXor)},
	{pattern: "not.{pred,b16,b32,b64}", args: "d, a", pure: true, build: one(ir.OpNot)},
	{pattern: "cnot.{b16,b32,b64}", args: "d, a", pure: true, build: buildCnot},
	{pattern: "lop3.b32", args: "d, a, b, c, lut", pure: true, build: buildLop3},
	{pattern: "lop3.{or,and}.b32", args: "d|p, a, b, c, lut, q", pure: true, build: buildLop3},
	{pattern: "shl.{b16,b32,b64}", args: "d, a, b", pure: true, build: buildShift},
	{pattern: "shr.{b16,b32,b64,u16,u32,u64,s16,s32,s64}", args: "d, a, b", pure: true, build: buildShift},
	{pattern: "shf.{l,r}.{clamp,wrap}.b32", args: "d, a, b, c", pure: true, build: buildFunnel},
	{pattern: "prmt.b32{.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", args: "d, a, b, c", pure: true, build: buildPrmt},
	{pattern: "mov.{pred,b16,u16,s16,f16,b32,u32,s32,b64,u64,s64,f32,f64}", args: "d, a", pure: true, build: buildMov},
	{pattern: "selp.{b16,u16,s16,f16,b32,u32,s32,b64,u64,s64,f32,f64}", args: "d, a, b, c", pure: true, build: buildSelp},
	{pattern: "slct{.ftz}.{b16,u16,s16,b32,u32,s32,b64,u64,s64,f32,f64}.{s32,f32}", args: "d, a, b, c", pure: true, build: buildSlct},
}

func buildCnot(b *builder, s *inst) {
	k := s.t.reg()
	zero := b.of(ir.OpEq, ir.Pred, k, b.value(s.args[1], s.t), b.number(k, 0))
	b.set(s, s.args[0], s.t, b.ins(ir.OpSelect, k, zero, b.number(k, 1), b.number(k, 0)))
}

// immediate returns an operand that must be a number.
func (b *builder) immediate(o operand, what string, most uint64) int64 {
	if o.form != formNumber || o.real {
		b.fail("%s is no number", what)
	}
	if o.bits > most {
		b.fail("%s is %d; it is at most %d", what, int64(o.bits), most)
	}
	return int64(o.bits)
}

func buildLop3(b *builder, s *inst) {
	t := types[".b32"]
	table := b.immediate(s.args[4], "the table of lop3", 255)
	x, y, z := b.value(s.args[1], t), b.value(s.args[2], t), b.value(s.args[3], t)
	v := b.calc(ir.FuncLop3, ir.U32, ir.U32, table, x, y, z)
	// The functions that are an instruction of their own.
	switch table {
	case 0xC0:
		v = b.ins(ir.OpAnd, ir.U32, x, y)
	case 0xFC:
		v = b.ins(ir.OpOr, ir.U32, x, y)
	case 0x3C:
		v = b.ins(ir.OpXor, ir.U32, x, y)
	}
	if len(s.mods) == 1 {
		b.set(s, s.args[0], t, v)
		return
	}
	d := s.args[0]
	if d.form != formPair {
		b.fail("the destination of %s is d|p", s.op+s.statement.mods)
	}
	p := b.of(ir.OpNe, ir.Pred, ir.U32, v, b.u32(0))
	op := ir.OpOr
	if s.has(".and") {
		op = ir.OpAnd
	}
	p = b.ins(op, ir.Pred, p, b.value(s.args[5], types[".pred"]))
	b.set(s, d.list[0], t, v)
	b.set(s, d.list[1], types[".pred"], p)
}

func buildShift(b *builder, s *inst) {
	op, k := ir.OpShl, s.t.reg()
	if s.op == "shr" {
		op = ir.OpShr
	}
	n := b.value(s.args[2], types[".u32"])
	b.set(s, s.args[0], s.t, b.ins(op, k, b.value(s.args[1], s.t), n))
}

func buildFunnel(b *builder, s *inst) {
	t, how := types[".b32"], int64(0)
	if s.has(".r") {
		how |= 1
	}
	if s.has(".wrap") {
		how |= 2
	}
	b.set(s, s.args[0], t, b.calc(ir.FuncShf, ir.U32, ir.U32, how, b.value(s.args[1], t), b.value(s.args[2], t), b.value(s.args[3], t)))
}

func buildPrmt(b *builder, s *inst) {
	t, mode := types[".b32"], ir.PrmtAny
	for i, name := range []string{".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"} {
		if s.has(name) {
			mode = ir.PrmtF4E + int64(i)
		}
	}
	b.set(s, s.args[0], t, b.calc(ir.FuncPrmt, ir.U32, ir.U32, mode, b.value(s.args[1], t), b.value(s.args[2], t), b.value(s.args[3], t)))
}

// buildMov moves a value, the address of a variable, or the parts of a vector.
func buildMov(b *builder, s *inst) {
	d, a := s.args[0], s.args[1]
	switch {
	case d.form == formVector:
		v := b.cast(b.value(a, s.t), typ{'u', s.t.bits, false}.reg())
		n := uint8(len(d.list))
		if n == 0 || s.t.bits%n != 0 || s.t.bits/n < 8 {
			b.fail("%d parts of %d bits", n, s.t.bits)
		}
		part := typ{'b', s.t.bits / n, false}
		for i, one := range d.list {
			b.set(s, one, part, b.bitsOf(v, uint8(i)*part.bits, part.bits))
		}
	case a.form == formVector:
		n := uint8(len(a.list))
		if n == 0 || s.t.bits%n != 0 || s.t.bits/n < 8 {
			b.fail("%d parts of %d bits", n, s.t.bits)
		}
		part := typ{'b', s.t.bits / n, false}
		var sum *ir.Value
		k := typ{'u', s.t.bits, false}.reg()
		for i, one := range a.list {
			v := b.cast(b.value(one, part), part.reg())
			if k == ir.U64 {
				v = b.widen(v, false)
			}
			if i > 0 {
				v = b.ins(ir.OpOr, k, sum, b.ins(ir.OpShl, k, v, b.u32(uint64(i)*uint64(part.bits))))
			}
			sum = v
		}
		b.set(s, d, s.t, sum)
	default:
		b.set(s, d, s.t, b.value(a, s.t))
	}
}

// bitsOf returns some bits of an integer as a value of their width.
func (b *builder) bitsOf(v *ir.Value, from, bits uint8) *ir.Value {
	if v.K.Bits() == 64 {
		if from >= 32 {
			v = b.high(v)
			from -= 32
		} else {
			v = b.low(v)
		}
	}
	if from > 0 {
		v = b.ins(ir.OpShr, ir.U32, v, b.u32(uint64(from)))
	}
	return b.cut(v, bits)
}

func buildSelp(b *builder, s *inst) {
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	b.set(s, s.args[0], s.t, b.ins(ir.OpSelect, s.t.reg(), b.value(s.args[3], types[".pred"]), x, y))
}

// buildSlct selects by the sign of its last operand.
func buildSlct(b *builder, s *inst) {
	x, y := b.value(s.args[1], s.from), b.value(s.args[2], s.from)
	c := b.value(s.args[3], s.t)
	if s.has(".ftz") {
		c = b.flush(c)
	}
	k := s.t.reg()
	on := b.of(ir.OpGe, ir.Pred, k, c, b.number(k, 0))
	b.set(s, s.args[0], s.from, b.ins(ir.OpSelect, s.from.reg(), on, x, y))
}

// calc builds a Function of the IR.
func (b *builder) calc(f ir.Function, k, argK ir.Kind, how int64, args ...*ir.Value) *ir.Value {
	v := b.of([]ir.Op{ir.OpCalc1, ir.OpCalc2, ir.OpCalc3}[len(args)-1], k, argK, args...)
	v.Imm = ir.CalcImm(f, how)
	return v
}

// flush makes a subnormal float of 32 bits zero.
func (b *builder) flush(v *ir.Value) *ir.Value {
	if v.K != ir.F32 {
		return v
	}
	return b.calc(ir.FuncFlush, ir.F32, ir.F32, 0, v)
}
