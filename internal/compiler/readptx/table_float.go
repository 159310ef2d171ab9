package readptx

import (
	"math"

	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// floatRows are the instructions on f32 and f64 (PTX ISA, "Floating-Point Instructions").
var floatRows = []row{
	{pattern: "add{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32", args: "d, a, b", pure: true, build: arithmetic("add", ir.OpAdd)},
	{pattern: "add{.rn,.rz,.rm,.rp}.f64", args: "d, a, b", pure: true, build: arithmetic("add", ir.OpAdd)},
	{pattern: "sub{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32", args: "d, a, b", pure: true, build: arithmetic("sub", ir.OpSub)},
	{pattern: "sub{.rn,.rz,.rm,.rp}.f64", args: "d, a, b", pure: true, build: arithmetic("sub", ir.OpSub)},
	{pattern: "mul{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32", args: "d, a, b", pure: true, build: arithmetic("mul", ir.OpMul)},
	{pattern: "mul{.rn,.rz,.rm,.rp}.f64", args: "d, a, b", pure: true, build: arithmetic("mul", ir.OpMul)},
	{pattern: "fma.{rn,rz,rm,rp}{.ftz}{.sat}.f32", args: "d, a, b, c", pure: true, build: arithmetic("fma", ir.OpFMA)},
	{pattern: "fma.{rn,rz,rm,rp}.f64", args: "d, a, b, c", pure: true, build: arithmetic("fma", ir.OpFMA)},
	{pattern: "mad{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32", args: "d, a, b, c", pure: true, build: arithmetic("fma", ir.OpFMA)},
	{pattern: "mad{.rn,.rz,.rm,.rp}.f64", args: "d, a, b, c", pure: true, build: arithmetic("fma", ir.OpFMA)},
	{pattern: "div.{rn,rz,rm,rp}{.ftz}.f32", args: "d, a, b", pure: true, build: arithmetic("div", ir.OpDiv)},
	{pattern: "div.{rn,rz,rm,rp}.f64", args: "d, a, b", pure: true, build: arithmetic("div", ir.OpDiv)},
	{pattern: "div.{approx,full}{.ftz}.f32", args: "d, a, b", pure: true, build: buildDivApprox},
	{pattern: "rcp.{rn,rz,rm,rp}{.ftz}.f32", args: "d, a", pure: true, build: buildRcp},
	{pattern: "rcp.{rn,rz,rm,rp}.f64", args: "d, a", pure: true, build: buildRcp},
	{pattern: "sqrt.{rn,rz,rm,rp}{.ftz}.f32", args: "d, a", pure: true, build: arithmetic("sqrt", ir.OpSqrt)},
	{pattern: "sqrt.{rn,rz,rm,rp}.f64", args: "d, a", pure: true, build: arithmetic("sqrt", ir.OpSqrt)},
	{pattern: "rcp.approx{.ftz}.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxRcp)},
	{pattern: "rcp.approx.ftz.f64", args: "d, a", pure: true, build: buildRough64},
	{pattern: "rsqrt.approx.ftz.f64", args: "d, a", pure: true, build: buildRough64},
	{pattern: "rsqrt.approx.f64", args: "d, a", pure: true, build: buildRsqrt64},
	{pattern: "sqrt.approx{.ftz}.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxSqrt)},
	{pattern: "rsqrt.approx{.ftz}.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxRsqrt)},
	{pattern: "sin.approx{.ftz}.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxSin)},
	{pattern: "cos.approx{.ftz}.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxCos)},
	{pattern: "lg2.approx{.ftz}.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxLog2)},
	{pattern: "ex2.approx{.ftz}.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxExp2)},
	{pattern: "tanh.approx.f32", args: "d, a", pure: true, build: approximate(ir.OpApproxTanh)},
	{pattern: "min{.ftz}{.NaN}{.xorsign.abs}.f32", args: "d, a, b", pure: true, build: extreme("min")},
	{pattern: "min.f64", args: "d, a, b", pure: true, build: extreme("min")},
	{pattern: "max{.ftz}{.NaN}{.xorsign.abs}.f32", args: "d, a, b", pure: true, build: extreme("max")},
	{pattern: "max.f64", args: "d, a, b", pure: true, build: extreme("max")},
	{pattern: "min{.ftz}{.NaN}.xorsign.abs.f32", args: "d, a, b", pure: true, build: extreme("min")},
	{pattern: "max{.ftz}{.NaN}.xorsign.abs.f32", args: "d, a, b", pure: true, build: extreme("max")},
	{pattern: "abs{.ftz}.f32", args: "d, a", pure: true, build: signs(ir.OpAbs)},
	{pattern: "abs.f64", args: "d, a", pure: true, build: signs(ir.OpAbs)},
	{pattern: "neg{.ftz}.f32", args: "d, a", pure: true, build: signs(ir.OpNeg)},
	{pattern: "neg.f64", args: "d, a", pure: true, build: signs(ir.OpNeg)},
	{pattern: "copysign.{f32,f64}", args: "d, a, b", pure: true, build: buildCopySign},
	{pattern: "testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}", args: "p, a", pure: true, build: buildTestp},
}

// rounding returns the rounding mode of an instruction; to nearest if it names none.
func (s *inst) rounding() floats.Rounding {
	for _, mod := range s.mods {
		switch mod {
		case ".rz", ".rzi":
			return floats.TowardsZero
		case ".rm", ".rmi":
			return floats.Down
		case ".rp", ".rpi":
			return floats.Up
		case ".rna":
			return floats.NearestAway
		}
	}
	return floats.NearestEven
}

// flags returns what an instruction on floats does besides.
func (s *inst) flags() (f ir.FloatFlags) {
	for mod, flag := range map[string]ir.FloatFlags{
		".ftz": ir.Flush, ".sat": ir.Saturate, ".satfinite": ir.Saturate, ".NaN": ir.KeepNaN, ".xorsign": ir.XorSign, ".relu": ir.Relu,
	} {
		if s.has(mod) {
			f |= flag
		}
	}
	return f
}

func (t typ) format() floats.Format {
	switch {
	case t.letter == 'h':
		return floats.BFloat
	case t.bits == 64:
		return floats.Double
	case t.bits == 16 || t.pair:
		return floats.Half
	}
	return floats.Single
}

// arithmetic builds an op of the IR if it rounds as the instruction, and a Function
// otherwise.
func arithmetic(name string, op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		k := s.t.reg()
		var args []*ir.Value
		for _, a := range s.args[1:] {
			args = append(args, b.value(a, s.t))
		}
		if s.rounding() == floats.NearestEven && s.flags() == 0 {
			b.set(s, s.args[0], s.t, b.ins(op, k, args...))
			return
		}
		b.set(s, s.args[0], s.t, b.calc(ir.FuncFloat, k, k, int64(ir.NewFloat(name, s.t.format(), s.rounding(), s.flags())), args...))
	}
}

// buildRcp divides one: the IR has no exact reciprocal, and no GPU an instruction for it.
func buildRcp(b *builder, s *inst) {
	k := s.t.reg()
	x := b.value(s.args[1], s.t)
	if s.rounding() != floats.NearestEven || s.flags() != 0 {
		b.set(s, s.args[0], s.t, b.calc(ir.FuncFloat, k, k, int64(ir.NewFloat("rcp", s.t.format(), s.rounding(), s.flags())), x))
		return
	}
	one := math.Float64bits(1)
	if s.t.bits == 32 {
		one = uint64(math.Float32bits(1))
	}
	b.set(s, s.args[0], s.t, b.ins(ir.OpDiv, k, b.number(k, one), x))
}

// buildDivApprox multiplies with the approximate reciprocal, as the ISA says.
func buildDivApprox(b *builder, s *inst) {
	x, y := b.value(s.args[1], s.t), b.value(s.args[2], s.t)
	if s.has(".ftz") {
		x, y = b.flush(x), b.flush(y)
	}
	v := b.ins(ir.OpMul, ir.F32, x, b.ins(ir.OpApproxRcp, ir.F32, y))
	if s.has(".ftz") {
		v = b.flush(v)
	}
	b.set(s, s.args[0], s.t, v)
}

func approximate(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		x := b.value(s.args[1], s.t)
		if s.has(".ftz") {
			b.set(s, s.args[0], s.t, b.flush(b.ins(op, ir.F32, b.flush(x))))
			return
		}
		b.set(s, s.args[0], s.t, b.ins(op, ir.F32, x))
	}
}

// buildRough64 is the start of a Newton iteration: 20 bits of the mantissa are kept.
func buildRough64(b *builder, s *inst) {
	x := b.value(s.args[1], s.t)
	one := b.number(ir.F64, math.Float64bits(1))
	v := x
	if s.op == "rsqrt" {
		v = b.ins(ir.OpSqrt, ir.F64, x)
	}
	v = b.cast(b.ins(ir.OpDiv, ir.F64, one, v), ir.U64)
	b.set(s, s.args[0], s.t, b.cast(b.ins(ir.OpAnd, ir.U64, v, b.number(ir.U64, ^uint64(1<<32-1))), ir.F64))
}

func buildRsqrt64(b *builder, s *inst) {
	v := b.ins(ir.OpSqrt, ir.F64, b.value(s.args[1], s.t))
	b.set(s, s.args[0], s.t, b.ins(ir.OpDiv, ir.F64, b.number(ir.F64, math.Float64bits(1)), v))
}

// extreme is min or max: of a number and NaN the number, unlike the IR's own.
func extreme(name string) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		k := s.t.reg()
		how := ir.NewFloat(name, s.t.format(), floats.NearestEven, s.flags())
		b.set(s, s.args[0], s.t, b.calc(ir.FuncFloat, k, k, int64(how), b.value(s.args[1], s.t), b.value(s.args[2], s.t)))
	}
}

func signs(op ir.Op) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		x := b.value(s.args[1], s.t)
		if s.has(".ftz") {
			x = b.flush(x)
		}
		b.set(s, s.args[0], s.t, b.ins(op, s.t.reg(), x))
	}
}

func buildCopySign(b *builder, s *inst) {
	k := s.t.reg()
	b.set(s, s.args[0], s.t, b.calc(ir.FuncCopySign, k, k, 0, b.value(s.args[1], s.t), b.value(s.args[2], s.t)))
}

func buildTestp(b *builder, s *inst) {
	which := map[string]ir.Testp{
		".finite": ir.TestFinite, ".infinite": ir.TestInfinite, ".number": ir.TestNumber,
		".notanumber": ir.TestNotANumber, ".normal": ir.TestNormal, ".subnormal": ir.TestSubnormal,
	}[s.mods[0]]
	b.set(s, s.args[0], types[".pred"], b.calc(ir.FuncTestp, ir.Pred, s.t.reg(), int64(which), b.value(s.args[1], s.t)))
}

// halfRows are the instructions on f16, bf16 and pairs of them (PTX ISA, "Half Precision
// Floating-Point Instructions").
var halfRows = []row{
	{pattern: "add{.rn}{.ftz}{.sat}.{f16,f16x2}", args: "d, a, b", pure: true, build: half("add")},
	{pattern: "add{.rn}.{bf16,bf16x2}", args: "d, a, b", pure: true, build: half("add")},
	{pattern: "sub{.rn}{.ftz}{.sat}.{f16,f16x2}", args: "d, a, b", pure: true, build: half("sub")},
	{pattern: "sub{.rn}.{bf16,bf16x2}", args: "d, a, b", pure: true, build: half("sub")},
	{pattern: "mul{.rn}{.ftz}{.sat}.{f16,f16x2}", args: "d, a, b", pure: true, build: half("mul")},
	{pattern: "mul{.rn}.{bf16,bf16x2}", args: "d, a, b", pure: true, build: half("mul")},
	{pattern: "fma.rn{.ftz}{.sat,.relu}.{f16,f16x2}", args: "d, a, b, c", pure: true, build: half("fma")},
	{pattern: "fma.rn{.relu}.{bf16,bf16x2}", args: "d, a, b, c", pure: true, build: half("fma")},
	{pattern: "min{.ftz}{.NaN}.{f16,f16x2}", args: "d, a, b", pure: true, build: half("min")},
	{pattern: "min{.NaN}.{bf16,bf16x2}", args: "d, a, b", pure: true, build: half("min")},
	{pattern: "max{.ftz}{.NaN}.{f16,f16x2}", args: "d, a, b", pure: true, build: half("max")},
	{pattern: "max{.NaN}.{bf16,bf16x2}", args: "d, a, b", pure: true, build: half("max")},
	{pattern: "min{.ftz}{.NaN}.xorsign.abs.{f16,f16x2,bf16,bf16x2}", args: "d, a, b", pure: true, build: half("min")},
	{pattern: "max{.ftz}{.NaN}.xorsign.abs.{f16,f16x2,bf16,bf16x2}", args: "d, a, b", pure: true, build: half("max")},
	{pattern: "neg{.ftz}.{f16,f16x2,bf16,bf16x2}", args: "d, a", pure: true, build: buildHalfSign},
	{pattern: "abs{.ftz}.{f16,f16x2,bf16,bf16x2}", args: "d, a", pure: true, build: buildHalfSign},
	{pattern: "ex2.approx{.ftz}.{f16,f16x2,bf16,bf16x2}", args: "d, a", pure: true, build: halfFunction(ir.FuncExp2)},
	{pattern: "tanh.approx.{f16,f16x2,bf16,bf16x2}", args: "d, a", pure: true, build: halfFunction(ir.FuncTanh)},
}

// half builds arithmetic of 16 bits, or of two halves of a word.
func half(name string) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		t, f := s.t.bare(), ir.FuncFloat
		if s.t.pair {
			f = ir.FuncHalves
		}
		var args []*ir.Value
		for _, a := range s.args[1:] {
			args = append(args, b.value(a, t))
		}
		b.set(s, s.args[0], t, b.calc(f, ir.U32, ir.U32, int64(ir.NewFloat(name, s.t.format(), floats.NearestEven, s.flags())), args...))
	}
}

