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
func (b *Block) releases(w *warp, p *plan, in *ir.Inst, lane int) (v *vclock, to reach) {
	if in.Mem.Order == ir.Release || in.Mem.Order == ir.AcqRel {
		now := snapshot{clock: w.clock, known: w.known, block: w.block}
		if w.lanes != nil {
			now.vc = w.lanes[lane].vc
		}
		return b.told(w, lane, &now), p.reach
	}
	if w.lanes == nil || !w.lanes[lane].fence.set {
		return nil, inBlock
	}
	f := &w.lanes[lane].fence
	return b.told(w, lane, f), min(p.reach, f.reach)
}

// Issue records what an access releases that takes effect later, by Perform. It
// returns nil if the access releases nothing and acquires nothing. It is to be
// called after Access.
func (b *Block) Issue(index int, pc int32, in *ir.Inst, mask uint32) *Issued {
	w, p := &b.warps[index], &b.job.plans[pc]
	if !p.sync {
		return nil
	}
	out := &Issued{}
	if p.class == strongStore {
		b.settle(w)
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & 31
			out.released[l], out.reach[l] = b.releases(w, p, in, l)
		}
	}
	b.released(w, in)
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
func (b *Block) Perform(index int, pc int32, in *ir.Inst, lane int, x *Issued, a *simt.Allocation, off int) {
	s := b.d.shadows[a]
	if s == nil {
		return
	}
	p := &b.job.plans[pc]
	s.refine(p.grain)
	if i := off >> s.grain; uint(i) < uint(len(s.cells)) {
		b.perform(&b.warps[index], p, in, lane, s, i, x.released[lane], x.reach[lane])
	}
}

// perform makes the access of a lane acquire from, and release to, cell i.
func (b *Block) perform(w *warp, p *plan, in *ir.Inst, lane int, s *shadow, i int, v *vclock, to reach) {
	if s.sync == nil {
		if v == nil {
			return
		}
		s.sync = make([]uint32, len(s.cells))
	}
	d := b.d
	r := &d.releases[s.sync[i]]
	if r.near != nil && in.Op.Action() != ir.ActStore {
		b.acquire(w, p, in, lane, r)
	}
	switch rmw := in.Op.IsAtomic(); {
	case p.class != strongStore || rmw && v == nil: // an atomic continues what others released
		return
	case rmw && r.near != nil:
		r.extend(&d.clocks, b, v, to)
		return
	case v == nil && r.warp == w.id && r.lane == lane: // a store after the thread's own release
		return
	}
	if s.sync[i] == 0 {
		if v == nil {
			return
		}
		s.sync[i] = uint32(len(d.releases))
		d.releases = append(d.releases, release{})
		r = &d.releases[s.sync[i]]
	}
	*r = release{near: v, gpu: b.job.gpu, block: b.first, warp: w.id, lane: lane}
	if to >= onGPU {
		r.far = v
	}
	if to == onAll {
		r.all = v
	}
}

// extend adds what an atomic of a block releases to what those before it did.
// Threads of its block and its GPU read from it what they could read from those.
func (r *release) extend(c *clocks, b *Block, v *vclock, to reach) {
	r.lane = -1
	if r.gpu != b.job.gpu {
		r.gpu, r.far = b.job.gpu, r.all
	}
	if r.block != b.first {
		r.block, r.near = b.first, r.far
	}
	sameFar, sameNear := to == onAll && r.far == r.all, to >= onGPU && r.near == r.far
	if to == onAll {
		r.all = c.join(r.all, v)
	}
	switch {
	case sameFar:
		r.far = r.all
	case to >= onGPU:
		r.far = c.join(r.far, v)
	}
	if sameNear {
		r.near = r.far
	} else {
		r.near = c.join(r.near, v)
	}
}

// acquire makes a lane that reads from r know what was released, now or at its
// next fence.
func (b *Block) acquire(w *warp, p *plan, in *ir.Inst, lane int, r *release) {
	var near, far *vclock
	own := r.gpu == b.job.gpu
	if r.block == b.first {
		near = r.near
	}
	switch {
	case p.reach >= onGPU && own:
		far = r.far
	case p.reach == onAll:
		far = r.all
	}
	if near == nil && far == nil {
		return
	}
	w.split()
	l := &w.lanes[lane]
	now := in.Mem.Order == ir.Acquire || in.Mem.Order == ir.AcqRel
	if l.seenNear == near && l.seenFar == far && (l.acquired || !now) {
		return // as in a loop that polls
	}
	l.seenNear, l.seenFar, l.acquired = near, far, now
	c := &b.d.clocks
	if now {
		l.vc = c.join(l.vc, c.join(near, far))
		return
	}
	l.near = c.join(l.near, near)
	if far == nil {
		return
	}
	if !own {
		l.all = c.join(l.all, far)
		return
	}
	if len(l.far) == maxFar {
		l.far = append(l.far[:0], c.union(l.far))
	}
	l.far = append(l.far, far)
}
