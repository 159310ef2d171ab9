package race

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/core/simt"
)

// adder adds clocks up.
type adder struct {
	at     map[uint32]*blockAdder // those in use, by block
	blocks []*blockAdder          // the first ones are in use
	used   int
}

// blockAdder adds up what clocks say of a block.
type blockAdder struct {
	block uint32
	same  *blockClock // the only one so far, or one that covers the others; nil: see below
	known uint32
	warps uint32               // those of which something is known, by number in the block
	split uint32               // those of them of which lanes is in use
	all   [maxWarps]uint32     // by warp: of all lanes
	lanes [maxWarps]laneClocks // by warp
}

const maxWarps = simt.MaxThreads / simt.Lanes

// laneClocks are the clocks of the lanes of a warp.
type laneClocks [simt.Lanes]uint32

func (a *adder) reset() {
	if a.at == nil {
		a.at = map[uint32]*blockAdder{}
	}
	clear(a.at)
	a.used = 0
}

// of returns the sum for a block.
func (a *adder) of(block uint32) *blockAdder {
	b := a.at[block]
	if b == nil {
		if a.used == len(a.blocks) {
			a.blocks = append(a.blocks, &blockAdder{})
		}
		b = a.blocks[a.used]
		a.used++
		b.block, b.same, b.known, b.warps, b.split = block, nil, 0, 0, 0
		a.at[block] = b
	}
	return b
}

// addBlock adds what a sum says of a block.
func (a *adder) addBlock(x *blockClock) {
	b := a.of(x.block)
	switch {
	case b.same == nil && b.known|b.warps == 0 || b.same != nil && x.covers(b.same):
		b.same = x
	case b.same != nil && b.same.covers(x):
	default:
		b.open()
		b.add(x)
	}
}

// open lets b hold more than one clock.
func (b *blockAdder) open() {
	if x := b.same; x != nil {
		b.same = nil
		b.add(x)
	}
}

func (b *blockAdder) add(x *blockClock) {
	b.known = max(b.known, x.known)
	for i := range x.warps {
		w := &x.warps[i]
		n := b.warp(w.warp)
		b.all[n] = max(b.all[n], w.known)
		if w.lanes == nil {
			continue
		}
		to := b.lanesOf(n)
		for l, clock := range w.lanes {
			to[l] = max(to[l], clock)
		}
	}
}

// addOwn adds what a thread, or lanes, have added to a clock.
func (a *adder) addOwn(o *own) {
	b := a.of(o.block)
	if b.same != nil && b.same.has(o) {
		return
	}
	b.open()
	b.known = max(b.known, o.known)
	n := b.warp(o.warp)
	b.all[n] = max(b.all[n], o.all)
	to := b.lanesOf(n)
	for m := o.lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		to[l] = max(to[l], o.clock)
	}
}

// warp returns the number of a warp in the block, whose clocks can then be set.
func (b *blockAdder) warp(warp uint32) int {
	n := int(warp-b.block) & (maxWarps - 1)
	if b.warps>>n&1 == 0 {
		b.warps |= 1 << n
		b.all[n] = 0
	}
	return n
}

// lanesOf returns the clocks of the lanes of the warp with number n.
func (b *blockAdder) lanesOf(n int) *laneClocks {
	if b.split>>n&1 == 0 {
		b.split |= 1 << n
		b.lanes[n] = laneClocks{}
	}
	return &b.lanes[n]
}

// sum returns the sum of all that was added.
func (a *adder) sum() *sum {
	out := &sum{blocks: make([]*blockClock, a.used)}
	for i, b := range a.blocks[:a.used] {
		if out.blocks[i] = b.same; b.same == nil {
			out.blocks[i] = b.clock()
		}
	}
	slices.SortFunc(out.blocks, func(x, y *blockClock) int { return cmp.Compare(x.block, y.block) })
	return out
}

// clock returns the sum for the block.
func (b *blockAdder) clock() *blockClock {
	out := &blockClock{block: b.block, known: b.known}
	for m := b.warps; m != 0; m &= m - 1 {
		n := bits.TrailingZeros32(m)
		w := warpClock{warp: b.block + uint32(n), known: b.all[n]}
		if b.split>>n&1 != 0 {
			w.known = max(w.known, slices.Min(b.lanes[n][:]))
			if slices.Max(b.lanes[n][:]) > max(w.known, out.known) {
				lanes := b.lanes[n]
				w.lanes = &lanes
			}
		}
		if w.lanes != nil || w.known > out.known {
			out.warps = append(out.warps, w)
		}
	}
	return out
}
