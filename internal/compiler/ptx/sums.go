package ptx

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// accelerated returns the target that has all instructions of the kernels: those of warpgroups, and for their registers, belong to the architecture sm_90a and to no
// later one (PTX ISA, "wgmma.mma_async", Target ISA Notes).
func accelerated(target string, kernels []*ir.Kernel) string {
	for _, k := range kernels {
		if (k.Program.SumWords > 0 || k.Program.SetsRegisters()) && target == "sm_90" {
			return "sm_90a"
		}
	}
	return target
}

// sums prints an instruction on sums of a warpgroup.
func (w *printer) sums(in *ir.Inst) {
	switch in.Op {
	case ir.OpSumsGet, ir.OpSumsSet:
		i, known := w.constant(in.Src[0])
		if !known {
			w.fail("which of the sums an access is to is not known; optimise the kernel")
			return
		}
		sum := w.row(int32(w.p.Sums+ir.SumsOf(in.Imm).First)+int32(i), ir.U32)
		if in.Op == ir.OpSumsGet {
			w.o("mov.b32 %s, %s", w.dst(in, 0), sum)
		} else {
			w.o("mov.b32 %s, %s", sum, w.src(in, 1, in.ArgK))
		}
	case ir.OpGroupMMA, ir.OpGroupMMAFrom:
		w.groupProduct(in)
	case ir.OpGroupMMAWait:
		w.o("wgmma.wait_group.sync.aligned %d", in.Imm)
	default:
		w.o("%s.sync.aligned", in.Op)
	}
}

// groupProduct prints a product of a warpgroup (PTX ISA, "wgmma.mma_async"), which is added to the sums: scale-d is true.
func (w *printer) groupProduct(in *ir.Inst) {
	sums, g := ir.SumsOf(in.Imm), in.GroupProduct()
	list := make([]string, sums.Words)
	for i := range list {
		list[i] = w.row(int32(w.p.Sums+sums.First+i), ir.U32)
	}
	a, b := in.Op.GroupMatrices()
	from := ""
	if a > 0 {
		from = w.descriptor(in, a, "%td1")
	} else {
		var registers []string
		for i := range 4 {
			registers = append(registers, w.register(in, 1+i, ir.U32))
		}
		from = "{" + strings.Join(registers, ", ") + "}"
	}
	rest := w.pred(ir.PredTrue)
	says := func(form mma.Form, does, not string) {
		if sums.Form&form == 0 {
			does = not
		}
		rest += ", " + does
	}
	if g.Negates() {
		says(mma.NegatedA, "-1", "1")
		says(mma.NegatedB, "-1", "1")
	}
	if g.Transposes() {
		if a > 0 { // only what is in shared memory can be transposed
			says(mma.TransposedA, "1", "0")
		}
		says(mma.TransposedB, "1", "0")
	}
	w.o("wgmma.mma_async.sync.aligned.%s {%s}, %s, %s, %s", g.Name(sums.Words), strings.Join(list, ", "), from, w.descriptor(in, b, "%td2"), rest)
}

// descriptor prints code that puts the descriptor of a matrix in a register, and returns that: the address in shared memory without its last
// four bits, and the layout (PTX ISA, "Matrix Descriptor Format").
func (w *printer) descriptor(in *ir.Inst, operand int, to string) string {
	at := w.src(in, operand, ir.U64)
	if w.generic {
		fmt.Fprintf(w, "\tcvta.to.shared.u64 %s, %s;\n", to, at)
		at = to
	}
	fmt.Fprintf(w, "\tbfe.u64 %s, %s, 4, 14;\n\tor.b64 %s, %s, %s;\n", to, at, to, to, w.src(in, operand+1, ir.U64))
	return to
}
