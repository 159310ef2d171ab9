package ptx

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// record prints the code of a failing thread, which acts if cond is set: the first failing thread writes the fault
// record, and every failing thread leaves the kernel. Threads leave instead of trapping, because a trap destroys the
// context and with it the record.
func (w *printer) record(kind int, detail, cond string) {
	skip := fmt.Sprintf("$F%d", w.records)
	w.records++
	fmt.Fprintf(w, "\t@!%s bra %s;\n", cond, skip)
	fmt.Fprintf(w, "\tatom.relaxed.gpu.global.cas.b64 %%td3, [%s], 0, 1;\n", FaultVar)
	w.WriteString("\tsetp.ne.u64 %q3, %td3, 0;\n\t@%q3 bra $Leave;\n")
	w.faultWord(1, fmt.Sprint(kind))
	w.faultWord(2, fmt.Sprint(w.pc))
	w.faultWord(5, detail)
	fmt.Fprintf(w, "\tbra $Fault;\n%s:\n", skip)
}

// faultWord prints the store of a word of the fault record.
func (w *printer) faultWord(word int, val string) {
	fmt.Fprintf(w, "\tst.global.u64 [%s+%d], %s;\n", FaultVar, 8*word, val)
}

// recordPlace prints, once, the common end of all recording threads: they write their block and thread number, x
// fastest, and complete the record.
func (w *printer) recordPlace() {
	if w.records == 0 {
		return
	}
	w.WriteString("$Fault:\n")
	for _, x := range []struct {
		word       int
		index, dim string
	}{{3, "ctaid", "nctaid"}, {4, "tid", "ntid"}} {
		fmt.Fprintf(w, "\tmov.u32 %%t3, %%%s.z;\n\tmov.u32 %%t4, %%%s.y;\n\tmov.u32 %%t5, %%%s.y;\n\tmad.lo.u32 %%t3, %%t3, %%t4, %%t5;\n", x.index, x.dim, x.index)
		fmt.Fprintf(w, "\tmov.u32 %%t4, %%%s.x;\n\tmov.u32 %%t5, %%%s.x;\n\tcvt.u64.u32 %%td3, %%t5;\n\tmad.wide.u32 %%td3, %%t3, %%t4, %%td3;\n", x.dim, x.index)
		w.faultWord(x.word, "%td3")
	}
	fmt.Fprintf(w, "\tst.release.gpu.global.u64 [%s], 2;\n$Leave:\n\texit;\n", FaultVar)
}

// active restricts the condition in %q3 to the threads for which the guard of in is true.
func (w *printer) active(in *ir.Inst) {
	if in.Guard == ir.NoGuard {
		return
	}
	g := w.pred(in.Guard)
	if in.GuardNot {
		fmt.Fprintf(w, "\tnot.pred %%q2, %s;\n\tand.pred %%q3, %%q3, %%q2;\n", g)
		return
	}
	fmt.Fprintf(w, "\tand.pred %%q3, %%q3, %s;\n", g)
}

// trap ends a thread at a panic.
func (w *printer) trap(in *ir.Inst) {
	if !w.opt.Check {
		w.o("trap")
		return
	}
	w.WriteString("\tsetp.eq.u32 %q3, 0, 0;\n")
	w.active(in)
	w.record(FaultTrap, fmt.Sprint(in.Imm), "%q3")
}

// checkDivisor ends a thread that divides by zero.
func (w *printer) checkDivisor(in *ir.Inst) {
	if !w.opt.Check {
		return
	}
	fmt.Fprintf(w, "\tsetp.eq.%v %%q3, %s, 0;\n", in.K, w.src(in, 1, in.K))
	w.active(in)
	w.record(FaultDivide, "0", "%q3")
}

// checkBounds ends a thread whose access lies outside the object from which its address is derived. Objects not known
// at compile time are not checked.
func (w *printer) checkBounds(in *ir.Inst) {
	if in.Op.TensorDims() > 0 {
		if w.opt.Check {
			fmt.Fprintf(w, "\tcvt.u64.u32 %s, %s;\n", bulkSize, w.src(in, 2, ir.U32))
			w.checkOperand(in, 1, 0, in.To, FaultToBounds, FaultToAlign)
			w.checkBox(in)
		}
		return // what is outside of the tensor is zeros, or not stored
	}
	if inBulk(in) && w.opt.Check {
		fmt.Fprintf(w, "\tcvt.u64.u32 %s, %s;\n\tand.b64 %%td7, %s, %d;\n\tsetp.ne.u64 %%q3, %%td7, 0;\n", bulkSize, w.src(in, 2, ir.U32), bulkSize, in.Mem.Bytes()-1)
		w.active(in)
		w.record(FaultBulkSize, bulkSize, "%q3")
	}
	w.checkOperand(in, 0, in.Imm, in.Root, FaultBounds, FaultAlign)
	if act := in.Op.Action(); act == ir.ActCopy || act == ir.ActBulk {
		w.checkOperand(in, 1, 0, in.To, FaultToBounds, FaultToAlign)
	}
}

