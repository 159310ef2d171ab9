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
	p := &b.job.plans[pc]
	if b.d.watching && b.job.marks[pc] != 0 {
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & 31
			b.visit(index, lane, b.job.marks[pc], addrs[lane]+imm)
		}
	}
	if !p.track && !p.sync || mask == 0 {
		return
	}
	w := &b.warps[index]
	b.settle(w)
	a := mover{b: b, w: w, info: info(pc) | info(bits.TrailingZeros8(p.bytes))<<infoWidth}
	if p.reach >= onGPU {
		a.info |= infoWide
	}
	if p.reach == onAll {
		a.info |= infoAll
	}
	global := p.shadow != nil
	for m := mask; m != 0; m &= m - 1 {
		a.lane = bits.TrailingZeros32(m) & 31
		a.bit = 1 << a.lane
		addr := addrs[a.lane] + imm
		off := 0
		switch {
		case global:
			a.s, a.base = p.shadow, b.d.base
			off = int(addr - a.s.alloc.Base())
		case !b.find(&a, addr, &off):
			continue
		}
		if uint(off) >= uint(a.s.bytes) || uint(off)+uint(p.bytes) > uint(a.s.bytes) {
			continue
		}
		if !a.s.fixed || a.s.grain > p.grain {
			a.s.refine(p.grain)
		}
		first, last := off>>a.s.grain, (off+int(p.bytes)-1)>>a.s.grain
		if p.track {
			for a.cell = first; a.cell <= last; a.cell++ {
				a.visit(p.class, &a.s.cells[a.cell])
			}
		}
		switch {
		case p.sync && (now || a.s.alloc == nil):
			var v *vclock
			to := inBlock
			if p.class == strongStore {
				v, to = b.releases(w, p, in, a.lane)
			}
			b.perform(w, p, in, a.lane, a.s, first, v, to)
		case p.class == weakStore && a.s.sync != nil:
			for i := first; i <= last; i++ {
				a.s.sync[i] = 0 // a reader of this value acquires nothing
			}
		}
	}
	if p.sync && now {
		b.released(w, in)
	}
}

// find finds the cells of an address that is not in a known buffer.
func (b *Block) find(a *mover, addr uint64, off *int) bool {
	switch simt.SpaceOf(addr) {
	case ir.Shared:
		a.s, a.base = &b.shared, b.base
		*off = int(addr &^ ir.SharedWindow)
		return true
	case ir.Local:
		return false
	}
	alloc, at := b.job.grid.Mem.Lookup(addr)
	if alloc == nil {
		return false
	}
	a.s, a.base = b.d.shadowOf(alloc), b.d.base
	*off = at
	return true
}

// visit compares an access with the earlier ones to a cell, and records it.
func (a *mover) visit(c class, x *cell) {
	switch c {
	case weakLoad:
		a.after(&x.write, device.RacePlain)
		a.after(&x.stored, device.RaceAtomic)
		a.record(&x.read)
	case weakStore:
		a.after(&x.write, device.RacePlain)
		a.after(&x.read, device.RacePlain)
		a.after(&x.stored, device.RaceAtomic)
		a.after(&x.loaded, device.RaceAtomic)
		for _, e := range []*epoch{&x.read, &x.stored, &x.loaded} {
			a.forget(e)
		}
		x.write = epoch{a.w.id, a.w.clock, a.bit, a.info}
	case strongLoad:
		a.after(&x.write, device.RaceAtomic)
		a.beside(&x.stored)
		a.record(&x.loaded)
	case strongStore:
		a.after(&x.write, device.RaceAtomic)
		a.after(&x.read, device.RaceAtomic)
		a.beside(&x.stored)
		a.beside(&x.loaded)
		a.record(&x.stored)
	}
}

// after reports those accesses of e that the access does not come after.
func (a *mover) after(e *epoch, kind device.RaceKind) {
	switch {
	case e.clock <= a.base:
	case e.info&infoList != 0:
		for i := range a.b.d.lists.all[e.warp] {
			a.after(&a.b.d.lists.all[e.warp][i], kind)
		}
	case !a.ordered(e):
		a.report(e, kind)
	}
}

