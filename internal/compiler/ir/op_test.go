package ir_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// inSSA returns the ops that may appear in a Func before register allocation.
func inSSA() (list []ir.Op) {
	for op := ir.OpInvalid + 1; op < ir.NumOps; op++ {
		if !ir.Ops[op].InProgram {
			list = append(list, op)
		}
	}
	return list
}

// oneOp returns a kernel with one op. Its operands have the kinds that the op
// wants; all are constants except vectors and the operands of phis.
func oneOp(op ir.Op, k, argK ir.Kind) *ir.Func {
	f := &ir.Func{Name: "k", Leaves: []ir.Leaf{{Name: "x", Kind: k}}, Traps: []string{"stop"},
		Shared: []ir.Var{{Name: "s", Elem: ir.U32, Size: 4, ElemSize: 4, Align: 4}}, Local: []ir.Var{{Name: "l", Elem: ir.U32, Size: 4, ElemSize: 4, Align: 4}}}
	b := f.NewBlock()
	info := &ir.Ops[op]
	v := f.NewValue(op, k, 0)
	v.ArgK, v.Block = argK, b
	for e := range info.Elem.All() {
		if v.Mem = (ir.Mem{Kind: e, Vec: 1, Space: ir.Global}); e.Register() == k {
			break
		}
	}
	switch info.Imm {
	case ir.ImmScale, ir.ImmOffset, ir.ImmBits:
		v.Imm = 1
	case ir.ImmSpecial:
		for s := range ir.NumSpecials {
			if x := ir.Specials[s]; x.Changes == (info.Action == ir.ActClock) && x.Kind.Bits() == k.Bits() {
				v.Imm = int64(s)
			}
		}
	}
	if op == ir.OpFence {
		v.Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeDevice}
	}
	if op.OnMatrix() {
		v.Mem = ir.MatrixMem
	}
	if op == ir.OpMMA {
		v.Args = append(v.Args, f.Const(ir.U32, 1<<32-1))
		for n := range ir.NumMMAs {
			if x, y := ir.MMA(n).Kinds(); x == k && y == argK {
				v.Imm = int64(n)
			}
		}
		a, b, c := ir.MMA(v.Imm).Variant().Registers()
		for i := range a + b + c {
			v.Args = append(v.Args, f.Const(ir.MMA(v.Imm).ArgKind(i+1), 1))
		}
		info = &ir.OpInfo{}
	}
	if op == ir.OpBulkSend || op.SendsValue() {
		v.Mem.Space = ir.Shared
	}
	if op.Action() == ir.ActBulk {
		if v.Mem.Vec = uint8(16 / v.Mem.Kind.Bytes()); op.Updates() != ir.OpInvalid {
			v.Mem.Order, v.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		}
	}
	if info.Imm == ir.ImmRegisters {
		v.Imm = 40
	}
	if info.Imm == ir.ImmSums {
		v.Imm = ir.SumsImm{First: 4, Words: 8}.Imm()
	}
	for i, t := range info.Args {
		if op.Aligned() && t == ir.Mask {
			v.Args = append(v.Args, f.Const(ir.U32, 1<<32-1))
			continue
		}
		a := f.Const(op.ArgKind(i, k, argK, v.Mem.Kind), 1)
		if t == ir.Address && op.TensorDims() > 0 && !op.ByMap() {
			a, v.Imm = tensorMap(f, op.TensorDims()), 0
		}
		switch t {
		case ir.Vector:
			a = f.NewValue(ir.OpLoad, k, 0, f.Const(ir.U64, 64))
			a.Block, a.Mem = b, ir.Mem{Kind: k, Vec: 2, Space: ir.Global}
			b.Ins = append(b.Ins, a)
		case ir.Each:
			next := f.NewBlock()
			ir.AddEdge(b, next)
			b, v.Block = next, next
		}
		v.Args = append(v.Args, a)
	}
	for op.IsStoreMatrix() && len(v.Args) <= int(v.Mem.Vec) {
		v.Args = append(v.Args, f.Const(ir.U32, 1))
	}
	if op == ir.OpPhi {
		b.Phis = append(b.Phis, v)
	} else {
		b.Ins = append(b.Ins, v)
	}
	return f
}

// Each op is verified, printed and parsed back with all kinds that its row
// names.
func TestEveryOpOnEveryKind(t *testing.T) {
	for _, op := range inSSA() {
		n := 0
		for k, argK := range op.Variants() {
			n++
			f := oneOp(op, k, argK)
			text := f.String()
			require.NoError(t, f.Verify(), text)
			again, err := irtext.Parse(text)
			require.NoError(t, err, text)
			require.Equal(t, text, again.String())
			require.NoError(t, again.Verify(), text)
		}
		assert.Positive(t, n, "op %v", op)
	}
}

