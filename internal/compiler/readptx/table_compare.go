package readptx

import (
	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

const (
	comparisons   = "eq,ne,lt,le,gt,ge,lo,ls,hi,hs"
	unordered     = "eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan"
	comparedTypes = "b16,u16,s16,b32,u32,s32,b64,u64,s64"
)

// compareRows are the comparisons (PTX ISA, "Comparison and Selection Instructions").
var compareRows = []row{
	{pattern: "setp.{" + comparisons + "}{.and,.or,.xor}.{" + comparedTypes + "}", args: "p, a, b, {c}", pure: true, build: buildSetp},
	{pattern: "setp.{" + unordered + "}{.and,.or,.xor}{.ftz}.{f32,f64}", args: "p, a, b, {c}", pure: true, build: buildSetp},
	{pattern: "setp.{" + unordered + "}{.and,.or,.xor}{.ftz}.{f16,f16x2,bf16,bf16x2}", args: "p, a, b, {c}", pure: true, build: buildSetp},
	{pattern: "set.{" + comparisons + "}{.and,.or,.xor}.{u32,s32,f32}.{" + comparedTypes + "}", args: "d, a, b, {c}", pure: true, build: buildSet},
	{pattern: "set.{" + unordered + "}{.and,.or,.xor}{.ftz}.{u32,s32,f32}.{f32,f64}", args: "d, a, b, {c}", pure: true, build: buildSet},
	{pattern: "set.{" + unordered + "}{.and,.or,.xor}{.ftz}.{f16,bf16,u16,s16,u32,s32}.{f16,bf16}", args: "d, a, b, {c}", pure: true, build: buildSet},
}

// compare returns a comparison of two operands of the instruction.
func (b *builder) compare(s *inst, x, y *ir.Value, t typ) *ir.Value {
	k := t.reg()
	is := func(op ir.Op) *ir.Value { return b.of(op, ir.Pred, k, x, y) }
	plain := map[string]ir.Op{".eq": ir.OpEq, ".ne": ir.OpNe, ".lt": ir.OpLt, ".le": ir.OpLe, ".gt": ir.OpGt, ".ge": ir.OpGe}
	how := s.mods[0]
	if !k.Float() {
		if op, ok := map[string]ir.Op{".lo": ir.OpLt, ".ls": ir.OpLe, ".hi": ir.OpGt, ".hs": ir.OpGe}[how]; ok {
			k = unsigned(k)
			return is(op)
		}
		return is(plain[how])
	}
	number := func(v *ir.Value) *ir.Value { return b.of(ir.OpEq, ir.Pred, k, v, v) }
	both := func() *ir.Value { return b.ins(ir.OpAnd, ir.Pred, number(x), number(y)) }
	switch how {
	case ".ne": // of numbers; the IR's is true for NaN
		return b.ins(ir.OpAnd, ir.Pred, is(ir.OpNe), both())
	case ".neu":
		return is(ir.OpNe)
	case ".equ":
		return b.ins(ir.OpOr, ir.Pred, is(ir.OpEq), b.not(both()))
	case ".ltu":
		return b.not(is(ir.OpGe))
	case ".leu":
		return b.not(is(ir.OpGt))
	case ".gtu":
		return b.not(is(ir.OpLe))
	case ".geu":
		return b.not(is(ir.OpLt))
	case ".num":
		return both()
	case ".nan":
		return b.not(both())
	}
	return is(plain[how])
}

// combine joins a comparison and a predicate, if the instruction has one.
func (b *builder) combine(s *inst, v *ir.Value) *ir.Value {
	op := ir.OpInvalid
	switch {
	case s.has(".and"):
		op = ir.OpAnd
	case s.has(".or"):
		op = ir.OpOr
	case s.has(".xor"):
		op = ir.OpXor
	}
	switch {
	case op == ir.OpInvalid && len(s.args) > 3:
		b.fail("a predicate to combine with, and no .and, .or or .xor")
	case op == ir.OpInvalid:
		return v
	case len(s.args) < 4:
		b.fail("%s combines with a predicate, which is missing", s.op+s.statement.mods)
	}
	return b.ins(op, ir.Pred, v, b.value(s.args[3], types[".pred"]))
}

// compared returns the two operands of a comparison, those of 16-bit floats as f32, which
// holds them all. upper is for the second of a pair.
func (b *builder) compared(s *inst, upper bool) (x, y *ir.Value, t typ) {
	t = s.t
	if t.letter == 'h' || t.letter == 'f' && (t.bits == 16 || t.pair) {
		one := typ{t.letter, 16, false}
		get := func(o operand) *ir.Value {
			v := b.value(o, t.bare())
			if upper {
				v = b.ins(ir.OpShr, ir.U32, v, b.u32(16))
			} else if t.pair {
				v = b.cut(v, 16)
			}
			v = b.calc(ir.FuncConvert, ir.F32, ir.U32, int64(ir.NewConvert(one.number(), ir.NumberSingle, floats.NearestEven, 0, false)), v)
			return v
		}
		x, y = get(s.args[1]), get(s.args[2])
		return x, y, types[".f32"]
	}
	x, y = b.value(s.args[1], t), b.value(s.args[2], t)
	if s.has(".ftz") {
		x, y = b.flush(x), b.flush(y)
	}
	return x, y, t
}

func buildSetp(b *builder, s *inst) {
	d, p := s.args[0], types[".pred"]
	if s.t.pair {
		if d.form != formPair {
			b.fail("the destination of %s is p|q", s.op+s.statement.mods)
		}
		for i, upper := range []bool{false, true} {
			x, y, t := b.compared(s, upper)
			b.set(s, d.list[i], p, b.combine(s, b.compare(s, x, y, t)))
		}
		return
	}
	x, y, t := b.compared(s, false)
	v := b.compare(s, x, y, t)
	if d.form != formPair {
		b.set(s, d, p, b.combine(s, v))
		return
	}
	yes, no := b.combine(s, v), b.combine(s, b.not(v))
	b.set(s, d.list[0], p, yes)
	b.set(s, d.list[1], p, no)
}

// buildSet writes all ones, or 1.0, if the comparison holds.
func buildSet(b *builder, s *inst) {
	x, y, t := b.compared(s, false)
	v := b.combine(s, b.compare(s, x, y, t))
	yes := uint64(1<<32 - 1)
	switch to := s.from; {
	case to.letter == 'f' && to.bits == 32:
		yes = 0x3F800000
	case to.letter == 'f':
		yes = 0x3C00
	case to.letter == 'h':
		yes = 0x3F80
	case to.bits == 16:
		yes = 0xFFFF
	}
	k := s.from.reg()
	b.set(s, s.args[0], s.from, b.ins(ir.OpSelect, k, v, b.number(k, yes), b.number(k, 0)))
}
