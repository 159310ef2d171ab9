package llvm

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// binary are the operations that are one instruction of LLVM: on integers, unsigned or signed, and on floats.
var binary = [ir.NumOps]struct{ unsigned, signed, float string }{
	ir.OpAdd: {"add", "add", "fadd"},
	ir.OpSub: {"sub", "sub", "fsub"},
	ir.OpMul: {"mul", "mul", "fmul"},
	ir.OpDiv: {"", "", "fdiv"},
	ir.OpAnd: {"and", "and", ""},
	ir.OpOr:  {"or", "or", ""},
	ir.OpXor: {"xor", "xor", ""},
}

// intrinsics are the operations that are one intrinsic of LLVM with operands of the result's type. minimum and maximum are
// those of IEEE 754-2019, as min and max of Go.
var intrinsics = [ir.NumOps]struct{ unsigned, signed, float string }{
	ir.OpMin:   {"llvm.umin", "llvm.smin", "llvm.minimum"},
	ir.OpMax:   {"llvm.umax", "llvm.smax", "llvm.maximum"},
	ir.OpFMA:   {"", "", "llvm.fma"},
	ir.OpAbs:   {"", "", "llvm.fabs"},
	ir.OpSqrt:  {"", "", "llvm.sqrt"},
	ir.OpFloor: {"", "", "llvm.floor"},
	ir.OpCeil:  {"", "", "llvm.ceil"},
	ir.OpTrunc: {"", "", "llvm.trunc"},
	ir.OpBrev:  {"llvm.bitreverse", "llvm.bitreverse", ""},
}

// approximations are functions of harness.c.
var approximations = map[ir.Op]string{
	ir.OpApproxExp2: "weft_exp2", ir.OpApproxLog2: "weft_log2", ir.OpApproxSin: "weft_sin", ir.OpApproxCos: "weft_cos",
	ir.OpApproxTanh: "weft_tanh", ir.OpApproxSqrt: "weft_sqrt", ir.OpApproxRsqrt: "weft_rsqrt", ir.OpApproxRcp: "weft_rcp",
}

// comparisons are the conditions of icmp, unsigned and signed, and of fcmp.
var comparisons = map[ir.Op][3]string{
	ir.OpEq: {"eq", "eq", "oeq"}, ir.OpNe: {"ne", "ne", "une"}, ir.OpLt: {"ult", "slt", "olt"},
	ir.OpLe: {"ule", "sle", "ole"}, ir.OpGt: {"ugt", "sgt", "ogt"}, ir.OpGe: {"uge", "sge", "oge"},
}

// of chooses by kind.
func of(k ir.Kind, unsigned, signed, float string) string {
	switch {
	case k.Float():
		return float
	case k.Signed():
		return signed
	}
	return unsigned
}

// suffix is the end of the name of an intrinsic.
func suffix(k ir.Kind) string {
	if k.Float() {
		return fmt.Sprintf(".f%d", k.Bits())
	}
	return fmt.Sprintf(".i%d", k.Bits())
}

// argKind returns the kind of operands that differ from the result.
func argKind(v *ir.Value) ir.Kind {
	if v.ArgK != ir.Void {
		return v.ArgK
	}
	return v.K
}

// alu prints an operation on one thread's values.
func (w *printer) alu(v *ir.Value) {
	x, t := w.use(v.Args[0]), typeOf(v.K)
	if v.Op == ir.OpDiv && v.K == ir.F32 && w.target == GFX803 {
		w.divideSingle(v, x)
		return
	}
	if w.opaque(v, x) {
		return
	}
	if v.Op == ir.OpFMA && v.K == ir.F32 && w.target == GFX803 {
		w.fmaSingle(v)
		return
	}
	if b := binary[v.Op]; of(v.K, b.unsigned, b.signed, b.float) != "" {
		w.line("%s = %s %s %s, %s", name(v), of(v.K, b.unsigned, b.signed, b.float), t, x, w.use(v.Args[1]))
		return
	}
	if i := intrinsics[v.Op]; of(v.K, i.unsigned, i.signed, i.float) != "" {
		w.intrinsic(v, of(v.K, i.unsigned, i.signed, i.float))
		return
	}
	if c, ok := comparisons[v.Op]; ok && w.target == GFX803 && v.ArgK == ir.F32 {
		w.compareSingle(v, x, c[2][1:])
		return
	} else if ok {
		compare := "icmp"
		if v.ArgK.Float() {
			compare = "fcmp"
		}
		w.line("%s = %s %s %s %s, %s", name(v), compare, of(v.ArgK, c[0], c[1], c[2]), typeOf(v.ArgK), x, w.use(v.Args[1]))
		return
	}
	if f, ok := approximations[v.Op]; ok {
		if w.target == GFX803 {
			w.refuse(v.Op.String())
		}
		w.line("%s = %s", name(v), w.callText("float", f, []string{"float", x}))
		return
	}
	w.other(v, x, t)
}