// Verify rejects what the row of an op does not name: another result kind,
// another ArgK, an operand more or less, an operand of another kind.
func TestEveryOpRefusesOtherKinds(t *testing.T) {
	registers := []ir.Kind{ir.Pred, ir.U32, ir.S32, ir.U64, ir.S64, ir.F32, ir.F64}
	refused := func(f *ir.Func, format string, args ...any) {
		t.Helper()
		require.Error(t, f.Verify(), "%s\n%s", fmt.Sprintf(format, args...), f)
	}
	for _, op := range inSSA() {
		info := &ir.Ops[op]
		for k, argK := range op.Variants() {
			for _, other := range registers {
				if !op.Accepts(other, argK) {
					f := oneOp(op, k, argK)
					last(f).K = other
					refused(f, "%v with a result of kind %v", op, other)
				}
				if info.ArgK != 0 && !op.Accepts(k, other) {
					f := oneOp(op, k, argK)
					last(f).ArgK = other
					refused(f, "%v with operands of kind %v", op, other)
				}
			}
			for i := range info.Args {
				f := oneOp(op, k, argK)
				v := last(f)
				want := v.Args[i].K
				for _, other := range registers {
					if other.Bits() != want.Bits() || other.Float() != want.Float() {
						v.Args[i] = f.Const(other, 1)
						refused(f, "%v with operand %d of kind %v", op, i, other)
					}
				}
				v.Args = append(v.Args[:i:i], v.Args[i+1:]...)
				refused(f, "%v without operand %d", op, i)
			}
			f := oneOp(op, k, argK)
			v := last(f)
			v.Args = append(v.Args, f.Const(ir.U32, 1))
			refused(f, "%v with one operand too many", op)
		}
	}
}

// last returns the instruction that oneOp was asked for.
func last(f *ir.Func) *ir.Value {
	b := f.Blocks[len(f.Blocks)-1]
	if len(b.Phis) > 0 {
		return b.Phis[0]
	}
	return b.Ins[len(b.Ins)-1]
}

// The text form distinguishes ops and special values by name.
func TestOpNames(t *testing.T) {
	for op := range ir.NumOps {
		got, ok := ir.OpByName(op.String())
		assert.Equal(t, op, got, "two ops are called %v", op)
		assert.Equal(t, op != ir.OpInvalid, ok)
		assert.Equal(t, op == ir.OpInvalid, op.Action() == ir.ActNone, "op %v has no row, or no action in it", op)
	}
	seen := map[string]bool{}
	for s := range ir.NumSpecials {
		assert.NotEmpty(t, s.String())
		assert.False(t, seen[s.String()], "two special values are called %v", s)
		seen[s.String()] = true
	}
}

// The properties derived from a row, for ops of every sort.
func TestFactsOfOps(t *testing.T) {
	type facts struct{ pure, function, scalar, effect, memory, addressed, collective, floating bool }
	for op, want := range map[ir.Op]facts{
		ir.OpAdd:         {pure: true, function: true, scalar: true},
		ir.OpDiv:         {function: true, scalar: true},
		ir.OpConst:       {pure: true, function: true, scalar: true, floating: true},
		ir.OpParam:       {pure: true, function: true, floating: true},
		ir.OpSpecial:     {pure: true, function: true},
		ir.OpReadSpecial: {effect: true},
		ir.OpPhi:         {},
		ir.OpElem:        {pure: true, function: true},
		ir.OpLoad:        {memory: true, addressed: true},
		ir.OpStore:       {memory: true, addressed: true, effect: true},
		ir.OpAtomCAS:     {memory: true, addressed: true, effect: true},
		ir.OpFence:       {memory: true, effect: true},
		ir.OpBarAnd:      {collective: true, effect: true},
		ir.OpShfl:        {collective: true, effect: true},
		ir.OpTrap:        {effect: true},
		ir.OpBra:         {effect: true},
	} {
		assert.Equal(t, want, facts{op.Pure(), op.Function(), op.Scalar(), op.Effect(), op.Memory(), op.Addressed(), op.Collective(), op.Floating()}, "op %v", op)
	}
	assert.Equal(t, -1, ir.OpStore.NArgs())
	assert.Equal(t, -1, ir.OpPhi.NArgs())
	assert.Equal(t, 1, ir.OpElem.NArgs())
	assert.Equal(t, 3, ir.OpAtomCAS.NArgs())
	assert.Equal(t, "a number", ir.Numbers.String())
	assert.Equal(t, "an integer or pred", ir.Ops[ir.OpAnd].Result.String())
	assert.Equal(t, "u32 or u64", ir.Of(ir.U64, ir.U32).String())
}

// tensorMap adds the leaves of a tensor map to f, and returns the address of its buffer.
func tensorMap(f *ir.Func, dims int) *ir.Value {
	v := f.NewValue(ir.OpParam, ir.U64, 0)
	v.Imm = int64(len(f.Leaves))
	f.Leaves = append(f.Leaves, ir.Leaf{Name: "m", Kind: ir.U64, Role: ir.Base, Elem: ir.U32, Size: 4}, ir.Leaf{Name: "m.len", Kind: ir.S64, Role: ir.Length})
	for len(f.Leaves) <= int(v.Imm)+ir.TensorLeavesOf(dims).Bytes {
		f.Leaves = append(f.Leaves, ir.Leaf{Name: "m.n", Kind: ir.U32, Elem: ir.U32})
	}
	return v
}

// A box is of a tensor map, all of which is parameters of the kernel.
func TestTensorMapIsAParameter(t *testing.T) {
	for _, cut := range []int{0, 1} {
		f := &ir.Func{Name: "k"}
		b := f.NewBlock()
		v := f.NewValue(ir.OpTensorStore2, ir.Void, 0, tensorMap(f, 2), f.Const(ir.U64, 0), f.Const(ir.U32, 16), f.Const(ir.S32, 0), f.Const(ir.S32, 0))
		v.Block, v.Mem = b, ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Global}
		b.Ins = append(b.Ins, v)
		f.Leaves = f.Leaves[:len(f.Leaves)-cut]
		err := f.Verify()
		if cut == 0 {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "copies a box of what is no tensor map")
	}
}
