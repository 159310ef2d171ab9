package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func others() {
	shift := places()
	lea("LeaU32", "a + b*scale, where b is an unsigned word of 32 bits and scale is less than 1<<32", VPMULUDQ)
	lea("LeaS32", "a + b*scale, where b is a signed word of 32 bits and scale is less than 1<<31", VPMULDQ)
	function("AddAll", "a + n", "d, a *[32]uint64, n uint64", func() {
		d, a, n := param("d"), param("a"), broadcast("n")
		for i := range vectors {
			v := YMM()
			VPADDQ(at(a, i), n, v)
			VMOVDQU(v, at(d, i))
		}
	})
	function("Add", "a + n in the lanes of mask; the others keep what d has", "d, a *[32]uint64, n uint64, mask uint32", func() {
		d, a, n := param("d"), param("a"), broadcast("n")
		blended(shift, func(i int, mask reg.VecVirtual) {
			sum, v := YMM(), in(at(d, i))
			VPADDQ(at(a, i), n, sum)
			VBLENDVPD(mask, sum, v, v)
			VMOVDQU(v, at(d, i))
		})
	})
	function("Merge", "a in the lanes of mask; the others keep what d has", "d, a *[32]uint64, mask uint32", func() {
		d, a := param("d"), param("a")
		blended(shift, func(i int, mask reg.VecVirtual) {
			v := in(at(d, i))
			VBLENDVPD(mask, at(a, i), v, v)
			VMOVDQU(v, at(d, i))
		})
	})
	function("Select", "a in the lanes of mask and b in the others", "d, a, b *[32]uint64, mask uint32", func() {
		d, a, b := param("d"), param("a"), param("b")
		blended(shift, func(i int, mask reg.VecVirtual) {
			v := in(at(b, i))
			VBLENDVPD(mask, at(a, i), v, v)
			VMOVDQU(v, at(d, i))
		})
	})
}

func lea(name, doc string, multiply func(...operand.Op)) {
	function(name, doc, "d, a, b *[32]uint64, scale uint64", func() {
		d, a, b, scale := param("d"), param("a"), param("b"), broadcast("scale")
		for i := range vectors {
			v := YMM()
			multiply(at(b, i), scale, v)
			VPADDQ(at(a, i), v, v)
			VMOVDQU(v, at(d, i))
		}
	})
}

// broadcast is a register with a parameter of 64 bits in all its lanes.
func broadcast(name string) reg.VecVirtual {
	x, y := XMM(), YMM()
	VMOVQ(Load(Param(name), GP64()), x)
	VPBROADCASTQ(x, y)
	return y
}

// blended calls body for all vectors, with a register in which the highest bit of
// a lane is that of the lane in the parameter mask.
func blended(shift operand.Mem, body func(i int, mask reg.VecVirtual)) {
	x, m := XMM(), YMM()
	VMOVD(Load(Param("mask"), GP32()), x)
	VPBROADCASTQ(x, m)
	// Lane i of the last vector has bit 28+i, which moves to the top. Each vector
	// before has the bits four places lower.
	VPSLLVQ(shift, m, m)
	for i := vectors - 1; i >= 0; i-- {
		body(i, m)
		if i > 0 {
			VPSLLQ(operand.Imm(perVector), m, m)
		}
	}
}

// places returns how far the bits of the last vector's lanes are from the top.
func places() operand.Mem {
	m := GLOBL("places", RODATA|NOPTR)
	for i := range perVector {
		DATA(8*i, operand.U64(63-(lanes-perVector+i)))
	}
	return m
}