// inBulk reports whether in begins a copy in bulk: its third operand is the number of bytes.
func inBulk(in *ir.Inst) bool { return in.Op.Completes() || in.Op.Action() == ir.ActBulk }

// bulkSize is the register with the number of bytes of a copy in bulk, while it is checked.
const bulkSize = "%td2"

// checkOperand is checkBounds for an address that is operand i of in plus off, in the object of a root, with the kinds of its faults.
func (w *printer) checkOperand(in *ir.Inst, i int, off int64, of int32, bounds, align int) {
	if !w.opt.Check || of < 0 {
		return
	}
	root := w.p.Roots[of]
	fmt.Fprintf(w, "\tadd.s64 %%td4, %s, %d;\n", w.src(in, i, ir.U64), off)
	size := ""
	switch {
	case root.Leaf >= 0:
		leaf := w.p.Leaves[root.Leaf]
		if leaf.Table != nil {
			name := tableName(w.name, root.Leaf)
			fmt.Fprintf(w, "\tmov.u64 %%td5, %s;\n\tcvta.global.u64 %%td5, %%td5;\n\tmov.u64 %%td6, %d;\n", name, leaf.Size)
			size = "%td6"
			break
		}
		fmt.Fprintf(w, "\tld.param.u64 %%td5, [p%d];\n", root.Leaf)
		if leaf.Role == ir.Pointer {
			fmt.Fprintf(w, "\tsetp.ne.u64 %%q3, %%td5, 0;\n\tselp.b64 %%td6, %d, 0, %%q3;\n", leaf.Size) // a nil pointer has no object
		} else {
			fmt.Fprintf(w, "\tld.param.u64 %%td6, [p%d];\n\tmul.lo.u64 %%td6, %%td6, %d;\n", root.Leaf+1, leaf.Size)
		}
		size = "%td6"
	default:
		v := ir.Var{}
		window := uint64(0)
		if root.Space == ir.Shared {
			v, window = w.p.Shared[root.Var], ir.SharedWindow
		} else {
			v, window = w.p.Local[root.Var], ir.LocalWindow
		}
		u := w.varUniform(root.Space, window|uint64(v.Off))
		if u == "" {
			return
		}
		fmt.Fprintf(w, "\tmov.u64 %%td5, %s;\n", u)
		size = fmt.Sprint(v.Size)
		if v.Dynamic {
			size = "%td6"
			w.WriteString("\tmov.u32 %t3, %dynamic_smem_size;\n\tcvt.u64.u32 %td6, %t3;\n")
		}
	}
	// The offset of the access and its end must satisfy offset < end <= size,
	// unsigned; an address below the base wraps to a huge offset.
	fmt.Fprintf(w, "\tsub.s64 %%td5, %%td4, %%td5;\n\tadd.s64 %%td7, %%td5, %d;\n", in.Mem.Bytes())
	fmt.Fprintf(w, "\tsetp.gt.u64 %%q3, %%td7, %s;\n\tsetp.lt.u64 %%q2, %%td7, %%td5;\n\tor.pred %%q3, %%q3, %%q2;\n", size)
	w.accesses(in)
	w.record(bounds, "%td5", "%q3")
	if n := in.Mem.Bytes(); n > in.Mem.Kind.Bytes() {
		fmt.Fprintf(w, "\tand.b64 %%td7, %%td4, %d;\n\tsetp.ne.u64 %%q3, %%td7, 0;\n", n-1)
		w.accesses(in)
		w.record(align, "%td5", "%q3")
	}
	if inBulk(in) {
		// Up to here the first bytes of the copy were checked. The record has the offset of the last ones.
		fmt.Fprintf(w, "\tadd.s64 %%td7, %%td5, %s;\n\tsetp.gt.u64 %%q3, %%td7, %s;\n\tsub.s64 %%td5, %%td7, %d;\n", bulkSize, size, in.Mem.Bytes())
		w.accesses(in)
		w.record(bounds, "%td5", "%q3")
	}
}

// accesses restricts the condition in %q3 to the threads that access memory: active ones, and of a copy in bulk those that copy a byte.
func (w *printer) accesses(in *ir.Inst) {
	w.active(in)
	if inBulk(in) {
		fmt.Fprintf(w, "\tsetp.ne.u64 %%q2, %s, 0;\n\tand.pred %%q3, %%q3, %%q2;\n", bulkSize)
	}
}

// varUniform returns the register with the address of a variable; "" if no uniform holds it.
func (w *printer) varUniform(space ir.Space, addr uint64) string {
	for i, u := range w.p.Uniforms {
		if u.Space == space && u.Bits == addr {
			w.usedU[i] = true
			return w.uniformReg(i)
		}
	}
	return ""
}

// watch prints the watchdog's clock check before a backward branch.
func (w *printer) watch(in *ir.Inst) {
	if !w.opt.Watchdog || int(in.Target) > w.pc {
		return
	}
	fmt.Fprintf(w, "\tmov.u64 %%td4, %%globaltimer;\n\tsetp.gt.u64 %%q3, %%td4, %%deadline;\n")
	if in.Op == ir.OpBra {
		w.active(in)
	}
	w.record(FaultWatchdog, fmt.Sprint(w.pc), "%q3")
}
