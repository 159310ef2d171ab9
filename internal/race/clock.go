package race

import (
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/simt"
)

// vclock is what a thread knows of threads that barriers of its block do not
// tell it about: up to which clock their accesses precede what it does next.
// It is immutable and shared between threads; nil is the empty clock.
type vclock struct {
	blocks []*blockClock // by block
}

// blockClock is the part of a vclock about one block. It is immutable.
type blockClock struct {
	block uint32 // index of the block's first warp
	known uint32 // of all its threads
	warps []warpClock
}

// warpClock is the part of a blockClock about one warp, where more than the
// block's clock is known.
type warpClock struct {
	warp  uint32
	known uint32              // of all its lanes
	lanes *[simt.Lanes]uint32 // of each lane, where more is known; nil: nothing. Immutable.
}

// lane returns up to which clock lane of a warp is known.
func (c *warpClock) lane(lane int) uint32 {
	if c.lanes == nil {
		return c.known
	}
	return max(c.known, c.lanes[lane])
}

// of returns the part about the block that begins with warp block; nil if
// nothing is known.
func (v *vclock) of(block uint32) *blockClock {
	if v == nil {
		return nil
	}
	lo, hi := 0, len(v.blocks)
	for lo < hi {
		if mid := (lo + hi) >> 1; v.blocks[mid].block < block {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(v.blocks) || v.blocks[lo].block != block {
		return nil
	}
	return v.blocks[lo]
}

// knows returns those of some lanes of a warp of which clock is known.
func (v *vclock) knows(block, warp, lanes, clock uint32) uint32 {
	b := v.of(block)
	if b == nil {
		return 0
	}
	if clock <= b.known {
		return lanes
	}
	for i := range b.warps {
		w := &b.warps[i]
		if w.warp != warp {
			continue
		}
		if clock <= w.known {
			return lanes
		}
		known := uint32(0)
		for m := lanes; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m) & 31; clock <= w.lane(l) {
				known |= 1 << l
			}
		}
		return known
	}
	return 0
}

// join returns what one of two threads knows. It returns one of its arguments
// if that knows all.
func join(a, b *vclock) *vclock {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.covers(b):
		return a
	}
	out, same, other := make([]*blockClock, 0, len(a.blocks)+len(b.blocks)), true, true
	i, j := 0, 0
	for i < len(a.blocks) || j < len(b.blocks) {
		switch {
		case j == len(b.blocks) || i < len(a.blocks) && a.blocks[i].block < b.blocks[j].block:
			out, other = append(out, a.blocks[i]), false
			i++
		case i == len(a.blocks) || b.blocks[j].block < a.blocks[i].block:
			out, same = append(out, b.blocks[j]), false
			j++
		default:
			x := joinBlock(a.blocks[i], b.blocks[j])
			same, other = same && x == a.blocks[i], other && x == b.blocks[j]
			out = append(out, x)
			i, j = i+1, j+1
		}
	}
	switch {
	case same:
		return a
	case other:
		return b
	}
	return &vclock{blocks: out}
}

// without returns v without what it says about a block.
func (v *vclock) without(block uint32) *vclock {
	own := v.of(block)
	if own == nil {
		return v
	}
	out := &vclock{blocks: make([]*blockClock, 0, len(v.blocks)-1)}
	for _, b := range v.blocks {
		if b != own {
			out.blocks = append(out.blocks, b)
		}
	}
	return out
}

// with returns v with what x says about its block.
func (v *vclock) with(x *blockClock) *vclock {
	return join(v, &vclock{blocks: []*blockClock{x}})
}

// covers reports whether v includes all that b knows.
func (v *vclock) covers(b *vclock) bool {
	i := 0
	for _, y := range b.blocks {
		for i < len(v.blocks) && v.blocks[i].block < y.block {
			i++
		}
		if i == len(v.blocks) || v.blocks[i].block != y.block || !v.blocks[i].covers(y) {
			return false
		}
	}
	return true
}

func (c *blockClock) covers(b *blockClock) bool {
	if c == b {
		return true
	}
	if c.known < b.known {
		return false
	}
	i := 0
	for j := range b.warps {
		y := &b.warps[j]
		for i < len(c.warps) && c.warps[i].warp < y.warp {
			i++
		}
		x := &warpClock{}
		if i < len(c.warps) && c.warps[i].warp == y.warp {
			x = &c.warps[i]
		}
		least := max(c.known, x.known)
		if y.known > least {
			return false
		}
		if y.lanes == nil || y.lanes == x.lanes {
			continue
		}
		for l, clock := range y.lanes {
			if clock > least && (x.lanes == nil || clock > x.lanes[l]) {
				return false
			}
		}
	}
	return true
}

func joinBlock(a, b *blockClock) *blockClock {
	if a.covers(b) {
		return a
	}
	if b.covers(a) {
		return b
	}
	out := &blockClock{block: a.block, known: max(a.known, b.known)}
	keep := func(w warpClock) {
		most := w.known
		if w.lanes != nil {
			most = max(most, slices.Max(w.lanes[:]))
		}
		if most > out.known {
			out.warps = append(out.warps, w)
		}
	}
	i, j := 0, 0
	for i < len(a.warps) || j < len(b.warps) {
		switch {
		case j == len(b.warps) || i < len(a.warps) && a.warps[i].warp < b.warps[j].warp:
			keep(a.warps[i])
			i++
		case i == len(a.warps) || b.warps[j].warp < a.warps[i].warp:
			keep(b.warps[j])
			j++
		default:
			keep(joinWarp(a.warps[i], b.warps[j]))
			i, j = i+1, j+1
		}
	}
	return out
}

func joinWarp(a, b warpClock) warpClock {
	out := warpClock{warp: a.warp, known: max(a.known, b.known)}
	var lanes [simt.Lanes]uint32
	for l := range lanes {
		lanes[l] = max(a.lane(l), b.lane(l))
	}
	if out.known = max(out.known, slices.Min(lanes[:])); slices.Max(lanes[:]) > out.known {
		out.lanes = &lanes
	}
	return out
}
