package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

const (
	toShared  = "{.shared,.shared::cta}"
	copyHints = "{.L2::cache_hint}{.L2::64B,.L2::128B,.L2::256B}"
)

// copyRows are the asynchronous copies of a thread (PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy"). Hints for
// caches say nothing to the simulator.
var copyRows = []row{
	{pattern: "cp.async.{ca,cg}" + toShared + ".global" + copyHints, args: "[to], [from], size, {bytes}, {policy}", build: buildCopy, guards: true},
	{pattern: "cp.async.commit_group", args: "", build: buildCopyCommit, guards: true},
	{pattern: "cp.async.wait_group", args: "n", build: buildCopyWait, guards: true},
	{pattern: "cp.async.wait_all", args: "", build: buildCopyWaitAll, guards: true},
	{pattern: "cp.async.mbarrier.arrive{.noinc}" + ofBlock + ".b64", args: "[a]", build: buildCopyArrive},
}

func buildCopy(b *builder, s *inst) {
	to, off := b.memory(s.args[0], ir.Shared)
	if off != 0 {
		to = b.ins(ir.OpAdd, ir.U64, to, b.number(ir.U64, uint64(off)))
	}
	from, off := b.memory(s.args[1], ir.Global)
	mem := ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global, Cache: ir.CacheAll}
	size := uint64(b.immediate(s.args[2], "the size of a copy", 16))
	switch {
	case size == 4:
	case size == 8:
		mem.Vec = 2
	case size == 16:
		mem.Vec = 4
	default:
		b.fail("a copy of %d bytes; a thread copies 4, 8 or 16", size)
	}
	if s.has(".cg") {
		if mem.Cache = ir.CacheL2; size != 16 {
			b.fail("cp.async.cg of %d bytes; it copies 16", size)
		}
	}
	copied := b.ins(ir.OpCopy, ir.Void, from, to, b.bytesRead(s, size))
	copied.Imm, copied.Mem = off, mem
	b.guarded(s, copied)
}

// bytesRead returns how many bytes a copy reads: all, as many as an operand says, or none if a predicate says that the source is
// ignored. A cache policy is the operand behind that, or in its place.
func (b *builder) bytesRead(s *inst, size uint64) *ir.Value {
	operands := s.args[3:]
	if s.has(".L2::cache_hint") {
		if len(operands) == 0 {
			b.fail("%s needs a cache policy", s.op+s.statement.mods)
		}
		operands = operands[:len(operands)-1]
	}
	switch {
	case len(operands) > 1:
		b.fail("%s has a cache policy, and no .L2::cache_hint", s.op+s.statement.mods)
	case len(operands) == 0:
		return b.u32(size)
	}
	if o := operands[0]; o.form == formReg {
		if t, ok := b.frame.fn.reg(o.name); ok && t.letter == 'p' {
			return b.ins(ir.OpSelect, ir.U32, b.value(o, types[".pred"]), b.u32(0), b.u32(size))
		}
	}
	return b.value(operands[0], types[".u32"])
}

func buildCopyCommit(b *builder, s *inst) { b.guarded(s, b.ins(ir.OpCopyCommit, ir.Void)) }

func buildCopyWait(b *builder, s *inst) {
	v := b.ins(ir.OpCopyWait, ir.Void)
	v.Imm = b.immediate(s.args[0], "the number of groups", 1<<31-1)
	b.guarded(s, v)
}

// buildCopyWaitAll builds what cp.async.wait_all is equivalent to.
func buildCopyWaitAll(b *builder, s *inst) {
	b.guarded(s, b.ins(ir.OpCopyCommit, ir.Void))
	b.guarded(s, b.ins(ir.OpCopyWait, ir.Void))
}

func buildCopyArrive(b *builder, s *inst) {
	op := ir.OpMBarTrack
	if s.has(".noinc") {
		op = ir.OpMBarCopied
	}
	b.onMBarrier(s, op, s.args[0], ir.Relaxed, b.number(ir.U64, 0))
}

