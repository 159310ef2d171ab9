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
	total := a.at[block]
	if total == nil {
		if a.used == len(a.blocks) {
			a.blocks = append(a.blocks, &blockAdder{})
		}
		total = a.blocks[a.used]
		a.used++
		total.block, total.same, total.known, total.warps, total.split = block, nil, 0, 0, 0
		a.at[block] = total
	}
	return total
}

// addBlock adds what a sum says of a block.
func (a *adder) addBlock(part *blockClock) {
	total := a.of(part.block)
	switch {
	// Most clocks that are added up say the same of a block: as long as one covers all others, it is kept as it is and shared.
	case total.same == nil && total.known|total.warps == 0 || total.same != nil && part.covers(total.same):
		total.same = part
	case total.same != nil && total.same.covers(part):
	default:
		total.open()
		total.add(part)
	}
}

// open lets b hold more than one clock.
func (b *blockAdder) open() {
	if part := b.same; part != nil {
		b.same = nil
		b.add(part)
	}
}

func (b *blockAdder) add(part *blockClock) {
	b.known = max(b.known, part.known)
	for i := range part.warps {
		warp := &part.warps[i]
		n := b.warp(warp.warp)
		b.all[n] = max(b.all[n], warp.known)
		if warp.lanes == nil {
			continue
		}
		to := b.lanesOf(n)
		for l, clock := range warp.lanes {
			to[l] = max(to[l], clock)
		}
	}
}

// addOwn adds what a thread, or lanes, have added to a clock.
func (a *adder) addOwn(own *own) {
	total := a.of(own.block)
	if total.same != nil && total.same.has(own) {
		return
	}
	total.open()
	total.known = max(total.known, own.known)
	n := total.warp(own.warp)
	total.all[n] = max(total.all[n], own.all)
	to := total.lanesOf(n)
	for m := own.lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		to[l] = max(to[l], own.clock)
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
	for i, total := range a.blocks[:a.used] {
		if out.blocks[i] = total.same; total.same == nil {
			out.blocks[i] = total.clock()
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
		warp := warpClock{warp: b.block + uint32(n), known: b.all[n]}
		if b.split>>n&1 != 0 {
			warp.known = max(warp.known, slices.Min(b.lanes[n][:]))
			// Lanes of which no more is known than of their warp take no memory.
			if slices.Max(b.lanes[n][:]) > max(warp.known, out.known) {
				lanes := b.lanes[n]
				warp.lanes = &lanes
			}
		}
		if warp.lanes != nil || warp.known > out.known {
			out.warps = append(out.warps, warp)
		}
	}
	return out
}
