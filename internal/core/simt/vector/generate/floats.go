package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The upper halves of floats of 32 bits are zero, which is +0: sums, products and
// differences of these are +0 again, and a quotient is NaN.
func floats() {
	two := func(name, doc string, op func(...operand.Op)) {
		row2(name, doc, func(b operand.Op, v reg.VecVirtual) { op(b, v, v) })
	}
	two("AddF32", "a + b on floats of 32 bits", VADDPS)
	two("AddF64", "a + b on floats of 64 bits", VADDPD)
	two("SubF32", "a - b on floats of 32 bits", VSUBPS)
	two("SubF64", "a - b on floats of 64 bits", VSUBPD)
	two("MulF32", "a * b on floats of 32 bits", VMULPS)
	two("MulF64", "a * b on floats of 64 bits", VMULPD)
	two("DivF64", "a / b on floats of 64 bits", VDIVPD)
	function("DivF32", "a / b on floats of 32 bits", rows, func() {
		d, a, b, low := param("d"), param("a"), param("b"), constant(1<<32-1)
		for i := range vectors {
			v := in(at(a, i))
			VDIVPS(at(b, i), v, v)
			VPAND(low, v, v)
			VMOVDQU(v, at(d, i))
		}
	})
	row3("FMAF32", "a*b + c on floats of 32 bits, rounded once", func(b, c operand.Op, v reg.VecVirtual) { VFMADD213PS(c, in(b), v) })
	row3("FMAF64", "a*b + c on floats of 64 bits, rounded once", func(b, c operand.Op, v reg.VecVirtual) { VFMADD213PD(c, in(b), v) })
	row1("F32OfS32", "a, a signed word of 32 bits, as a float of 32 bits", func(a operand.Op, v reg.VecVirtual) { VCVTDQ2PS(a, v) })
}
