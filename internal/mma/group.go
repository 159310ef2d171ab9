package mma

import (
	"fmt"
	"strings"
)

// GroupProduct is an instruction wgmma.mma_async (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"): the four warps of a
// warpgroup multiply 64 rows of A by up to 256 columns of B, of each of which a step takes 32 bytes. Each warp computes 16 rows, and each
// 8 columns of them as Step does.
type GroupProduct struct {
	Step *Variant
	Func string // of package gpu; "" if only PTX has the instruction
}

// GroupProducts are those of compute capability 9.0. Those of sparse matrices are not there.
var GroupProducts = func() (list []GroupProduct) {
	for _, f := range []struct{ step, name string }{
		{"m16n8k16.row.col.f32.f16.f16.f32", "F16"}, {"m16n8k16.row.col.f32.bf16.bf16.f32", "BF16"}, {"m16n8k8.row.col.f32.tf32.tf32.f32", "TF32"},
		{"m16n8k32.row.col.s32.s8.s8.s32", "S8"}, {"m16n8k32.row.col.s32.u8.u8.s32", "U8"}, {"m16n8k256.row.col.s32.b1.b1.s32.and.popc", "And"},
		{"m16n8k16.row.col.f16.f16.f16.f16", "F16F16"},
		{"m16n8k32.row.col.f32.e4m3.e4m3.f32", "E4M3"}, {"m16n8k32.row.col.f32.e5m2.e5m2.f32", "E5M2"}, {"m16n8k32.row.col.f16.e4m3.e4m3.f16", "E4M3F16"}, {"m16n8k32.row.col.f16.e5m2.e5m2.f16", "E5M2F16"},
		{"m16n8k32.row.col.f32.e4m3.e5m2.f32", ""}, {"m16n8k32.row.col.f32.e5m2.e4m3.f32", ""}, {"m16n8k32.row.col.f16.e4m3.e5m2.f16", ""}, {"m16n8k32.row.col.f16.e5m2.e4m3.f16", ""},
	} {
		id, _ := ByName(f.step)
		g := GroupProduct{Step: &Variants[id]}
		if f.name != "" {
			g.Func = "GroupMMA" + f.name
		}
		list = append(list, g)
	}
	return list
}()

// GroupWarps is the number of warps of a warpgroup, and GroupRows that of the rows that it computes.
const GroupWarps, GroupRows = 4, 64

// perStep returns how many words a thread has for the sums of 8 columns.
func (g *GroupProduct) perStep() int {
	_, _, c := g.Step.Registers()
	return c
}

// Columns returns how many columns B has if a thread has so many words for sums: two or four of 8 columns.
func (g *GroupProduct) Columns(words int) int { return words / g.perStep() * 8 }

// Words returns how many words a thread has for the sums of so many columns, a multiple of 8.
func (g *GroupProduct) Words(columns int) int { return columns / 8 * g.perStep() }

// Takes reports whether a thread may have so many words for sums: B has a multiple of 8 columns up to 256, and of 16 from 32 on if the
// numbers are integers.
func (g *GroupProduct) Takes(words int) bool {
	columns := g.Columns(words)
	return words > 0 && words%g.perStep() == 0 && columns <= 256 && (g.Step.C != S32 || columns%16 == 0 || columns <= 24)
}

// Name returns the modifiers of the instruction in PTX, behind wgmma.mma_async.sync.aligned: "m64n32k16.f32.f16.f16".
func (g *GroupProduct) Name(words int) string {
	s := fmt.Sprintf("m64n%dk%d.%v.%v.%v", g.Columns(words), g.Step.K, g.Step.C, g.Step.A, g.Step.B)
	if g.Step.Combine != "" {
		s += "." + g.Step.Combine + ".popc"
	}
	return strings.ToLower(s)
}

// Form says how a product takes its factors (PTX ISA, "wgmma.mma_async", imm-scale-a, imm-scale-b, imm-trans-a and imm-trans-b).
type Form uint8

// The forms. A transposed factor has its rows, or columns for B, one beside the other in shared memory.
const (
	NegatedA Form = 1 << iota
	NegatedB
	TransposedA
	TransposedB
)

// Forms are all of them.
const Forms = NegatedA | NegatedB | TransposedA | TransposedB

// Negates reports whether the factors may be negated: those of floating-point numbers.
func (g *GroupProduct) Negates() bool { return g.Step.C != S32 }

// Transposes reports whether factors in shared memory may be transposed: those of 16 bits.
func (g *GroupProduct) Transposes() bool { return g.Step.A.Bits() == 16 }

// Misuse returns why a product of a name does not have such factors; "" if it does.
func (g *GroupProduct) Misuse(f Form) string {
	switch {
	case f&(TransposedA|TransposedB) != 0 && !g.Transposes():
		return "of a transposed matrix; only matrices of f16 and bf16 may be"
	case f&(NegatedA|NegatedB) != 0 && !g.Negates():
		return "of a negated matrix; only matrices of floating-point numbers may be"
	}
	return ""
}

// Rows returns the registers of A of a warp.
func (g *GroupProduct) Rows(from *Factor) (a *[4]Row) {
	a = new([4]Row)
	for r := range a {
		for lane := range 32 {
			a[r][lane] = from.register(lane/4+r%2*8, r/2, lane%4)
		}
	}
	return a
}

// Multiply adds the products of the rows of a warp, which are in the registers of A, with the columns of B to the warp's sums.
func (g *GroupProduct) Multiply(sums []*Row, a *[4]Row, from *Factor, f Form) {
	if (f&NegatedA != 0) != (f&NegatedB != 0) {
		a = g.negated(a)
	}
	rows := [4]*Row{&a[0], &a[1], &a[2], &a[3]}
	var b [2]Row
	columns := [2]*Row{&b[0], &b[1]}
	for first := 0; first < len(sums); first += g.perStep() {
		for half := range b {
			for lane := range 32 {
				b[half][lane] = from.register(g.Columns(first)+lane/4, half, lane%4)
			}
		}
		part := sums[first : first+g.perStep()]
		g.Step.Multiply(part, rows[:], columns[:], part)
	}
}

// negated returns registers whose numbers have the other sign.
func (g *GroupProduct) negated(a *[4]Row) *[4]Row {
	var signs uint64
	for at := g.Step.A.Bits(); at <= 32; at += g.Step.A.Bits() {
		signs |= 1 << (at - 1)
	}
	out := *a
	for r := range out {
		for lane := range out[r] {
			out[r][lane] ^= signs
		}
	}
	return &out
}
