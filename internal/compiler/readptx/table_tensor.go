package readptx

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// tensorRows are copies of boxes of tensors (PTX ISA, "cp.async.bulk.tensor"), of one to three dimensions and in tiled mode. A tensor map is 128 bytes at
// an address in any state space but shared memory: a parameter, or where compilers that do not know __grid_constant__ have copied that. Prefetches are hints.
var tensorRows = []row{
	{pattern: "cp.async.bulk.tensor.{1d,2d,3d}.{shared::cluster,shared::cta}.global{.tile}.mbarrier::complete_tx::bytes{.L2::cache_hint}", args: "[to], [map, c], [mbarrier], {policy}", build: buildTensorCopy},
	{pattern: "cp.async.bulk.tensor.{1d,2d,3d}.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster{.L2::cache_hint}", args: "[to], [map, c], [mbarrier], mask, {policy}", build: buildTensorMulticast},
	{pattern: "cp.async.bulk.tensor.{1d,2d,3d}.global.shared::cta{.tile}.bulk_group{.L2::cache_hint}", args: "[map, c], [from], {policy}", build: buildTensorStore},
	{pattern: "cp.async.bulk.prefetch.tensor.{1d,2d,3d}.L2.global{.tile}{.L2::cache_hint}", args: "[map, c], {policy}", pure: true, build: buildNothing},
	{pattern: "prefetch{.param,.const}.tensormap", args: "[map]", pure: true, build: buildNothing},
}

func buildTensorCopy(b *builder, s *inst) {
	to, barrier := b.sharedAddress(s.args[0]), b.sharedAddress(s.args[2])
	m := b.tensorMap(s, s.args[1])
	b.boxes(ir.OpMapCopy, m, to, barrier).Mem.Cache = ir.CacheL2
}

func buildTensorMulticast(b *builder, s *inst) {
	to, barrier := b.sharedAddress(s.args[0]), b.sharedAddress(s.args[2])
	m := b.tensorMap(s, s.args[1])
	ranks := b.of(ir.OpCvt, ir.U64, ir.U32, b.value(s.args[3], types[".u16"]))
	m.words[0] = b.ins(ir.OpOr, ir.U64, m.words[0], b.ins(ir.OpShl, ir.U64, ranks, b.u32(tensormap.RanksAt)))
	b.boxes(ir.OpMapMulticast, m, to, barrier).Mem.Cache = ir.CacheL2
}

func buildTensorStore(b *builder, s *inst) {
	from := b.sharedAddress(s.args[1])
	b.boxes(ir.OpMapStore, b.tensorMap(s, s.args[0]), from)
}

// boxes appends a copy of a box, which has the operands of a part of it behind the size of the box.
func (b *builder) boxes(op ir.Op, m boxMap, shared *ir.Value, behind ...*ir.Value) *ir.Value {
	args := append([]*ir.Value{m.tensor, shared, m.bytes}, behind...)
	args = append(append(args, m.at[:]...), m.words[:]...)
	copied := b.ins(op, ir.Void, args...)
	copied.Mem = ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Global}
	return copied
}

// boxMap is a box of a tensor, as a copy has it.
type boxMap struct {
	tensor *ir.Value // its address
	bytes  *ir.Value // of a box
	at     [ir.MaxTensorDims]*ir.Value
	words  [ir.MapWords]*ir.Value
}

// tensorMap reads the tensor map at an address, and the coordinates behind that.
func (b *builder) tensorMap(s *inst, o operand) (m boxMap) {
	dims := map[bool]int{s.has(".1d"): 1, s.has(".2d"): 2, s.has(".3d"): 3}[true]
	coordinates := o.list
	if len(coordinates) == 1 && coordinates[0].form == formVector {
		coordinates = coordinates[0].list
	}
	if o.form != formAddress || len(coordinates) != dims {
		b.fail("%s wants the address of a tensor map and %d coordinates: [map, {x, ...}]", s.op+s.statement.mods, dims)
	}
	for d := range m.at {
		if m.at[d] = b.number(ir.S32, 0); d < dims {
			m.at[d] = b.value(coordinates[d], types[".s32"])
		}
	}
	o.list = nil
	at, off := b.memory(o, ir.Generic)
	m.tensor = b.mapWord(at, off+tensormap.AddressAt)
	for i := range m.words {
		m.words[i] = b.mapWord(at, off+int64(tensormap.WordAt(i)))
	}
	m.words[0] = b.ins(ir.OpOr, ir.U64, m.words[0], b.number(ir.U64, tensormap.Wanted(dims)))
	m.bytes = b.low(b.ins(ir.OpShr, ir.U64, m.words[tensormap.MoreWord], b.u32(tensormap.BoxBytes)))
	return m
}

// mapWord returns a word of a tensor map. That of a parameter needs no load.
func (b *builder) mapWord(at *ir.Value, off int64) *ir.Value {
	for i := range b.entry.Params {
		if b.frame.vars[b.entry.Params[i].Name] == at {
			return b.leaf(i, int(off), ir.U64)
		}
	}
	word := b.ins(ir.OpLoad, ir.U64, at)
	word.Imm, word.Mem = off, ir.Mem{Kind: ir.U64, Vec: 1}
	return word
}
