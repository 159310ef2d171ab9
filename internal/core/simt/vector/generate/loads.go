package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Addresses are computed and checked for four lanes at once. The words are loaded one by
// one: gathers are no faster on most hosts, and on some far slower.
func loads(shift operand.Mem) {
	load(shift, "Load32", "words of 32 bits", 4, MOVL)
	load(shift, "Load64", "words of 64 bits", 8, MOVQ)
	linear()
}

// load is a function that loads words of size bytes into the lanes of d.
func load(shift operand.Mem, name, doc string, size uint64, move func(from, to operand.Op)) {
	TEXT(name, NOSPLIT, "func(d, a *[32]uint64, from *byte, lo, limit uint64, mask uint32) bool")
	Doc(name+" loads "+doc+" from addresses a - lo behind from into the lanes of mask, and any into the",
		"others. It returns false and loads nothing if an address of the mask is more than limit or not",
		"aligned. From address 0, there is at least one word.")
	Pragma("noescape")
	d, a := param("d"), param("a")
	lo, limit, flip, low := broadcast("lo"), broadcast("limit"), constant(1<<63), constant(size-1)
	// AVX2 compares signed numbers; without the highest bit, these have the unsigned order.
	VPXOR(flip, limit, limit)
	wrong, zero := YMM(), YMM()
	VPXOR(wrong, wrong, wrong)
	VPXOR(zero, zero, zero)
	// Not in d, which may be a: the caller needs the addresses if the function returns false.
	offsets := AllocLocal(lanes * 8)
	blended(shift, func(i int, mask reg.VecVirtual) {
		off, over, odd, in := YMM(), YMM(), YMM(), YMM()
		VPCMPGTQ(mask, zero, in)
		VMOVDQU(at(a, i), off)
		VPSUBQ(lo, off, off)
		VPAND(in, off, off)
		VPXOR(flip, off, over)
		VPCMPGTQ(limit, over, over)
		VPAND(low, off, odd)
		VPOR(over, wrong, wrong)
		VPOR(odd, wrong, wrong)
		VMOVDQU(off, offsets.Offset(i*bytes))
	})
	VPTEST(wrong, wrong)
	VZEROUPPER()
	JNZ(operand.LabelRef("invalid"))
	from := param("from")
	for i := range lanes {
		word := GP64()
		MOVQ(offsets.Offset(8*i), word)
		var to reg.Register = word
		if size == 4 {
			to = word.As32()
		}
		move(operand.Mem{Base: from, Index: word, Scale: 1}, to)
		MOVQ(word, operand.Mem{Base: d, Disp: 8 * i})
	}
	result(1)
	RET()
	Label("invalid")
	result(0)
	RET()
}

func result(value uint64) {
	r := GP8()
	MOVB(operand.U8(value), r)
	Store(r, ReturnIndex(0))
}

// linear is the function for words of one line of a cache.
func linear() {
	TEXT("Line32", NOSPLIT, "func(d *[32]uint64, line *[128]byte, off *[32]uint8)")
	Doc("Line32 loads the words of 32 bits at the offsets off of a line of a cache. Offsets are taken",
		"modulo the line and rounded down to a word.")
	Pragma("noescape")
	d, line, off := param("d"), param("line"), param("off")
	// Lanes that are not loaded for have any offset.
	inside, v, offsets := constant(0x7C7C7C7C7C7C7C7C), YMM(), AllocLocal(lanes)
	VPAND(operand.Mem{Base: off}, inside, v)
	VMOVDQU(v, offsets)
	VZEROUPPER()
	for i := range lanes {
		at := GP64()
		MOVBQZX(offsets.Offset(i), at)
		MOVL(operand.Mem{Base: line, Index: at, Scale: 1}, at.As32())
		MOVQ(at, operand.Mem{Base: d, Disp: 8 * i})
	}
	RET()
}