// beside reports those strong accesses of e that race with the access, which is
// strong, too.
func (a *mover) beside(e *epoch) {
	switch {
	case e.clock <= a.base:
	case e.info&infoList != 0:
		for i := range a.b.d.lists.all[e.warp] {
			a.beside(&a.b.d.lists.all[e.warp][i])
		}
	case e.info.width() != a.info.width():
		if !a.ordered(e) {
			a.report(e, device.RaceWidth)
		}
	case a.s.alloc == nil || e.warp-a.b.first < uint32(len(a.b.warps)) || a.b.d.include(e, a):
	case !a.ordered(e):
		a.report(e, device.RaceScope)
	}
}

// include reports whether the scopes of two strong accesses of different blocks
// include each other's thread.
func (d *Detector) include(e *epoch, a *mover) bool {
	both := e.info & a.info
	return both&infoWide != 0 && (d.most < onAll || both&infoAll != 0 || d.jobOf(e.warp).gpu == a.b.job.gpu)
}

// ordered reports whether e, which is not a list, precedes the access.
func (a *mover) ordered(e *epoch) bool {
	w := a.w
	switch {
	case e.clock <= a.base:
		return true
	case e.warp == w.id:
		if e.lanes == a.bit || e.clock <= w.known {
			return true
		}
	case e.clock <= w.block && e.warp-a.b.first < uint32(len(a.b.warps)):
		return true
	}
	return (w.lanes != nil || len(a.b.d.jobs) > 1) && a.missing(e) == 0
}

// missing returns the lanes of e whose access does not precede the access,
// as far as clocks of lanes say.
func (a *mover) missing(e *epoch) uint32 {
	d, w := a.b.d, a.w
	block, told := a.b.first, true
	if e.warp-block >= uint32(len(a.b.warps)) {
		j := d.jobOf(e.warp)
		if a.b.job.follows(j) || j.leads && w.lanes != nil && d.knowsOver(w.lanes[a.lane].vc, j) {
			return 0
		}
		block = j.blockOf(e.warp)
	} else if e.clock > a.b.warps[e.warp-block].told {
		told = false
	}
	left := e.lanes
	if e.warp == w.id {
		left &^= a.bit
	}
	if w.lanes == nil || !told {
		return left
	}
	return left &^ d.clocks.knows(w.lanes[a.lane].vc, block, e.warp, left, e.clock)
}

// forget clears e. Lists of earlier launches are gone already.
func (a *mover) forget(e *epoch) {
	if e.clock > a.b.d.base {
		a.b.d.lists.put(e)
	}
	*e = epoch{}
}

// record remembers the access in e, and forgets those that precede it.
func (a *mover) record(e *epoch) {
	now := epoch{a.w.id, a.w.clock, a.bit, a.info}
	if e.clock <= a.base {
		a.forget(e)
		*e = now
		return
	}
	ls := &a.b.d.lists
	if e.info&infoList == 0 {
		switch {
		case e.warp == now.warp && e.clock == now.clock && e.info == now.info:
			e.lanes |= a.bit
		case a.ordered(e):
			*e = now
		default:
			i := ls.take()
			ls.all[i] = append(ls.all[i], *e, now)
			*e = epoch{warp: i, clock: max(e.clock, now.clock), info: infoList}
		}
		return
	}
	e.clock = max(e.clock, now.clock)
	list := ls.all[e.warp]
	// The latest are most often those of the same lines, warp or block. Most
	// other entries stay until the list is full: to ask for each access which of
	// them precede it takes longer than all else.
	for i := len(list) - 1; i >= 0; i-- {
		x := &list[i]
		if x.warp != now.warp {
			continue
		}
		if x.clock == now.clock && x.info == now.info {
			x.lanes |= a.bit
			return
		}
		if x.lanes == a.bit || x.clock <= a.w.known {
			*x = now
			return
		}
	}
	if len(list) >= maxList {
		list = a.prune(e.warp, list)
	}
	ls.all[e.warp] = append(list, now)
}

// prune makes room in a full list.
func (a *mover) prune(index uint32, list []epoch) []epoch {
	ls := &a.b.d.lists
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
		copy(kept, kept[1:])
		kept = kept[:maxList-1]
	}
	return kept
}
