package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// asm assembles programs by hand, so that tests control exactly what is executed.
type asm struct {
	p      ir.Program
	params []ir.Param
	labels map[string]int32
	fixes  map[int]string
}

func newAsm(name string, rows, preds int) *asm {
	return &asm{p: ir.Program{Name: name, NumRegs: rows, NumPreds: preds, RegCount: 16, Pos: []ir.PosInfo{{}}},
		labels: map[string]int32{}, fixes: map[int]string{}}
}

// slice adds a slice parameter and returns the operands of its base and length, and its root.
func (a *asm) slice(name string, elem ir.Kind) (base, length ir.Operand, root int32) {
	p := len(a.params)
	n := len(a.p.Leaves)
	a.p.Leaves = append(a.p.Leaves,
		ir.Leaf{Name: name, Kind: ir.U64, Role: ir.Base, Elem: elem, Size: elem.Bytes(), Param: p},
		ir.Leaf{Name: name + ".len", Kind: ir.S64, Role: ir.Length, Param: p})
	a.params = append(a.params, ir.Param{Name: name, Type: "[]" + elem.String(), Leaves: []int{n, n + 1}})
	a.p.Roots = append(a.p.Roots, ir.Root{Space: ir.Global, Leaf: n, Var: -1})
	return a.leaf(n, ir.U64), a.leaf(n+1, ir.S64), int32(len(a.p.Roots) - 1)
}

func (a *asm) leaf(i int, k ir.Kind) ir.Operand {
	a.p.Uniforms = append(a.p.Uniforms, ir.Uniform{K: k, Leaf: i})
	return ^ir.Operand(len(a.p.Uniforms) - 1)
}

func (a *asm) konst(k ir.Kind, v uint64) ir.Operand {
	a.p.Uniforms = append(a.p.Uniforms, ir.Uniform{K: k, Leaf: -1, Bits: v})
	return ^ir.Operand(len(a.p.Uniforms) - 1)
}

// shared adds a variable in shared memory and returns its address and root.
func (a *asm) shared(name string, elem ir.Kind, n int) (ir.Operand, int32) {
	off := a.p.SharedBytes
	a.p.Shared = append(a.p.Shared, ir.Var{Name: name, Elem: elem, Size: n * elem.Bytes(), ElemSize: elem.Bytes(), Align: 16, Off: off})
	a.p.SharedBytes += n * elem.Bytes()
	a.p.Roots = append(a.p.Roots, ir.Root{Space: ir.Shared, Leaf: -1, Var: len(a.p.Shared) - 1})
	return a.konst(ir.U64, ir.SharedWindow|uint64(off)), int32(len(a.p.Roots) - 1)
}

// op appends an instruction; dst is -1 if it has no destination.
func (a *asm) op(op ir.Op, k ir.Kind, dst int32, src ...ir.Operand) *ir.Inst {
	in := ir.Inst{Op: op, K: k, ArgK: k, NSrc: uint8(len(src)), Guard: ir.NoGuard, Root: -1, Class: ir.Ops[op].Class, Dst: [4]int32{dst, -1, -1, -1}}
	if dst >= 0 {
		in.NDst = 1
	}
	copy(in.Src[:], src)
	a.p.Pos = append(a.p.Pos, ir.PosInfo{File: "test.go", Line: len(a.p.Code) + 1, Col: 1, Func: a.p.Name})
	in.Pos = ir.Pos(len(a.p.Pos) - 1)
	a.p.Code = append(a.p.Code, in)
	return &a.p.Code[len(a.p.Code)-1]
}

func (a *asm) special(dst int32, s ir.Special) *ir.Inst {
	op := ir.OpSpecial
	if s >= ir.Clock64 {
		op = ir.OpReadSpecial
	}
	in := a.op(op, ir.U32, dst)
	in.Imm = int64(s)
	return in
}

// cmp sets predicate dst.
func (a *asm) cmp(op ir.Op, k ir.Kind, dst int32, x, y ir.Operand) {
	a.op(op, ir.Pred, dst, x, y).ArgK = k
}

