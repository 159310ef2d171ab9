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

// with returns v with o.
func (c *clocks) with(v *vclock, o own) *vclock {
	// One allocation for both: a clock of its own is made at each release.
	x := &struct {
		vclock
		own
	}{vclock{from: [2]*vclock{v}}, o}
	x.vclock.own = &x.own
	return c.made(&x.vclock)
}

// made sets the size of a new clock, and returns it.
func (c *clocks) made(v *vclock) *vclock {
	c.born++
	// A clock that is reached by two ways counts twice. That is only too careful: the size decides when clocks are added up.
	size := 1 + v.from[0].sized() + v.from[1].sized()
	if v.more != nil {
		for _, x := range *v.more {
			size += x.sized()
		}
	}
	v.born, v.last, v.size = c.born, c.last, uint16(size)
	// From here on it counts as one, since it is added up before those made from it are: no sum walks more than a few hundred
	// clocks.
	if size >= sizeLimit {
		v.size, v.large = 1, true
	}
	return v
}

// sized returns what v adds to the size of a clock that is made from it.
func (v *vclock) sized() int {
	if v == nil {
		return 0
	}
	return int(v.size)
}

// knows returns those of some lanes of a warp of which v says that clock is
// known.
func (c *clocks) knows(v *vclock, block, warp, lanes, clock uint32) uint32 {
	if v == nil {
		return 0
	}
	left, all := c.search(v, block, warp, lanes, clock)
	if !all {
		c.add(v)
		left = lanes &^ v.sum.knows(block, warp, lanes, clock)
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
		x := c.todo[i]
		switch {
		// It was made before the access that is asked for, and so were all from which it is made.
		case clock > x.last:
			continue
		case x.sum != nil:
			lanes &^= x.sum.knows(block, warp, lanes, clock)
		case x.own != nil:
			lanes &^= x.own.knows(block, warp, lanes, clock)
		}
		if lanes == 0 {
			return 0, true
		}
		// Long searches come again for neighbours: the sum answers them all.
		if i == searchLimit {
			return lanes, false
		}
		c.meetAll(x)
	}
	return lanes, true
}

// begin begins a search.
func (c *clocks) begin(v *vclock) {
	c.mark++
	c.todo = c.todo[:0]
	c.meet(v)
}

// meet adds v to the clocks to look at, if it is not there already.
func (c *clocks) meet(v *vclock) {
	if v != nil && v.mark != c.mark {
		v.mark = c.mark
		c.todo = append(c.todo, v)
	}
}

// meetAll meets the clocks from which v is made.
func (c *clocks) meetAll(v *vclock) {
	c.meet(v.from[0])
	c.meet(v.from[1])
	if v.more != nil {
		for _, x := range *v.more {
			c.meet(x)
		}
	}
}

// add adds v up, and first the large clocks that it includes, the oldest first.
func (c *clocks) add(v *vclock) {
	if v == nil || v.sum != nil {
		return
	}
	for c.begin(v); len(c.todo) > 0; {
		x := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		if x.large && x.sum == nil {
			c.large = append(c.large, x)
		}
		c.meetAll(x)
	}
	// The oldest first: a clock is made after those that it includes, whose sums it then finds.
	slices.SortFunc(c.large, func(a, b *vclock) int { return cmp.Compare(a.born, b.born) })
	for _, x := range c.large {
		c.total(x)
	}
	clear(c.large)
	c.large = c.large[:0]
	if v.sum == nil {
		c.total(v)
	}
}

// total sets the sum of v.
func (c *clocks) total(v *vclock) {
	c.begin(v)
	for i := 0; i < len(c.todo); i++ {
		c.meetAll(c.todo[i])
	}
	c.adder.reset()
	// Sums first: they are merged as whole blocks, most of which are the same in all, and single threads are put on top of
	// them.
	for _, x := range c.todo {
		if x.sum != nil {
			for _, b := range x.sum.blocks {
				c.adder.addBlock(b)
			}
		}
	}
	for _, x := range c.todo {
		if x.own != nil {
			c.adder.addOwn(x.own)
		}
	}
	v.sum = c.adder.sum()
	// Those from which it was made are free, unless somebody else holds them.
	v.own, v.from, v.more = nil, [2]*vclock{}, nil
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
