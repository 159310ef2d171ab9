// Command generate writes the vector instructions of package vector, as
// "go generate" there runs it.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A row has 32 lanes of 8 bytes, and a register of AVX2 holds four of them.
const (
	lanes     = 32
	perVector = 4
	vectors   = lanes / perVector
	bytes     = 32 // of a vector
)

func main() {
	ConstraintExpr("amd64,!purego")
	integers()
	floats()
	comparisons()
	others()
	Generate()
}

// at is vector i of the row that p points to.
func at(p reg.Register, i int) operand.Mem { return operand.Mem{Base: p, Disp: i * bytes} }

// function is a function of rows without a result.
func function(name, doc string, params string, body func()) {
	TEXT(name, NOSPLIT, "func("+params+")")
	Pragma("noescape")
	Doc(name + " computes " + doc + ".")
	body()
	// The instructions of SSE that Go uses are slow while the upper halves are in use.
	VZEROUPPER()
	RET()
}

func param(name string) reg.Register { return Load(Param(name), GP64()) }

// row1, row2 and row3 are functions of one to three rows. All have the same
// parameters, so that one table holds them.
const rows = "d, a, b, c *[32]uint64"

func row1(name, doc string, op func(a operand.Op, v reg.VecVirtual)) {
	function(name, doc, rows, func() {
		d, a := param("d"), param("a")
		for i := range vectors {
			v := YMM()
			op(at(a, i), v)
			VMOVDQU(v, at(d, i))
		}
	})
}

// row2 has vector i of a in v, and of b in memory; op leaves the result in v.
func row2(name, doc string, op func(b operand.Op, v reg.VecVirtual)) {
	function(name, doc, rows, func() {
		d, a, b := param("d"), param("a"), param("b")
		for i := range vectors {
			v := YMM()
			VMOVDQU(at(a, i), v)
			op(at(b, i), v)
			VMOVDQU(v, at(d, i))
		}
	})
}

// single is row2 for what one instruction does.
func single(name, doc string, op func(...operand.Op)) {
	row2(name, doc, func(b operand.Op, v reg.VecVirtual) { op(b, v, v) })
}

func row3(name, doc string, op func(b, c operand.Op, v reg.VecVirtual)) {
	function(name, doc, rows, func() {
		d, a, b, c := param("d"), param("a"), param("b"), param("c")
		for i := range vectors {
			v := YMM()
			VMOVDQU(at(a, i), v)
			op(at(b, i), at(c, i), v)
			VMOVDQU(v, at(d, i))
		}
	})
}

// constant is a register with value in all its lanes.
func constant(value uint64) reg.VecVirtual {
	g, x, y := GP64(), XMM(), YMM()
	MOVQ(operand.U64(value), g)
	VMOVQ(g, x)
	VPBROADCASTQ(x, y)
	return y
}

// in is m in a register.
func in(m operand.Op) reg.VecVirtual {
	v := YMM()
	VMOVDQU(m, v)
	return v
}
