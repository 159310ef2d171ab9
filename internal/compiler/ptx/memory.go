package ptx

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

var scopeName = [ir.NumScopes]string{ir.NoScope: ".gpu", ir.ScopeBlock: ".cta", ir.ScopeDevice: ".gpu", ir.ScopeSystem: ".sys"}

// atomics has the name of each atomic and its type: "t" is the kind; "u" is the kind, except that 64-bit signed uses
// the unsigned type, because PTX has only that for add; "b" is untyped; else the name of a 16-bit float.
var atomics = [ir.NumOps]struct{ name, typ string }{
	ir.OpAtomAdd:  {"add", "u"},
	ir.OpAtomMin:  {"min", "t"},
	ir.OpAtomMax:  {"max", "t"},
	ir.OpAtomAnd:  {"and", "b"},
	ir.OpAtomOr:   {"or", "b"},
	ir.OpAtomXor:  {"xor", "b"},
	ir.OpAtomExch: {"exch", "b"},
	ir.OpAtomCAS:  {"cas", "b"},
	ir.OpAtomInc:  {"inc", "t"},
	ir.OpAtomDec:  {"dec", "t"},

	ir.OpAtomAddF16: {"add", "f16"}, ir.OpAtomMinF16: {"min", "f16"}, ir.OpAtomMaxF16: {"max", "f16"},
	ir.OpAtomAddBF16: {"add", "bf16"}, ir.OpAtomMinBF16: {"min", "bf16"}, ir.OpAtomMaxBF16: {"max", "bf16"},
}

// scope returns the qualifier of a scope. Threads of several GPUs are in no other scope together than that of the system.
func (w *printer) scope(s ir.Scope) string {
	if w.opt.Peers && s != ir.ScopeBlock {
		s = ir.ScopeSystem
	}
	return scopeName[s]
}

// memory prints loads, stores, atomics and fences.
func (w *printer) memory(in *ir.Inst) {
	if in.Op == ir.OpFence {
		w.o("fence.%v%s", in.Mem.Order, w.scope(in.Mem.Scope))
		return
	}
	if in.Op.IsLoadMatrix() {
		w.loadMatrices(in)
		return
	}
	if in.Op.IsStoreMatrix() {
		w.storeMatrices(in)
		return
	}
	w.checkBounds(in)
	switch {
	case in.Op == ir.OpLoad:
		w.load(in)
	case in.Op == ir.OpStore:
		w.store(in)
	case in.Op == ir.OpCopy:
		w.copyAsync(in)
	case in.Op.TensorDims() > 0:
		w.box(in)
	case in.Op == ir.OpBulkCopy, in.Op == ir.OpBulkMulticast:
		w.bulkCopy(in)
	case in.Op.SendsValue():
		w.sendValues(in)
	case in.Op == ir.OpBulkSend:
		w.bulkSend(in)
	case in.Op.Action() == ir.ActBulk:
		w.bulkStore(in)
	default:
		w.atomic(in)
	}
}

// qualifiers returns the order, scope, space and cache hint of a load or store.
func (w *printer) qualifiers(in *ir.Inst) string {
	m := in.Mem
	q := ""
	switch m.Order {
	case ir.Relaxed:
		q = ".relaxed" + w.scope(m.Scope)
	case ir.Acquire:
		q = ".acquire" + w.scope(m.Scope)
	case ir.Release:
		q = ".release" + w.scope(m.Scope)
	}
	q += w.space(in)
	if m.Order == ir.Weak && (m.Space == ir.Global || m.Space == ir.Generic) {
		switch {
		case in.Op == ir.OpLoad && m.Cache == ir.CacheL2:
			q += ".cg"
		case in.Op == ir.OpLoad && m.Space == ir.Global && (m.Cache == ir.CacheNonCoherent || in.Root >= 0 && w.readOnly != nil && w.readOnly[in.Root]):
			q += ".nc"
		case m.Cache == ir.CacheStreaming:
			q += ".cs"
		case m.Cache == ir.CacheAll && in.Op == ir.OpLoad:
			q += ".ca"
		}
	}
	if m.Vec > 1 {
		q += fmt.Sprintf(".v%d", m.Vec)
	}
	return q
}

