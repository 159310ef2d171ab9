package race

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// release is what a thread may acquire that reads a word: nothing if near is nil.
type release struct {
	all   *vclock // what threads of any GPU acquire
	far   *vclock // what threads of any block on GPU gpu acquire
	near  *vclock // what threads of block acquire
	gpu   int
	block uint32
	// warp and lane are the thread that stored the word; lane is -1 after
	// atomics.
	warp uint32
	lane int
}

// Issued is a strong access to global memory that was issued and takes effect
// later: for each lane what it releases, with the scope.
type Issued struct {
	released [simt.Lanes]*vclock
	reach    [simt.Lanes]reach
}

// releases returns what the access in of a lane releases by itself or after a
// fence; nil if nothing.
func (b *Block) releases(warp *warp, plan *plan, in *ir.Inst, lane int) (v *vclock, to reach) {
	// A release hands on all that the thread has done and knows at this moment: releases are cumulative ("Causality Order").
	if in.Mem.Order == ir.Release || in.Mem.Order == ir.AcqRel {
		now := snapshot{clock: warp.clock, known: warp.known, block: warp.block}
		if warp.lanes != nil {
			now.vc = warp.lanes[lane].vc
		}
		return b.told(warp, lane, &now), plan.reach
	}
	if warp.lanes == nil || !warp.lanes[lane].fence.set {
		return nil, inBlock
	}
	// A fence followed by a strong write is a release pattern, with the smaller of both scopes.
	f := &warp.lanes[lane].fence
	return b.told(warp, lane, f), min(plan.reach, f.reach)
}

// Issue records what an access releases that takes effect later, by Perform. It
// returns nil if the access releases nothing and acquires nothing. It is to be
// called after Access.
func (b *Block) Issue(index int, pc int32, in *ir.Inst, mask uint32) *Issued {
	warp, plan := &b.warps[index], &b.job.plans[pc]
	if !plan.sync {
		return nil
	}
	out := &Issued{}
	if plan.class == strongStore {
		b.settle(warp)
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			out.released[l], out.reach[l] = b.releases(warp, plan, in, l)
		}
	}
	b.released(warp, in)
	return out
}

// released begins a new clock after a release.
func (b *Block) released(w *warp, in *ir.Inst) {
	if in.Mem.Order == ir.Release || in.Mem.Order == ir.AcqRel {
		b.tick(w)
	}
}

// Perform records that the access of a lane takes effect on the word at offset
// off of a buffer.
func (b *Block) Perform(index int, pc int32, in *ir.Inst, lane int, issued *Issued, a *simt.Allocation, off int) {
	shadow := b.d.shadows[a]
	if shadow == nil {
		return
	}
	plan := &b.job.plans[pc]
	shadow.refine(plan.grain)
	if i := off >> shadow.grain; uint(i) < uint(len(shadow.cells)) {
		b.perform(&b.warps[index], plan, in, lane, shadow, i, issued.released[lane], issued.reach[lane])
	}
}

// perform makes the access of a lane acquire from, and release to, cell i.
func (b *Block) perform(warp *warp, plan *plan, in *ir.Inst, lane int, shadow *shadow, i int, vc *vclock, to reach) {
	if shadow.sync == nil {
		if vc == nil {
			return
		}
		shadow.sync = make([]uint32, len(shadow.cells))
	} else if shadow.synced != b.d.launch {
		clear(shadow.sync)
	}
	shadow.synced = b.d.launch
	detector := b.d
	released := &detector.releases[shadow.sync[i]]
	// An atomic reads before it writes, so that it acquires even where it releases, too.
	if released.near != nil && in.Op.Action() != ir.ActStore {
		b.acquire(warp, plan, in, lane, released)
	}
	switch rmw := in.Op.IsAtomic(); {
	// Reading changes nothing of what the word releases. A read-modify-write continues the release before it ("Observation
	// Order"), and so does one without a release of its own.
	case plan.class != strongStore || rmw && vc == nil: // an atomic continues what others released
		return
	case rmw && released.near != nil:
		released.extend(&detector.clocks, b, vc, to)
		return
	// A later strong write of the same thread to the word still belongs to its release pattern ("Release and Acquire
	// Patterns").
	case vc == nil && released.warp == warp.id && released.lane == lane: // a store after the thread's own release
		return
	}
	// A store without a release needs no entry where there is none: a reader then acquires nothing.
	if shadow.sync[i] == 0 {
		if vc == nil {
			return
		}
		shadow.sync[i] = uint32(len(detector.releases))
		detector.releases = append(detector.releases, release{})
		released = &detector.releases[shadow.sync[i]]
	}
	// A store ends what earlier ones released at this word: who reads it does not read from them.
	*released = release{near: vc, gpu: b.job.gpu, block: b.first, warp: warp.id, lane: lane}
	if to >= onGPU {
		released.far = vc
	}
	if to == onAll {
		released.all = vc
	}
}

// extend adds what an atomic of a block releases to what those before it did.
// Threads of its block and its GPU read from it what they could read from those.
func (r *release) extend(c *clocks, block *Block, vc *vclock, to reach) {
	r.lane = -1
	// Seen from another GPU, only what was released with system scope is there to continue.
	if r.gpu != block.job.gpu {
		r.gpu, r.far = block.job.gpu, r.all
	}
	if r.block != block.first {
		r.block, r.near = block.first, r.far
	}
	// Where the levels were equal they stay one clock, so that a chain of atomics makes one for each, and not three.
	sameFar, sameNear := to == onAll && r.far == r.all, to >= onGPU && r.near == r.far
	if to == onAll {
		r.all = c.join(r.all, vc)
	}
	switch {
	case sameFar:
		r.far = r.all
	case to >= onGPU:
		r.far = c.join(r.far, vc)
	}
	if sameNear {
		r.near = r.far
	} else {
		r.near = c.join(r.near, vc)
	}
}

// acquire makes a lane that reads from a release know what was released, now or at its
// next fence.
func (b *Block) acquire(warp *warp, plan *plan, in *ir.Inst, lane int, release *release) {
	var near, far *vclock
	// The scopes of both sides have to include the other thread: the release's is in near, far and all, the reader's in its
	// reach.
	own := release.gpu == b.job.gpu
	if release.block == b.first {
		near = release.near
	}
	switch {
	case plan.reach >= onGPU && own:
		far = release.far
	case plan.reach == onAll:
		far = release.all
	}
	if near == nil && far == nil {
		return
	}
	warp.split()
	reader := &warp.lanes[lane]
	now := in.Mem.Order == ir.Acquire || in.Mem.Order == ir.AcqRel
	if reader.seenNear == near && reader.seenFar == far && (reader.acquired || !now) {
		return // as in a loop that polls
	}
	reader.seenNear, reader.seenFar, reader.acquired = near, far, now
	clocks := &b.d.clocks
	if now {
		reader.vc = clocks.join(reader.vc, clocks.join(near, far))
		return
	}
	reader.near = clocks.join(reader.near, near)
	if far == nil {
		return
	}
	if !own {
		reader.all = clocks.join(reader.all, far)
		return
	}
	// A loop that reads many flags would let the list grow for ever. Joined, the clock says the same.
	if len(reader.far) == maxFar {
		reader.far = append(reader.far[:0], clocks.union(reader.far))
	}
	reader.far = append(reader.far, far)
}
