package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A comparison leaves all bits of a lane set where it holds, or at least the highest.
type comparison func(x reg.VecVirtual, y operand.Op)

// The immediate operands of the comparisons of floats: ordered, without a signal, and unordered for "not equal".
const (
	floatEqual     = 0x00
	floatNotEqual  = 0x04
	floatLess      = 0x11
	floatLessEqual = 0x12
)

func comparisons() {
	// A word of 32 bits is zero-extended, and no number below zero as one of 64.
	equal := func(x reg.VecVirtual, y operand.Op) { VPCMPEQQ(y, x, x) }
	greater := func(x reg.VecVirtual, y operand.Op) { VPCMPGTQ(y, x, x) }
	compare("Equal", "a == b", equal, false, false, 0)
	compare("NotEqual", "a != b", equal, false, true, 0)
	ordered("U32", "unsigned words of 32 bits", greater, 0)
	// The result is in the lower half of a lane.
	ordered("S32", "signed words of 32 bits", func(x reg.VecVirtual, y operand.Op) {
		VPCMPGTD(y, x, x)
		VPSLLQ(operand.Imm(32), x, x)
	}, 0)
	ordered("S64", "signed words of 64 bits", greater, 0)
	// Without the highest bit, the unsigned order is the signed one.
	ordered("U64", "unsigned words of 64 bits", greater, 1<<63)
	for _, f := range []struct {
		name, doc string
		op        func(predicate uint64) comparison
	}{
		{"F32", "floats of 32 bits", func(p uint64) comparison {
			return func(x reg.VecVirtual, y operand.Op) {
				VCMPPS(operand.Imm(p), y, x, x)
				VPSLLQ(operand.Imm(32), x, x)
			}
		}},
		{"F64", "floats of 64 bits", func(p uint64) comparison {
			return func(x reg.VecVirtual, y operand.Op) { VCMPPD(operand.Imm(p), y, x, x) }
		}},
	} {
		compare("Equal"+f.name, "a == b on "+f.doc, f.op(floatEqual), false, false, 0)
		compare("NotEqual"+f.name, "a != b on "+f.doc, f.op(floatNotEqual), false, false, 0)
		compare("Less"+f.name, "a < b on "+f.doc, f.op(floatLess), false, false, 0)
		compare("LessEqual"+f.name, "a <= b on "+f.doc, f.op(floatLessEqual), false, false, 0)
		compare("Greater"+f.name, "a > b on "+f.doc, f.op(floatLess), true, false, 0)
		compare("GreaterEqual"+f.name, "a >= b on "+f.doc, f.op(floatLessEqual), true, false, 0)
	}
}

// ordered are the four comparisons of integers that follow from "greater".
func ordered(name, doc string, greater comparison, flip uint64) {
	compare("Greater"+name, "a > b on "+doc, greater, false, false, flip)
	compare("Less"+name, "a < b on "+doc, greater, true, false, flip)
	compare("GreaterEqual"+name, "a >= b on "+doc, greater, true, true, flip)
	compare("LessEqual"+name, "a <= b on "+doc, greater, false, true, flip)
}

// compare is a function that returns the mask of the lanes in which a comparison
// holds, of b with a if they are swapped, and of which the contrary is returned if not
// holds. The bits of flip change in both before.
func compare(name, doc string, op comparison, swapped, not bool, flip uint64) {
	TEXT(name, NOSPLIT, "func(a, b *[32]uint64) uint32")
	Pragma("noescape")
	Doc(name + " returns the mask of the lanes in which " + doc + ".")
	a, b := param("a"), param("b")
	if swapped {
		a, b = b, a
	}
	var flips reg.VecVirtual
	if flip != 0 {
		flips = constant(flip)
	}
	// Two sums of halves, so that the additions wait less for each other.
	var parts [2]reg.GPVirtual
	for i := range vectors {
		x := in(at(a, i))
		var y operand.Op = at(b, i)
		if flip != 0 {
			VPXOR(flips, x, x)
			z := in(y)
			VPXOR(flips, z, z)
			y = z
		}
		op(x, y)
		bits := GP32()
		VMOVMSKPD(x, bits)
		half := &parts[i/(vectors/2)]
		if *half == nil {
			*half = bits
			continue
		}
		SHLL(operand.Imm(uint64(i%(vectors/2)*perVector)), bits)
		ORL(bits, *half)
	}
	SHLL(operand.Imm(lanes/2), parts[1])
	ORL(parts[1], parts[0])
	if not {
		NOTL(parts[0])
	}
	VZEROUPPER()
	Store(parts[0], ReturnIndex(0))
	RET()
}