// memType returns the type of an element in memory; bool is a byte.
func memType(k ir.Kind) string {
	if k == ir.Pred {
		return "u8"
	}
	return k.String()
}

func (w *printer) load(in *ir.Inst) {
	q, a := w.qualifiers(in), w.address(in)
	if in.K == ir.Pred {
		w.o("ld%s.u8 %%t1, %s", q, a)
		w.o("setp.ne.u32 %s, %%t1, 0", w.dst(in, 0))
		return
	}
	d := w.dst(in, 0)
	if n := int(in.Mem.Vec); n > 1 {
		regs := make([]string, n)
		for i := range regs {
			regs[i] = w.row(in.Dst[i], in.K)
		}
		d = "{" + strings.Join(regs, ", ") + "}"
	}
	w.o("ld%s.%s %s, %s", q, memType(in.Mem.Kind), d, a)
}

func (w *printer) store(in *ir.Inst) {
	q, a := w.qualifiers(in), w.address(in)
	if in.K == ir.Pred {
		w.o("selp.u32 %%t1, 1, 0, %s", w.src(in, 1, ir.Pred))
		w.o("st%s.u8 %s, %%t1", q, a)
		return
	}
	v := w.value(in, 1)
	if n := int(in.Mem.Vec); n > 1 {
		vals := make([]string, n)
		for i := range vals {
			vals[i] = w.value(in, 1+i)
		}
		v = "{" + strings.Join(vals, ", ") + "}"
	}
	w.o("st%s.%s %s, %s", q, memType(in.Mem.Kind), a, v)
}

// value returns an operand to store: narrow kinds come from a 32-bit register, because PTX accepts an immediate only
// if it fits the narrow type.
func (w *printer) value(in *ir.Inst, i int) string {
	k := in.Mem.Kind
	if o := in.Src[i]; o < 0 && k.Bits() < 32 && w.p.Uniforms[^o].Leaf < 0 {
		mask := uint64(1)<<k.Bits() - 1
		return fmt.Sprint(w.p.Uniforms[^o].Bits & mask)
	}
	return w.src(in, i, k.Register())
}

func (w *printer) atomic(in *ir.Inst) {
	if in.Op.IsMBarrier() {
		w.mbarrier(in)
		return
	}
	op, t := atomicName(in.Op, in.Mem.Kind)
	switch {
	case in.Op.Halves():
		if op += ".noftz"; in.Mem.Kind.Bits() == 32 {
			t += "x2"
		}
	case t == "":
		w.fail("op %v has no PTX", in.Op)
		return
	}
	operands := w.src(in, 1, in.Mem.Kind)
	if in.Op == ir.OpAtomCAS {
		operands += ", " + w.src(in, 2, in.Mem.Kind)
	}
	order := in.Mem.Order
	if order == ir.Weak {
		order = ir.Relaxed // PTX has no weak atomics
	}
	q := fmt.Sprintf(".%v", order) + w.scope(in.Mem.Scope) + w.space(in)
	if in.Mem.Kind.Bits() == 16 {
		w.atomic16(in, fmt.Sprintf("atom%s.%s.%s", q, op, t))
		return
	}
	if in.NDst == 0 && in.Op != ir.OpAtomCAS && in.Op != ir.OpAtomExch && (order == ir.Relaxed || order == ir.Release) { // the orders of red
		w.o("red%s.%s.%s %s, %s", q, op, t, w.address(in), operands)
		return
	}
	d := "%t0"
	if in.Mem.Kind.Bits() == 64 {
		d = "%td0"
	}
	if in.NDst > 0 {
		d = w.dst(in, 0)
	}
	w.o("atom%s.%s.%s %s, %s, %s", q, op, t, d, w.address(in), operands)
}