// intrinsic prints a call with the operands of v.
func (w *printer) intrinsic(v *ir.Value, function string) {
	var args []string
	for _, a := range v.Args {
		args = append(args, typeOf(v.K), w.use(a))
	}
	w.line("%s = %s", name(v), w.callText(typeOf(v.K), function+suffix(v.K), args))
}

// other prints the operations that are several instructions.
func (w *printer) other(v *ir.Value, x, t string) {
	switch v.Op {
	case ir.OpNeg:
		if v.K.Float() {
			w.line("%s = fneg %s %s", name(v), t, x)
		} else {
			w.line("%s = sub %s 0, %s", name(v), t, x)
		}
	case ir.OpNot:
		w.line("%s = xor %s %s, -1", name(v), t, x)
	case ir.OpAndNot:
		w.line("%s = and %s %s, %s", name(v), t, x, w.let("xor %s %s, -1", t, w.use(v.Args[1])))
	case ir.OpSelect:
		w.line("%s = select i1 %s, %s %s, %s %s", name(v), x, t, w.use(v.Args[1]), t, w.use(v.Args[2]))
	case ir.OpMad:
		w.line("%s = add %s %s, %s", name(v), t, w.let("mul %s %s, %s", t, x, w.use(v.Args[1])), w.use(v.Args[2]))
	case ir.OpMulHi:
		w.mulHi(v, x, t)
	case ir.OpMulWide:
		a, b := w.extend(x, v.ArgK, 64), w.extend(w.use(v.Args[1]), v.ArgK, 64)
		w.line("%s = mul i64 %s, %s", name(v), a, b)
	case ir.OpLea:
		w.line("%s = add i64 %s, %s", name(v), x, w.let("mul i64 %s, %d", w.extend(w.use(v.Args[1]), v.ArgK, 64), v.Imm))
	case ir.OpDiv, ir.OpRem:
		w.divide(v, x, t)
	case ir.OpShl, ir.OpShr:
		w.shift(v, x, t)
	case ir.OpBitcast, ir.OpCvt, ir.OpExt, ir.OpPopc, ir.OpClz:
		w.convert(v, x, t)
	default:
		w.calc(v)
	}
}

// extend returns an integer of kind k with more bits.
func (w *printer) extend(x string, k ir.Kind, bits int) string {
	if k.Bits() == bits {
		return x
	}
	how := "zext"
	if k.Signed() {
		how = "sext"
	}
	return w.let("%s %s %s to i%d", how, typeOf(k), x, bits)
}

// mulHi multiplies with twice the bits.
func (w *printer) mulHi(v *ir.Value, x, t string) {
	n := v.K.Bits()
	product := w.let("mul i%d %s, %s", 2*n, w.extend(x, v.K, 2*n), w.extend(w.use(v.Args[1]), v.K, 2*n))
	w.line("%s = trunc i%d %s to %s", name(v), 2*n, w.let("lshr i%d %s, %d", 2*n, product, n), t)
}

// divide divides integers. The smallest number by -1 is undefined in LLVM, and wraps around in Go.
func (w *printer) divide(v *ir.Value, x, t string) {
	y := w.use(v.Args[1])
	if !(v.Args[1].Op == ir.OpConst && v.Args[1].Bits() != 0) {
		w.fail("weft_divide", w.let("icmp eq %s %s, 0", t, y), "0")
	}
	op := of(v.K, "udiv", "sdiv", "")
	if v.Op == ir.OpRem {
		op = of(v.K, "urem", "srem", "")
	}
	if !v.K.Signed() {
		w.line("%s = %s %s %s, %s", name(v), op, t, x, y)
		return
	}
	minus := w.let("icmp eq %s %s, -1", t, y)
	quotient := w.let("%s %s %s, %s", op, t, x, w.let("select i1 %s, %s 1, %s %s", minus, t, t, y))
	other := "0"
	if v.Op == ir.OpDiv {
		other = w.let("sub %s 0, %s", t, x)
	}
	w.line("%s = select i1 %s, %s %s, %s %s", name(v), minus, t, other, t, quotient)
}

// divideSingle divides floats for MGPUSim, which has no v_div_scale_f32 and whose sequence for 64 bits gives NaN: it
// multiplies by the reciprocal of 64 bits, which is rounded correctly there. The product is within two units of its last
// place, and the quotient of two floats of 24 bits is not that near to the middle of two floats, unless it is subnormal.
func (w *printer) divideSingle(v *ir.Value, x string) {
	a, b := w.let("fpext float %s to double", x), w.let("fpext float %s to double", w.use(v.Args[1]))
	inverse := w.call("double", "llvm.amdgcn.rcp.f64", "double", b)
	w.line("%s = fptrunc double %s to float", name(v), w.let("fmul double %s, %s", a, inverse))
}

// fmaSingle computes x*y+z for MGPUSim, which has no v_fma_f32: the product is exact in 64 bits, the sum is rounded to 53
// bits and then to 24. It is off by one unit of the last place where the first rounding hits the middle of two floats, in
// about one of 2^29 results.
func (w *printer) fmaSingle(v *ir.Value) {
	var wide [3]string
	for i, a := range v.Args {
		wide[i] = w.let("fpext float %s to double", w.use(a))
	}
	product := w.let("fmul double %s, %s", wide[0], wide[1])
	w.line("%s = fptrunc double %s to float", name(v), w.let("fadd double %s, %s", product, wide[2]))
}

