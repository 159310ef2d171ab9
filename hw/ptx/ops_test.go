package ptx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/ir"
)

// Kinds that an op is printed for.
var (
	ints   = []ir.Kind{ir.U32, ir.S32, ir.U64, ir.S64}
	words  = []ir.Kind{ir.U32, ir.U64}
	floats = []ir.Kind{ir.F32, ir.F64}
	nums   = append(append([]ir.Kind{}, ints...), floats...)
)

// kindsOf are the kinds of the operands of an op that goes into a Program.
func kindsOf(op ir.Op) []ir.Kind {
	switch op {
	case ir.OpFMA, ir.OpAbs, ir.OpSqrt, ir.OpFloor, ir.OpCeil, ir.OpTrunc:
		return floats
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNot:
		return append([]ir.Kind{ir.Pred}, ints...)
	case ir.OpEq, ir.OpNe, ir.OpSelect, ir.OpMov:
		return append([]ir.Kind{ir.Pred}, nums...)
	case ir.OpMulHi, ir.OpMad, ir.OpRem, ir.OpShl, ir.OpShr, ir.OpAtomMin, ir.OpAtomMax, ir.OpAtomAnd, ir.OpAtomOr, ir.OpAtomXor:
		return ints
	case ir.OpPopc, ir.OpClz, ir.OpBrev, ir.OpMatch:
		return words
	case ir.OpExt:
		return []ir.Kind{ir.U8, ir.S8, ir.U16, ir.S16}
	case ir.OpLoad, ir.OpStore:
		return append([]ir.Kind{ir.U8, ir.S8, ir.U16, ir.S16}, nums...)
	case ir.OpFence, ir.OpBar, ir.OpBarCount, ir.OpBarAnd, ir.OpBarOr, ir.OpWarpBar, ir.OpBallot, ir.OpVoteAny, ir.OpVoteAll,
		ir.OpActiveMask, ir.OpSleep, ir.OpTrap, ir.OpBra, ir.OpJmp, ir.OpExit, ir.OpSpecial, ir.OpReadSpecial:
		return []ir.Kind{ir.U32}
	case ir.OpLea:
		return []ir.Kind{ir.U32, ir.S32, ir.U64, ir.S64}
	}
	return nums
}

// absent are the ops that no Program holds.
var absent = map[ir.Op]bool{ir.OpInvalid: true, ir.OpConst: true, ir.OpParam: true, ir.OpShared: true, ir.OpLocal: true, ir.OpPhi: true, ir.OpElem: true}

