package llvm

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// orders are the orders of LLVM for accesses that are not plain.
var orders = [ir.NumOrders]string{ir.Relaxed: "monotonic", ir.Acquire: "acquire", ir.Release: "release", ir.AcqRel: "acq_rel", ir.SeqCst: "seq_cst"}

// pointer returns the address of an element of an access.
func (w *printer) pointer(v *ir.Value, element int) (typ, at string) {
	offset := v.Imm + int64(element*v.Mem.Kind.Bytes())
	at = w.use(v.Args[0])
	if offset != 0 {
		at = w.let("add i64 %s, %d", at, offset)
	}
	typ = "ptr"
	if w.target == GFX803 { // it has neither shared nor local variables
		typ = "ptr addrspace(1)"
	}
	return typ, w.let("inttoptr i64 %s to %s", at, typ)
}

// cell returns the type of an element in memory: a bool is a byte.
func cell(k ir.Kind) string {
	if k == ir.Pred {
		return "i8"
	}
	return typeOf(k)
}

// turn lets other threads have a turn: before accesses with which threads wait for each other.
func (w *printer) turn(v *ir.Value) {
	if w.target == X86 && v.Mem.Order != ir.Weak {
		w.line("%s", w.callText("void", "weft_yield", []string{"ptr", "%thread"}))
	}
}

// ordered returns the words before the type and after the address of a load or store.
func (w *printer) ordered(v *ir.Value) (before, after string) {
	if v.Mem.Order == ir.Weak {
		return "", fmt.Sprintf(", align %d", v.Mem.Kind.Bytes())
	}
	if w.target == GFX803 {
		w.refuse("ordered access")
	}
	return "atomic ", fmt.Sprintf(" %s, align %d", orders[v.Mem.Order], v.Mem.Kind.Bytes())
}

// load prints a load, one for each element.
func (w *printer) load(v *ir.Value) {
	w.turn(v)
	before, after := w.ordered(v)
	for i := range int(v.Mem.Vec) {
		to := name(v)
		if v.Mem.Vec > 1 {
			to = fmt.Sprintf("%s.%d", to, i)
		}
		typ, at := w.pointer(v, i)
		access := fmt.Sprintf("load %s%s, %s %s%s", before, cell(v.Mem.Kind), typ, at, after)
		switch k := v.Mem.Kind; {
		case k == ir.Pred:
			w.line("%s = icmp ne i8 %s, 0", to, w.let("%s", access))
		case k.Bits() < v.K.Bits():
			w.line("%s = %s %s %s to %s", to, of(k, "zext", "sext", ""), cell(k), w.let("%s", access), typeOf(v.K))
		default:
			w.line("%s = %s", to, access)
		}
	}
}

// store prints a store, one for each element.
func (w *printer) store(v *ir.Value) {
	w.turn(v)
	before, after := w.ordered(v)
	for i := range int(v.Mem.Vec) {
		x := w.use(v.Args[1+i])
		switch k, have := v.Mem.Kind, v.Args[1+i].K; {
		case k == ir.Pred:
			x = w.let("zext i1 %s to i8", x)
		case k.Bits() < have.Bits():
			x = w.let("trunc %s %s to %s", typeOf(have), x, cell(k))
		}
		typ, at := w.pointer(v, i)
		w.line("store %s%s %s, %s %s%s", before, cell(v.Mem.Kind), x, typ, at, after)
	}
}

// updates are the operations of atomicrmw, unsigned, signed and on floats.
var updates = map[ir.Op][3]string{
	ir.OpAtomAdd: {"add", "add", "fadd"}, ir.OpAtomMin: {"umin", "min", ""}, ir.OpAtomMax: {"umax", "max", ""},
	ir.OpAtomAnd: {"and", "and", ""}, ir.OpAtomOr: {"or", "or", ""}, ir.OpAtomXor: {"xor", "xor", ""},
	ir.OpAtomExch: {"xchg", "xchg", "xchg"}, ir.OpAtomInc: {"uinc_wrap", "", ""}, ir.OpAtomDec: {"udec_wrap", "", ""},
}

// atomic prints an atomic. CAS compares bits, also those of floats.
func (w *printer) atomic(v *ir.Value) {
	if w.target == GFX803 {
		w.refuse("atomics")
	}
	w.turn(v)
	order, failed := orders[v.Mem.Order], "monotonic"
	if v.Mem.Order == ir.Acquire || v.Mem.Order == ir.AcqRel {
		failed = "acquire"
	}
	k := v.Mem.Kind
	typ, at := w.pointer(v, 0)
	if v.Op != ir.OpAtomCAS {
		op := updates[v.Op]
		w.line("%s = atomicrmw %s %s %s, %s %s %s", name(v), of(k, op[0], op[1], op[2]), typ, at, typeOf(k), w.use(v.Args[1]), order)
		return
	}
	t, have, want := fmt.Sprintf("i%d", k.Bits()), w.use(v.Args[1]), w.use(v.Args[2])
	if k.Float() {
		have, want = w.let("bitcast %s %s to %s", typeOf(k), have, t), w.let("bitcast %s %s to %s", typeOf(k), want, t)
	}
	both := w.let("cmpxchg %s %s, %s %s, %s %s %s %s", typ, at, t, have, t, want, order, failed)
	w.line("%s = bitcast %s %s to %s", name(v), t, w.let("extractvalue { %s, i1 } %s, 0", t, both), typeOf(k))
}

func (w *printer) fence(v *ir.Value) {
	if w.target == GFX803 {
		w.refuse("fence")
	}
	w.line("fence %s", orders[v.Mem.Order])
}
