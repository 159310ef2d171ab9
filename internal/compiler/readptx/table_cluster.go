package readptx

import "github.com/weft-gpu/weft/internal/compiler/ir"

// clusterRows are what blocks of a cluster have (PTX ISA, "mapa", "getctarank", "barrier.cluster"). Loads, stores and atomics of
// .shared::cluster are in the rows of the other loads, stores and atomics.
var clusterRows = []row{
	{pattern: "mapa{.shared::cluster}.{u32,u64}", args: "d, a, rank", pure: true, build: buildMapa},
	{pattern: "getctarank{.shared::cluster}.{u32,u64}", args: "d, a", pure: true, build: buildRank},
	{pattern: "barrier.cluster.arrive{.release,.relaxed}{.aligned}", args: "", build: buildClusterBarrier},
	{pattern: "barrier.cluster.wait{.acquire}{.aligned}", args: "", build: buildClusterBarrier},
	{pattern: "fence.mbarrier_init.release.cluster", args: "", build: buildNothing},
}

func buildMapa(b *builder, s *inst) {
	rank, at := b.value(s.args[2], types[".u32"]), b.value(s.args[1], s.t)
	if s.t.bits == 64 {
		b.set(s, s.args[0], s.t, b.ins(ir.OpMapShared, ir.U64, at, rank))
		return
	}
	b.set(s, s.args[0], s.t, b.low(b.ins(ir.OpMapShared, ir.U64, b.from32(at, ir.Shared), rank)))
}

// buildRank returns the rank of the block that an address names, or of the thread's block if it names none.
func buildRank(b *builder, s *inst) {
	at := b.value(s.args[1], s.t)
	if s.t.bits == 64 {
		at = b.low(at)
	}
	named := b.ins(ir.OpShr, ir.U32, at, b.u32(ir.ClusterShift))
	own := b.of(ir.OpEq, ir.Pred, ir.U32, named, b.u32(0))
	b.set(s, s.args[0], types[".u32"], b.ins(ir.OpSelect, ir.U32, own, b.specialValue(ir.ClusterRank), b.ins(ir.OpSub, ir.U32, named, b.u32(1))))
}

// buildClusterBarrier builds an arrival or a wait. An arrival without .relaxed has release order.
func buildClusterBarrier(b *builder, s *inst) {
	op := ir.OpClusterWait
	if s.has(".arrive") {
		op = ir.OpClusterArrive
		if !s.has(".relaxed") {
			b.ins(ir.OpFence, ir.Void).Mem = ir.Mem{Order: ir.AcqRel, Scope: ir.ScopeDevice}
		}
	}
	b.ins(op, ir.Void, b.u32(1<<32-1))
}
