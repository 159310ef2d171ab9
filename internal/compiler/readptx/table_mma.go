package readptx

import (
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// matrixRows are the products of matrices that a warp computes (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").
var matrixRows = []row{
	{pattern: "mma.sync.aligned.{m16n8k8,m16n8k16}.row.col.f32.f16.f16.f32", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.{m16n8k8,m16n8k16}.row.col.f16.f16.f16.f16", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.{m16n8k8,m16n8k16}.row.col.f32.bf16.bf16.f32", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.{m16n8k4,m16n8k8}.row.col.f32.tf32.tf32.f32", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.{m8n8k4,m16n8k4,m16n8k8}.row.col.f64.f64.f64.f64", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", args: "d, a, b, c", build: buildMMA64},
	{pattern: "mma.sync.aligned.{m16n8k16,m16n8k32}.row.col.f32.{e4m3,e5m2}.{e4m3,e5m2}.f32", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.{m16n8k16,m16n8k32}.row.col.f16.{e4m3,e5m2}.{e4m3,e5m2}.f16", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.{m16n8k16,m16n8k32}.row.col{.satfinite}.s32.{s8,u8}.{s8,u8}.s32", args: "d, a, b, c", build: buildMMA},
	{pattern: "mma.sync.aligned.{m8n8k128,m16n8k128,m16n8k256}.row.col.s32.b1.b1.s32.{and,xor}.popc", args: "d, a, b, c", build: buildMMA},
	{pattern: "ldmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared,.shared::cta}.b16", args: "d, [a]", build: buildLoadMatrix},
	{pattern: "stmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared,.shared::cta}.b16", args: "[a], b", build: buildStoreMatrix},
	{pattern: "movmatrix.sync.aligned.m8n8.trans.b16", args: "d, a", build: buildMovMatrix},
}

// allLanes returns the mask of all lanes of a warp.
func (b *builder) allLanes() *ir.Value { return b.u32(1<<32 - 1) }

// registerType returns the type of the registers that hold elements of a type.
func registerType(t mma.Type) typ {
	switch t {
	case mma.F32, mma.F64, mma.S32:
		return types["."+t.String()]
	}
	return types[".b32"]
}

func buildMMA(b *builder, s *inst) {
	id, _ := mma.ByName(strings.TrimPrefix(strings.Join(s.mods[2:], ""), "."))
	m := ir.MMA(id)
	v := m.Variant()
	na, nb, nc := v.Registers()
	args := []*ir.Value{b.allLanes()}
	for i, n := range []int{na, nb, nc} {
		t := registerType([]mma.Type{v.A, v.B, v.C}[i])
		for _, o := range b.parts(s.args[i+1], uint8(n)) {
			args = append(args, b.value(o, t))
		}
	}
	k, argK := m.Kinds()
	d := b.of(ir.OpMMA, k, argK, args...)
	d.Imm = int64(id)
	b.setAll(s, s.args[0], registerType(v.C), d)
}

// buildMMA64 builds m16n8k16 of f64 as two of m16n8k8, of which the second one adds to the sums of the first: products are added one after the
// other along k.
func buildMMA64(b *builder, s *inst) {
	id, _ := mma.ByName("m16n8k8.row.col.f64.f64.f64.f64")
	t := types[".f64"]
	values := func(o operand, n uint8) (list []*ir.Value) {
		for _, part := range b.parts(o, n) {
			list = append(list, b.value(part, t))
		}
		return list
	}
	x, y, sums := values(s.args[1], 8), values(s.args[2], 4), values(s.args[3], 4)
	var d *ir.Value
	for half := range 2 {
		args := slices.Concat([]*ir.Value{b.allLanes()}, x[4*half:4*half+4], y[2*half:2*half+2], sums)
		d = b.of(ir.OpMMA, ir.F64, ir.F64, args...)
		d.Imm = int64(id)
		if half == 0 {
			for i := range sums {
				sums[i] = b.ins(ir.OpElem, ir.F64, d)
				sums[i].Imm = int64(i)
			}
		}
	}
	b.setAll(s, s.args[0], t, d)
}

// setAll sets the registers of a vector operand to those of a vector.
func (b *builder) setAll(s *inst, o operand, t typ, v *ir.Value) {
	for i, d := range b.parts(o, uint8(v.Results())) {
		if d.form == formSkip {
			continue
		}
		one := v
		if v.Results() > 1 {
			one = b.ins(ir.OpElem, v.K, v)
			one.Imm = int64(i)
		}
		b.set(s, d, t, one)
	}
}

func buildMovMatrix(b *builder, s *inst) {
	t := types[".b32"]
	b.set(s, s.args[0], t, b.ins(ir.OpMovMatrix, ir.U32, b.allLanes(), b.value(s.args[1], t)))
}

func buildLoadMatrix(b *builder, s *inst) {
	op := map[string]ir.Op{".x1": ir.OpLoadMatrix1, ".x2": ir.OpLoadMatrix2, ".x4": ir.OpLoadMatrix4}[s.mods[3]]
	if s.has(".trans") {
		op += ir.OpLoadTransposed1 - ir.OpLoadMatrix1
	}
	at, off := b.memory(s.args[1], s.space())
	v := b.ins(op, ir.U32, at)
	v.Imm, v.Mem = off, ir.MatrixMem
	b.setAll(s, s.args[0], types[".b32"], v)
}

func buildStoreMatrix(b *builder, s *inst) {
	op := map[string]ir.Op{".x1": ir.OpStoreMatrix1, ".x2": ir.OpStoreMatrix2, ".x4": ir.OpStoreMatrix4}[s.mods[3]]
	n, _ := op.Matrices()
	if s.has(".trans") {
		op += ir.OpStoreTransposed1 - ir.OpStoreMatrix1
	}
	at, off := b.memory(s.args[0], s.space())
	args := []*ir.Value{at}
	for _, o := range b.parts(s.args[1], uint8(n)) {
		args = append(args, b.value(o, types[".b32"]))
	}
	for len(args) <= int(ir.MatrixMem.Vec) {
		args = append(args, b.u32(0))
	}
	v := b.ins(op, ir.Void, args...)
	v.Imm, v.Mem = off, ir.MatrixMem
}
