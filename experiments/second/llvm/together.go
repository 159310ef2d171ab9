package llvm

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// together prints what threads do together: calls of harness.c, which lets the other threads have their turns.
func (w *printer) together(v *ir.Value) {
	if w.target == GFX803 {
		w.refuse(v.Op.String())
	}
	thread := []string{"ptr", "%thread"}
	with := func(k ir.Kind, i int) []string { return []string{typeOf(k), w.use(v.Args[i])} }
	switch v.Op {
	case ir.OpBar:
		w.line("%s", w.callText("i32", "weft_bar", append(thread, "i32", "0")))
	case ir.OpBarCount, ir.OpBarAnd, ir.OpBarOr:
		w.barrier(v)
	case ir.OpBarSync, ir.OpBarArrive:
		waits := "1"
		if v.Op == ir.OpBarArrive {
			waits = "0"
		}
		args := append(append(append(thread, with(ir.U32, 1)...), with(ir.U32, 2)...), "i32", waits)
		w.line("%s", w.callText("void", "weft_named", args))
	case ir.OpReadSpecial:
		w.line("%s = %s", name(v), w.callText("i64", "weft_clock", thread))
	case ir.OpSleep:
		w.line("%s", w.callText("void", "weft_yield", thread))
	case ir.OpActiveMask:
		// Which lanes run together is up to the machine: any answer is right.
		w.refuse(v.Op.String())
	default:
		w.warp(v)
	}
}

// barrier prints a barrier that counts.
func (w *printer) barrier(v *ir.Value) {
	set := w.let("zext i1 %s to i32", w.use(v.Args[0]))
	n := w.call("i32", "weft_bar", "ptr", "%thread", "i32", set)
	switch v.Op {
	case ir.OpBarCount:
		w.line("%s = add i32 %s, 0", name(v), n)
	case ir.OpBarOr:
		w.line("%s = icmp ne i32 %s, 0", name(v), n)
	case ir.OpBarAnd:
		w.line("%s = icmp eq i32 %s, %s", name(v), n, w.call("i32", "weft_met", "ptr", "%thread"))
	}
}

// warp prints an operation of the lanes of a mask. The kind of the operation, a value of 64 bits and a number go to the
// harness, which returns 64 bits.
func (w *printer) warp(v *ir.Value) {
	value, number := "0", "0"
	if len(v.Args) > 1 {
		value = w.word(v.Args[1])
	}
	if len(v.Args) > 2 {
		number = w.use(v.Args[2])
	}
	op := v.Op.String()
	if v.Op == ir.OpRedux {
		number = fmt.Sprint(2*v.Imm + int64(map[bool]int{true: 1}[v.K.Signed()]))
	}
	function := map[ir.Op]string{
		ir.OpWarpBar: "weft_warpbar", ir.OpBallot: "weft_ballot", ir.OpVoteAny: "weft_any", ir.OpVoteAll: "weft_all", ir.OpShfl: "weft_shfl",
		ir.OpShflUp: "weft_shfl_up", ir.OpShflDown: "weft_shfl_down", ir.OpShflXor: "weft_shfl_xor", ir.OpMatch: "weft_match", ir.OpRedux: "weft_redux",
	}[v.Op]
	if function == "" {
		w.refuse(op)
	}
	result := w.call("i64", function, "ptr", "%thread", "i32", w.use(v.Args[0]), "i64", value, "i32", number)
	switch {
	case v.K == ir.Void:
	case v.K == ir.Pred, v.K.Int() && v.K.Bits() == 32:
		w.line("%s = trunc i64 %s to %s", name(v), result, typeOf(v.K))
	case v.K == ir.F32:
		w.line("%s = bitcast i32 %s to float", name(v), w.let("trunc i64 %s to i32", result))
	default:
		w.line("%s = bitcast i64 %s to %s", name(v), result, typeOf(v.K))
	}
}

// word returns a value as 64 bits.
func (w *printer) word(v *ir.Value) string {
	x := w.use(v)
	if v.K.Float() {
		x = w.let("bitcast %s %s to i%d", typeOf(v.K), x, v.K.Bits())
	}
	if v.K.Bits() == 64 {
		return x
	}
	return w.let("zext i%d %s to i64", v.K.Bits(), x)
}
