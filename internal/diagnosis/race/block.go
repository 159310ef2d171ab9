package race

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Block is the state of a resident block. The zero value is ready for Start, and
// a Block may be started again for another block.
type Block struct {
	d      *Detector
	job    *job
	launch uint64 // Detector.launch when it began
	id     int
	first  uint32 // number of its first warp in the launch
	base   uint32 // clocks up to here are of earlier blocks in its shared memory
	warps  []warp
	shared shadow
	// cluster is what the block shares with others; nil if it has no instruction for that.
	cluster *Cluster
	named   [ir.Barriers]*vclock // what warps that have arrived at a named barrier know
	fences  *vclock              // of sequentially consistent fences of block scope
	parts   []*vclock            // of a clock that is being made
}

// warp is the state of a warp.
type warp struct {
	id    uint32 // number in the launch
	clock uint32 // of its accesses now
	// known is up to which clock of this warp all lanes know the accesses of
	// all lanes, block the same for all warps of the block.
	known, block uint32
	// told is the last clock of which others may know without a Sync.
	told  uint32
	lanes *[simt.Lanes]lane // nil until a lane differs from the others
	fence fence             // the last one, if nothing followed it yet
	// groups are those of asynchronous copies that lanes may still wait for, bulk those of copies in bulk to global memory, and products
	// those of products of the warpgroup.
	groups, bulk, products []group
	// proxies are the fences of the asynchronous proxy. Those before forgotten are not kept.
	proxies   []proxyFence
	forgotten uint32
}

// lane is what is known of one lane beyond its warp.
type lane struct {
	vc *vclock
	// fence is what the lane knew at its last fence, and proxy at its last fence of the asynchronous proxy.
	fence, proxy snapshot
	// What it has read from release patterns and acquires at its next fence: of
	// its own block, and of any.
	near *vclock
	far  []*vclock // at most maxFar
	all  *vclock   // of other GPUs
	// What it has read last, and whether vc has that already.
	seenNear, seenFar *vclock
	acquired          bool
}

const maxFar = 16

// snapshot is what a lane knew at some time, if set.
type snapshot struct {
	set                 bool
	reach               reach
	vc                  *vclock
	clock, known, block uint32
	told                *vclock // the snapshot as others learn it; nil before somebody has
}

// fence is a fence whose effect on the lanes of mask is not applied yet.
type fence struct {
	mask  uint32
	reach reach
	sc    bool
}

// Start begins a block of one of the launches.
func (b *Block) Start(d *Detector, grid *simt.Grid, id int) {
	// The place has held a block of these launches: what its threads knew at their end goes to the end of their launch.
	if b.d == d && b.launch == d.launch {
		b.retire()
	}
	for _, job := range d.jobs {
		if job.grid == grid {
			b.job = job
		}
	}
	// Clocks go on from those of the block that was here before, whose cells of shared memory then need no clearing: all of its
	// epochs are at or before base.
	last := d.base
	for i := range b.warps {
		last = max(last, b.warps[i].clock)
	}
	if b.d != d || b.launch != d.launch {
		b.launch = d.launch
		d.blocks = append(d.blocks, b)
	}
	b.d, b.id, b.first, b.base, b.fences, b.cluster = d, id, b.job.first+uint32(id*grid.Warps), last, nil, nil
	b.named = [ir.Barriers]*vclock{}
	if cap(b.warps) < grid.Warps {
		b.warps = make([]warp, grid.Warps)
	}
	b.warps = b.warps[:grid.Warps]
	for i := range b.warps {
		b.warps[i] = warp{id: b.first + uint32(i), clock: last + 1, known: last, block: last}
	}
	d.clocks.last = max(d.clocks.last, last+1)
	// What the threads of launches before it on its stream knew at their end.
	if head := d.head(b.job); head != nil {
		for i := range b.warps {
			b.warps[i].set(head)
		}
	}
	if s := &b.shared; s.bytes != grid.SharedBytes {
		*s = shadow{bytes: grid.SharedBytes}
	} else if s.sync != nil {
		clear(s.sync)
	}
}

// addUp adds up all clocks that the block holds.
func (b *Block) addUp() {
	clocks := &b.d.clocks
	clocks.add(b.fences)
	if c := b.cluster; c != nil {
		clocks.add(c.coming)
		clocks.add(c.opened)
	}
	for _, v := range b.named {
		clocks.add(v)
	}
	for i := range b.warps {
		for k := range b.warps[i].proxies {
			for _, v := range b.warps[i].proxies[k].knew {
				clocks.add(v)
			}
		}
		lanes := b.warps[i].lanes
		if lanes == nil {
			continue
		}
		for k := range lanes {
			lane := &lanes[k]
			for _, v := range []*vclock{lane.vc, lane.near, lane.all, lane.seenNear, lane.seenFar, lane.fence.vc, lane.fence.told, lane.proxy.vc} {
				clocks.add(v)
			}
			for _, v := range lane.far {
				clocks.add(v)
			}
		}
	}
}