// opaque prints an instruction that LLVM does not fold into others: of additions and comparisons of floats, MGPUSim has few
// forms that negate operands, take their absolute value, or read two scalar registers.
func (w *printer) opaque(v *ir.Value, x string) bool {
	text := ""
	switch {
	case w.target != GFX803 || v.K != ir.F32:
	case v.Op == ir.OpAbs:
		text = "v_and_b32 $0, 0x7fffffff, $1"
	case v.Op == ir.OpNeg:
		text = "v_xor_b32 $0, 0x80000000, $1"
	}
	if text != "" {
		w.line("%s = call float asm \"%s\", \"=v,v\"(float %s)", name(v), text, x)
	}
	return text != ""
}

// compareSingle compares floats for MGPUSim, which has few comparisons of floats whose result is not in vcc.
func (w *printer) compareSingle(v *ir.Value, x, how string) {
	if v.Op == ir.OpNe {
		how = "neq" // also true if one is no number
	}
	text := "v_cmp_" + how + "_f32 vcc, $1, $2\\0Av_cndmask_b32 $0, 0, 1, vcc"
	set := w.let("call i32 asm \"%s\", \"=v,v,v,~{vcc}\"(float %s, float %s)", text, x, w.use(v.Args[1]))
	w.line("%s = icmp ne i32 %s, 0", name(v), set)
}

// shift shifts by a count of 32 bits, which may be the width or more.
func (w *printer) shift(v *ir.Value, x, t string) {
	count, last := w.use(v.Args[1]), v.K.Bits()-1
	within := w.call("i32", "llvm.umin.i32", "i32", count, "i32", fmt.Sprint(last))
	by := w.extend(within, ir.U32, v.K.Bits())
	if v.Op == ir.OpShr && v.K.Signed() {
		w.line("%s = ashr %s %s, %s", name(v), t, x, by)
		return
	}
	op := "shl"
	if v.Op == ir.OpShr {
		op = "lshr"
	}
	shifted := w.let("%s %s %s, %s", op, t, x, by)
	w.line("%s = select i1 %s, %s 0, %s %s", name(v), w.let("icmp ugt i32 %s, %d", count, last), t, t, shifted)
}

// convert prints what gives a result of another kind.
func (w *printer) convert(v *ir.Value, x, t string) {
	from := argKind(v)
	a := typeOf(from)
	switch v.Op {
	case ir.OpBitcast:
		w.line("%s = bitcast %s %s to %s", name(v), a, x, t)
	case ir.OpExt:
		narrow := w.let("trunc %s %s to i%d", t, x, v.ArgK.Bits())
		w.line("%s = %s i%d %s to %s", name(v), of(v.ArgK, "zext", "sext", ""), v.ArgK.Bits(), narrow, t)
	case ir.OpPopc, ir.OpClz:
		args, function := []string{a, x}, "llvm.ctpop"
		if v.Op == ir.OpClz {
			args, function = append(args, "i1", "false"), "llvm.ctlz"
		}
		n := w.call(a, fmt.Sprintf("%s.i%d", function, from.Bits()), args...)
		w.line("%s = %s %s %s to i32", name(v), resize(from.Bits(), 32, false), a, n)
	case ir.OpCvt:
		w.number(v, x, a, t, from)
	}
}

// number converts a number. Floats that no integer of the kind is near to give the nearest, and NaN gives 0, as the
// conversions of LLVM that saturate.
func (w *printer) number(v *ir.Value, x, a, t string, from ir.Kind) {
	how := ""
	switch to := v.K; {
	case from.Float() && to.Float():
		how = [...]string{"fptrunc", "bitcast", "fpext"}[1+sign(to.Bits()-from.Bits())]
	case to.Float():
		how = of(from, "uitofp", "sitofp", "")
	case from.Float():
		function := of(to, "llvm.fptoui.sat", "llvm.fptosi.sat", "") + suffix(to) + suffix(from)
		w.line("%s = %s", name(v), w.callText(t, function, []string{a, x}))
		return
	default:
		how = resize(from.Bits(), to.Bits(), from.Signed())
	}
	w.line("%s = %s %s %s to %s", name(v), how, a, x, t)
}

// resize returns how an integer gets another number of bits.
func resize(from, to int, signed bool) string {
	switch {
	case from > to:
		return "trunc"
	case from == to:
		return "bitcast"
	case signed:
		return "sext"
	}
	return "zext"
}

func sign(n int) int { return min(max(n, -1), 1) }

// calc refuses the functions of PTX, which kernels in Go do not have.
func (w *printer) calc(v *ir.Value) {
	op := v.Op.String()
	if ir.Ops[v.Op].Imm == ir.ImmFunction {
		op += " " + ir.Function(v.Imm).String()
	}
	w.refuse(op)
}
