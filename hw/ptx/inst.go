package ptx

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/ir"
)

// inst prints one instruction of the Program.
func (w *printer) inst(in *ir.Inst) {
	w.loc(in.Pos)
	switch {
	case in.Op.Memory():
		w.memory(in)
	case in.Op.Collective():
		w.collective(in)
	case in.Op.Action() >= ir.ActSleep:
		w.control(in)
	case in.Op.IsCompare():
		w.compare(in)
	default:
		w.arithmetic(in)
	}
}

var plainName = map[ir.Op]string{
	ir.OpAdd: "add", ir.OpSub: "sub", ir.OpMul: "mul", ir.OpMulHi: "mul.hi", ir.OpMad: "mad.lo", ir.OpDiv: "div", ir.OpRem: "rem",
	ir.OpAnd: "and", ir.OpOr: "or", ir.OpXor: "xor", ir.OpShl: "shl", ir.OpShr: "shr", ir.OpMin: "min", ir.OpMax: "max",
	ir.OpNeg: "neg", ir.OpNot: "not", ir.OpPopc: "popc", ir.OpClz: "clz", ir.OpBrev: "brev",
}

// arithmetic prints ops without effects.
func (w *printer) arithmetic(in *ir.Inst) {
	k := in.K
	d := w.dst(in, 0)
	s := func(i int) string { return w.src(in, i, k) }
	name := plainName[in.Op]
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		switch {
		case k.Float():
			name += ".rn"
		case in.Op == ir.OpMul:
			name += ".lo"
		}
		w.o("%s.%v %s, %s, %s", name, k, d, s(0), s(1))
	case ir.OpMulHi:
		w.o("%s.%v %s, %s, %s", name, k, d, s(0), s(1))
	case ir.OpMad:
		w.o("%s.%v %s, %s, %s, %s", name, k, d, s(0), s(1), s(2))
	case ir.OpFMA:
		w.o("fma.rn.%v %s, %s, %s, %s", k, d, s(0), s(1), s(2))
	case ir.OpDiv, ir.OpRem:
		if k.Float() {
			w.o("div.rn.%v %s, %s, %s", k, d, s(0), s(1))
			return
		}
		w.checkDivisor(in)
		w.o("%s.%v %s, %s, %s", name, k, d, s(0), s(1))
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		if k == ir.Pred {
			w.o("%s.pred %s, %s, %s", name, d, s(0), s(1))
			return
		}
		w.o("%s.%s %s, %s, %s", name, bits(k), d, w.src(in, 0, unsigned(k)), w.src(in, 1, unsigned(k)))
	case ir.OpAndNot:
		w.andNot(in, d)
	case ir.OpShl:
		w.o("shl.%s %s, %s, %s", bits(k), d, w.src(in, 0, unsigned(k)), w.src(in, 1, ir.U32))
	case ir.OpShr:
		w.o("shr.%v %s, %s, %s", k, d, s(0), w.src(in, 1, ir.U32))
	case ir.OpMin, ir.OpMax:
		w.minMax(in, name, d)
	case ir.OpNeg:
		w.o("neg.%v %s, %s", signed(k), d, w.src(in, 0, signed(k)))
	case ir.OpNot:
		if k == ir.Pred {
			w.o("not.pred %s, %s", d, s(0))
			return
		}
		w.o("not.%s %s, %s", bits(k), d, w.src(in, 0, unsigned(k)))
	case ir.OpAbs:
		w.o("abs.%v %s, %s", k, d, s(0))
	case ir.OpSqrt:
		w.o("sqrt.rn.%v %s, %s", k, d, s(0))
	case ir.OpFloor:
		w.o("cvt.rmi.%v.%v %s, %s", k, k, d, s(0))
	case ir.OpCeil:
		w.o("cvt.rpi.%v.%v %s, %s", k, k, d, s(0))
	case ir.OpTrunc:
		w.o("cvt.rzi.%v.%v %s, %s", k, k, d, s(0))
	case ir.OpPopc, ir.OpClz:
		w.o("%s.%s %s, %s", name, bits(in.ArgK), d, w.src(in, 0, unsigned(in.ArgK)))
	case ir.OpBrev:
		w.o("brev.%s %s, %s", bits(k), d, w.src(in, 0, unsigned(k)))
	case ir.OpBitcast, ir.OpMov:
		w.move(in, d)
	case ir.OpCvt:
		w.convert(in, d)
	case ir.OpExt:
		w.o("cvt.%v.%v %s, %s", k, in.ArgK, d, s(0))
	case ir.OpSelect:
		w.selects(in, d)
	case ir.OpLea:
		w.lea(in, d)
	case ir.OpSpecial, ir.OpReadSpecial:
		w.special(in, d)
	default:
		w.fail("op %v has no PTX", in.Op)
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

func (w *printer) andNot(in *ir.Inst, d string) {
	k := in.K
	if k == ir.Pred {
		w.o("not.pred %%q1, %s", w.src(in, 1, k))
		w.o("and.pred %s, %s, %%q1", d, w.src(in, 0, k))
		return
	}
	t := "%t1"
	if k.Bits() == 64 {
		t = "%td1"
	}
	w.o("not.%s %s, %s", bits(k), t, w.src(in, 1, unsigned(k)))
	w.o("and.%s %s, %s, %s", bits(k), d, w.src(in, 0, unsigned(k)), t)
}

// minMax prints min and max. Go's floats want NaN where an operand is one,
// which PTX gives only to f32 on sm_80 and later: select the sum there.
func (w *printer) minMax(in *ir.Inst, name, d string) {
	k := in.K
	a, b := w.src(in, 0, k), w.src(in, 1, k)
	if !k.Float() {
		w.o("%s.%v %s, %s, %s", name, k, d, a, b)
		return
	}
	t, sum := "%t1", "%t2"
	if k == ir.F64 {
		t, sum = "%td1", "%td2"
	}
	w.o("setp.nan.%v %%q1, %s, %s", k, a, b)
	w.o("add.rn.%v %s, %s, %s", k, sum, a, b)
	w.o("%s.%v %s, %s, %s", name, k, t, a, b)
	w.o("selp.%s %s, %s, %s, %%q1", bits(k), d, sum, t)
}

func (w *printer) move(in *ir.Inst, d string) {
	if in.K == ir.Pred {
		w.o("mov.pred %s, %s", d, w.src(in, 0, ir.Pred))
		return
	}
	w.o("mov.%s %s, %s", bits(in.K), d, w.src(in, 0, unsigned(in.K)))
}

// convert prints Go's value conversions. Floats out of an integer's range
// saturate and NaN gives 0 on all devices: PTX saturates, but gives another
// value for NaN where either side has 64 bits.
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

func (w *printer) selects(in *ir.Inst, d string) {
	c := w.src(in, 0, ir.Pred)
	if in.K == ir.Pred {
		w.o("and.pred %%q1, %s, %s", c, w.src(in, 1, ir.Pred))
		w.o("not.pred %%q2, %s", c)
		w.o("and.pred %%q2, %%q2, %s", w.src(in, 2, ir.Pred))
		w.o("or.pred %s, %%q1, %%q2", d)
		return
	}
	w.o("selp.%s %s, %s, %s, %s", bits(in.K), d, w.src(in, 1, in.K), w.src(in, 2, in.K), c)
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

var specialReg = [ir.NumSpecials]string{"%tid.x", "%ctaid.x", "%ntid.x", "%nctaid.x", "%laneid", "%smid", "%clock64", "%globaltimer"}

func (w *printer) special(in *ir.Inst, d string) {
	w.o("mov.%v %s, %s", unsigned(in.K), d, specialReg[in.Imm])
}

var cmpName = map[ir.Op]string{ir.OpEq: "eq", ir.OpNe: "ne", ir.OpLt: "lt", ir.OpLe: "le", ir.OpGt: "gt", ir.OpGe: "ge"}

// compare prints a comparison; Go's != on floats is true for NaN.
func (w *printer) compare(in *ir.Inst) {
	d, k := w.dst(in, 0), in.ArgK
	a, b := w.src(in, 0, k), w.src(in, 1, k)
	if k == ir.Pred {
		w.o("xor.pred %s, %s, %s", d, a, b)
		if in.Op == ir.OpEq {
			w.o("not.pred %s, %s", d, d)
		}
		return
	}
	name := cmpName[in.Op]
	if k.Float() && in.Op == ir.OpNe {
		name = "neu"
	}
	w.o("setp.%s.%v %s, %s, %s", name, k, d, a, b)
}

// control prints branches, exits, traps and pauses.
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
	case ir.OpExit:
		w.o("ret")
	case ir.OpSleep:
		w.o("nanosleep.u32 %s", w.src(in, 0, ir.U32))
	case ir.OpTrap:
		w.trap(in)
	}
}
