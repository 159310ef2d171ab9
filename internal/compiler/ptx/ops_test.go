package ptx

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// variantsOf returns the kinds of result and operands of an op that occurs in a Program, in which ArgK is never Void.
// Without a result, the kind is that of the element, or none.
func variantsOf(op ir.Op) (list [][2]ir.Kind) {
	info := &ir.Ops[op]
	// Functions are what was read from PTX: a GPU's driver takes that text.
	if op.Action() < ir.ActALU || info.Imm == ir.ImmFunction || op.ByMap() {
		return nil
	}
	if op.Addressed() {
		for e := range info.Elem.All() {
			list = append(list, [2]ir.Kind{e.Register(), e})
		}
		return list
	}
	for k, argK := range op.Variants() {
		if argK == ir.Void {
			argK = k
		}
		list = append(list, [2]ir.Kind{k, argK})
	}
	return list
}

// opProgram returns a Program with one op on operands of the given kinds. It can use rows 0 to 9 and predicates 0 to
// 3; uniform 0 is a global address.
func opProgram(op ir.Op, k, argK ir.Kind) *ir.Kernel {
	info := &ir.Ops[op]
	in := ir.Inst{Op: op, K: k, ArgK: argK, Guard: ir.NoGuard, NDst: 1, NSrc: uint8(max(op.NArgs(), 0)), Dst: [4]int32{4, 5, 6, 7}, Root: -1}
	for i := range in.Src {
		in.Src[i] = ir.Operand(i % 10)
	}
	var extra []ir.Inst
	switch {
	case info.Result == 0:
		in.NDst = 0
	case k == ir.Pred:
		in.Dst[0] = 3
	}
	switch info.Imm {
	case ir.ImmScale:
		in.Imm, in.Src[0] = 12, ^ir.Operand(0)
		x := in
		x.Imm = 8
		extra = append(extra, x)
	case ir.ImmSpecial:
		var all []ir.Inst
		for s := range ir.NumSpecials {
			if ir.Specials[s].Changes == (info.Action == ir.ActClock) {
				x := in
				x.Imm = int64(s)
				all = append(all, x)
			}
		}
		in, extra = all[0], all[1:]
	case ir.ImmMMA:
		all := products(in)
		in, extra = all[0], all[1:]
	case ir.ImmRegisters:
		in.Imm = 40
	case ir.ImmSums:
		all := onSums(in)
		in, extra = all[0], all[1:]
	}
	switch info.Action {
	case ir.ActBranch:
		in.Guard, in.Target = 1, 2
	case ir.ActJump:
		in.Target = 2
	case ir.ActFence:
		in.Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeBlock}
		for s := ir.ScopeDevice; s < ir.NumScopes; s++ {
			x := in
			x.Mem.Scope = s
			extra = append(extra, x)
		}
		for s := ir.ScopeBlock; s < ir.NumScopes; s++ {
			x := in
			x.Mem = ir.Mem{Order: ir.SeqCst, Scope: s}
			extra = append(extra, x)
		}
	}
	if op.Addressed() {
		in.Src[0], in.Imm, in.Root = ^ir.Operand(0), 8, 0
		in.Mem = ir.Mem{Kind: argK, Vec: 1, Space: ir.Global}
		if op.IsAtomic() {
			in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
		}
		in.ArgK = k
		if op.IsLoadMatrix() {
			n, _ := op.Matrices()
			in.Mem, in.NDst = ir.MatrixMem, uint8(n)
		} else if op.IsStoreMatrix() {
			in.Mem, in.NSrc, in.Src[3], in.Src[4] = ir.MatrixMem, 5, in.Src[1], in.Src[1]
			in.Src[2] = in.Src[1]
		} else if !op.SendsValue() {
			extra = memoryVariants(in)
		}
	}
	guarded := in
	guarded.Guard, guarded.GuardNot = 2, true
	code := append([]ir.Inst{in}, extra...)
	if info.Action < ir.ActBranch && !op.Collective() {
		code = append(code, guarded)
	}
	if info.Action == ir.ActBranch || info.Action == ir.ActJump {
		code = append(code, ir.Inst{Op: ir.OpExit, Guard: ir.NoGuard, Root: -1})
	}
	code = append(code, ir.Inst{Op: ir.OpExit, Guard: ir.NoGuard, Root: -1})
	name := op.String() + "_" + k.String()
	if argK != k {
		name += "_" + argK.String()
	}
	switch {
	case op.IsMBarrier() || op.OnMatrix():
		return onShared(name, code)
	case op == ir.OpCopy:
		return copying(name)
	case op.SendsValue():
		return sending(op, argK)
	case op.TensorDims() > 0:
		return boxing(op)
	case info.Action == ir.ActBulk:
		return storing(op, argK)
	case op == ir.OpBulkCopy:
		k := copying(name)
		in := k.Program.Code[0]
		in.Op, in.NSrc, in.Src[2], in.Src[3] = op, 4, 3, ^ir.Operand(0)
		k.Program.Code = []ir.Inst{in, k.Program.Code[len(k.Program.Code)-1]}
		return k
	}
	uniforms := 1
	if info.Imm == ir.ImmMMA || info.Imm == ir.ImmSums {
		uniforms = 2
	}
	sums := 0
	if op.OfSums() {
		sums = 8
	}
	return &ir.Kernel{Name: name, Program: &ir.Program{Name: name, Code: code, NumRegs: 10 + sums, NumPreds: 4, Sums: 10, SumWords: sums,
		Leaves:   []ir.Leaf{{Name: "s", Kind: ir.U64, Role: ir.Base, Elem: ir.U32, Size: 4}, {Name: "s.len", Kind: ir.S64, Role: ir.Length}},
		Uniforms: []ir.Uniform{{K: ir.U64, Leaf: 0}, {K: k, Leaf: -1, Bits: 1 << 31}}[:uniforms], Roots: []ir.Root{{Space: ir.Global, Leaf: 0, Var: -1}}, Traps: []string{"text"}}}
}

