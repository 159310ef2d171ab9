package race

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/cluster"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// An asynchronous copy reads and writes at some time after its issue, and nothing of its thread comes after it in program order
// but what waits for it (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"). Its accesses therefore belong to
// a thread of its own: each warp has further numbers in the launch, its number plus multiples of job.engine, for those of its copies. A
// copy comes after what its thread knows when it issues it. A wait for its group, and an arrival at an mbarrier, hand on that it is done.
// Copies in bulk to shared memory, for which no such wait is, and those to global memory, of which a thread may wait for the reads alone,
// have numbers of their own.
const (
	oneThread  = 1 + iota // copies of a thread
	bulkCopies            // in bulk to shared memory
	bulkReads             // of copies in bulk to global memory
	bulkWrites
	productReads                             // of products of warpgroups
	sendReads                                // of copies in bulk to a block of the cluster, which no wait for groups is for
	casts                                    // copies in bulk to several blocks of the cluster: to that with rank 0, and so on, since each part is done by itself
	engines      = casts + cluster.MaxBlocks // how many numbers a warp has
)

// group is what lanes of a warp have committed together: their copies up to a clock.
type group struct {
	lanes uint32
	clock uint32
}

// copyName is what reports call an asynchronous copy.
const copyName = "asynchronous copy"

// engineOf returns what is added to the numbers of the warps of a grid for their copies; 0 if it has none.
func engineOf(grid *simt.Grid) uint32 {
	if grid != nil && slices.ContainsFunc(grid.Prog.Code, func(in ir.Inst) bool { return isCopy(&in) }) {
		return uint32(grid.Blocks * grid.Warps)
	}
	return 0
}

// isCopy reports whether in begins an asynchronous copy, or a product of a warpgroup, which reads as copies do.
func isCopy(in *ir.Inst) bool {
	return in.Op.Action() == ir.ActCopy || in.Op.Action() == ir.ActBulk || in.Op.IsGroupMMA()
}

// threadsOf returns the warp whose accesses, or whose copies, have a number.
func (j *job) threadsOf(warp uint32) uint32 {
	if j.engine > 0 {
		return j.first + (warp-j.first)%j.engine
	}
	return warp
}

// Copy records an asynchronous copy that the lanes of mask issue. The lanes of reads read all of the source.
func (b *Block) Copy(index int, pc int32, mask, reads uint32, from, dst *simt.Row) {
	b.copy(index, pc, oneThread, mask, reads, from, dst, nil)
}

// CopyBulk records copies in bulk: lane i copies bytes[i] bytes.
func (b *Block) CopyBulk(index int, pc int32, mask uint32, from, dst, bytes *simt.Row) {
	b.copy(index, pc, bulkCopies, mask, mask, from, dst, bytes)
}

// copy records copies of bytes, or of as many as the instruction has if that is nil, by a number of the warp.
func (b *Block) copy(index int, pc int32, number, mask, reads uint32, from, dst, bytes *simt.Row) {
	if b.d.watching && b.job.marks[pc] != 0 {
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			b.visit(b.warps[index].id+b.job.engine, lane, b.job.marks[pc], from[lane])
			b.visit(b.warps[index].id+b.job.engine, lane, b.job.marks[pc], dst[lane])
		}
	}
	as := b.job.engine * number
	if b.job.plans[pc].track {
		b.pass(index, pc, weakLoad, as, reads, from, bytes)
	}
	b.pass(index, pc, weakStore, as, mask, dst, bytes)
}

// pass records the accesses of copies, one for each lane of mask: of bytes from an address on, or of as many as the instruction has if
// that is nil. They belong to the number of the warp plus as.
func (b *Block) pass(index int, pc int32, class class, as, mask uint32, at, bytes *simt.Row) {
	plan, warp := &b.job.plans[pc], &b.warps[index]
	b.settle(warp)
	access := mover{b: b, w: warp, as: warp.id + as, info: info(pc) | info(plan.width)<<infoWidth}
	if class == strongStore { // reductions have the scope of the GPU
		access.info |= infoWide
	}
	for m := mask; m != 0; m &= m - 1 {
		access.lane = bits.TrailingZeros32(m) & 31
		access.bit = 1 << access.lane
		off, size := 0, int(plan.bytes)
		if bytes != nil {
			size = int(bytes[access.lane])
		}
		if !b.find(&access, at[access.lane], &off) || uint(off)+uint(size) > uint(access.s.bytes) {
			continue
		}
		if !access.s.fixed || access.s.grain > plan.grain {
			access.s.refine(plan.grain)
		}
		last := (off + size - 1) >> access.s.grain
		for access.cell = off >> access.s.grain; access.cell <= last; access.cell++ {
			access.visit(class, &access.s.cells[access.cell])
			switch {
			case as == b.job.engine*bulkReads, as == b.job.engine*productReads, as == b.job.engine*sendReads:
				access.unseen(&access.s.cells[access.cell])
			case class == weakStore && access.s.alloc != nil && access.s.sync != nil:
				access.s.sync[access.cell] = 0 // a reader of this value acquires nothing
			}
		}
	}
}

// CommitCopies records that the lanes of mask make a group of their copies.
func (b *Block) CommitCopies(index int, mask uint32) {
	warp := &b.warps[index]
	commit(b, warp, &warp.groups, mask)
}

func commit(b *Block, warp *warp, groups *[]group, mask uint32) {
	b.settle(warp)
	*groups = append(*groups, group{mask, warp.clock})
	b.tick(warp)
}

