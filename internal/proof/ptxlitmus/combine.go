package ptxlitmus

import "slices"

// places are values at locations, as a set of their numbers in checker.places.
type places []uint64

func (p *places) add(n int) {
	for len(*p) <= n/64 {
		*p = append(*p, 0)
	}
	(*p)[n/64] |= 1 << (n % 64)
}

func (p *places) union(q places) {
	for len(*p) < len(q) {
		*p = append(*p, 0)
	}
	for i, w := range q {
		(*p)[i] |= w
	}
}

// in reports whether all of p is in q.
func (p places) in(q places) bool {
	for i, w := range p {
		if i >= len(q) && w != 0 || i < len(q) && w&^q[i] != 0 {
			return false
		}
	}
	return true
}

// place is a value at a location.
type place struct {
	loc   int
	value int32
}

// number returns the number of a place.
func (c *checker) number(p place) int {
	n, ok := c.places[p]
	if !ok {
		n = len(c.places)
		c.places[p] = n
	}
	return n
}

// summarize finds what each trace reads and writes, and what each thread could write.
func (c *checker) summarize() {
	for i, l := range c.test.Locations {
		c.initial.add(c.number(place{i, l.Value}))
	}
	for i, list := range c.all {
		for _, t := range list {
			for k := range t.events {
				switch e := &t.events[k]; e.kind {
				case read:
					t.reads.add(c.number(place{e.loc, e.value}))
				case write:
					t.writes.add(c.number(place{e.loc, e.value}))
				}
			}
			c.runs[i].could.union(t.writes)
		}
	}
}

// combine chooses a trace for each thread that has none yet, and explores the result. A
// value that a chosen trace reads has to be written by one of them, or it could be by a
// thread that has not been chosen.
func (c *checker) combine(chosen []*trace) error {
	written := slices.Clone(c.initial)
	for i := range c.all {
		if i < len(chosen) {
			written.union(chosen[i].writes)
		} else {
			written.union(c.runs[i].could)
		}
	}
	for _, t := range chosen {
		if !t.reads.in(written) {
			return nil
		}
	}
	if len(chosen) == len(c.all) {
		return c.explore(chosen)
	}
	for _, t := range c.all[len(chosen)] {
		if err := c.budget.spend(); err != nil {
			return err
		}
		if err := c.combine(append(slices.Clip(chosen), t)); err != nil {
			return err
		}
	}
	return nil
}
