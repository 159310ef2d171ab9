package simt

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Copies in bulk to other blocks of a cluster: from the block's own shared memory to that of one block, or from global memory to that of several.

// Ranks returns the ranks of the blocks to which a lane copies, as bits: all those of the mask of a multicast, or the one that the address of the
// destination names.
func (w *Warp) Ranks(in *ir.Inst, lane int) uint32 {
	if in.Op.Multicasts() {
		operand, from := in.Op.Ranks()
		return uint32(uint16(w.Row(in.Src[operand])[lane] >> from))
	}
	return 1 << w.RankOf(w.Row(in.Src[1])[lane])
}

// RankOf returns the rank of the block whose shared memory an address is of.
func (w *Warp) RankOf(addr uint64) int {
	if rank, _, named := ir.SharedOf(addr); named {
		return rank
	}
	return w.Block.Rank
}

// InBlock returns an address of shared memory as the block of a rank of the cluster is named to the warp: its own block is not named.
func (w *Warp) InBlock(addr uint64, rank int) uint64 {
	_, own, _ := ir.SharedOf(addr)
	if rank == w.Block.Rank {
		return own
	}
	return ir.MapShared(own, uint64(rank))
}

// Own returns an address of shared memory as the block that it is of has it.
func Own(addr uint64) uint64 {
	_, own, _ := ir.SharedOf(addr)
	return own
}

// CheckSend is CheckBulk for a copy from shared memory to that of a block of the cluster.
func (w *Warp) CheckSend(in, to *ir.Inst, lane int, src, dst, n, barrier uint64) *device.Fault {
	switch {
	case n%bulkAlign != 0:
		return w.Grid.BulkSizeFault(in, w.Place(lane), n)
	case notOwn(src) != "":
		return w.Fault(in, lane, "a copy in bulk from address %#x, %s", src, notOwn(src))
	case in.PTX && w.Grid.unclustered():
		return w.Fault(in, lane, "a copy in bulk from shared memory to that of a cluster, in a launch without one: a GPU ends it with an illegal instruction, also if the copy is to the thread's own block; launch it with a cluster of at least one block")
	case SpaceOf(dst) != ir.Shared:
		return w.Fault(in, lane, "a copy in bulk to address %#x, which is not in shared memory", dst)
	case SpaceOf(barrier) != ir.Shared:
		return w.Fault(in, lane, "a copy in bulk that completes at address %#x, which is not in shared memory", barrier)
	case w.RankOf(dst) != w.RankOf(barrier):
		return w.Fault(in, lane, "a copy in bulk to block %d of the cluster that completes at an mbarrier of block %d; want one of the block to which it copies", w.RankOf(dst), w.RankOf(barrier))
	}
	if fault := w.clusterFault(to, lane, dst); fault != nil {
		return fault
	}
	if fault := w.CheckBarrier(in, lane, Own(barrier)); fault != nil || n == 0 {
		return fault
	}
	if fault := w.checkRange(in, lane, src, n); fault != nil {
		return fault
	}
	return w.checkRange(to, lane, dst, n)
}

// CheckSendValue is CheckSend for values that a lane sends to shared memory of a block of the cluster. to is Destination of in.
func (w *Warp) CheckSendValue(in, to *ir.Inst, lane int, dst, barrier uint64) *device.Fault {
	switch {
	case SpaceOf(dst) != ir.Shared:
		return w.Fault(in, lane, "%s to address %#x, which is not in shared memory", in.Source(), dst)
	case SpaceOf(barrier) != ir.Shared:
		return w.Fault(in, lane, "%s that completes at address %#x, which is not in shared memory", in.Source(), barrier)
	case w.RankOf(dst) != w.RankOf(barrier):
		return w.Fault(in, lane, "%s to block %d of the cluster that completes at an mbarrier of block %d; want one of the block to which it goes", in.Source(), w.RankOf(dst), w.RankOf(barrier))
	}
	if fault := w.clusterFault(to, lane, dst); fault != nil {
		return fault
	}
	if own := Own(barrier); own%8 != 0 || own&^ir.SharedWindow+8 > uint64(len(w.Block.Shared)) {
		return w.Fault(in, lane, "%s that completes at address %#x, where no mbarrier of shared memory is", in.Source(), own)
	}
	return w.AccessFault(to, lane, dst)
}

// Sent returns the values that a lane sends, as memory has them.
func (w *Warp) Sent(in *ir.Inst, lane int) (value [16]byte) {
	size := in.Mem.Kind.Bytes()
	for i := range int(in.Mem.Vec) {
		Store(value[:], i*size, in.Mem.Kind, w.Row(in.Src[ir.SentValue+i])[lane])
	}
	return value
}

// unclustered reports whether the launch asks for no cluster, not even one of a block, and the kernel for none. A kernel in Go that sends is built for one.
func (g *Grid) unclustered() bool {
	return g.Launch.Cluster == 0 && g.Launch.ClusterY == 0 && g.Launch.ClusterZ == 0 && g.Kernel.OnlyCluster == 0
}

// CheckRanks returns the fault of a lane's copy to blocks of the cluster that are not there; nil if all are.
func (w *Warp) CheckRanks(in *ir.Inst, lane int) *device.Fault {
	ranks := w.Ranks(in, lane)
	if ranks == 0 {
		return w.Fault(in, lane, "a copy in bulk to no block of the cluster: its mask is 0")
	}
	for left := ranks; left != 0; left &= left - 1 {
		switch rank := bits.TrailingZeros32(left); {
		case rank >= w.Grid.Cluster:
			return w.Fault(in, lane, "a copy in bulk to block %d of a cluster, which has %d", rank, w.Grid.Cluster)
		case w.Block.Cluster != nil && w.Block.Cluster.ended[rank]:
			return w.Fault(in, lane, "a copy in bulk to block %d of the cluster, all of whose threads have left: a block must stay until others no longer use its shared memory", rank)
		}
	}
	return nil
}

// Ended reports whether the block of a rank has ended.
func (c *Cluster) Ended(rank int) bool { return c.ended[rank] }

// LeftFault returns the fault of a copy in bulk to the address addr of another block of the cluster, by the thread at a place, that may still write it when
// that block ends.
func (w *Warp) LeftFault(in *ir.Inst, by Place, addr uint64) *device.Fault {
	what, it := "copy in bulk", "the copy"
	if in.Op.SendsValue() {
		what, it = in.Source(), "it"
	}
	return w.Grid.Fault(in, by, "block %d ends while this %s may still write %s; a thread of that block must wait for the phase in which %s completes",
		w.Block.ID, what, w.sharedElement(in.To, addr), it)
}

// UnsentFault returns the fault of a copy in bulk to a block of the cluster that may still read its source when its own block ends.
func (w *Warp) UnsentFault(in *ir.Inst, lane int, addr uint64) *device.Fault {
	return w.Fault(in, lane, "the block ends while this copy in bulk may still read %s; it must stay until a thread has waited for the phase in which the copy completes",
		w.sharedElement(in.Root, addr))
}

// sharedElement names the element at an address of shared memory, which is in the variable of a root if that is known.
func (w *Warp) sharedElement(root int32, addr uint64) string {
	what, _, _ := w.elementAt(&ir.Inst{Op: ir.OpLoad, Root: root, Mem: ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Shared}}, addr)
	return what
}
