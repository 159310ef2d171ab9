package race

import (
	"cmp"
	"slices"
)

// clocks makes clocks, answers what they say, and adds up those that are asked.
type clocks struct {
	last  uint32 // the latest clock of a warp
	born  int64  // clocks made
	freed int64  // clocks made when those in use were last added up
	mark  uint64 // searches
	todo  []*vclock
	large []*vclock // see add
	adder
}

const (
	// searchLimit is how many clocks are looked at before they are added up.
	searchLimit = 64
	// sizeLimit is from which size on a clock is large.
	sizeLimit = 256
	// keepLimit is how many clocks are made, and keepEach how many for each clock
	// that is in use, before those in use are added up to free the others.
	keepLimit = 1 << 22
	keepEach  = 64
)

// join returns what one of two threads knows.
func (c *clocks) join(a, b *vclock) *vclock {
	switch {
	case b == nil || a == b:
		return a
	case a == nil:
		return b
	// As in a loop that acquires from the same word again: a has b already.
	case a.from[0] == b || a.from[1] == b:
		return a
	}
	return c.made(&vclock{from: [2]*vclock{a, b}})
}

// union returns what the threads together know that know v. It keeps none of
// the list.
func (c *clocks) union(v []*vclock) *vclock {
	switch len(v) {
	case 0:
		return nil
	case 1:
		return v[0]
	case 2:
		return c.join(v[0], v[1])
	}
	more := slices.Clone(v)
	return c.made(&vclock{more: &more})
}

// with returns vc with what a thread adds.
func (c *clocks) with(vc *vclock, o own) *vclock {
	// One allocation for both: a clock of its own is made at each release.
	x := &struct {
		vclock
		own
	}{vclock{from: [2]*vclock{vc}}, o}
	x.vclock.own = &x.own
	return c.made(&x.vclock)
}

// made sets the size of a new clock, and returns it.
func (c *clocks) made(vc *vclock) *vclock {
	c.born++
	// A clock that is reached by two ways counts twice. That is only too careful: the size decides when clocks are added up.
	size := 1 + vc.from[0].sized() + vc.from[1].sized()
	if vc.more != nil {
		for _, x := range *vc.more {
			size += x.sized()
		}
	}
	vc.born, vc.last, vc.size = c.born, c.last, uint16(size)
	// From here on it counts as one, since it is added up before those made from it are: no sum walks more than a few hundred
	// clocks.
	if size >= sizeLimit {
		vc.size, vc.large = 1, true
	}
	return vc
}

// sized returns what v adds to the size of a clock that is made from it.
func (v *vclock) sized() int {
	if v == nil {
		return 0
	}
	return int(v.size)
}

// knows returns those of some lanes of a warp of which vc says that clock is
// known.
func (c *clocks) knows(vc *vclock, block, warp, lanes, clock uint32) uint32 {
	if vc == nil {
		return 0
	}
	left, all := c.search(vc, block, warp, lanes, clock)
	if !all {
		c.add(vc)
		left = lanes &^ vc.sum.knows(block, warp, lanes, clock)
	}
	return lanes &^ left
}

// search looks for lanes of a warp in the clocks from which v is made, the
// nearest first: most often a thread asks for one from which it has just
// acquired. It returns those that it did not find, and whether it has looked
// at all clocks that may know of them.
func (c *clocks) search(v *vclock, block, warp, lanes, clock uint32) (left uint32, all bool) {
	c.begin(v)
	for i := 0; i < len(c.todo); i++ {
		part := c.todo[i]
		switch {
		// It was made before the access that is asked for, and so were all from which it is made.
		case clock > part.last:
			continue
		case part.sum != nil:
			lanes &^= part.sum.knows(block, warp, lanes, clock)
		case part.own != nil:
			lanes &^= part.own.knows(block, warp, lanes, clock)
		}
		if lanes == 0 {
			return 0, true
		}
		// Long searches come again for neighbours: the sum answers them all.
		if i == searchLimit {
			return lanes, false
		}
		c.meetAll(part)
	}
	return lanes, true
}

// begin begins a search.
func (c *clocks) begin(vc *vclock) {
	c.mark++
	c.todo = c.todo[:0]
	c.meet(vc)
}

// meet adds vc to the clocks to look at, if it is not there already.
func (c *clocks) meet(vc *vclock) {
	if vc != nil && vc.mark != c.mark {
		vc.mark = c.mark
		c.todo = append(c.todo, vc)
	}
}

// meetAll meets the clocks from which vc is made.
func (c *clocks) meetAll(vc *vclock) {
	c.meet(vc.from[0])
	c.meet(vc.from[1])
	if vc.more != nil {
		for _, x := range *vc.more {
			c.meet(x)
		}
	}
}

// add adds vc up, and first the large clocks that it includes, the oldest first.
func (c *clocks) add(vc *vclock) {
	if vc == nil || vc.sum != nil {
		return
	}
	for c.begin(vc); len(c.todo) > 0; {
		part := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		if part.large && part.sum == nil {
			c.large = append(c.large, part)
		}
		c.meetAll(part)
	}
	// The oldest first: a clock is made after those that it includes, whose sums it then finds.
	slices.SortFunc(c.large, func(a, b *vclock) int { return cmp.Compare(a.born, b.born) })
	for _, x := range c.large {
		c.total(x)
	}
	clear(c.large)
	c.large = c.large[:0]
	if vc.sum == nil {
		c.total(vc)
	}
}

// total sets the sum of vc.
func (c *clocks) total(vc *vclock) {
	c.begin(vc)
	for i := 0; i < len(c.todo); i++ {
		c.meetAll(c.todo[i])
	}
	c.adder.reset()
	// Sums first: they are merged as whole blocks, most of which are the same in all, and single threads are put on top of
	// them.
	for _, part := range c.todo {
		if part.sum != nil {
			for _, b := range part.sum.blocks {
				c.adder.addBlock(b)
			}
		}
	}
	for _, part := range c.todo {
		if part.own != nil {
			c.adder.addOwn(part.own)
		}
	}
	vc.sum = c.adder.sum()
	// Those from which it was made are free, unless somebody else holds them.
	vc.own, vc.from, vc.more = nil, [2]*vclock{}, nil
}

// full reports whether the clocks in use are to be added up, if there are n.
func (c *clocks) full(n int) bool {
	return c.born-c.freed > keepLimit && c.born-c.freed > keepEach*int64(n)
}

// reset begins a launch.
func (c *clocks) reset() {
	c.born, c.freed = 0, 0
	clear(c.todo[:cap(c.todo)])
	c.adder = adder{}
}