// WaitCopies records that all groups of the lanes of mask but the latest ones have landed.
func (b *Block) WaitCopies(index int, mask, pending uint32) {
	warp := &b.warps[index]
	b.settle(warp)
	wait(b, warp, &warp.groups, mask, pending, oneThread)
	tidy(&warp.groups, mask, pending)
}

// wait lets the lanes of mask know that copies of all their groups but the latest ones are done, of some numbers.
func wait(b *Block, warp *warp, groups *[]group, mask, pending uint32, of ...uint32) {
	// From the latest group back: a lane knows the first one that has as many of its groups behind it. Those before are done, too.
	var behind [simt.Lanes]uint32
	for i := len(*groups) - 1; i >= 0; i-- {
		g := &(*groups)[i]
		done := uint32(0)
		for m := g.lanes & mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			if behind[lane] == pending {
				done |= 1 << lane
			}
			behind[lane]++
		}
		for m := done; m != 0; m &= m - 1 { // each lane has waited for its own copies alone
			for _, number := range of {
				b.learn(warp, m&-m, copied(b, warp, m&-m, g.clock, number*b.job.engine))
			}
		}
	}
}

// tidy keeps of each lane of mask the last pending+1 groups: a later wait may leave as many behind.
func tidy(groups *[]group, mask, pending uint32) {
	var behind [simt.Lanes]uint32
	gone := false
	for i := len(*groups) - 1; i >= 0; i-- {
		g := &(*groups)[i]
		for m := g.lanes & mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			if behind[lane]++; behind[lane] > pending+1 {
				g.lanes &^= 1 << lane
			}
		}
		gone = gone || g.lanes == 0
	}
	if gone {
		*groups = slices.DeleteFunc(*groups, func(g group) bool { return g.lanes == 0 })
	}
}

// copied returns the clock of those who know that copies of lanes are done that were issued up to a clock of their warp; engine is added
// to the number of the warp for such copies.
func copied(b *Block, warp *warp, lanes, clock, engine uint32) *vclock {
	if lanes == 0 || b.job.engine == 0 {
		return nil
	}
	return b.d.clocks.with(nil, own{block: b.first + engine, warp: warp.id + engine, lanes: lanes, clock: clock})
}

// Announce records that an mbarrier waits for the copies that lanes of a warp have issued so far, and returns what Copied is to know.
func (b *Block) Announce(index int) uint32 {
	warp := &b.warps[index]
	clock := warp.clock
	b.tick(warp)
	return clock
}

// Copied records that the copies of a lane that Announce stands for arrive at the mbarrier at an address, or the one in bulk that an instruction
// has issued. Who waits for the phase knows that they are done, and nothing else: PTX gives the arrival no order.
func (b *Block) Copied(index int, pc int32, lane int, addr uint64, announced uint32) {
	access, off := mover{b: b}, 0
	if !b.find(&access, addr, &off) || uint(off) >= uint(access.s.bytes) {
		return
	}
	op, number := b.job.grid.Prog.Code[pc].Op, uint32(oneThread)
	switch {
	case op.Multicasts():
		number = casts + b.cluster.rankOf(b, addr)
	case op.Completes():
		number = bulkCopies
	}
	tells(b, access.s, index, lane, off, announced, b.job.engine*number)
	if op == ir.OpBulkSend {
		tells(b, access.s, index, lane, off, announced, b.job.engine*sendReads)
	}
}

// tells records that the copies of a lane that were issued up to a clock, of a number of its warp, are done for those who wait at the mbarrier
// at an offset. In a cluster the threads of all its blocks may: the bytes count with its scope (PTX ISA, "mbarrier: complete_tx operation").
func tells(b *Block, s *shadow, index, lane, off int, clock, engine uint32) {
	warp := &b.warps[index]
	vc := copied(b, warp, 1<<lane, clock, engine)
	if vc == nil {
		return
	}
	s.refine(3) // an mbarrier has 8 bytes
	if s.sync == nil {
		s.sync = make([]uint32, len(s.cells))
	} else if s.synced != b.d.launch {
		clear(s.sync)
	}
	s.synced = b.d.launch
	to := inBlock
	if b.job.grid.Cluster > 1 {
		to = onGPU
	}
	at := &s.sync[off>>s.grain]
	if *at == 0 {
		*at = uint32(len(b.d.releases))
		b.d.releases = append(b.d.releases, release{})
	}
	if released := &b.d.releases[*at]; released.near != nil {
		released.extend(&b.d.clocks, b, vc, to)
		return
	}
	released := release{near: vc, gpu: b.job.gpu, block: b.first, warp: warp.id + engine, lane: lane}
	if to == onGPU {
		released.far = vc
	}
	b.d.releases[*at] = released
}

// copyRule says what orders an asynchronous copy, which is one of the accesses of a race, and the other access.
func copyRule(race *device.Race, cuda bool, distance int) string {
	wait, sync := "t.WaitCopies for the group of the copy", "t.Sync"
	if cuda {
		wait, sync = "cp.async.wait_group (__pipeline_wait_prior) for the group of the copy", "__syncthreads"
	}
	switch {
	case race.First.What != copyName:
		return "a barrier, such as " + sync + ", behind the first access and before the copy, which both threads reach"
	case race.First.Block == race.Second.Block && race.First.Thread == race.Second.Thread && race.Second.What != copyName && !isBulkName(race.Second.What):
		return wait + " before the second access"
	case distance >= 2:
		return wait + ", and a release of the thread that copies which the other thread acquires"
	}
	return wait + " in the thread that copies, and " + sync + " behind it; or an mbarrier that waits for the copy"
}
