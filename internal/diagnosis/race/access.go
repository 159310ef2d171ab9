package race

import (
	"math/bits"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// mover is the access that is being checked.
type mover struct {
	b    *Block
	w    *warp
	as   uint32 // the number of the warp, or of its copies
	s    *shadow
	base uint32 // clocks up to here precede every access to s
	lane int
	bit  uint32
	info info
	cell int
}

// Access records an access of the lanes of mask, and compares it with earlier
// ones. Lane i accesses address addrs[i]+imm. If now is set, the access takes
// effect at once; otherwise Issue and Perform say when those to global memory
// do. Invalid addresses are ignored.
func (b *Block) Access(index int, pc int32, in *ir.Inst, mask uint32, addrs *simt.Row, imm uint64, now bool) {
	plan := &b.job.plans[pc]
	// Before the test of what is tracked: two lines may meet at a word whose accesses cannot race.
	if b.d.watching && b.job.marks[pc] != 0 {
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			// Of several words, any may be the one at which the lines meet.
			for at := 0; at == 0 || at < in.Mem.Bytes(); at += 4 {
				b.visit(b.warps[index].id, lane, b.job.marks[pc], addrs[lane]+imm+uint64(at))
			}
		}
	}
	if !plan.track && !plan.sync || mask == 0 {
		return
	}
	warp := &b.warps[index]
	// A fence takes effect once its lanes do something after it: until then, accesses that were in flight before it may still
	// complete.
	b.settle(warp)
	access := mover{b: b, w: warp, as: warp.id, info: info(pc) | info(plan.width)<<infoWidth}
	// The scope is kept with the access, since a race of two strong ones depends on both scopes ("Morally Strong Operations").
	if plan.reach >= onGPU {
		access.info |= infoWide
	}
	if plan.reach == onAll {
		access.info |= infoAll
	}
	global := plan.shadow != nil
	for m := mask; m != 0; m &= m - 1 {
		access.lane = bits.TrailingZeros32(m) & 31
		access.bit = 1 << access.lane
		addr := addrs[access.lane] + imm
		off := 0
		switch {
		case global:
			access.s, access.base = plan.shadow, b.d.base
			off = int(addr - access.s.alloc.Base())
		case !b.find(&access, addr, &off):
			continue
		}
		// Out of bounds: the device reports that as a fault, and there is no cell for it. One comparison covers negative
		// offsets.
		if uint(off) >= uint(access.s.bytes) || uint(off)+uint(plan.bytes) > uint(access.s.bytes) {
			continue
		}
		// A cell is as small as the smallest access so far, so that two neighbours in one word do not look like a race.
		if !access.s.fixed || access.s.grain > plan.grain {
			access.s.refine(plan.grain)
		}
		first, last := off>>access.s.grain, (off+int(plan.bytes)-1)>>access.s.grain
		if plan.track {
			for access.cell = first; access.cell <= last; access.cell++ {
				access.visit(plan.class, &access.s.cells[access.cell])
			}
		}
		switch {
		// Shared memory takes effect at once on every device; a store to global memory when the device calls Perform, since
		// other accesses may come between its issue and its effect.
		case plan.sync && (now || access.s.alloc == nil):
			var vc *vclock
			to := inBlock
			if plan.class == strongStore {
				vc, to = b.releases(warp, plan, in, access.lane)
			}
			b.perform(warp, plan, in, access.lane, access.s, first, vc, to)
		case plan.class == weakStore && access.s.sync != nil:
			for i := first; i <= last; i++ {
				access.s.sync[i] = 0 // a reader of this value acquires nothing
			}
		}
	}
	// The clock moves on after all lanes: what they store by this instruction belongs to one time.
	if plan.sync && now {
		b.released(warp, in)
	}
}

// find finds the cells of an address that is not in a known buffer.
func (b *Block) find(access *mover, addr uint64, off *int) bool {
	switch simt.SpaceOf(addr) {
	case ir.Shared:
		owner, at := b.cluster.owner(b, addr)
		access.s, access.base = &owner.shared, owner.base
		*off = at
		return true
	case ir.Local:
		return false
	}
	alloc, at := b.job.grid.Mem.Lookup(addr)
	if alloc == nil {
		return false
	}
	access.s, access.base = b.d.shadowOf(alloc), b.d.base
	*off = at
	return true
}