// tick begins a new clock of a warp, which is not before those of others: what
// was made before then cannot know of it (see vclock.last).
func (b *Block) tick(warp *warp) {
	d := b.d
	// A clock that jumps to the latest one lets a search stop early: a vclock knows nothing later than its last.
	if warp.clock++; warp.clock < d.clocks.last && d.clocks.last-d.base < stepAt {
		warp.clock = d.clocks.last
	}
	d.clocks.last = max(d.clocks.last, warp.clock)
}

// stepAt is after how many clocks of a launch those of a warp grow one by one,
// so that they do not overflow.
const stepAt = 1 << 30

// split gives the lanes of a warp states of their own.
func (w *warp) split() {
	if w.lanes == nil {
		w.lanes = new([simt.Lanes]lane)
	}
}

// joined returns what the lanes of mask know together.
func (b *Block) joined(w *warp, mask uint32) *vclock {
	b.gather(w, mask)
	return b.gathered()
}

// gather adds to b.parts what the lanes of mask know.
func (b *Block) gather(warp *warp, mask uint32) {
	if warp.lanes == nil {
		return
	}
	for m := mask; m != 0; m &= m - 1 {
		v := warp.lanes[bits.TrailingZeros32(m)&31].vc
		if v != nil && (len(b.parts) == 0 || b.parts[len(b.parts)-1] != v) { // most lanes know the same
			b.parts = append(b.parts, v)
		}
	}
}

// gathered returns what was gathered, and what was added to b.parts.
func (b *Block) gathered() *vclock {
	vc := b.d.clocks.union(b.parts)
	clear(b.parts)
	b.parts = b.parts[:0]
	return vc
}

// learn gives the lanes of mask knowledge.
func (b *Block) learn(warp *warp, mask uint32, vc *vclock) {
	if vc == nil {
		return
	}
	warp.split()
	var before, after *vclock // of the last lane
	for m := mask; m != 0; m &= m - 1 {
		lane := &warp.lanes[bits.TrailingZeros32(m)&31]
		// Lanes that knew the same before know the same after: they share the new clock, and one is made for most warps.
		if after == nil || lane.vc != before {
			before, after = lane.vc, b.d.clocks.join(lane.vc, vc)
		}
		lane.vc = after
	}
}

// set gives all lanes knowledge that includes what they know.
func (w *warp) set(vc *vclock) {
	if vc == nil {
		return
	}
	w.split()
	for i := range w.lanes {
		w.lanes[i].vc = vc
	}
}

// Sync records that a barrier of the whole block completes. Threads that have
// exited count as arrived.
func (b *Block) Sync() {
	// After a barrier each thread knows all accesses of all (PTX ISA, bar.sync: it orders prior memory accesses of all
	// participating threads), so that the block's knowledge is one number, the latest clock.
	last := uint32(0)
	for i := range b.warps {
		warp := &b.warps[i]
		b.settle(warp)
		last = max(last, warp.clock)
		b.gather(warp, simt.Full)
	}
	vc := b.gathered()
	for i := range b.warps {
		warp := &b.warps[i]
		warp.known, warp.block, warp.clock = last, last, last
		warp.set(vc)
		b.tick(warp)
	}
}

// SyncWarp records that the lanes that a SyncWarp of the lanes in mask names
// have all reached it.
func (b *Block) SyncWarp(sw *simt.Warp, in *ir.Inst, mask uint32) {
	warp := &b.warps[sw.Index]
	b.settle(warp)
	// Lanes that name different masks meet separately. Each names itself, or the instruction is undefined, which the strict
	// executor reports.
	row := sw.Row(in.Src[0])
	for left := mask; left != 0; {
		named := uint32(row[bits.TrailingZeros32(left)]) | left&-left
		left &^= named
		b.meet(warp, named&sw.Exists, sw)
	}
	b.tick(warp)
}

// meet orders what the lanes of mask did before what they do next.
func (b *Block) meet(warp *warp, mask uint32, sw *simt.Warp) {
	// The whole warp: one number for all lanes, as after a barrier of the block. Lanes that have left are ordered by their
	// exit.
	if mask|sw.Exited == sw.Exists {
		warp.known = warp.clock
		warp.set(b.joined(warp, simt.Full))
		return
	}
	v := b.joined(warp, mask)
	warp.told = warp.clock
	b.learn(warp, mask, b.d.clocks.with(v, own{block: b.first, known: warp.block, warp: warp.id, all: warp.known, lanes: mask, clock: warp.clock}))
}

