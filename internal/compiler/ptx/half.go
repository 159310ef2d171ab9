package ptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

// conversion prints the conversions that package gpu has between formats of floats. A register of 16 bits lies between.
func (w *printer) conversion(in *ir.Inst) {
	d, x := w.dst(in, 0), w.src(in, 0, in.ArgK)
	from, to, ok := ir.ConvertOf(in.Imm)
	if (to == ir.NumberBFloat || to == ir.NumberTF32) && architecture(w.opt.Target) < 80 {
		w.fail("a conversion to bf16 or tf32 needs sm_80")
		return
	}
	switch {
	case ok && from == ir.NumberSingle && to == ir.NumberHalf:
		w.o("cvt.rn.f16.f32 %%h0, %s", x)
		w.o("cvt.u32.u16 %s, %%h0", d)
	case ok && from == ir.NumberSingle && to == ir.NumberBFloat:
		w.o("cvt.rn.bf16.f32 %%h0, %s", x)
		w.o("cvt.u32.u16 %s, %%h0", d)
	case ok && from == ir.NumberSingle && to == ir.NumberTF32:
		w.o("cvt.rna.tf32.f32 %s, %s", d, x)
	case ok && from == ir.NumberHalf && to == ir.NumberSingle:
		w.o("cvt.u16.u32 %%h0, %s", x)
		w.o("cvt.f32.f16 %s, %%h0", d)
	default:
		w.form(in) // which has none
	}
}

// pack prints a conversion of two numbers to the halves of a word, which is one instruction since compute capability 8.0 (PTX ISA, "cvt").
func (w *printer) pack(in *ir.Inst) {
	from, to, ok := ir.PackOf(in.Imm)
	if !ok || from != ir.NumberSingle || to != ir.NumberHalf && to != ir.NumberBFloat {
		w.form(in) // which has none
		return
	}
	d, low, high := w.dst(in, 0), w.src(in, 0, in.ArgK), w.src(in, 1, in.ArgK)
	switch {
	case to == ir.NumberBFloat: // which no target before has
		w.o("cvt.rn.bf16x2.f32 %s, %s, %s", d, high, low)
	case architecture(w.opt.Target) >= 80:
		w.o("cvt.rn.f16x2.f32 %s, %s, %s", d, high, low)
	default:
		w.o("cvt.rn.f16.f32 %%h0, %s", low)
		w.o("cvt.rn.f16.f32 %%h1, %s", high)
		w.o("mov.b32 %s, {%%h0, %%h1}", d)
	}
}