// lea sets row dst to base + index*size; index has 32 bits.
func (a *asm) lea(dst int32, base, index ir.Operand, size int64) {
	in := a.op(ir.OpLea, ir.U64, dst, base, index)
	in.ArgK, in.Imm = ir.U32, size
}

func (a *asm) mem(op ir.Op, k ir.Kind, dst int32, root int32, src ...ir.Operand) *ir.Inst {
	in := a.op(op, k.Register(), dst, src...)
	in.Root, in.Mem = root, ir.Mem{Kind: k, Vec: 1, Space: ir.Global}
	if root >= 0 {
		in.Mem.Space = a.p.Roots[root].Space
	}
	return in
}

func (a *asm) label(name string) { a.labels[name] = int32(len(a.p.Code)) }

// bra branches to a label if predicate p is set; both sides reconverge at recon.
func (a *asm) bra(p ir.Operand, target, recon string) *ir.Inst {
	a.fixes[len(a.p.Code)] = target + "|" + recon
	in := a.op(ir.OpBra, ir.Void, -1)
	in.Guard = p
	return in
}

func (a *asm) jmp(target string) {
	a.fixes[len(a.p.Code)] = target + "|"
	a.op(ir.OpJmp, ir.Void, -1)
}

func (a *asm) kernel(t testing.TB) *device.Kernel {
	for i, fix := range a.fixes {
		var target, recon string
		for j := range fix {
			if fix[j] == '|' {
				target, recon = fix[:j], fix[j+1:]
			}
		}
		to, ok := a.labels[target]
		require.True(t, ok, "label %q", target)
		a.p.Code[i].Target, a.p.Code[i].Recon = to, -1
		if recon != "" {
			at, ok := a.labels[recon]
			require.True(t, ok, "label %q", recon)
			a.p.Code[i].Recon = at
		}
	}
	return (&ir.Kernel{Name: a.p.Name, Params: a.params, Program: &a.p}).ForHost()
}

// open opens a device with parameters set, such as "l2.latency", "90".
func open(t testing.TB, preset string, set ...string) *Device {
	cfg, err := config.Load(preset)
	require.NoError(t, err)
	for i := 0; i < len(set); i += 2 {
		require.NoError(t, cfg.Set(set[i], set[i+1]))
	}
	d, err := New(cfg, Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func upload[T any](t testing.TB, d *Device, name string, k device.Kind, v []T) device.Buffer {
	b, err := d.Alloc(name, k, len(v))
	require.NoError(t, err)
	require.NoError(t, d.Write(b, v))
	return b
}

func download[T any](t testing.TB, d *Device, b device.Buffer) []T {
	out := make([]T, b.Len)
	require.NoError(t, d.Read(b, out))
	return out
}

func launch(t testing.TB, d *Device, k *device.Kernel, grid, block int, args ...any) *device.Report {
	r, err := d.Launch(context.Background(), device.Launch{Kernel: k, Grid: grid, Block: block, Args: args})
	require.NoError(t, err)
	checkIdle(t, d)
	return r
}

// checkIdle checks that a launch that has ended left nothing on the machine.
func checkIdle(t testing.TB, d *Device) {
	m := d.m
	require.Zero(t, m.search.flight, "accesses")
	for i := range m.sms {
		s := &m.sms[i]
		require.Zero(t, s.lsu.ops.inUse(), "accesses")
		require.Zero(t, s.lsu.packets.inUse(), "packets")
		require.Zero(t, s.lsu.waiters.inUse(), "waiters")
		require.Zero(t, s.lsu.rows.inUse(), "rows")
		require.Zero(t, s.l1.held)
		require.Zero(t, s.lsu.n)
		require.Zero(t, s.resident)
		require.Zero(t, s.warps)
	}
}

func count(t testing.TB, r *device.Report, name string) float64 {
	v, ok := r.Counter(name)
	require.True(t, ok, "no counter %s", name)
	return v
}

func presetsOf() []string { return []string{"tiny", "h200", "v100", "k40"} }