// products returns the products of matrices on the kinds of an instruction. The accumulators of the last are a constant.
func products(in ir.Inst) (list []ir.Inst) {
	for m := range ir.MMA(ir.NumMMAs) {
		k, argK := m.Kinds()
		if k != in.K || argK != in.ArgK {
			continue
		}
		a, b, c := m.Variant().Registers()
		in.Imm, in.NSrc, in.NDst = int64(m), uint8(1+a+b+c), uint8(c)
		list = append(list, in)
	}
	for i := range in.NDst {
		in.Src[in.NSrc-1-i] = ^ir.Operand(1)
	}
	return append(list, in)
}

// onSums returns the products of a warpgroup, or an access to one of its sums, by a number that is a constant.
func onSums(in ir.Inst) (list []ir.Inst) {
	in.Imm = ir.SumsImm{Words: 8}.Imm()
	if !in.Op.IsGroupMMA() {
		in.Src[0] = ^ir.Operand(1)
		in.Imm = ir.SumsImm{First: 3, Words: 4}.Imm()
		return []ir.Inst{in}
	}
	for i := range mma.GroupProducts {
		in.Imm = ir.SumsImm{Words: 8, Product: i}.Imm()
		list = append(list, in)
	}
	form := mma.NegatedA | mma.TransposedB // of the first, f16
	if in.Op == ir.OpGroupMMA {
		form = mma.NegatedB | mma.TransposedA
	}
	in.Imm = ir.SumsImm{Words: 8, Form: form}.Imm()
	return append(list, in)
}

// onShared returns a Program whose accesses are to a variable in shared memory, as PTX wants mbarriers.
func onShared(name string, code []ir.Inst) *ir.Kernel {
	for i := range code {
		if code[i].Op.Addressed() {
			code[i].Imm, code[i].Mem.Space = 8, ir.Shared
		}
	}
	return &ir.Kernel{Name: name, Program: &ir.Program{Name: name, Code: code, NumRegs: 10, NumPreds: 4,
		Shared: []ir.Var{{Name: "b", Elem: ir.U64, Size: 32, ElemSize: 8, Align: 8}}, SharedBytes: 32,
		Uniforms: []ir.Uniform{{K: ir.U64, Leaf: -1, Space: ir.Shared}}, Roots: []ir.Root{{Space: ir.Shared, Leaf: -1, Var: 0}}}}
}

// copying returns a Program with asynchronous copies of each size, whole and in part, to a variable in shared memory and to where a
// register points.
func copying(name string) *ir.Kernel {
	k := onShared(name, nil)
	p := k.Program
	p.Leaves = []ir.Leaf{{Name: "s", Kind: ir.U64, Role: ir.Base, Elem: ir.U32, Size: 4}, {Name: "s.len", Kind: ir.S64, Role: ir.Length}}
	p.Uniforms = append(p.Uniforms, ir.Uniform{K: ir.U64, Leaf: 0})
	p.Roots = append(p.Roots, ir.Root{Space: ir.Global, Leaf: 0, Var: -1})
	for _, words := range []uint8{1, 2, 4} {
		size := ^ir.Operand(len(p.Uniforms))
		p.Uniforms = append(p.Uniforms, ir.Uniform{K: ir.U32, Leaf: -1, Bits: 4 * uint64(words)})
		in := ir.Inst{Op: ir.OpCopy, Guard: ir.NoGuard, NSrc: 3, Imm: 16, Root: 1, Mem: ir.Mem{Kind: ir.U32, Vec: words, Space: ir.Global, Cache: ir.CacheAll}}
		copy(in.Src[:], []ir.Operand{^ir.Operand(1), ^ir.Operand(0), size})
		part, elsewhere := in, in
		part.Src[2], part.Guard = 3, 1
		elsewhere.Src[1], elsewhere.To, elsewhere.Mem.Cache = 4, -1, ir.CacheL2
		p.Code = append(p.Code, in, part, elsewhere)
	}
	p.Code = append(p.Code, ir.Inst{Op: ir.OpExit, Guard: ir.NoGuard, Root: -1})
	return k
}