// visit compares an access with the earlier ones to a cell, and records it.
func (a *mover) visit(c class, cell *cell) {
	switch c {
	case weakLoad:
		// Two loads do not conflict, so that a load looks at stores alone ("Conflict and Data Races").
		a.after(&cell.write, device.RacePlain)
		a.after(&cell.stored, device.RaceAtomic)
		a.record(&cell.read)
	case weakStore:
		a.after(&cell.write, device.RacePlain)
		a.after(&cell.read, device.RacePlain)
		a.after(&cell.stored, device.RaceAtomic)
		a.after(&cell.loaded, device.RaceAtomic)
		// Whatever races with these later also races with this store, or comes after it; FastTrack forgets them for the same
		// reason.
		for _, e := range []*epoch{&cell.read, &cell.stored, &cell.loaded} {
			a.forget(e)
		}
		cell.write = epoch{a.as, a.w.clock, a.bit, a.info}
	case strongLoad:
		// A strong load is beside strong stores: with scopes that include both threads the pair is morally strong, and no race.
		a.after(&cell.write, device.RaceAtomic)
		a.beside(&cell.stored)
		a.record(&cell.loaded)
	case strongStore:
		a.after(&cell.write, device.RaceAtomic)
		a.after(&cell.read, device.RaceAtomic)
		a.beside(&cell.stored)
		a.beside(&cell.loaded)
		a.record(&cell.stored)
	}
}

// after reports those accesses of an earlier epoch that the access does not come after.
func (a *mover) after(earlier *epoch, kind device.RaceKind) {
	switch {
	case earlier.clock <= a.base:
	case earlier.info&infoList != 0:
		// The clock of a list is its latest: if that is before the base, all are. Otherwise each entry is asked.
		for i := range a.b.d.lists.all[earlier.warp] {
			a.after(&a.b.d.lists.all[earlier.warp][i], kind)
		}
	case !a.ordered(earlier):
		a.report(earlier, kind)
	}
}

// beside reports those strong accesses of an earlier epoch that race with the access, which is
// strong, too.
func (a *mover) beside(earlier *epoch) {
	switch {
	case earlier.clock <= a.base:
	case earlier.info&infoList != 0:
		for i := range a.b.d.lists.all[earlier.warp] {
			a.beside(&a.b.d.lists.all[earlier.warp][i])
		}
	// Overlap that is not complete makes two strong operations not morally strong, whatever their scopes ("Limitations on
	// Mixed-size Data Races").
	case earlier.info.width() != a.info.width():
		if !a.ordered(earlier) {
			a.report(earlier, device.RaceWidth)
		}
	// Threads of one block are in each other's scope, since block scope is the smallest that there is.
	case a.within() || earlier.warp-a.b.first < uint32(len(a.b.warps)) || a.b.d.include(earlier, a):
	case !a.ordered(earlier):
		a.report(earlier, device.RaceScope)
	}
}

// include reports whether the scopes of two strong accesses of different blocks
// include each other's thread.
func (d *Detector) include(earlier *epoch, access *mover) bool {
	// Each operation's scope has to include the other's thread: one wide scope alone does not make the pair morally strong.
	both := earlier.info & access.info
	return both&infoWide != 0 && (d.most < onAll || both&infoAll != 0 || d.jobOf(earlier.warp).gpu == access.b.job.gpu)
}

// ordered reports whether earlier, which is not a list, precedes the access.
func (a *mover) ordered(earlier *epoch) bool {
	warp := a.w
	switch {
	case earlier.clock <= a.base:
		return true
	case earlier.warp == warp.id:
		// Program order within the lane, or a SyncWarp since. The lanes of a warp are not ordered by running in lockstep: from
		// Volta on they need not (CUDA C++ Programming Guide, "Independent Thread Scheduling").
		if earlier.lanes == a.bit || earlier.clock <= warp.known {
			return true
		}
	// A barrier of the block since: one number for all of its warps answers most questions.
	case earlier.clock <= warp.block && earlier.warp-a.b.first < uint32(len(a.b.warps)):
		return true
	}
	// What is left is synchronization through memory, and the order of launches.
	return (warp.lanes != nil || len(a.b.d.jobs) > 1) && a.missing(earlier) == 0
}