// atomicName returns the name of an atomic on a kind, and its type; "" for both if it has none.
func atomicName(op ir.Op, k ir.Kind) (name, typ string) {
	name, typ = atomics[op].name, atomics[op].typ
	switch {
	case typ == "u" && k == ir.S64:
		typ = "u64"
	case typ == "b":
		typ = bits(k)
	case typ == "u", typ == "t":
		typ = k.String()
	}
	return name, typ
}

// atomic16 prints an atomic on 16 bits, whose operands are registers of 16 bits.
func (w *printer) atomic16(in *ir.Inst, name string) {
	operands := ""
	for i := 1; i < int(in.NSrc); i++ {
		w.o("mov.u32 %%t1, %s", w.src(in, i, ir.U32))
		w.o("cvt.u16.u32 %%h%d, %%t1", i)
		operands += fmt.Sprintf(", %%h%d", i)
	}
	w.o("%s %%h0, %s%s", name, w.address(in), operands)
	if in.NDst > 0 {
		w.o("cvt.u32.u16 %s, %%h0", w.dst(in, 0))
	}
}

// collective prints warp and block collectives.
func (w *printer) collective(in *ir.Inst) {
	d := w.dst(in, 0)
	switch in.Op {
	case ir.OpShfl:
		w.shuffle(in, d, "idx", 31)
	case ir.OpShflUp:
		w.shuffle(in, d, "up", 0)
	case ir.OpShflDown:
		w.shuffle(in, d, "down", 31)
	case ir.OpShflXor:
		w.shuffle(in, d, "bfly", 31)
	case ir.OpRedux: // sm_80 and later
		k := in.K.String()
		if r := ir.Reduction(in.Imm); r >= ir.ReduceAnd {
			k = bits(in.K)
		}
		w.o("redux.sync.%v.%s %s, %s, %s", ir.Reduction(in.Imm), k, d, w.src(in, 1, in.K), w.src(in, 0, ir.U32))
	case ir.OpMMA:
		w.mma(in)
	default:
		w.form(in)
	}
}

// shuffle prints a shuffle. PTX has only 32-bit shuffles, so 64-bit values are shuffled in halves. PTX uses five bits
// of the lane or distance, which is correct except for distances beyond the warp: then each lane keeps its own value.
func (w *printer) shuffle(in *ir.Inst, d, mode string, clamp int) {
	mask, v, lane := w.src(in, 0, ir.U32), w.src(in, 1, unsigned(in.K)), w.src(in, 2, ir.U32)
	far := false // the distance may be beyond the warp
	if in.Op == ir.OpShflUp || in.Op == ir.OpShflDown {
		n, known := w.constant(in.Src[2])
		if far = !known || n >= 32; far {
			w.o("setp.lt.u32 %%q1, %s, 32", lane)
		}
	}
	if in.K.Bits() == 32 {
		if !far {
			w.o("shfl.sync.%s.b32 %s, %s, %s, %d, %s", mode, d, v, lane, clamp, mask)
			return
		}
		w.o("shfl.sync.%s.b32 %%t1, %s, %s, %d, %s", mode, v, lane, clamp, mask)
		w.o("selp.b32 %s, %%t1, %s, %%q1", d, v)
		return
	}
	w.o("mov.b64 {%%t1, %%t2}, %s", v)
	w.o("shfl.sync.%s.b32 %%t1, %%t1, %s, %d, %s", mode, lane, clamp, mask)
	w.o("shfl.sync.%s.b32 %%t2, %%t2, %s, %d, %s", mode, lane, clamp, mask)
	if far {
		w.o("mov.b64 %%td1, {%%t1, %%t2}")
		w.o("selp.b64 %s, %%td1, %s, %%q1", d, v)
		return
	}
	w.o("mov.b64 %s, {%%t1, %%t2}", d)
}

// constant returns the value of an operand if it is a constant.
func (w *printer) constant(o ir.Operand) (uint64, bool) {
	if o >= 0 || w.p.Uniforms[^o].Leaf >= 0 {
		return 0, false
	}
	return w.p.Uniforms[^o].Bits, true
}
