package ptx

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// inst prints one instruction of the Program.
func (w *printer) inst(in *ir.Inst) {
	w.loc(in.Pos)
	if w.lacks(in) {
		return
	}
	switch {
	case in.Op.Memory():
		w.memory(in)
	case in.Op.Action() == ir.ActCopies:
		w.copies(in)
	case in.Op.OfSums():
		w.sums(in)
	case in.Op.SetsRegisters():
		w.o("%s.sync.aligned.u32 %d", in.Op, in.Imm)
	case in.Op.Collective():
		w.collective(in)
	case in.Op.Action() >= ir.ActSleep:
		w.control(in)
	default:
		w.arithmetic(in)
	}
}

// arithmetic prints ops that work on each lane separately and reads of special values.
func (w *printer) arithmetic(in *ir.Inst) {
	switch in.Op {
	case ir.OpCvt:
		w.convert(in, w.dst(in, 0))
	case ir.OpCalc1:
		w.conversion(in)
	case ir.OpCalc2:
		w.pack(in)
	case ir.OpLea:
		w.lea(in, w.dst(in, 0))
	case ir.OpSpecial, ir.OpReadSpecial:
		w.special(in, w.dst(in, 0))
	case ir.OpApproxTanh:
		w.approxTanh(in)
	default:
		if ir.Ops[in.Op].Faults && in.K.Int() {
			w.checkDivisor(in)
		}
		w.form(in)
	}
}

func unsigned(k ir.Kind) ir.Kind {
	if k.Bits() == 64 {
		return ir.U64
	}
	return ir.U32
}

func signed(k ir.Kind) ir.Kind {
	switch k {
	case ir.U32:
		return ir.S32
	case ir.U64:
		return ir.S64
	}
	return k
}

// convert prints Go's value conversions. On all devices, floats outside an integer's range saturate and NaN becomes 0:
// PTX saturates, but returns another value for NaN if either side has 64 bits.
func (w *printer) convert(in *ir.Inst, d string) {
	from, to := in.ArgK, in.K
	s := w.src(in, 0, from)
	switch {
	case from == ir.Pred:
		w.o("selp.%s %s, 1, 0, %s", bits(to), d, s)
	case from.Float() && to.Float():
		if to.Bits() < from.Bits() {
			w.o("cvt.rn.%v.%v %s, %s", to, from, d, s)
		} else {
			w.o("cvt.%v.%v %s, %s", to, from, d, s)
		}
	case from.Float():
		wide := from.Bits() == 64 || to.Bits() == 64
		if wide { // first, since d may be the register of s
			w.o("setp.nan.%v %%q1, %s, %s", from, s, s)
		}
		w.o("cvt.rzi.%v.%v %s, %s", to, from, d, s)
		if wide {
			w.o("selp.%s %s, 0, %s, %%q1", bits(to), d, d)
		}
	case to.Float():
		w.o("cvt.rn.%v.%v %s, %s", to, from, d, s)
	case from.Bits() == to.Bits():
		w.o("mov.%s %s, %s", bits(to), d, w.src(in, 0, unsigned(from)))
	default:
		w.o("cvt.%v.%v %s, %s", to, from, d, s)
	}
}

// lea prints base + index*scale.
func (w *printer) lea(in *ir.Inst, d string) {
	base := w.src(in, 0, ir.U64)
	idx := w.src(in, 1, in.ArgK)
	if in.ArgK.Bits() == 32 {
		w.o("mad.wide.%v %s, %s, %d, %s", in.ArgK, d, idx, in.Imm, base)
		return
	}
	if s := in.Imm; s > 0 && s&(s-1) == 0 {
		w.o("shl.b64 %%td1, %s, %d", idx, log2(s))
		w.o("add.s64 %s, %s, %%td1", d, base)
		return
	}
	w.o("mad.lo.s64 %s, %s, %d, %s", d, idx, in.Imm, base)
}

func log2(s int64) (n int) {
	for ; s > 1; s >>= 1 {
		n++
	}
	return n
}

var specialReg = [ir.NumSpecials]string{
	"%tid.x", "%ctaid.x", "%ntid.x", "%nctaid.x", "%laneid", "%smid", "%clock64", "%globaltimer",
	"%tid.y", "%tid.z", "%ctaid.y", "%ctaid.z", "%ntid.y", "%ntid.z", "%nctaid.y", "%nctaid.z",
	"%dynamic_smem_size", "%cluster_ctarank", "%cluster_nctarank",
	"%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
}

func (w *printer) special(in *ir.Inst, d string) {
	w.o("mov.%v %s, %s", unsigned(in.K), d, specialReg[in.Imm])
}

// approxTanh prints tanh.approx, which requires sm_75. For older targets, it computes 1 - 2/(e^2x + 1), and near zero
// x - x^3/3, which are as accurate.
func (w *printer) approxTanh(in *ir.Inst) {
	if architecture(w.opt.Target) >= 75 {
		w.form(in)
		return
	}
	x := w.src(in, 0, ir.F32)
	w.o("mul.rn.f32 %%t1, %s, 0f4038AA3B", x)
	w.o("ex2.approx.f32 %%t1, %%t1")
	w.o("add.rn.f32 %%t1, %%t1, 0f3F800000")
	w.o("rcp.approx.f32 %%t1, %%t1")
	w.o("fma.rn.f32 %%t1, %%t1, 0fC0000000, 0f3F800000")
	w.o("mul.rn.f32 %%t2, %s, %s", x, x)
	w.o("mul.rn.f32 %%t2, %%t2, 0fBEAAAAAB")
	w.o("fma.rn.f32 %%t2, %%t2, %s, %s", x, x)
	w.o("abs.f32 %%t3, %s", x)
	w.o("setp.lt.f32 %%q1, %%t3, 0f3E4CCCCD")
	w.o("selp.b32 %s, %%t2, %%t1, %%q1", w.dst(in, 0))
}

// control prints branches, exits, traps and sleeps.
func (w *printer) control(in *ir.Inst) {
	switch in.Op {
	case ir.OpJmp:
		w.watch(in)
		w.o("bra $L%d", in.Target)
	case ir.OpBra:
		w.watch(in)
		not := ""
		if in.GuardNot {
			not = "!"
		}
		fmt.Fprintf(w, "\t@%s%s bra $L%d;\n", not, w.pred(in.Guard), in.Target)
	case ir.OpTrap:
		w.trap(in)
	default:
		w.form(in)
	}
}