// Arrive records that a warp arrives at named barrier id, by which its lanes
// meet.
func (b *Block) Arrive(index, id int) {
	warp := &b.warps[index]
	b.settle(warp)
	// All lanes of the warp arrive together: a barrier counts whole warps (PTX ISA, bar).
	warp.known, warp.told = warp.clock, warp.clock
	vc := b.joined(warp, simt.Full)
	warp.set(vc)
	c := &b.d.clocks
	// An arrival releases to those that wait, and acquires nothing: bar.arrive does not block. Pass gives it to those that do.
	b.named[id] = c.join(b.named[id], c.with(vc, own{block: b.first, known: warp.block, warp: warp.id, all: warp.clock, clock: warp.clock}))
	b.tick(warp)
}

// Pass records that named barrier id lets a warp continue that waited at it.
func (b *Block) Pass(index, id int) { b.learn(&b.warps[index], simt.Full, b.named[id]) }

// Opened records that all warps that waited at named barrier id have passed.
func (b *Block) Opened(id int) { b.named[id] = nil }

// Fence records that the lanes of mask execute a fence. It takes effect at the
// next call for the warp, when all earlier accesses of the lanes are done.
func (b *Block) Fence(index int, mem ir.Mem, mask uint32) {
	w := &b.warps[index]
	b.settle(w)
	w.fence = fence{mask: mask, reach: b.d.reachOf(mem), sc: mem.Order == ir.SeqCst}
}

// Settle applies the last fence of a warp, which is complete.
func (b *Block) Settle(index int) { b.settle(&b.warps[index]) }

func (b *Block) settle(warp *warp) {
	fence := warp.fence
	if fence.mask == 0 {
		return
	}
	warp.fence.mask = 0
	warp.split()
	clocks := &b.d.clocks
	var all *vclock // of sequentially consistent fences
	// Fence-SC order relates each two fences whose scopes include the other's thread ("Fence-SC Order"): each learns from those
	// before it what their threads knew.
	if fence.sc {
		all = b.fences
		if fence.reach >= onGPU {
			all = clocks.join(all, b.d.fences[b.job.gpu])
		}
		if fence.reach == onAll {
			all = clocks.join(all, b.d.fencesAll)
		}
	}
	wide := fence.reach >= onGPU
	var vc, near, far, after *vclock // of the last lane
	for m := fence.mask; m != 0; m &= m - 1 {
		index := bits.TrailingZeros32(m) & 31
		lane := &warp.lanes[index]
		switch {
		// A fence turns the strong reads before it into acquires ("Release and Acquire Patterns"), as far as its own scope
		// reaches.
		case wide && len(lane.far) > 1:
			b.parts = append(append(b.parts, lane.far...), clocks.join(lane.vc, lane.near))
			lane.vc, lane.near = b.gathered(), nil
			clear(lane.far)
			lane.far = lane.far[:0]
		// Most often all lanes have read the same word, as in a poll: the clock of the last lane is used again.
		case lane.near != nil || wide && len(lane.far) > 0:
			var last *vclock
			if wide && len(lane.far) > 0 {
				last, lane.far[0] = lane.far[0], nil
				lane.far = lane.far[:0]
			}
			if after == nil || lane.vc != vc || lane.near != near || last != far {
				vc, near, far = lane.vc, lane.near, last
				after = clocks.join(clocks.join(vc, near), far)
			}
			lane.vc, lane.near = after, nil
		}
		// What threads of another GPU released is acquired by a fence of system scope alone.
		if fence.reach == onAll && lane.all != nil {
			lane.vc, lane.all = clocks.join(lane.vc, lane.all), nil
		}
		lane.vc = clocks.join(lane.vc, all)
		// A later strong write of this lane releases what the lane knows now, and not what it learns in between.
		lane.fence = snapshot{set: true, reach: fence.reach, vc: lane.vc, clock: warp.clock, known: warp.known, block: warp.block}
		if fence.sc {
			all = clocks.join(all, b.told(warp, index, &lane.fence))
		}
	}
	if fence.sc {
		b.fences = clocks.join(b.fences, all)
		if wide {
			b.d.fences[b.job.gpu] = clocks.join(b.d.fences[b.job.gpu], all)
		}
		if fence.reach == onAll {
			b.d.fencesAll = clocks.join(b.d.fencesAll, all)
		}
	}
	b.tick(warp)
	if clocks.full(len(b.d.releases) + len(b.d.blocks)*len(b.warps)*simt.Lanes) {
		b.d.addUp()
	}
}

// told returns a snapshot of a lane as others learn it.
func (b *Block) told(warp *warp, lane int, snapshot *snapshot) *vclock {
	if snapshot.told == nil {
		warp.told = max(warp.told, snapshot.clock)
		snapshot.told = b.d.clocks.with(snapshot.vc, own{block: b.first, known: snapshot.block, warp: warp.id, all: snapshot.known, lanes: 1 << lane, clock: snapshot.clock})
	}
	return snapshot.told
}