// storing returns a Program with copies in bulk from a variable in shared memory and from where a register points, or reductions, of a
// number of bytes that a register has, and that is known and no multiple of 16.
func storing(op ir.Op, kind ir.Kind) *ir.Kernel {
	k := copying(op.String() + "_" + kind.String())
	p := k.Program
	in := ir.Inst{Op: op, Guard: ir.NoGuard, NSrc: 3, Imm: 16, Root: 1, Mem: ir.Mem{Kind: kind, Vec: uint8(16 / kind.Bytes()), Space: ir.Global}}
	if op != ir.OpBulkStore {
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeDevice
	}
	copy(in.Src[:], []ir.Operand{^ir.Operand(1), ^ir.Operand(0), 3})
	elsewhere := in
	elsewhere.Src[1], elsewhere.To, elsewhere.Src[2], elsewhere.Guard = 4, -1, ^ir.Operand(2), 1
	p.Code = []ir.Inst{in, elsewhere, p.Code[len(p.Code)-1]}
	return k
}

// sending returns a Program that sends values to a variable in shared memory, and to where a register points: of a store one, two, and, of 4 bytes, four.
func sending(op ir.Op, kind ir.Kind) *ir.Kernel {
	k := copying(op.String() + "_" + kind.String())
	p := k.Program
	in := ir.Inst{Op: op, Guard: ir.NoGuard, NSrc: ir.SentValue + 1, Imm: 16, Root: 0, Mem: ir.Mem{Kind: kind, Vec: 1, Space: ir.Shared}}
	p.Uniforms = append(p.Uniforms, ir.Uniform{K: ir.U32, Leaf: -1, Bits: uint64(kind.Bytes())})
	copy(in.Src[:], []ir.Operand{^ir.Operand(0), ^ir.Operand(0), ^ir.Operand(len(p.Uniforms) - 1), ^ir.Operand(0), 3})
	elsewhere := in
	elsewhere.Src[0], elsewhere.Src[1], elsewhere.Src[3], elsewhere.Root, elsewhere.To, elsewhere.Imm, elsewhere.Guard = 4, 4, 5, -1, -1, 0, 1
	code := []ir.Inst{in, elsewhere}
	for n := 2; op == ir.OpSendStore && n*kind.Bytes() <= 16; n *= 2 {
		p.Uniforms = append(p.Uniforms, ir.Uniform{K: ir.U32, Leaf: -1, Bits: uint64(n * kind.Bytes())})
		in.Mem.Vec, in.NSrc, in.Src[2] = uint8(n), uint8(ir.SentValue+n), ^ir.Operand(len(p.Uniforms)-1)
		for i := range n {
			in.Src[ir.SentValue+i] = ir.Operand(3 + i)
		}
		code = append(code, in)
	}
	p.Code = append(code, p.Code[len(p.Code)-1])
	return k
}

// boxing returns a Program with copies of a box whose coordinates registers have.
func boxing(op ir.Op) *ir.Kernel {
	k := copying(op.String())
	p := k.Program
	in := ir.Inst{Op: op, Guard: ir.NoGuard, NSrc: uint8(op.NArgs()), Root: 1, Mem: ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Global}}
	copy(in.Src[:], []ir.Operand{^ir.Operand(1), ^ir.Operand(0), 3, ^ir.Operand(0)})
	for i := range op.TensorDims() {
		in.Src[op.Coordinates()+i] = ir.Operand(4 + i)
	}
	elsewhere := in
	elsewhere.Src[1], elsewhere.To, elsewhere.Guard = 4, -1, 1
	p.Code = []ir.Inst{in, elsewhere, p.Code[len(p.Code)-1]}
	p.Tensors = ir.TensorsOf(p.Code)
	return k
}

