package ir

import "slices"

// A cluster is a number of consecutive blocks that run at the same time and reach each other's shared memory (PTX ISA, "Cluster of
// cooperative thread arrays").

// A generic address of shared memory has, from bit ClusterShift up, the rank in the cluster of the block whose memory it is, plus
// 1; 0 means the thread's own block. So has the address of PTX in 32 bits, as on hardware, where the number of a block is in the same
// bits: its lower half is the address without the bit of SharedWindow.
const (
	ClusterShift = 24
	clusterMask  = uint64(0xff) << ClusterShift
)

// MapShared returns the address of the place of shared memory at address addr in the block of a rank. Whether there is such a block
// is for the access to find.
func MapShared(addr, rank uint64) uint64 {
	return addr&^clusterMask | (min(rank, 0xfe)+1)<<ClusterShift
}

// SharedOf returns the rank of the block whose shared memory a generic address of shared memory is in, and the address as threads of
// that block have it; named is false if the address names no block, which means the block of the thread.
func SharedOf(addr uint64) (rank int, own uint64, named bool) {
	r := addr & clusterMask >> ClusterShift
	return int(r) - 1, addr &^ clusterMask, r != 0
}

// OwnShared reports whether PTX has an access for shared memory of the thread's own block alone (".shared::cta"): loads and stores of matrices,
// and what an mbarrier returns something of. What only counts at an mbarrier may be at one of another block ("mbarrier.arrive").
func (in *Inst) OwnShared() bool {
	switch in.Op {
	case OpMBarArrive, OpMBarDrop, OpMBarExpect, OpMBarArriveExpect, OpMBarDropExpect:
		return in.NDst > 0
	}
	return in.Op.IsMBarrier() || in.Op.OnMatrix()
}

// NamesBlocks reports whether p names other blocks of its cluster.
func (p *Program) NamesBlocks() bool {
	return slices.ContainsFunc(p.Code, func(in Inst) bool { return in.Op == OpMapShared })
}

// ArrivesInCluster reports whether an instruction of a program that names other blocks may arrive at an mbarrier of another block. Unless its order is
// [Relaxed], it releases to all of the cluster (".release.cluster" in PTX).
func (in *Inst) ArrivesInCluster() bool {
	return in.Op.Arrives() && !in.OwnShared() && in.Mem.Space == Generic
}

// CopiesToCluster reports whether p copies in bulk to blocks of a cluster. An H200 ends a launch without a cluster, in which a thread copies from shared
// memory to a block, with an illegal instruction, even if that is its own block; a cluster of one is enough (results/hw/asynchronous).
func (p *Program) CopiesToCluster() bool {
	return slices.ContainsFunc(p.Code, func(in Inst) bool { return in.Op.ToCluster() })
}

// UsesCluster reports whether p has an instruction that only makes sense in a cluster.
func (p *Program) UsesCluster() bool {
	for i := range p.Code {
		if in := &p.Code[i]; in.Op.Action() == ActCluster || in.Op == OpMapShared || in.Op.ToCluster() {
			return true
		}
	}
	return false
}
