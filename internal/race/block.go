package race

import (
	"math/bits"

	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
)

// Block is the state of a resident block. The zero value is ready for Start, and
// a Block may be started again for another block.
type Block struct {
	d      *Detector
	job    *job
	id     int
	first  uint32 // number of its first warp in the launch
	base   uint32 // clocks up to here are of earlier blocks in its shared memory
	warps  []warp
	shared shadow
	named  [ir.Barriers]*vclock // what warps that have arrived at a named barrier know
	fences *vclock              // of sequentially consistent fences of block scope
}

// warp is the state of a warp.
type warp struct {
	id    uint32 // number in the launch
	clock uint32 // of its accesses now
	// known is up to which clock of this warp all lanes know the accesses of
	// all lanes, block the same for all warps of the block.
	known, block uint32
	lanes        *[simt.Lanes]lane // nil until a lane differs from the others
	fence        fence             // the last one, if nothing followed it yet
}

// lane is what is known of one lane beyond its warp.
type lane struct {
	vc *vclock
	// fence is what the lane knew at its last fence.
	fence snapshot
	// What it has read from release patterns and acquires at its next fence: of
	// its own block, and of any.
	near, far *vclock
	// seen is the release that it has read last, and acquired whether vc has
	// that already.
	seen     *release
	acquired bool
}

// snapshot is what a lane knew at some time, if set.
type snapshot struct {
	set, wide           bool
	vc                  *vclock
	clock, known, block uint32
	told                *vclock // the snapshot as others learn it; nil before somebody has
}

// fence is a fence whose effect on the lanes of mask is not applied yet.
type fence struct {
	mask     uint32
	wide, sc bool
}

// Start begins a block of one of the launches.
func (b *Block) Start(d *Detector, g *simt.Grid, id int) {
	for _, j := range d.jobs {
		if j.grid == g {
			b.job = j
		}
	}
	last := d.base
	for i := range b.warps {
		last = max(last, b.warps[i].clock)
	}
	b.d, b.id, b.first, b.base, b.fences = d, id, b.job.first+uint32(id*g.Warps), last, nil
	b.named = [ir.Barriers]*vclock{}
	if cap(b.warps) < g.Warps {
		b.warps = make([]warp, g.Warps)
	}
	b.warps = b.warps[:g.Warps]
	for i := range b.warps {
		b.warps[i] = warp{id: b.first + uint32(i), clock: last + 1, known: last, block: last}
	}
	d.last = max(d.last, last+1)
	if s := &b.shared; s.bytes != g.SharedBytes {
		*s = shadow{bytes: g.SharedBytes}
	} else if s.sync != nil {
		clear(s.sync)
	}
}

// tick begins a new clock of a warp.
func (b *Block) tick(w *warp) {
	w.clock++
	b.d.last = max(b.d.last, w.clock)
}

// split gives the lanes of a warp states of their own.
func (w *warp) split() {
	if w.lanes == nil {
		w.lanes = new([simt.Lanes]lane)
	}
}

// joined returns what the lanes of mask know together.
func (w *warp) joined(mask uint32) *vclock {
	v, _ := w.joinInto(mask, nil, nil)
	return v
}

// joinInto adds what the lanes of mask know to v, which has last already. It
// returns what it added last: most lanes know the same.
func (w *warp) joinInto(mask uint32, v, last *vclock) (_, _ *vclock) {
	if w.lanes == nil {
		return v, last
	}
	for m := mask; m != 0; m &= m - 1 {
		if x := w.lanes[bits.TrailingZeros32(m)&31].vc; x != last {
			v, last = join(v, x), x
		}
	}
	return v, last
}

// learn gives the lanes of mask knowledge.
func (w *warp) learn(mask uint32, v *vclock) {
	if v == nil {
		return
	}
	w.split()
	var before, after *vclock // of the last lane
	for m := mask; m != 0; m &= m - 1 {
		l := &w.lanes[bits.TrailingZeros32(m)&31]
		if after == nil || l.vc != before {
			before, after = l.vc, join(l.vc, v)
		}
		l.vc = after
	}
}

// set gives all lanes knowledge that includes what they know.
func (w *warp) set(v *vclock) {
	if v == nil {
		return
	}
	w.split()
	for i := range w.lanes {
		w.lanes[i].vc = v
	}
}

