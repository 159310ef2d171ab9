package race

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/tensormap"
)

// What reports call copies in bulk, stores and reductions that complete on an mbarrier of a block of the cluster.
const (
	sendName       = "copy in bulk to the cluster"
	sendStoreName  = "asynchronous store to the cluster"
	sendUpdateName = "asynchronous reduction in the cluster"
)

// isSendName reports whether reports call what goes to blocks of the cluster so.
func isSendName(what string) bool {
	return what == sendName || what == sendStoreName || what == sendUpdateName
}

// ToCluster records a lane's copy in bulk of some bytes, or of a box of the tensor that begins at from, to shared memory: of the block that dst names, from
// shared memory, or of the blocks of the cluster with some ranks. Each of these parts reads, and is done by itself.
func (b *Block) ToCluster(index int, pc int32, lane int, box *tensormap.Box, from, dst, bytes uint64, ranks uint32) {
	switch op := b.job.grid.Prog.Code[pc].Op; {
	case op.SendsValue():
		sendValue(b, index, pc, lane, dst, bytes, op)
		return
	case op == ir.OpBulkSend:
		send(b, index, pc, lane, from, dst, bytes)
		return
	}
	for ; ranks != 0; ranks &= ranks - 1 {
		rank := uint32(bits.TrailingZeros32(ranks))
		to := ir.MapShared(dst, uint64(rank))
		if box == nil {
			var source, there, size simt.Row
			source[lane], there[lane], size[lane] = from, to, bytes
			b.copy(index, pc, casts+rank, 1<<lane, 1<<lane, &source, &there, &size)
		} else {
			bringBox(b, index, pc, casts+rank, lane, box, from, to)
		}
	}
}

// rankOf returns the rank of the block whose shared memory an address of a thread of b is of.
func (c *Cluster) rankOf(b *Block, addr uint64) uint32 {
	owner, _ := c.owner(b, addr)
	return uint32(slices.Index(c.blocks, owner))
}

// send records a copy from shared memory.
func send(b *Block, index int, pc int32, lane int, from, dst, bytes uint64) {
	var source, to, size simt.Row
	source[lane], to[lane], size[lane] = from, dst, bytes
	if b.d.watching && b.job.marks[pc] != 0 {
		for at := uint64(0); at < bytes; at += 4 {
			b.visit(b.warps[index].id+b.job.engine*sendReads, lane, b.job.marks[pc], from+at)
			b.visit(b.warps[index].id+b.job.engine*bulkCopies, lane, b.job.marks[pc], dst+at)
		}
	}
	b.pass(index, pc, weakLoad, b.job.engine*sendReads, 1<<lane, &source, &size)
	b.pass(index, pc, weakStore, b.job.engine*bulkCopies, 1<<lane, &to, &size)
}

// sendValue records values that a lane sends: a store, or an update that is an access of the scope of the cluster.
func sendValue(b *Block, index int, pc int32, lane int, dst, bytes uint64, op ir.Op) {
	var to, size simt.Row
	to[lane], size[lane] = dst, bytes
	if b.d.watching && b.job.marks[pc] != 0 {
		b.visit(b.warps[index].id+b.job.engine*bulkCopies, lane, b.job.marks[pc], dst)
	}
	class := weakStore
	if op.Updates() != ir.OpInvalid {
		class = strongStore
	}
	b.pass(index, pc, class, b.job.engine*bulkCopies, 1<<lane, &to, &size)
}

// sendRule says what orders a copy in bulk to blocks of the cluster, which is one of the accesses of a race, and the other access.
func sendRule(race *device.Race, cuda bool, distance int) string {
	fence, sync, cluster := "t.FenceAsync", "t.Sync", "t.SyncCluster"
	if cuda {
		fence, sync, cluster = "fence.proxy.async", "__syncthreads", "cluster.sync()"
	}
	same := race.First.Block == race.Second.Block
	switch {
	case race.Kind == device.RaceProxy && race.First.Thread == race.Second.Thread && same:
		return fence + " between the accesses"
	case race.Kind == device.RaceProxy:
		return fence + " in the thread of the first access, behind it and before the barrier"
	case !isSendName(race.First.What) && distance < 2:
		return "a barrier, such as " + sync + ", behind the first access and before the copy, which both threads reach"
	case !isSendName(race.First.What):
		return "a barrier, such as " + cluster + ", behind the first access and before the copy, which both threads reach"
	}
	return "a wait for the phase in which the copy completes, by a thread of the block to which it goes, before the second access; threads of another block wait for that thread in turn, at an mbarrier of theirs or by " + cluster
}
