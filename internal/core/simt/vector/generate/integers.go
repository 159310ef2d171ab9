package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Words of 32 bits are zero-extended to lanes. Instructions on words of 32 bits
// therefore compute zero in the upper halves: 0+0, 0*0, 0<<0 and so on.
func integers() {
	row2("And", "a & b", func(b operand.Op, v reg.VecVirtual) { VPAND(b, v, v) })
	row2("Or", "a | b", func(b operand.Op, v reg.VecVirtual) { VPOR(b, v, v) })
	row2("Xor", "a ^ b", func(b operand.Op, v reg.VecVirtual) { VPXOR(b, v, v) })
	// The instruction inverts its first operand.
	row2("AndNot", "a &^ b", func(b operand.Op, v reg.VecVirtual) { VPANDN(v, in(b), v) })
	single("Add32", "a + b on words of 32 bits", VPADDD)
	single("Add64", "a + b on words of 64 bits", VPADDQ)
	single("Sub32", "a - b on words of 32 bits", VPSUBD)
	single("Sub64", "a - b on words of 64 bits", VPSUBQ)
	single("Mul32", "a * b on words of 32 bits", VPMULLD)
	row2("Mul64", "a * b on words of 64 bits", multiply)
	row3("Mad32", "a*b + c on words of 32 bits", func(b, c operand.Op, v reg.VecVirtual) {
		VPMULLD(b, v, v)
		VPADDD(c, v, v)
	})
	row3("Mad64", "a*b + c on words of 64 bits", func(b, c operand.Op, v reg.VecVirtual) {
		multiply(b, v)
		VPADDQ(c, v, v)
	})
	row2("MulHiU32", "the upper half of a * b on unsigned words of 32 bits", func(b operand.Op, v reg.VecVirtual) {
		VPMULUDQ(b, v, v)
		VPSRLQ(operand.Imm(32), v, v)
	})
	row2("MulHiS32", "the upper half of a * b on signed words of 32 bits", func(b operand.Op, v reg.VecVirtual) {
		VPMULDQ(b, v, v)
		VPSRLQ(operand.Imm(32), v, v)
	})
	single("MinU32", "the smaller of a and b on unsigned words of 32 bits", VPMINUD)
	single("MinS32", "the smaller of a and b on signed words of 32 bits", VPMINSD)
	single("MaxU32", "the larger of a and b on unsigned words of 32 bits", VPMAXUD)
	single("MaxS32", "the larger of a and b on signed words of 32 bits", VPMAXSD)
	shifts()
	negations()
}

// multiply multiplies words of 64 bits, for which AVX2 has no instruction: the
// lower halves, and each upper half with the other's lower half.
func multiply(b operand.Op, v reg.VecVirtual) {
	y := in(b)
	cross, other := YMM(), YMM()
	VPSRLQ(operand.Imm(32), v, cross)
	VPMULUDQ(y, cross, cross)
	VPSRLQ(operand.Imm(32), y, other)
	VPMULUDQ(v, other, other)
	VPADDQ(other, cross, cross)
	VPSLLQ(operand.Imm(32), cross, cross)
	VPMULUDQ(y, v, v)
	VPADDQ(cross, v, v)
}

// shifts by the width or more give what repeated shifts by one give, as the ops of kernels do.
func shifts() {
	row2("Shl32", "a << b on words of 32 bits", func(b operand.Op, v reg.VecVirtual) { VPSLLVD(b, v, v) })
	row2("Shl64", "a << b on words of 64 bits", func(b operand.Op, v reg.VecVirtual) { VPSLLVQ(b, v, v) })
	row2("ShrU32", "a >> b on unsigned words of 32 bits", func(b operand.Op, v reg.VecVirtual) { VPSRLVD(b, v, v) })
	row2("ShrS32", "a >> b on signed words of 32 bits", func(b operand.Op, v reg.VecVirtual) { VPSRAVD(b, v, v) })
	row2("ShrU64", "a >> b on unsigned words of 64 bits", func(b operand.Op, v reg.VecVirtual) { VPSRLVQ(b, v, v) })
	row2("ShrS64", "a >> b on signed words of 64 bits", func(b operand.Op, v reg.VecVirtual) {
		// AVX2 has none: a number below zero is inverted, shifted and inverted again.
		sign := YMM()
		VPXOR(sign, sign, sign)
		VPCMPGTQ(v, sign, sign)
		VPXOR(sign, v, v)
		VPSRLVQ(b, v, v)
		VPXOR(sign, v, v)
	})
}

func negations() {
	zero := func(name, doc string, sub func(...operand.Op)) {
		row1(name, doc, func(a operand.Op, v reg.VecVirtual) {
			VPXOR(v, v, v)
			sub(a, v, v)
		})
	}
	zero("Neg32", "-a on words of 32 bits", VPSUBD)
	zero("Neg64", "-a on words of 64 bits", VPSUBQ)
	masked := func(name, doc string, mask uint64, op func(a, m, v operand.Op)) {
		function(name, doc, rows, func() {
			d, a, m := param("d"), param("a"), constant(mask)
			for i := range vectors {
				v := YMM()
				op(at(a, i), m, v)
				VMOVDQU(v, at(d, i))
			}
		})
	}
	xor := func(a, m, v operand.Op) { VPXOR(a, m, v) }
	and := func(a, m, v operand.Op) { VPAND(a, m, v) }
	masked("Not32", "^a on words of 32 bits", 1<<32-1, xor)
	masked("Not64", "^a on words of 64 bits", 1<<64-1, xor)
	masked("Low8", "the lowest 8 bits of a", 1<<8-1, and)
	masked("Low16", "the lowest 16 bits of a", 1<<16-1, and)
	masked("Low32", "the lowest 32 bits of a", 1<<32-1, and)
	masked("Sign32", "a as a signed word of 32 bits, extended to 64", 1, func(a, m, v operand.Op) { VPMULDQ(a, m, v) })
	masked("NegF32", "-a on floats of 32 bits, whose sign alone changes", 1<<31, xor)
	masked("AbsF32", "the absolute value of a on floats of 32 bits", 1<<31-1, and)
	masked("NegF64", "-a on floats of 64 bits, whose sign alone changes", 1<<63, xor)
	masked("AbsF64", "the absolute value of a on floats of 64 bits", 1<<63-1, and)
}