// bulkRows are copies in bulk (PTX ISA, "Data Movement and Conversion Instructions: Bulk copy"): those to shared memory of the block that
// complete on an mbarrier, also of other blocks of the cluster, and those from there to global memory, with the types that the ISA has for each
// reduction. A prefetch is a hint; and a fence of the asynchronous proxy for global memory alone has nothing to order that the copies here
// do in another order.
var bulkRows = []row{
	{pattern: "cp.async.bulk.{shared::cluster,shared::cta}.global.mbarrier::complete_tx::bytes{.L2::cache_hint}", args: "[to], [from], size, [mbarrier], {policy}", build: buildBulkCopy, guards: true},
	{pattern: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{.L2::cache_hint}", args: "[to], [from], size, [mbarrier], mask, {policy}", build: buildBulkMulticast, guards: true},
	{pattern: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", args: "[to], [from], size, [mbarrier]", build: buildBulkSend, guards: true},
	{pattern: "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2,.v4}.{b32,u32,s32,f32}", args: "[to], value, [mbarrier]", build: buildSendValues, guards: true},
	{pattern: "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2}.{b64,u64,s64,f64}", args: "[to], value, [mbarrier]", build: buildSendValues, guards: true},
	{pattern: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.{inc,dec}.u32", args: "[to], value, [mbarrier]", build: buildSendValues, guards: true},
	{pattern: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.{min,max}.{u32,s32}", args: "[to], value, [mbarrier]", build: buildSendValues, guards: true},
	{pattern: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.add.{u32,s32,u64}", args: "[to], value, [mbarrier]", build: buildSendValues, guards: true},
	{pattern: "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.{and,or,xor}.b32", args: "[to], value, [mbarrier]", build: buildSendValues, guards: true},
	{pattern: "cp.async.bulk.prefetch.L2.global{.L2::cache_hint}", args: "[from], size, {policy}", pure: true, build: buildNothing},
	{pattern: "cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}", args: "[to], [from], size, {policy}", build: buildBulkStore, guards: true},
	{pattern: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.add.{u32,s32,u64,f32,f64}", args: "[to], [from], size, {policy}", build: buildBulkStore, guards: true},
	{pattern: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.{min,max}.{u32,s32,u64,s64}", args: "[to], [from], size, {policy}", build: buildBulkStore, guards: true},
	{pattern: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.{and,or,xor}.{b32,b64}", args: "[to], [from], size, {policy}", build: buildBulkStore, guards: true},
	{pattern: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.{inc,dec}.u32", args: "[to], [from], size, {policy}", build: buildBulkStore, guards: true},
	{pattern: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.add.noftz.{f16,bf16}", args: "[to], [from], size, {policy}", build: buildBulkStore, guards: true},
	{pattern: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.{min,max}.{f16,bf16}", args: "[to], [from], size, {policy}", build: buildBulkStore, guards: true},
	{pattern: "cp.async.bulk.commit_group", args: "", build: buildBulkCommit, guards: true},
	{pattern: "cp.async.bulk.wait_group{.read}", args: "n", build: buildBulkWait, guards: true},
	{pattern: "fence.proxy.async.global", args: "", pure: true, build: buildNothing},
	{pattern: "fence.proxy.async{.shared::cta,.shared::cluster}", args: "", build: buildFenceAsync, guards: true},
}

// sharedAddress returns an address of shared memory with its offset.
func (b *builder) sharedAddress(o operand) *ir.Value {
	at, off := b.memory(o, ir.Shared)
	if off != 0 {
		at = b.ins(ir.OpAdd, ir.U64, at, b.number(ir.U64, uint64(off)))
	}
	return at
}

func buildBulkCopy(b *builder, s *inst) {
	to, barrier := b.sharedAddress(s.args[0]), b.sharedAddress(s.args[3])
	from, off := b.memory(s.args[1], ir.Global)
	copied := b.ins(ir.OpBulkCopy, ir.Void, from, to, b.value(s.args[2], types[".u32"]), barrier)
	copied.Imm, copied.Mem = off, ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Global, Cache: ir.CacheL2}
	b.guarded(s, copied)
}

// buildBulkMulticast builds a copy to several blocks of the cluster, whose ranks are the bits of a mask.
func buildBulkMulticast(b *builder, s *inst) {
	to, barrier := b.sharedAddress(s.args[0]), b.sharedAddress(s.args[3])
	from, off := b.memory(s.args[1], ir.Global)
	copied := b.ins(ir.OpBulkMulticast, ir.Void, from, to, b.value(s.args[2], types[".u32"]), barrier, b.value(s.args[4], types[".u16"]))
	copied.Imm, copied.Mem = off, ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Global, Cache: ir.CacheL2}
	b.guarded(s, copied)
}

// buildBulkSend builds a copy from shared memory of the block to that of a block of its cluster.
func buildBulkSend(b *builder, s *inst) {
	to, barrier := b.sharedAddress(s.args[0]), b.sharedAddress(s.args[3])
	from, off := b.memory(s.args[1], ir.Shared)
	copied := b.ins(ir.OpBulkSend, ir.Void, from, to, b.value(s.args[2], types[".u32"]), barrier)
	copied.Imm, copied.Mem = off, ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Shared}
	b.guarded(s, copied)
}

// buildSendValues builds a store, or a reduction, of values to shared memory of a block of the cluster.
func buildSendValues(b *builder, s *inst) {
	to, barrier := b.sharedAddress(s.args[0]), b.sharedAddress(s.args[2])
	op, mem := ir.OpSendStore, ir.Mem{Kind: s.t.mem(), Vec: 1, Space: ir.Shared}
	if update := s.atomOp(); update != ir.OpInvalid {
		for op.Updates() != update {
			op++
		}
	}
	switch {
	case s.has(".v2"):
		mem.Vec = 2
	case s.has(".v4"):
		mem.Vec = 4
	}
	args := []*ir.Value{to, to, b.u32(uint64(mem.Bytes())), barrier}
	for _, o := range b.parts(s.args[1], mem.Vec) {
		args = append(args, b.value(o, s.t))
	}
	sent := b.ins(op, ir.Void, args...)
	sent.Mem = mem
	b.guarded(s, sent)
}

func buildBulkStore(b *builder, s *inst) {
	from := b.sharedAddress(s.args[1])
	to, off := b.memory(s.args[0], ir.Global)
	op, mem := ir.OpBulkStore, ir.Mem{Kind: ir.U32, Vec: 4, Space: ir.Global}
	if update := s.atomOp(); update != ir.OpInvalid {
		for op.Updates() != update {
			op++
		}
		if !update.Halves() {
			mem.Kind = s.t.mem()
		}
		mem.Vec, mem.Order, mem.Scope = uint8(16/mem.Kind.Bytes()), ir.Relaxed, ir.ScopeDevice
	}
	copied := b.ins(op, ir.Void, to, from, b.value(s.args[2], types[".u32"]))
	copied.Imm, copied.Mem = off, mem
	b.guarded(s, copied)
}

func buildBulkCommit(b *builder, s *inst) { b.guarded(s, b.ins(ir.OpBulkCommit, ir.Void)) }

func buildBulkWait(b *builder, s *inst) {
	op := ir.OpBulkWait
	if s.has(".read") {
		op = ir.OpBulkWaitRead
	}
	v := b.ins(op, ir.Void)
	v.Imm = b.immediate(s.args[0], "the number of groups", 1<<31-1)
	b.guarded(s, v)
}

func buildFenceAsync(b *builder, s *inst) {
	v := b.ins(ir.OpFenceAsync, ir.Void)
	if !s.has(".shared::cta") && !s.has(".shared::cluster") {
		v.Imm = ir.AllMemory
	}
	b.guarded(s, v)
}