// bare returns the type without meaning of a type's width.
func (t typ) bare() typ { return typ{'b', t.bits, false} }

func buildHalfSign(b *builder, s *inst) {
	t := s.t.bare()
	sign := uint64(0x8000)
	if s.t.pair {
		sign = 0x80008000
	}
	x := b.value(s.args[1], t)
	if s.has(".ftz") { // a sum with -0 changes nothing but subnormal numbers
		f := ir.FuncFloat
		if s.t.pair {
			f = ir.FuncHalves
		}
		x = b.calc(f, ir.U32, ir.U32, int64(ir.NewFloat("add", s.t.format(), floats.NearestEven, ir.Flush)), x, b.u32(sign))
	}
	if s.op == "abs" {
		x = b.ins(ir.OpAnd, ir.U32, x, b.u32(^sign&0xFFFFFFFF))
	} else {
		x = b.ins(ir.OpXor, ir.U32, x, b.u32(sign))
	}
	b.set(s, s.args[0], t, x)
}

func halfFunction(f ir.Function) func(*builder, *inst) {
	return func(b *builder, s *inst) {
		how := int64(ir.NewFloat("add", s.t.format(), floats.NearestEven, s.flags()))
		x := b.value(s.args[1], s.t.bare())
		part := func(v *ir.Value) *ir.Value { return b.calc(f, ir.U32, ir.U32, how, v) }
		if !s.t.pair {
			b.set(s, s.args[0], s.t.bare(), part(x))
			return
		}
		low, high := part(b.cut(x, 16)), part(b.ins(ir.OpShr, ir.U32, x, b.u32(16)))
		b.set(s, s.args[0], s.t.bare(), b.ins(ir.OpOr, ir.U32, low, b.ins(ir.OpShl, ir.U32, high, b.u32(16))))
	}
}
