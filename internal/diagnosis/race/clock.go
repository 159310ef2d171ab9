package race

import "math/bits"

// vclock is what a thread knows of others: up to which clock their accesses
// precede what it does next. It is the union of its own part and of other
// clocks, which are added up when somebody asks (see clocks.go): threads that
// hand work to each other all the time join clocks far more often than an access
// depends on one. What it says never changes, and threads share it; nil is the
// empty clock.
type vclock struct {
	own  *own // nil: nothing
	from [2]*vclock
	more *[]*vclock
	sum  *sum   // all of it, once added up; own, from and more are then nil
	born int64  // clocks are made after those that they include
	mark uint64 // the last search that met it
	// last is the latest clock of any warp when it was made: it knows of no later
	// one.
	last uint32
	// size is how many clocks it is made from, counted as often as they are met,
	// up to those that are large.
	size  uint16
	large bool // it is added up before clocks that include it are
}

// own is what a thread, or lanes that have met, add to what they know from
// others.
type own struct {
	block uint32 // index of the block's first warp
	known uint32 // of all threads of the block
	warp  uint32
	all   uint32 // of all lanes of the warp
	lanes uint32 // lanes of the warp that are known up to clock
	clock uint32 // not before known and all
}

// sum is a clock that has been added up. It is immutable.
type sum struct {
	blocks []*blockClock // by block
}

// blockClock is the part of a sum about one block. It is immutable.
type blockClock struct {
	block uint32 // index of the block's first warp
	known uint32 // of all its threads
	warps []warpClock
}

// warpClock is the part of a blockClock about one warp, where more than the
// block's clock is known.
type warpClock struct {
	warp  uint32
	known uint32      // of all its lanes
	lanes *laneClocks // of each lane, where more is known; nil: nothing. Immutable.
}

// lane returns up to which clock lane of a warp is known.
func (c *warpClock) lane(lane int) uint32 {
	if c.lanes == nil {
		return c.known
	}
	return max(c.known, c.lanes[lane])
}

// knows returns those of some lanes of a warp of which o says that clock is
// known.
func (o *own) knows(block, warp, lanes, clock uint32) uint32 {
	switch {
	// What a thread adds is about its own block, up to its own clock. The lanes' clock is the largest of the three.
	case o.block != block || clock > o.clock:
		return 0
	case clock <= o.known || o.warp == warp && clock <= o.all:
		return lanes
	case o.warp == warp:
		return lanes & o.lanes
	}
	return 0
}

// knows returns those of some lanes of a warp of which clock is known.
func (s *sum) knows(block, warp, lanes, clock uint32) uint32 {
	part := s.of(block)
	if part == nil {
		return 0
	}
	if clock <= part.known {
		return lanes
	}
	warpPart := part.of(warp)
	if warpPart == nil {
		return 0
	}
	if clock <= warpPart.known {
		return lanes
	}
	known := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m) & 31; clock <= warpPart.lane(l) {
			known |= 1 << l
		}
	}
	return known
}

// of returns the part about the block that begins with warp block; nil if
// nothing is known.
func (s *sum) of(block uint32) *blockClock {
	// By hand: this is asked for each access that memory may order, and slices.BinarySearchFunc calls a function for each step.
	lo, hi := 0, len(s.blocks)
	for lo < hi {
		if mid := (lo + hi) >> 1; s.blocks[mid].block < block {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(s.blocks) || s.blocks[lo].block != block {
		return nil
	}
	return s.blocks[lo]
}

// of returns the part about a warp; nil if nothing more than c.known is known.
func (c *blockClock) of(warp uint32) *warpClock {
	for i := range c.warps {
		if c.warps[i].warp == warp {
			return &c.warps[i]
		}
	}
	return nil
}

// covers reports whether c includes all that b knows.
func (c *blockClock) covers(b *blockClock) bool {
	if c == b {
		return true
	}
	if c.known < b.known {
		return false
	}
	// Both lists are in the order of warps, so that one walk compares them.
	at := 0
	for j := range b.warps {
		theirs := &b.warps[j]
		for at < len(c.warps) && c.warps[at].warp < theirs.warp {
			at++
		}
		ours := &warpClock{}
		if at < len(c.warps) && c.warps[at].warp == theirs.warp {
			ours = &c.warps[at]
		}
		least := max(c.known, ours.known)
		if theirs.known > least {
			return false
		}
		if theirs.lanes == nil || theirs.lanes == ours.lanes {
			continue
		}
		for l, clock := range theirs.lanes {
			if clock > least && (ours.lanes == nil || clock > ours.lanes[l]) {
				return false
			}
		}
	}
	return true
}

// has reports whether c includes own.
func (c *blockClock) has(own *own) bool {
	if c.known < own.known {
		return false
	}
	if own.clock <= c.known {
		return true
	}
	w := c.of(own.warp)
	if w == nil || max(c.known, w.known) < own.all {
		return false
	}
	for m := own.lanes; m != 0; m &= m - 1 {
		if own.clock > w.lane(bits.TrailingZeros32(m)&31) {
			return false
		}
	}
	return true
}
