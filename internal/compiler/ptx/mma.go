package ptx

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// mma prints a product of matrices.
func (w *printer) mma(in *ir.Inst) {
	m := ir.MMA(in.Imm)
	var d []string
	for i := range int(in.NDst) {
		d = append(d, w.dst(in, i))
	}
	a, b, _ := m.Variant().Registers()
	w.o("mma.sync.aligned.%v {%s}, {%s}, {%s}, {%s}", m, strings.Join(d, ", "),
		w.registers(in, 1, 1+a), w.registers(in, 1+a, 1+a+b), w.registers(in, 1+a+b, int(in.NSrc)))
}

// lacks reports whether the target does not have an instruction, and fails then.
func (w *printer) lacks(in *ir.Inst) bool {
	needs := w.p.Capability(in)
	if in.Op.OfSums() && architecture(w.opt.Target) != needs {
		w.fail("%s needs sm_90a", in.PTXName())
		return true
	}
	if architecture(w.opt.Target) >= needs {
		return false
	}
	w.fail("%s needs sm_%d", in.PTXName(), needs)
	return true
}

// registers returns the registers of a part of the operands, which may not be numbers (PTX ISA, "Vectors as Operands").
func (w *printer) registers(in *ir.Inst, from, to int) string {
	list := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		list = append(list, w.register(in, i, ir.MMA(in.Imm).ArgKind(from)))
	}
	return strings.Join(list, ", ")
}

// register returns an operand that may be no number.
func (w *printer) register(in *ir.Inst, i int, k ir.Kind) string {
	o := in.Src[i]
	if o >= 0 {
		return w.row(int32(o), k)
	}
	w.usedU[^o] = true
	return w.uniformReg(int(^o))
}

// constantIn prints code that puts a constant in a register.
func constantIn(reg string, u ir.Uniform) string {
	return fmt.Sprintf("\tmov.%s %s, %s;\n", bits(u.K), reg, immediate(unsigned(u.K), u.Bits))
}

// loadMatrices prints a load of matrices. Its bounds are not checked: only some lanes hold addresses.
func (w *printer) loadMatrices(in *ir.Inst) {
	var d []string
	for i := range in.NDst {
		d = append(d, w.dst(in, int(i)))
	}
	w.o("ldmatrix.sync.aligned.m8n8%s%s.b16 {%s}, %s", matrices(in), w.space(in), strings.Join(d, ", "), w.address(in))
}

// storeMatrices prints a store of matrices, as loadMatrices.
func (w *printer) storeMatrices(in *ir.Inst) {
	n, _ := in.Op.Matrices()
	var from []string
	for i := range n {
		from = append(from, w.register(in, 1+i, ir.U32))
	}
	w.o("stmatrix.sync.aligned.m8n8%s%s.b16 %s, {%s}", matrices(in), w.space(in), w.address(in), strings.Join(from, ", "))
}

// matrices returns the modifiers that say how many matrices there are, and whether they are transposed.
func matrices(in *ir.Inst) string {
	n, transposes := in.Op.Matrices()
	if transposes {
		return fmt.Sprintf(".x%d.trans", n)
	}
	return fmt.Sprintf(".x%d", n)
}