// memoryVariants returns the access with other orders, scopes, hints and widths, and without a result.
func memoryVariants(in ir.Inst) []ir.Inst {
	var list []ir.Inst
	if in.Op.IsAtomic() {
		in.Mem.Order, in.Mem.Scope = ir.Relaxed, ir.ScopeBlock
		list = append(list, in)
		in.NDst = 0
		list = append(list, in)
		for _, o := range []ir.Order{ir.Acquire, ir.Release, ir.AcqRel} {
			in.Mem.Order = o
			list = append(list, in)
		}
		in.NDst = 1
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

// checks reports whether an op is printed differently with checks or the watchdog.
func checks(op ir.Op) bool {
	return op.Addressed() || ir.Ops[op].Faults || op.Action() == ir.ActTrap || op.Action() == ir.ActBranch || op.Action() == ir.ActJump
}

// TestOps prints every op on every kind; the golden file assembles with ptxas.
func TestOps(t *testing.T) {
	var all, checked, plain []*ir.Kernel
	for op := range ir.NumOps {
		for _, k := range variantsOf(op) {
			one := opProgram(op, k[0], k[1])
			all = append(all, one)
			if checks(op) {
				checked = append(checked, one)
			} else {
				plain = append(plain, one)
			}
		}
	}
	text, err := Module(Options{Target: "sm_90"}, all...)
	require.NoError(t, err)
	golden.Check(t, filepath.Join("testdata", "ops.ptx"), text)
	text, err = Module(Options{Target: "sm_90", Check: true, Watchdog: true}, checked...)
	require.NoError(t, err)
	golden.Check(t, filepath.Join("testdata", "ops_checked.ptx"), text)
	for _, k := range plain {
		a, err := Module(Options{Target: "sm_90"}, k)
		require.NoError(t, err)
		b, err := Module(Options{Target: "sm_90", Check: true}, k)
		require.NoError(t, err)
		require.Contains(t, b, instructions(a), "%s prints something else where the module checks: add it to checks", k.Name)
	}
}

// instructions returns the lines of a module's only kernel between its declarations and its end.
func instructions(module string) string {
	lines := strings.Split(module, "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "\t.") })
	return strings.Join(lines[first:], "\n")
}

// TestUnknownOp names an op that has no PTX.
func TestUnknownOp(t *testing.T) {
	k := opProgram(ir.OpAdd, ir.U32, ir.U32)
	k.Program.Code[0].Op = ir.OpPhi
	_, err := Module(Options{}, k)
	require.EqualError(t, err, "ptx: kernel add_u32: op phi has no PTX for kind u32")
}

// TestTanhBeforeTuring checks that targets before sm_75, which introduced tanh.approx, use a sequence of instructions.
func TestTanhBeforeTuring(t *testing.T) {
	k := opProgram(ir.OpApproxTanh, ir.F32, ir.F32)
	before, err := Module(Options{Target: "sm_70"}, k)
	require.NoError(t, err)
	require.NotContains(t, before, "tanh.approx")
	require.Contains(t, before, "\tex2.approx.f32 %t1, %t1;\n")
	since, err := Module(Options{Target: "sm_75"}, k)
	require.NoError(t, err)
	require.Contains(t, since, "\ttanh.approx.f32 %r4, %r0;\n")
}

// TestPackBeforeAmpere checks that targets before sm_80, which introduced cvt to two numbers, convert one after the other, and cannot to bf16.
func TestPackBeforeAmpere(t *testing.T) {
	packs := func(to ir.Number) *ir.Kernel {
		k := opProgram(ir.OpCalc2, ir.U32, ir.F32)
		for i := range k.Program.Code {
			if in := &k.Program.Code[i]; in.Op == ir.OpCalc2 {
				in.Imm = ir.CalcImm(ir.FuncPack, int64(ir.NewConvert(ir.NumberSingle, to, floats.NearestEven, 0, false)))
			}
		}
		return k
	}
	for _, c := range []struct {
		target string
		to     ir.Number
		want   string
	}{
		{"sm_75", ir.NumberHalf, "\tcvt.rn.f16.f32 %h0, %r0;\n\tcvt.rn.f16.f32 %h1, %r1;\n\tmov.b32 %r4, {%h0, %h1};\n"},
		{"sm_80", ir.NumberHalf, "\tcvt.rn.f16x2.f32 %r4, %r1, %r0;\n"},
		{"sm_80", ir.NumberBFloat, "\tcvt.rn.bf16x2.f32 %r4, %r1, %r0;\n"},
	} {
		text, err := Module(Options{Target: c.target}, packs(c.to))
		require.NoError(t, err)
		require.Contains(t, text, c.want)
	}
	_, err := Module(Options{Target: "sm_75"}, packs(ir.NumberBFloat))
	require.ErrorContains(t, err, "calc2 needs sm_80")
}
