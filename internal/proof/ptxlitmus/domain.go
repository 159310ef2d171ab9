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
		paths, writes, err := c.tracesOver(ctx, known)
		if err != nil {
			return err
		}
		sum := 0
		for _, w := range writes {
			sum += w
		}
		if n > sum || !widen(known, paths, writes) {
			return nil
		}
	}
}

// tracesOver enumerates the ways through each thread over given domains. It returns what
// happens on them, also on those that do not come to an end, and how many writes an
// execution has at most, by location.
func (c *checker) tracesOver(ctx context.Context, known []domain) (paths [][]event, writes []int, err error) {
	c.runs, c.all = nil, nil
	c.result.Bounded = false
	writes = make([]int, len(known))
	for i := range c.test.Threads {
		var list []*trace
		most := make([]int, len(known))
		run := newThreadRun(ctx, c.test, i, c.locs, known, c.options)
		run.emit = func(t *trace) { list = append(list, t) }
		run.path = func(events []event) {
			paths = append(paths, events)
			n := make([]int, len(known))
			for k := range events {
				if e := &events[k]; e.kind == write {
					n[e.loc]++
					most[e.loc] = max(most[e.loc], n[e.loc])
				}
			}
		}
		if err := run.run(); err != nil {
			return nil, nil, err
		}
		for l, n := range most {
			writes[l] += n
		}
		c.result.Bounded = c.result.Bounded || run.cut
		c.runs, c.all = append(c.runs, run), append(c.all, list)
	}
	return paths, writes, nil
}

// widen adds to the domains what is written on the paths; it reports whether there was
// something to add.
func widen(known []domain, paths [][]event, writes []int) bool {
	before := make([]domain, len(known))
	for i := range known {
		before[i] = maps.Clone(known[i])
	}
	wider := false
	for _, events := range paths {
		for k := range events {
			e := &events[k]
			if e.kind != write {
				continue
			}
			chain := 1
			for d := range all(e.deps) {
				if r := &events[d]; r.loc == e.loc {
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
	return wider
}
