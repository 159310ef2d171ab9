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