// opProgram is a Program with one op on operands of kind k. Rows 0 to 9 are free
// for it, and predicates 0 to 3; uniform 0 is a global address.
func opProgram(op ir.Op, k ir.Kind) *ir.Kernel {
	in := ir.Inst{Op: op, K: k, ArgK: k, Guard: ir.NoGuard, NDst: 1, NSrc: uint8(max(ir.Ops[op].NArgs, 0)), Dst: [4]int32{4, 5, 6, 7}, Root: -1}
	for i := range in.Src {
		in.Src[i] = ir.Operand(i)
	}
	var extra []ir.Inst
	info := ir.Ops[op]
	switch {
	case op.IsCompare():
		in.K, in.Dst[0] = ir.Pred, 3
	case k == ir.Pred:
		in.Dst[0] = 3
	}
	switch op {
	case ir.OpPopc, ir.OpClz, ir.OpMatch, ir.OpBarCount, ir.OpBallot, ir.OpActiveMask:
		in.K = ir.U32
	case ir.OpBarAnd, ir.OpBarOr, ir.OpVoteAny, ir.OpVoteAll:
		in.K, in.Dst[0] = ir.Pred, 3
	case ir.OpExt:
		in.K = k.Register()
	case ir.OpBitcast:
		in.K = map[ir.Kind]ir.Kind{ir.U32: ir.F32, ir.S32: ir.U32, ir.F32: ir.U32, ir.U64: ir.F64, ir.S64: ir.U64, ir.F64: ir.U64}[k]
	case ir.OpLea:
		in.K, in.Imm, in.Src[0] = ir.U64, 12, ^ir.Operand(0)
	case ir.OpBra:
		in.Guard, in.Target, in.NDst = 1, 2, 0
	case ir.OpJmp:
		in.Target, in.NDst = 2, 0
	case ir.OpReadSpecial:
		in.K, in.Imm = ir.U64, int64(ir.Clock64)
	case ir.OpSpecial:
		for s := ir.TID; s < ir.Clock64; s++ {
			x := in
			x.Imm = int64(s)
			extra = append(extra, x)
		}
	case ir.OpCvt:
		for _, to := range nums {
			x := in
			x.K = to
			extra = append(extra, x)
		}
	}
	if info.Memory && op != ir.OpFence {
		in.Src[0], in.Imm, in.Root = ^ir.Operand(0), 8, 0
		in.Mem = ir.Mem{Kind: k, Vec: 1, Space: ir.Global}
		in.K = k.Register()
		if op == ir.OpStore {
			in.NDst = 0
		}
		extra = memoryVariants(in)
	}
	if op == ir.OpFence {
		for s := ir.ScopeBlock; s < ir.NumScopes; s++ {
			x := in
			x.Mem = ir.Mem{Order: ir.AcqRel, Scope: s}
			extra = append(extra, x)
		}
	}
	guarded := in
	guarded.Guard, guarded.GuardNot = 2, true
	code := append([]ir.Inst{in}, extra...)
	if op < ir.OpBra && !info.Collect {
		code = append(code, guarded)
	}
	if in.Op == ir.OpBra || in.Op == ir.OpJmp {
		code = append(code, ir.Inst{Op: ir.OpExit, Guard: ir.NoGuard, Root: -1})
	}
	code = append(code, ir.Inst{Op: ir.OpExit, Guard: ir.NoGuard, Root: -1})
	name := fmt.Sprintf("%v_%v", op, k)
	return &ir.Kernel{Name: name, Program: &ir.Program{Name: name, Code: code, NumRegs: 10, NumPreds: 4,
		Leaves:   []ir.Leaf{{Name: "s", Kind: ir.U64, Role: ir.Base, Elem: k, Size: k.Bytes()}, {Name: "s.len", Kind: ir.S64, Role: ir.Length}},
		Uniforms: []ir.Uniform{{K: ir.U64, Leaf: 0}}, Roots: []ir.Root{{Space: ir.Global, Leaf: 0, Var: -1}}, Traps: []string{"text"}}}
}

// memoryVariants are the access with other orders, scopes, hints and widths,
// and without a result.
func memoryVariants(in ir.Inst) []ir.Inst {
	var list []ir.Inst
	if in.Op.IsAtomic() {
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeBlock
		list = append(list, in)
		in.NDst = 0
		return append(list, in)
	}
	order := ir.Acquire
	if in.Op == ir.OpStore {
		order = ir.Release
	}
	if in.Mem.Kind.Bits() >= 32 {
		for _, o := range []ir.Order{ir.Relaxed, order} {
			for s := ir.ScopeBlock; s < ir.NumScopes; s++ {
				x := in
				x.Mem.Order, x.Mem.Scope = o, s
				list = append(list, x)
			}
		}
		x := in
		x.Mem.Vec, x.NDst = 2, 2
		list = append(list, x)
	}
	for _, hint := range []ir.Cache{ir.CacheStreaming, ir.CacheAll} {
		x := in
		x.Mem.Cache = hint
		list = append(list, x)
	}
	return list
}

// TestOps prints every op on every kind; the golden file assembles with ptxas.
func TestOps(t *testing.T) {
	var kernels []*ir.Kernel
	for op := ir.OpInvalid + 1; op < ir.NumOps; op++ {
		if absent[op] {
			continue
		}
		for _, k := range kindsOf(op) {
			kernels = append(kernels, opProgram(op, k))
		}
	}
	text, err := Module(Options{Target: "sm_90"}, kernels...)
	require.NoError(t, err)
	golden(t, "ops.ptx", text)
	checked, err := Module(Options{Target: "sm_90", Check: true, Watchdog: true}, kernels...)
	require.NoError(t, err)
	golden(t, "ops_checked.ptx", checked)
}

// TestUnknownOp names an op that has no PTX.
func TestUnknownOp(t *testing.T) {
	k := opProgram(ir.OpAdd, ir.U32)
	k.Program.Code[0].Op = ir.OpPhi
	_, err := Module(Options{}, k)
	require.EqualError(t, err, "ptx: kernel add_u32: op phi has no PTX")
}