// Sync records that a barrier of the whole block completes. Threads that have
// exited count as arrived.
func (b *Block) Sync() {
	var v, added *vclock
	last := uint32(0)
	for i := range b.warps {
		w := &b.warps[i]
		b.settle(w)
		last = max(last, w.clock)
		v, added = w.joinInto(simt.Full, v, added)
	}
	v = v.without(b.first) // the barrier says more
	for i := range b.warps {
		w := &b.warps[i]
		w.known, w.block, w.clock = last, last, last
		w.set(v)
		b.tick(w)
	}
}

// SyncWarp records that the lanes that a SyncWarp of the lanes in mask names
// have all reached it.
func (b *Block) SyncWarp(sw *simt.Warp, in *ir.Inst, mask uint32) {
	w := &b.warps[sw.Index]
	b.settle(w)
	row := sw.Row(in.Src[0])
	for left := mask; left != 0; {
		named := uint32(row[bits.TrailingZeros32(left)]) | left&-left
		left &^= named
		b.meet(w, named&sw.Exists, sw)
	}
	b.tick(w)
}

// meet orders what the lanes of mask did before what they do next.
func (b *Block) meet(w *warp, mask uint32, sw *simt.Warp) {
	if mask|sw.Exited == sw.Exists {
		w.known = w.clock
		w.set(w.joined(simt.Full))
		return
	}
	var clocks [simt.Lanes]uint32
	for m := mask; m != 0; m &= m - 1 {
		clocks[bits.TrailingZeros32(m)] = w.clock
	}
	v := w.joined(mask)
	w.learn(mask, v.with(&blockClock{block: b.first, known: w.block, warps: []warpClock{{warp: w.id, known: w.known, lanes: &clocks}}}))
}

// Arrive records that a warp arrives at named barrier id, by which its lanes
// meet.
func (b *Block) Arrive(index, id int) {
	w := &b.warps[index]
	b.settle(w)
	w.known = w.clock
	v := w.joined(simt.Full)
	w.set(v)
	b.named[id] = join(b.named[id], v.with(&blockClock{block: b.first, known: w.block, warps: []warpClock{{warp: w.id, known: w.clock}}}))
	b.tick(w)
}

// Pass records that named barrier id lets a warp continue that waited at it.
func (b *Block) Pass(index, id int) { b.warps[index].learn(simt.Full, b.named[id]) }

// Opened records that all warps that waited at named barrier id have passed.
func (b *Block) Opened(id int) { b.named[id] = nil }

// Fence records that the lanes of mask execute a fence. It takes effect at the
// next call for the warp, when all earlier accesses of the lanes are done.
func (b *Block) Fence(index int, mem ir.Mem, mask uint32) {
	w := &b.warps[index]
	b.settle(w)
	w.fence = fence{mask: mask, wide: wide(mem), sc: mem.Order == ir.SeqCst}
}

// Settle applies the last fence of a warp, which is complete.
func (b *Block) Settle(index int) { b.settle(&b.warps[index]) }

func (b *Block) settle(w *warp) {
	f := w.fence
	if f.mask == 0 {
		return
	}
	w.fence.mask = 0
	w.split()
	var all *vclock // of sequentially consistent fences
	if f.sc {
		all = b.fences
		if f.wide {
			all = join(all, b.d.fences)
		}
	}
	var vc, near, far, after *vclock // of the last lane
	for m := f.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		l := &w.lanes[i]
		if l.near != nil || l.far != nil {
			if after == nil || l.vc != vc || l.near != near || l.far != far {
				vc, near, far = l.vc, l.near, l.far
				if after = join(vc, near); f.wide {
					after = join(after, far)
				}
			}
			l.vc, l.near = after, nil
			if f.wide {
				l.far = nil
			}
		}
		l.vc = join(l.vc, all)
		l.fence = snapshot{set: true, wide: f.wide, vc: l.vc, clock: w.clock, known: w.known, block: w.block}
		if f.sc {
			all = join(all, b.told(w, i, &l.fence))
		}
	}
	if f.sc {
		b.fences = join(b.fences, all)
		if f.wide {
			b.d.fences = join(b.d.fences, all)
		}
	}
	b.tick(w)
}

// told returns a snapshot of a lane as others learn it.
func (b *Block) told(w *warp, lane int, s *snapshot) *vclock {
	if s.told == nil {
		var clocks [simt.Lanes]uint32
		clocks[lane] = s.clock
		s.told = s.vc.with(&blockClock{block: b.first, known: s.block, warps: []warpClock{{warp: w.id, known: s.known, lanes: &clocks}}})
	}
	return s.told
}
