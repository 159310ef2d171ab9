package ptx

import (
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// form is the PTX of an op, by the kind of its operands: one instruction, or several separated by "; ". It contains
// these placeholders:
//
//	{d}            the register of the result
//	{0} {1} {2}    the operands, with their own kinds
//	{u0} {s0} ...  the same, read as unsigned or signed integers
//	{t} {b} {s}    the kind of the result: itself, untyped, signed
//	{at} {ab}      the kind of the operands if it differs: itself, untyped
//	{x} {y}        scratch registers as wide as the result
//	{bar}          bar, or barrier where threads of a warp come one by one
//
// Scratch predicates are %q1 and %q2.
type form struct {
	num   string // for integers; also for floats and for no kind, if these have no form of their own
	float string
	pred  string
}

// forms has the ops whose PTX does not depend on context. The others are printed by functions of their own:
// conversions, addresses, accesses, shuffles, branches.
//
// In Go, min and max of floats return NaN if an operand is NaN; PTX has this only for f32 on sm_80 and later, so the
// code selects the sum in that case. Go's != on floats is true for NaN.
var forms = [ir.NumOps]form{
	ir.OpAdd:     {num: "add.{t} {d}, {0}, {1}", float: "add.rn.{t} {d}, {0}, {1}"},
	ir.OpSub:     {num: "sub.{t} {d}, {0}, {1}", float: "sub.rn.{t} {d}, {0}, {1}"},
	ir.OpMul:     {num: "mul.lo.{t} {d}, {0}, {1}", float: "mul.rn.{t} {d}, {0}, {1}"},
	ir.OpMulHi:   {num: "mul.hi.{t} {d}, {0}, {1}"},
	ir.OpMulWide: {num: "mul.wide.{at} {d}, {0}, {1}"},
	ir.OpMad:     {num: "mad.lo.{t} {d}, {0}, {1}, {2}"},
	ir.OpFMA:     {float: "fma.rn.{t} {d}, {0}, {1}, {2}"},
	ir.OpDiv:     {num: "div.{t} {d}, {0}, {1}", float: "div.rn.{t} {d}, {0}, {1}"},
	ir.OpRem:     {num: "rem.{t} {d}, {0}, {1}"},
	ir.OpAnd:     {num: "and.{b} {d}, {u0}, {u1}", pred: "and.pred {d}, {0}, {1}"},
	ir.OpOr:      {num: "or.{b} {d}, {u0}, {u1}", pred: "or.pred {d}, {0}, {1}"},
	ir.OpXor:     {num: "xor.{b} {d}, {u0}, {u1}", pred: "xor.pred {d}, {0}, {1}"},
	ir.OpAndNot:  {num: "not.{b} {x}, {u1}; and.{b} {d}, {u0}, {x}", pred: "not.pred %q1, {1}; and.pred {d}, {0}, %q1"},
	ir.OpShl:     {num: "shl.{b} {d}, {u0}, {1}"},
	ir.OpShr:     {num: "shr.{t} {d}, {0}, {1}"},
	ir.OpMin:     {num: "min.{t} {d}, {0}, {1}", float: "setp.nan.{t} %q1, {0}, {1}; add.rn.{t} {y}, {0}, {1}; min.{t} {x}, {0}, {1}; selp.{b} {d}, {y}, {x}, %q1"},
	ir.OpMax:     {num: "max.{t} {d}, {0}, {1}", float: "setp.nan.{t} %q1, {0}, {1}; add.rn.{t} {y}, {0}, {1}; max.{t} {x}, {0}, {1}; selp.{b} {d}, {y}, {x}, %q1"},
	ir.OpNeg:     {num: "neg.{s} {d}, {s0}"},
	ir.OpNot:     {num: "not.{b} {d}, {u0}", pred: "not.pred {d}, {0}"},
	ir.OpAbs:     {float: "abs.{t} {d}, {0}"},
	ir.OpSqrt:    {float: "sqrt.rn.{t} {d}, {0}"},
	ir.OpFloor:   {float: "cvt.rmi.{t}.{t} {d}, {0}"},
	ir.OpCeil:    {float: "cvt.rpi.{t}.{t} {d}, {0}"},
	ir.OpTrunc:   {float: "cvt.rzi.{t}.{t} {d}, {0}"},

	ir.OpApproxExp2:  {float: "ex2.approx.{t} {d}, {0}"},
	ir.OpApproxLog2:  {float: "lg2.approx.{t} {d}, {0}"},
	ir.OpApproxSin:   {float: "sin.approx.{t} {d}, {0}"},
	ir.OpApproxCos:   {float: "cos.approx.{t} {d}, {0}"},
	ir.OpApproxTanh:  {float: "tanh.approx.{t} {d}, {0}"},
	ir.OpApproxSqrt:  {float: "sqrt.approx.{t} {d}, {0}"},
	ir.OpApproxRsqrt: {float: "rsqrt.approx.{t} {d}, {0}"},
	ir.OpApproxRcp:   {float: "rcp.approx.{t} {d}, {0}"},

	ir.OpPopc:    {num: "popc.{ab} {d}, {u0}"},
	ir.OpClz:     {num: "clz.{ab} {d}, {u0}"},
	ir.OpBrev:    {num: "brev.{b} {d}, {u0}"},
	ir.OpBitcast: {num: "mov.{b} {d}, {u0}"},
	ir.OpMov:     {num: "mov.{b} {d}, {u0}", pred: "mov.pred {d}, {0}"},
	ir.OpExt:     {num: "cvt.{t}.{at} {d}, {0}"},

	ir.OpEq: {num: "setp.eq.{at} {d}, {0}, {1}", pred: "xor.pred {d}, {0}, {1}; not.pred {d}, {d}"},
	ir.OpNe: {num: "setp.ne.{at} {d}, {0}, {1}", float: "setp.neu.{at} {d}, {0}, {1}", pred: "xor.pred {d}, {0}, {1}"},
	ir.OpLt: {num: "setp.lt.{at} {d}, {0}, {1}"},
	ir.OpLe: {num: "setp.le.{at} {d}, {0}, {1}"},
	ir.OpGt: {num: "setp.gt.{at} {d}, {0}, {1}"},
	ir.OpGe: {num: "setp.ge.{at} {d}, {0}, {1}"},

	ir.OpSelect: {num: "selp.{b} {d}, {1}, {2}, {0}", pred: "and.pred %q1, {0}, {1}; not.pred %q2, {0}; and.pred %q2, %q2, {2}; or.pred {d}, %q1, %q2"},

	ir.OpBar:           {num: "{bar}.sync 0"},
	ir.OpBarCount:      {num: "{bar}.red.popc.u32 {d}, 0, {0}"},
	ir.OpBarAnd:        {pred: "{bar}.red.and.pred {d}, 0, {0}"},
	ir.OpBarOr:         {pred: "{bar}.red.or.pred {d}, 0, {0}"},
	ir.OpBarSync:       {num: "bar.warp.sync {0}; barrier.sync {1}, {2}"},
	ir.OpBarArrive:     {num: "bar.warp.sync {0}; barrier.arrive {1}, {2}"},
	ir.OpWarpBar:       {num: "bar.warp.sync {0}"},
	ir.OpMapShared:     {num: "mapa.u64 {d}, {0}, {1}"},
	ir.OpClusterArrive: {num: "bar.warp.sync {0}; barrier.cluster.arrive.relaxed.aligned"},
	ir.OpClusterWait:   {num: "bar.warp.sync {0}; barrier.cluster.wait.acquire.aligned"},
	ir.OpBallot:        {num: "vote.sync.ballot.b32 {d}, {1}, {0}"},
	ir.OpVoteAny:       {pred: "vote.sync.any.pred {d}, {1}, {0}"},
	ir.OpVoteAll:       {pred: "vote.sync.all.pred {d}, {1}, {0}"},
	ir.OpMatch:         {num: "match.any.sync.{ab} {d}, {u1}, {0}"},
	ir.OpActiveMask:    {num: "activemask.b32 {d}"},
	ir.OpMovMatrix:     {num: "movmatrix.sync.aligned.m8n8.trans.b16 {d}, {u1}"}, // sm_75 and later
	ir.OpFragment:      {num: "// wmma at {u1}"},                                 // the loads or stores behind it are printed one by one

	ir.OpSleep: {num: "nanosleep.u32 {0}"},
	ir.OpExit:  {num: "ret"},
}

// form prints an op by its entry in forms.
func (w *printer) form(in *ir.Inst) {
	f, text := &forms[in.Op], ""
	switch k := in.ArgK; {
	case k == ir.Pred:
		text = f.pred
	case k.Float() && f.float != "":
		text = f.float
	default:
		text = f.num
	}
	if text == "" {
		w.fail("op %v has no PTX for kind %v", in.Op, in.ArgK)
		return
	}
	for text != "" {
		var one string
		one, text, _ = strings.Cut(text, "; ")
		var s strings.Builder
		for {
			plain, rest, found := strings.Cut(one, "{")
			s.WriteString(plain)
			if !found {
				break
			}
			var name string
			name, one, _ = strings.Cut(rest, "}")
			s.WriteString(w.part(in, name))
		}
		w.o("%s", s.String())
	}
}

// part returns the text of a placeholder; see form.
func (w *printer) part(in *ir.Inst, name string) string {
	scratch := func(n string) string {
		if in.K.Bits() == 64 {
			return "%td" + n
		}
		return "%t" + n
	}
	switch name {
	case "d":
		return w.dst(in, 0)
	case "t":
		return in.K.String()
	case "b":
		return bits(in.K)
	case "s":
		return signed(in.K).String()
	case "at":
		return in.ArgK.String()
	case "ab":
		return bits(in.ArgK)
	case "x":
		return scratch("1")
	case "y":
		return scratch("2")
	case "bar": // bar is barrier.aligned, which all threads of a warp have to execute together
		if w.apart == nil {
			w.apart = apart(w.p)
		}
		if w.apart[w.pc] {
			return "barrier"
		}
		return "bar"
	}
	i := int(name[len(name)-1] - '0')
	k := in.Op.ArgKind(i, in.K, in.ArgK, in.Mem.Kind)
	switch name[0] {
	case 'u':
		k = unsigned(k)
	case 's':
		k = signed(k)
	}
	return w.src(in, i, k)
}