// missing returns the lanes of earlier whose access does not precede the access,
// as far as clocks of lanes say.
func (a *mover) missing(earlier *epoch) uint32 {
	detector, warp := a.b.d, a.w
	block, told := a.b.first, true
	if earlier.warp-block >= uint32(len(a.b.warps)) {
		job := detector.jobOf(earlier.warp)
		// A launch that has ended comes before what began after it: for its successors, and for whoever has acquired from them.
		if a.b.job.follows(job) || job.leads && warp.lanes != nil && detector.knowsOver(warp.lanes[a.lane].vc, job) {
			return 0
		}
		block = job.blockOf(earlier.warp)
		// No thread of that warp has released anything since, so nobody can have acquired it. The clocks need not be asked.
	} else if earlier.clock > a.b.warps[earlier.warp-block].told {
		told = false
	}
	left := earlier.lanes
	// The lane's own access comes before in program order.
	if earlier.warp == warp.id {
		left &^= a.bit
	}
	if warp.lanes == nil || !told {
		return left
	}
	return left &^ detector.clocks.knows(warp.lanes[a.lane].vc, block, earlier.warp, left, earlier.clock)
}

// forget clears earlier. Lists of earlier launches are gone already.
func (a *mover) forget(earlier *epoch) {
	if earlier.clock > a.b.d.base {
		a.b.d.lists.put(earlier)
	}
	*earlier = epoch{}
}

// record remembers the access in earlier, and forgets those that precede it.
func (a *mover) record(earlier *epoch) {
	now := epoch{a.as, a.w.clock, a.bit, a.info}
	// No access of these launches is here: those before all come before this one.
	if earlier.clock <= a.base {
		a.forget(earlier)
		*earlier = now
		return
	}
	ls := &a.b.d.lists
	if earlier.info&infoList == 0 {
		switch {
		// The same instruction at the same time: the lanes of a warp share an epoch, which keeps a cell at four of them.
		case earlier.warp == now.warp && earlier.clock == now.clock && earlier.info == now.info:
			earlier.lanes |= a.bit
		// Whoever comes after this access comes after the earlier one, too: causality order is transitive ("Causality Order").
		case a.ordered(earlier):
			*earlier = now
		// Two that are not ordered must both be kept: a later access may be ordered after one alone.
		default:
			i := ls.take()
			ls.all[i] = append(ls.all[i], *earlier, now)
			*earlier = epoch{warp: i, clock: max(earlier.clock, now.clock), info: infoList}
		}
		return
	}
	earlier.clock = max(earlier.clock, now.clock)
	list := ls.all[earlier.warp]
	// The latest are most often those of the same lines, warp or block. Most
	// other entries stay until the list is full: to ask for each access which of
	// them precede it takes longer than all else.
	for i := len(list) - 1; i >= 0; i-- {
		entry := &list[i]
		if entry.warp != now.warp {
			continue
		}
		if entry.clock == now.clock && entry.info == now.info {
			entry.lanes |= a.bit
			return
		}
		// The older one of the same lane, or one that a SyncWarp has ordered before, is implied by this one.
		if entry.lanes == a.bit || entry.clock <= a.w.known && a.as == a.w.id {
			*entry = now
			return
		}
	}
	if len(list) >= maxList {
		list = a.prune(earlier.warp, list)
	}
	ls.all[earlier.warp] = append(list, now)
}

// prune makes room in a full list.
func (a *mover) prune(index uint32, list []epoch) []epoch {
	ls := &a.b.d.lists
	// A list that is full of accesses without an order stays full: to search it at each access would take longer than the
	// kernel.
	if ls.skip[index] > 0 { // there was nothing to gain a moment ago
		ls.skip[index]--
		a.b.d.races.Forget(1)
		copy(list, list[1:])
		return list[:maxList-1]
	}
	kept := list[:0]
	for i := range list {
		if !a.ordered(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	if len(kept) == maxList {
		ls.skip[index] = maxList / 4
		a.b.d.races.Forget(1)
		// The oldest goes, as the one that is most likely known to all by now. It can hide a race and cannot invent one.
		copy(kept, kept[1:])
		kept = kept[:maxList-1]
	}
	return kept
}
