package readptx

import (
	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

const integers = "u8,s8,u16,s16,u32,s32,u64,s64"

// convertRows are the conversions (PTX ISA, "cvt", "cvta", "isspacep").
var convertRows = []row{
	{pattern: "cvt{.sat}.{" + integers + "}.{" + integers + "}", args: "d, a", pure: true, build: buildCvtInteger},
	{pattern: "cvt.{rni,rzi,rmi,rpi}{.ftz}{.sat}.{" + integers + "}.{f16,bf16,f32,f64}", args: "d, a", pure: true, build: buildCvt},
	{pattern: "cvt.{rn,rz,rm,rp}{.ftz}{.sat}.{f16,bf16,f32,f64}.{" + integers + "}", args: "d, a", pure: true, build: buildCvt},
	{pattern: "cvt{.rni,.rzi,.rmi,.rpi,.rn,.rz,.rm,.rp}{.ftz}{.sat}.{f16,f32,f64}.{f16,f32,f64}", args: "d, a", pure: true, build: buildCvt},
	{pattern: "cvt{.rn,.rz,.rni,.rzi,.rmi,.rpi}{.relu}{.sat}.bf16.{f32,bf16,f16,f64}", args: "d, a", pure: true, build: buildCvt},
	{pattern: "cvt.{rn,rz}{.relu}.f16.f32", args: "d, a", pure: true, build: buildCvt},
	{pattern: "cvt{.rn}{.ftz}{.sat}.{f16,f32,f64}.bf16", args: "d, a", pure: true, build: buildCvt},
	{pattern: "cvt.{rn,rz}{.relu}.{f16x2,bf16x2}.f32", args: "d, a, b", pure: true, build: buildCvtPair},
	{pattern: "cvt.{rna,rn,rz}{.relu}.tf32.f32", args: "d, a", pure: true, build: buildCvtTensor},
	{pattern: "cvt.pack.sat.{u16,s16}.s32", args: "d, a, b", pure: true, build: buildCvtPack},
	{pattern: "cvta.{global,const,local,shared,param}.u64", args: "d, a", pure: true, build: buildCvta},
	{pattern: "cvta.{shared::cta,shared::cluster}.u64", args: "d, a", pure: true, build: buildCvta},
	{pattern: "cvta.param::entry.u64", args: "d, a", pure: true, build: buildCvta},
	{pattern: "cvta.to.{global,const,local,shared,param}.u64", args: "d, a", pure: true, build: buildCvta},
	{pattern: "cvta.to.{shared::cta,shared::cluster}.u64", args: "d, a", pure: true, build: buildCvta},
	{pattern: "isspacep.{global,const,local,shared,shared::cta,shared::cluster,param}", args: "p, a", pure: true, build: buildIsspacep},
}

// number returns the type as conversions name it.
func (t typ) number() ir.Number {
	switch {
	case t.letter == 't':
		return ir.NumberTF32
	case t.letter == 'h':
		return ir.NumberBFloat
	case t.letter == 'f' && t.bits == 16:
		return ir.NumberHalf
	case t.letter == 'f' && t.bits == 32:
		return ir.NumberSingle
	case t.letter == 'f':
		return ir.NumberDouble
	}
	n := map[uint8]ir.Number{8: ir.NumberU8, 16: ir.NumberU16, 32: ir.NumberU32, 64: ir.NumberU64}[t.bits]
	if t.signed() {
		n++
	}
	return n
}

// The types of cvt: the result's first.
func (s *inst) conversion() (to, from typ) { return s.from, s.t }

func buildCvtInteger(b *builder, s *inst) {
	to, from := s.conversion()
	x := b.narrower(s.args[1], from)
	if s.has(".sat") {
		v := b.calc(ir.FuncConvert, to.reg(), from.reg(), int64(ir.NewConvert(from.number(), to.number(), floats.NearestEven, ir.Saturate, false)), x)
		b.set(s, s.args[0], to, v)
		return
	}
	var v *ir.Value
	switch {
	case to.bits == 64 && from.bits < 64:
		v = b.widen(x, from.signed())
	case to.bits == 64:
		v = x
	case from.bits == 64:
		v = b.low(x)
	default:
		v = x
	}
	if to.bits < 32 && (to.bits < from.bits || to.bits == from.bits && to.signed() != from.signed()) {
		v = b.of(ir.OpExt, to.reg(), to.mem(), v)
	}
	b.set(s, s.args[0], to, v)
}

func buildCvt(b *builder, s *inst) {
	to, from := s.conversion()
	x := b.narrower(s.args[1], from)
	mode, flags := s.rounding(), s.flags()
	whole := s.has(".rni") || s.has(".rzi") || s.has(".rmi") || s.has(".rpi")
	plain := flags == 0 || flags == ir.Flush && from.bits == 64 && to.bits == 64
	var v *ir.Value
	switch k := to.reg(); {
	case plain && from.real() && to == from && !whole:
		v = x
	case plain && from.real() && to == from && mode != floats.NearestEven:
		v = b.ins([]ir.Op{floats.TowardsZero: ir.OpTrunc, floats.Down: ir.OpFloor, floats.Up: ir.OpCeil}[mode], k, x)
	case plain && from.real() && to.real() && !whole && mode == floats.NearestEven:
		v = b.of(ir.OpCvt, k, from.reg(), x)
	case plain && to.real() && mode == floats.NearestEven && (from.letter == 'u' || from.letter == 's'):
		v = b.of(ir.OpCvt, k, from.reg(), x)
	case plain && from.real() && from.bits == 32 && to.bits == 32 && mode == floats.TowardsZero && whole && !to.real():
		v = b.of(ir.OpCvt, k, ir.F32, x)
	default:
		v = b.calc(ir.FuncConvert, k, from.reg(), int64(ir.NewConvert(from.number(), to.number(), mode, flags, whole)), x)
	}
	b.set(s, s.args[0], to, v)
}

// buildCvtPair converts two floats to the upper and the lower half of a word.
func buildCvtPair(b *builder, s *inst) {
	to, from := s.conversion()
	number := typ{to.letter, 16, false}.number()
	how := ir.NewConvert(from.number(), number, s.rounding(), s.flags(), false)
	high, low := b.value(s.args[1], from), b.value(s.args[2], from)
	b.set(s, s.args[0], to.bare(), b.calc(ir.FuncPack, ir.U32, ir.F32, int64(how), low, high))
}

func buildCvtTensor(b *builder, s *inst) {
	v := b.calc(ir.FuncConvert, ir.U32, ir.F32, int64(ir.NewConvert(ir.NumberSingle, ir.NumberTF32, s.rounding(), s.flags(), false)), b.value(s.args[1], types[".f32"]))
	b.set(s, s.args[0], types[".b32"], v)
}

func buildCvtPack(b *builder, s *inst) {
	to, from := s.conversion()
	part := func(o operand) *ir.Value {
		v := b.calc(ir.FuncConvert, ir.U32, ir.S32, int64(ir.NewConvert(from.number(), to.number(), floats.NearestEven, ir.Saturate, false)), b.value(o, from))
		return b.cut(v, 16)
	}
	high, low := part(s.args[1]), part(s.args[2])
	b.set(s, s.args[0], types[".b32"], b.ins(ir.OpOr, ir.U32, low, b.ins(ir.OpShl, ir.U32, high, b.u32(16))))
}

// buildCvta does nothing: addresses of a space are generic addresses here.
func buildCvta(b *builder, s *inst) {
	t := types[".u64"]
	b.set(s, s.args[0], t, b.value(s.args[1], t))
}

// buildIsspacep looks at the bits of an address that say in which space it is.
func buildIsspacep(b *builder, s *inst) {
	at := b.value(s.args[1], types[".u64"])
	in := func(window uint64) *ir.Value {
		return b.of(ir.OpNe, ir.Pred, ir.U64, b.ins(ir.OpAnd, ir.U64, at, b.number(ir.U64, window)), b.number(ir.U64, 0))
	}
	var p *ir.Value
	switch s.mods[0] {
	case ".shared", ".shared::cta", ".shared::cluster":
		p = in(ir.SharedWindow)
	case ".local":
		p = in(ir.LocalWindow)
	case ".global":
		p = b.not(in(ir.SharedWindow | ir.LocalWindow))
	default: // constants are in global memory here, and parameters are copied
		p = b.predicateOf(false)
	}
	b.set(s, s.args[0], types[".pred"], p)
}
