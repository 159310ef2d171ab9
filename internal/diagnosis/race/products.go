package race

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// productName is what reports call a product of a warpgroup.
const productName = "product of a warpgroup"

// readBy returns how an instruction accesses memory: a product of a warpgroup as a load of a piece of its matrices.
func readBy(in *ir.Inst) *ir.Inst {
	if !in.Op.IsGroupMMA() {
		return in
	}
	load := simt.MatrixLoad(in, -1)
	return &load
}

// Product records that a warp begins a product that reads matrices in shared memory. Which lane reads a piece is not said by PTX, and
// all of them wait for it.
func Product(b *Block, index int, pc int32, matrices []simt.Matrix) {
	var at, bytes simt.Row
	lanes := 0
	flush := func() {
		b.pass(index, pc, weakLoad, b.job.engine*productReads, uint32(1<<lanes-1), &at, &bytes)
		lanes = 0
	}
	for i := range matrices {
		for piece := range matrices[i].Pieces {
			if b.d.watching && b.job.marks[pc] != 0 {
				for word := piece; word < piece+16; word += 4 {
					b.visit(b.warps[index].id+b.job.engine*productReads, lanes, b.job.marks[pc], word)
				}
			}
			at[lanes], bytes[lanes] = piece, 16
			if lanes++; lanes == simt.Lanes {
				flush()
			}
		}
	}
	flush()
}

// Sums records that a warp makes a group of its products, or waits for groups.
func Sums(b *Block, index int, in *ir.Inst) {
	warp := &b.warps[index]
	switch in.Op {
	case ir.OpGroupMMACommit:
		commit(b, warp, &warp.products, simt.Full)
	case ir.OpGroupMMAWait:
		b.settle(warp)
		if last := len(warp.products) - 1 - int(in.Imm); last >= 0 {
			// All lanes have waited for the warp's reads, whichever of them that was.
			b.learn(warp, simt.Full, copied(b, warp, simt.Full, warp.products[last].clock, productReads*b.job.engine))
			warp.products = append(warp.products[:0], warp.products[last+1:]...)
		}
	}
}

// productRule says what orders a product of a warpgroup, which is one of the accesses of a race, and the other access.
func productRule(race *device.Race, cuda bool) string {
	wait, fence, sync := "t.WaitSums", "t.FenceAsync", "t.Sync"
	if cuda {
		wait, fence, sync = "wgmma.wait_group", "fence.proxy.async", "__syncthreads"
	}
	switch {
	case race.Kind == device.RaceProxy:
		return fence + " in the thread of the first access, behind it and before the barrier"
	case race.First.What != productName:
		return "a barrier, such as " + sync + ", behind the first access and before the product, which both warps reach"
	case race.First.Warp == race.Second.Warp:
		return wait + " for the group of the product before the second access"
	}
	return wait + " for the group of the product in its warp, and " + sync + " behind it"
}
