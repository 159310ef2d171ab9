package race

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// What reports call copies in bulk to global memory.
const (
	bulkName   = "copy in bulk"
	reduceName = "reduction in bulk"
)

// StoreBulk records copies in bulk to global memory, or reductions: lane i of mask copies bytes[i] bytes.
func (b *Block) StoreBulk(index int, pc int32, mask uint32, dst, from, bytes *simt.Row) {
	engine := b.job.engine
	if b.d.watching && b.job.marks[pc] != 0 {
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			for at := uint64(0); at < bytes[lane]; at += 4 {
				b.visit(b.warps[index].id+engine*bulkReads, lane, b.job.marks[pc], from[lane]+at)
				b.visit(b.warps[index].id+engine*bulkWrites, lane, b.job.marks[pc], dst[lane]+at)
			}
		}
	}
	b.pass(index, pc, weakLoad, engine*bulkReads, mask, from, bytes)
	if plan := &b.job.plans[pc]; plan.track {
		b.pass(index, pc, plan.class, engine*bulkWrites, mask, dst, bytes)
	}
}

// mostBulk is how many groups of a warp are kept, and how many fences: a thread may wait for reads alone again and again.
const mostBulk = 256

// Bulk records that the lanes of mask make a group of copies in bulk to global memory, have waited for groups, or execute a fence of the
// asynchronous proxy.
func (b *Block) Bulk(index int, in *ir.Inst, mask uint32) {
	warp := &b.warps[index]
	switch pending := uint32(in.Imm); in.Op {
	case ir.OpBulkCommit:
		commit(b, warp, &warp.bulk, mask)
		if n := len(warp.bulk); n > mostBulk {
			warp.bulk = slices.Delete(warp.bulk, 0, n-mostBulk/2)
		}
	case ir.OpBulkWaitRead:
		b.settle(warp)
		wait(b, warp, &warp.bulk, mask, pending, bulkReads)
	case ir.OpBulkWait:
		b.settle(warp)
		wait(b, warp, &warp.bulk, mask, pending, bulkReads, bulkWrites)
		tidy(&warp.bulk, mask, pending)
	default:
		fenceProxy(b, warp, mask)
	}
}

// proxyFence is a fence of the asynchronous proxy of some lanes.
type proxyFence struct {
	lanes uint32
	clock uint32
	knew  [simt.Lanes]*vclock // what each lane knew of others
}

// fenceProxy records a fence of the asynchronous proxy.
func fenceProxy(b *Block, warp *warp, mask uint32) {
	if b.job.engine == 0 { // nothing is copied
		return
	}
	b.settle(warp)
	warp.split()
	fence := proxyFence{lanes: mask, clock: warp.clock}
	for m := mask; m != 0; m &= m - 1 {
		index := bits.TrailingZeros32(m) & 31
		lane := &warp.lanes[index]
		lane.proxy = snapshot{set: true, vc: lane.vc, clock: warp.clock, known: warp.known, block: warp.block}
		fence.knew[index] = lane.vc
	}
	if n := len(warp.proxies); n == mostBulk {
		warp.forgotten = warp.proxies[n/2-1].clock
		warp.proxies = slices.Delete(warp.proxies, 0, n/2)
	}
	warp.proxies = append(warp.proxies, fence)
	b.tick(warp)
}

// unseen reports the stores to a cell that a copy in bulk comes after and may not see.
func (a *mover) unseen(cell *cell) {
	a.proxied(&cell.write)
	a.proxied(&cell.stored)
}

// proxied reports those stores of an epoch between which and the copy there is no fence of the asynchronous proxy: of the thread that
// stored, behind that, or of the one that copies, if it knew of the store then. Of a store that the copy does not come after there is
// another report.
func (a *mover) proxied(earlier *epoch) {
	switch {
	case earlier.clock <= a.base:
	case earlier.info&infoList != 0:
		for i := range a.b.d.lists.all[earlier.warp] {
			a.proxied(&a.b.d.lists.all[earlier.warp][i])
		}
	case a.ordered(earlier) && !a.fenced(earlier):
		a.report(earlier, device.RaceProxy)
	}
}

// fenced is what proxied asks, of an epoch that is not a list.
func (a *mover) fenced(earlier *epoch) bool {
	job, block := a.b.job, a.b.first
	number := (earlier.warp - job.first) / job.engine
	id := earlier.warp - number*job.engine
	if number > oneThread || id-block >= uint32(len(a.b.warps)) { // of the same proxy
		return true
	}
	left := earlier.lanes
	writer := &a.b.warps[id-block]
	if writer.forgotten >= earlier.clock {
		return true
	}
	from := job.blockOf(earlier.warp)
	for i := range writer.proxies {
		fence := &writer.proxies[i]
		if fence.clock < earlier.clock {
			continue
		}
		for m := left & fence.lanes; m != 0; m &= m - 1 {
			one := m & -m
			// What a copy of the thread has brought is there when the thread has waited for it.
			if number == oneThread && a.b.d.clocks.knows(fence.knew[bits.TrailingZeros32(one)&31], from, earlier.warp, one, earlier.clock) == 0 {
				continue
			}
			if a.ordered(&epoch{warp: id, clock: fence.clock, lanes: one}) {
				left &^= one
			}
		}
	}
	return left == 0 || a.knewAtFence(earlier, left, number)
}

// knewAtFence reports whether the thread that copies knew of some lanes of an earlier epoch at its last fence of the asynchronous proxy.
func (a *mover) knewAtFence(earlier *epoch, lanes, number uint32) bool {
	if a.w.lanes == nil || !a.w.lanes[a.lane].proxy.set {
		return false
	}
	fence := &a.w.lanes[a.lane].proxy
	if earlier.warp == a.w.id {
		if earlier.clock <= fence.clock {
			lanes &^= a.bit
		}
		if earlier.clock <= fence.known {
			return true
		}
	}
	if lanes == 0 || number == 0 && earlier.clock <= fence.block {
		return true
	}
	return lanes&^a.b.d.clocks.knows(fence.vc, a.b.job.blockOf(earlier.warp), earlier.warp, lanes, earlier.clock) == 0
}

// bulkRule says what orders a copy in bulk to global memory, which is one of the accesses of a race, and the other access.
func bulkRule(race *device.Race, cuda bool, distance int) string {
	wait, fence, sync := "t.WaitBulk", "t.FenceAsync", "t.Sync"
	if race.Space == "shared" {
		wait = "t.WaitBulkRead"
	}
	if cuda {
		wait, fence, sync = "cp.async.bulk.wait_group", "fence.proxy.async", "__syncthreads"
		if race.Space == "shared" {
			wait = "cp.async.bulk.wait_group.read"
		}
	}
	wait += " for the group of the copy"
	switch {
	case race.First.What == copyName && race.Kind != device.RaceProxy:
		return copyRule(race, cuda, distance)
	case race.Kind == device.RaceProxy && race.First.Thread == race.Second.Thread:
		return fence + " between the accesses"
	case race.Kind == device.RaceProxy:
		return fence + " in the thread of the first access, behind it and before the barrier"
	case !isBulkName(race.First.What):
		return "a barrier, such as " + sync + ", behind the first access and before the copy, which both threads reach"
	case race.First.Thread == race.Second.Thread && distance < 2:
		return wait + " before the second access"
	case distance >= 2:
		return wait + ", and a release of the thread that copies which the other thread acquires"
	}
	return wait + " in the thread that copies, and " + sync + " behind it"
}

// isBulkName reports whether reports call a copy in bulk to global memory so.
func isBulkName(what string) bool { return what == bulkName || what == reduceName }
