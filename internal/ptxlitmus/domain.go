package ptxlitmus

import (
	"context"
	"maps"
)

// domain is what a location can hold: each value with the length of the shortest chain of
// writes to this location that leads to it.
type domain map[int32]int

// traces enumerates the ways through each thread. The values that reads can return are
// the initial ones and those that some trace writes with what it can read. Since no value
// comes out of thin air, a chain of writes of which each depends on the one before is
// made of different writes: it is at most as long as there are writes, and its part in one
// location at most as long as there are writes to that location.
func (c *checker) traces(ctx context.Context) error {
	known := make([]domain, len(c.test.Locations))
	for i, l := range c.test.Locations {
		known[i] = domain{l.Value: 0}
	}
	for n := 0; ; n++ {
		writes, err := c.tracesOver(ctx, known)
		if err != nil {
			return err
		}
		sum := 0
		for _, w := range writes {
			sum += w
		}
		if n > sum || !c.widen(known, writes) {
			return nil
		}
	}
}

// tracesOver enumerates the ways through each thread over given domains. It returns how
// many writes an execution has at most, by location.
func (c *checker) tracesOver(ctx context.Context, known []domain) ([]int, error) {
	c.runs, c.all = nil, nil
	c.result.Bounded = false
	writes := make([]int, len(known))
	for i := range c.test.Threads {
		var list []*trace
		most := make([]int, len(known))
		run := newThreadRun(ctx, c.test, i, c.locs, known, c.options)
		run.emit = func(t *trace) {
			list = append(list, t)
			n := make([]int, len(known))
			for k := range t.events {
				if e := &t.events[k]; e.kind == write {
					n[e.loc]++
					most[e.loc] = max(most[e.loc], n[e.loc])
				}
			}
		}
		if err := run.run(); err != nil {
			return nil, err
		}
		for l, n := range most {
			writes[l] += n
		}
		c.result.Bounded = c.result.Bounded || run.cut
		c.runs, c.all = append(c.runs, run), append(c.all, list)
	}
	return writes, nil
}

// widen adds to the domains what the traces write; it reports whether there was
// something to add.
func (c *checker) widen(known []domain, writes []int) bool {
	before := make([]domain, len(known))
	for i := range known {
		before[i] = maps.Clone(known[i])
	}
	wider := false
	for _, list := range c.all {
		for _, t := range list {
			for k := range t.events {
				e := &t.events[k]
				if e.kind != write {
					continue
				}
				chain := 1
				for d := range all(e.deps) {
					if r := &t.events[d]; r.loc == e.loc {
						chain = max(chain, 1+before[r.loc][r.value])
					}
				}
				old, ok := known[e.loc][e.value]
				if chain <= writes[e.loc] && (!ok || chain < old) {
					known[e.loc][e.value] = chain
					wider = true
				}
			}
		}
	}
	return wider
}
