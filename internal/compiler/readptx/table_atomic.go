package readptx

import (
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// atomicRows are the atomic instructions (PTX ISA, "atom", "red").
var atomicRows = []row{
	{pattern: "atom" + orders + scopes + atomSpaces + ".{and,or,xor}" + policy + ".{b32,b64}", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + atomSpaces + ".exch" + policy + ".{b32,b64,u32,s32,u64,s64,f32,f64}", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + atomSpaces + ".cas" + policy + ".{b32,b64,u32,s32,u64,s64}", args: "d, [a], b, c, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + atomSpaces + ".add" + policy + ".{u32,s32,u64,s64,f32,f64}", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + atomSpaces + ".{inc,dec}" + policy + ".u32", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + atomSpaces + ".{min,max}" + policy + ".{u32,s32,u64,s64}", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "red" + orders + scopes + atomSpaces + ".{and,or,xor}" + policy + ".{b32,b64}", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "red" + orders + scopes + atomSpaces + ".add" + policy + ".{u32,s32,u64,s64,f32,f64}", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "red" + orders + scopes + atomSpaces + ".{inc,dec}" + policy + ".u32", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "red" + orders + scopes + atomSpaces + ".{min,max}" + policy + ".{u32,s32,u64,s64}", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "atom" + orders + scopes + atomSpaces + ".cas" + policy + ".b16", args: "d, [a], b, c, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + atomSpaces + ".add.noftz" + policy + ".{f16,f16x2,bf16,bf16x2}", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "red" + orders + scopes + atomSpaces + ".add.noftz" + policy + ".{f16,f16x2,bf16,bf16x2}", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "atom" + orders + scopes + "{.global}.add" + policy + ".{v2,v4}.f32", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + "{.global}.{add,min,max}.noftz" + policy + ".{v2,v4,v8}.{f16,bf16}", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "atom" + orders + scopes + "{.global}.{add,min,max}.noftz" + policy + ".{v2,v4}.{f16x2,bf16x2}", args: "d, [a], b, {policy}", build: buildAtom},
	{pattern: "red" + orders + scopes + "{.global}.add" + policy + ".{v2,v4}.f32", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "red" + orders + scopes + "{.global}.{add,min,max}.noftz" + policy + ".{v2,v4,v8}.{f16,bf16}", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "red" + orders + scopes + "{.global}.{add,min,max}.noftz" + policy + ".{v2,v4}.{f16x2,bf16x2}", args: "[a], b, {policy}", build: buildAtom, guards: true},
	{pattern: "atom" + orders + scopes + atomSpaces + ".{exch,cas}" + policy + ".b128", args: "d, [a], b, c", refuse: "atomics on 128 bits are not supported; use two words and a lock"},
}

const (
	orders     = "{.relaxed,.acquire,.release,.acq_rel}"
	atomSpaces = "{.global,.shared,.shared::cta,.shared::cluster}"
	policy     = "{.L2::cache_hint}"
)

var atomOps = map[string]ir.Op{
	".and": ir.OpAtomAnd, ".or": ir.OpAtomOr, ".xor": ir.OpAtomXor, ".exch": ir.OpAtomExch, ".cas": ir.OpAtomCAS,
	".add": ir.OpAtomAdd, ".inc": ir.OpAtomInc, ".dec": ir.OpAtomDec, ".min": ir.OpAtomMin, ".max": ir.OpAtomMax,
}

// halfOps are the operations on 16-bit floats.
var halfOps = map[ir.Op]struct{ f16, bf16 ir.Op }{
	ir.OpAtomAdd: {ir.OpAtomAddF16, ir.OpAtomAddBF16},
	ir.OpAtomMin: {ir.OpAtomMinF16, ir.OpAtomMinBF16},
	ir.OpAtomMax: {ir.OpAtomMaxF16, ir.OpAtomMaxBF16},
}

// atomOp returns the operation of an atomic.
func (s *inst) atomOp() ir.Op {
	op := ir.OpInvalid
	for _, mod := range s.mods {
		if o, ok := atomOps[mod]; ok {
			op = o
		}
	}
	switch strings.TrimSuffix(s.mods[len(s.mods)-1], "x2") {
	case ".f16":
		return halfOps[op].f16
	case ".bf16":
		return halfOps[op].bf16
	}
	return op
}

// atomMem says how an atomic accesses memory.
func (s *inst) atomMem() ir.Mem {
	m := ir.Mem{Kind: s.t.mem(), Vec: 1, Space: s.space(), Order: ir.Relaxed, Scope: s.scope(ir.ScopeDevice)}
	switch {
	case s.has(".acquire"):
		m.Order = ir.Acquire
	case s.has(".release"):
		m.Order = ir.Release
	case s.has(".acq_rel"):
		m.Order = ir.AcqRel
	}
	return m
}

// buildAtom builds an atomic; of a vector, one for each element, since only these are atomic ("it is not guaranteed that the
// entire atom is atomic as a single access").
func buildAtom(b *builder, s *inst) {
	args := s.args
	if s.op == "atom" {
		args = args[1:]
	}
	op, m, t := s.atomOp(), s.atomMem(), s.t
	if !t.real() && t.bits < 32 || t.pair {
		t = t.bare()
	}
	at, off := b.memory(args[0], m.Space)
	n := uint8(1)
	for _, mod := range s.mods {
		if len(mod) == 3 && mod[:2] == ".v" {
			n = mod[2] - '0'
		}
	}
	values := b.parts(args[1], n)
	for i, value := range values {
		operands := []*ir.Value{at, b.value(value, t)}
		if op == ir.OpAtomCAS {
			operands = append(operands, b.value(args[2], t))
		}
		v := b.ins(op, m.Kind.Register(), operands...)
		v.Imm, v.Mem = off+int64(i*m.Kind.Bytes()), m
		if s.op == "red" {
			b.guarded(s, v)
			continue
		}
		b.set(s, b.parts(s.args[0], n)[i], t, v)
	}
}
