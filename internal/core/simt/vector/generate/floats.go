package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The upper halves of floats of 32 bits are zero, which is +0: sums, products and
// differences of these are +0 again, and a quotient is NaN.
func floats() {
	single("AddF32", "a + b on floats of 32 bits", VADDPS)
	single("AddF64", "a + b on floats of 64 bits", VADDPD)
	single("SubF32", "a - b on floats of 32 bits", VSUBPS)
	single("SubF64", "a - b on floats of 64 bits", VSUBPD)
	single("MulF32", "a * b on floats of 32 bits", VMULPS)
	single("MulF64", "a * b on floats of 64 bits", VMULPD)
	single("DivF64", "a / b on floats of 64 bits", VDIVPD)
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
