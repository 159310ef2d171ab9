package readptx

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// sumsRows are the products of matrices that a warpgroup computes (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). The first
// factor is a descriptor, or registers. Immediates say whether the factors are negated, and whether those in shared memory are transposed.
var sumsRows = []row{
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(0) + "}.f32.f16.f16", args: "d, a, b, p, i, j, {k}, {l}", build: buildGroupMMA},
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(1) + "}.f32.bf16.bf16", args: "d, a, b, p, i, j, {k}, {l}", build: buildGroupMMA},
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(2) + "}.f32.tf32.tf32", args: "d, a, b, p, i, j", build: buildGroupMMA},
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(3) + "}.s32.s8.s8", args: "d, a, b, p", build: buildGroupMMA},
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(4) + "}.s32.u8.u8", args: "d, a, b, p", build: buildGroupMMA},
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(5) + "}.s32.b1.b1.and.popc", args: "d, a, b, p", build: buildGroupMMA},
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(6) + "}.f16.f16.f16", args: "d, a, b, p, i, j, {k}, {l}", build: buildGroupMMA},
	{pattern: "wgmma.mma_async.sync.aligned.{" + groupShapes(7) + "}.{f32,f16}.{e4m3,e5m2}.{e4m3,e5m2}", args: "d, a, b, p, i, j", build: buildGroupMMA},
	{pattern: "wgmma.fence.sync.aligned", args: "", build: buildSums},
	{pattern: "wgmma.commit_group.sync.aligned", args: "", build: buildSums},
	{pattern: "wgmma.wait_group.sync.aligned", args: "n", build: buildSums},
}

// groupShapes returns the shapes of a product, separated by commas.
func groupShapes(product int) string {
	g := &mma.GroupProducts[product]
	var list []string
	for columns := 8; columns <= 256; columns += 8 {
		if g.Takes(g.Words(columns)) {
			list = append(list, fmt.Sprintf("m64n%dk%d", columns, g.Step.K))
		}
	}
	return strings.Join(list, ",")
}

// groupProduct returns the product with a name, and how many words a thread has for its sums.
func groupProduct(name string) (product, words int) {
	var columns int
	_, _ = fmt.Sscanf(name, "m64n%d", &columns)
	for i := range mma.GroupProducts {
		if g := &mma.GroupProducts[i]; g.Name(g.Words(columns)) == name {
			return i, g.Words(columns)
		}
	}
	panic("the pattern has matched " + name)
}

// buildGroupMMA copies the registers of the sums to the words for sums of a warpgroup, adds the product, and copies them back: the optimiser
// removes what products that follow each other copy in vain. That is long before a wait; the program may not look at them before.
func buildGroupMMA(b *builder, s *inst) {
	name := strings.TrimPrefix(strings.Join(s.mods[3:], ""), ".")
	product, words := groupProduct(name)
	g := &mma.GroupProducts[product]
	imm := ir.SumsImm{Words: words}
	fromRegisters := s.args[1].form == formVector
	form := b.groupForm(g, s.args[4:], fromRegisters)
	t := registerType(g.Step.C)
	k := map[mma.Type]ir.Kind{mma.F32: ir.F32, mma.S32: ir.S32, mma.F16: ir.U32}[g.Step.C]
	zero, adds := b.number(k, 0), b.value(s.args[3], types[".pred"])
	registers := b.parts(s.args[0], uint8(words))
	for i, o := range registers {
		old := b.ins(ir.OpSelect, k, adds, b.value(o, t), zero)
		set := b.of(ir.OpSumsSet, ir.Void, k, b.u32(uint64(i)), old)
		set.Imm = imm.Imm()
	}
	op, args := ir.OpGroupMMA, []*ir.Value{b.allLanes()}
	if fromRegisters {
		op = ir.OpGroupMMAFrom
		for _, o := range b.parts(s.args[1], 4) {
			args = append(args, b.value(o, types[".b32"]))
		}
	} else {
		args = append(args, b.descriptor(s.args[1])...)
	}
	v := b.ins(op, ir.Void, append(args, b.descriptor(s.args[2])...)...)
	v.Imm = ir.SumsImm{Words: words, Product: product, Form: form}.Imm()
	for i, o := range registers {
		if o.form == formSkip {
			continue
		}
		get := b.ins(ir.OpSumsGet, k, b.u32(uint64(i)))
		get.Imm = imm.Imm()
		b.set(s, o, t, get)
	}
}

// groupForm returns how a product takes its factors, which the operands behind the predicate say: 1 or -1 for each factor, and 0 or 1 for each
// factor of 16-bit numbers in shared memory.
func (b *builder) groupForm(g *mma.GroupProduct, args []operand, fromRegisters bool) (f mma.Form) {
	transposed := []mma.Form{mma.TransposedA, mma.TransposedB}
	if fromRegisters {
		transposed = transposed[1:]
	}
	if g.Transposes() && len(args) != 2+len(transposed) {
		b.fail("wgmma has %d operands that say whether a factor is transposed; it needs one for each factor in shared memory, %d", len(args)-2, len(transposed))
	}
	for i, o := range args {
		switch {
		case o.form != formNumber || o.real:
			b.fail("whether wgmma negates or transposes a factor is no number")
		case i < 2 && o.bits == ^uint64(0):
			f |= []mma.Form{mma.NegatedA, mma.NegatedB}[i]
		case i < 2 && o.bits != 1:
			b.fail("wgmma multiplies a factor by %d; want 1 or -1", int64(o.bits))
		case i >= 2 && o.bits == 1:
			f |= transposed[i-2]
		case i >= 2 && o.bits != 0:
			b.fail("whether wgmma transposes a factor is %d; want 0 or 1", int64(o.bits))
		}
	}
	return f
}

// descriptor returns the address in shared memory and the layout of a matrix descriptor.
func (b *builder) descriptor(o operand) []*ir.Value {
	d := b.value(o, types[".b64"])
	at := b.ins(ir.OpShl, ir.U64, b.ins(ir.OpAnd, ir.U64, d, b.number(ir.U64, 0x3FFF)), b.u32(4))
	return []*ir.Value{b.ins(ir.OpOr, ir.U64, at, b.number(ir.U64, ir.SharedWindow)), b.ins(ir.OpAnd, ir.U64, d, b.number(ir.U64, ^uint64(0x3FFF)))}
}

// buildSums builds what is about groups of products.
func buildSums(b *builder, s *inst) {
	switch {
	case s.has(".fence"):
		b.ins(ir.OpGroupMMAFence, ir.Void, b.allLanes())
	case s.has(".commit_group"):
		b.ins(ir.OpGroupMMACommit, ir.Void, b.allLanes())
	default:
		b.ins(ir.OpGroupMMAWait, ir.Void, b.allLanes()).Imm = b.immediate(s.args[0], "the number of groups", ir.MaxSumsPending)
	}
}
