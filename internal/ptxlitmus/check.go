package ptxlitmus

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// The limits of the enumeration.
const (
	maxTraces = 1 << 18 // of one thread
	// DefaultBudget is how many executions are looked at if Options.Budget is 0.
	DefaultBudget = 20_000_000
	// DefaultBound is how often a branch back is taken if Options.Bound is 0.
	DefaultBound = 3
)

// Options say how far [Check] looks.
type Options struct {
	// Bound is how often a thread takes each branch back; 0 means DefaultBound. A turn of
	// a loop that changes nothing but dead registers does not count: such loops, which
	// only wait, are decided exactly.
	Bound int
	// Budget is how many executions are looked at; 0 means DefaultBudget.
	Budget int
}

// Outcome is a final state that the model allows, seen through Test.Outcome.
type Outcome struct {
	Values     []int32 // of Test.Outcome, in this order
	Executions int     // how many executions end so
	Satisfies  bool    // the condition holds
}

// Result is what the model says of a test.
type Result struct {
	Test *Test
	// Unsupported says what the test needs that the model does not have; "" if it was
	// decided. Then nothing below is set.
	Unsupported string
	// Verdict says whether the condition holds: for exists, some execution satisfies it;
	// for ~exists, none; for forall, all. Only executions count in which all threads
	// end, and which satisfy the filter.
	Verdict bool
	// Outcomes are all final states that the model allows, sorted by their values.
	Outcomes   []Outcome
	Executions int // executions that the axioms allow
	Stuck      int // ways through the threads that wait forever at a barrier
	// Bounded says that a loop could have gone on past Options.Bound. Then outcomes may
	// be missing.
	Bounded bool
	// Witness is an execution that decides the verdict: one that satisfies an exists, or
	// one that breaks a ~exists or forall; else nil.
	Witness *Witness
}

// Check decides a test under the axioms of the PTX memory model. Errors are that the
// context has ended, or a *[LimitError].
func Check(ctx context.Context, t *Test, o Options) (*Result, error) {
	if o.Bound == 0 {
		o.Bound = DefaultBound
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	r := &Result{Test: t, Unsupported: t.unsupported()}
	if r.Unsupported != "" {
		return r, nil
	}
	c := &checker{test: t, options: o, result: r, locs: map[string]int{}, seen: map[string]int{}}
	c.budget = &budget{ctx, o.Budget, o.Budget}
	for i, l := range t.Locations {
		c.locs[l.Name] = i
	}
	for _, v := range t.Outcome() {
		if v.Loc != "" {
			c.observed = append(c.observed, v.Loc)
		}
	}
	if err := c.traces(ctx); err != nil {
		return nil, err
	}
	if err := c.combine(nil); err != nil {
		return nil, err
	}
	slices.SortFunc(r.Outcomes, func(a, b Outcome) int { return slices.Compare(a.Values, b.Values) })
	satisfied := func(o Outcome) bool { return o.Satisfies }
	switch t.Quant {
	case Exists:
		r.Verdict = slices.ContainsFunc(r.Outcomes, satisfied)
	case NotExists:
		r.Verdict = !slices.ContainsFunc(r.Outcomes, satisfied)
	case ForAll:
		r.Verdict = !slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return !o.Satisfies })
	}
	return r, nil
}

// Allowed returns the final states that the model allows, seen through Test.Outcome.
// Unsupported tests give an error.
func Allowed(ctx context.Context, t *Test) ([]Outcome, error) {
	r, err := Check(ctx, t, Options{})
	switch {
	case err != nil:
		return nil, err
	case r.Unsupported != "":
		return nil, errors.New(r.Unsupported)
	}
	return r.Outcomes, nil
}

// unsupported says what the test needs that the model does not have.
func (t *Test) unsupported() string {
	var needs []string
	add := func(s string) {
		if !slices.Contains(needs, s) {
			needs = append(needs, s)
		}
	}
	for _, l := range t.Locations {
		if l.Alias != "" {
			add("aliases of one location")
		}
	}
	for _, th := range t.Threads {
		for _, in := range th.Code {
			switch {
			case in.Op == FenceProxy:
				add("proxy fences")
			case in.Proxy != Generic:
				add("the " + in.Proxy.String() + " proxy")
			case in.Op == BarRed:
				add("bar.red")
			}
		}
	}
	switch {
	case needs == nil && t.Quant == NoCondition:
		return "the test has no condition"
	case needs == nil:
		return ""
	}
	return "the model of PTX 6.0 does not have " + strings.Join(needs, ", ")
}

// checker is the work of one [Check].
type checker struct {
	test     *Test
	options  Options
	result   *Result
	budget   *budget
	locs     map[string]int
	observed []string // locations of Test.Outcome
	runs     []*threadRun
	all      [][]*trace // by thread
	seen     map[string]int
}

// traces enumerates the ways through each thread. The values that reads can return are
// the initial ones and those that some trace writes with what it can read; since no value
// comes out of thin air, a chain of values is at most as long as there are writes.
func (c *checker) traces(ctx context.Context) error {
	domain := make([]map[int32]bool, len(c.test.Locations))
	for i, l := range c.test.Locations {
		domain[i] = map[int32]bool{l.Value: true}
	}
	chain := 1
	for grown, n := true, 0; grown && n <= chain; n++ {
		grown = false
		c.runs, c.all = nil, nil
		c.result.Bounded = false
		found := make([]map[int32]bool, len(domain))
		for i := range domain {
			found[i] = maps.Clone(domain[i])
		}
		chain = 1
		for i := range c.test.Threads {
			var list []*trace
			longest := 0
			run := newThreadRun(ctx, c.test, i, c.locs, domain, c.options)
			run.emit = func(t *trace) {
				list = append(list, t)
				depend := 0
				for _, e := range t.events {
					if e.kind == write {
						found[e.loc][e.value] = true
						if e.deps != 0 {
							depend++
						}
					}
				}
				longest = max(longest, depend)
			}
			if err := run.run(); err != nil {
				return err
			}
			chain += longest
			c.result.Bounded = c.result.Bounded || run.cut
			c.runs, c.all = append(c.runs, run), append(c.all, list)
		}
		for i := range domain {
			grown = grown || len(found[i]) > len(domain[i])
		}
		domain = found
	}
	return nil
}

// place is a value at a location.
type place struct {
	loc   int
	value int32
}

// combine chooses a trace for each thread that has none yet, and explores the result.
func (c *checker) combine(chosen []*trace) error {
	if !c.possible(chosen) {
		return nil
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

// possible reports whether each value that the chosen traces read is written by one of
// them or could be by a thread that has not been chosen.
func (c *checker) possible(chosen []*trace) bool {
	written := map[place]bool{}
	for i, l := range c.test.Locations {
		written[place{i, l.Value}] = true
	}
	for _, t := range chosen {
		t.writes(written)
	}
	for i := len(chosen); i < len(c.all); i++ {
		maps.Copy(written, c.couldWrite(i))
	}
	for _, t := range chosen {
		for i := range t.events {
			if e := &t.events[i]; e.kind == read && !written[place{e.loc, e.value}] {
				return false
			}
		}
	}
	return true
}

// writes adds what a trace writes.
func (t *trace) writes(to map[place]bool) {
	for i := range t.events {
		if e := &t.events[i]; e.kind == write {
			to[place{e.loc, e.value}] = true
		}
	}
}

// couldWrite returns what some trace of a thread writes.
func (c *checker) couldWrite(thread int) map[place]bool {
	run := c.runs[thread]
	if run.could == nil {
		run.could = map[place]bool{}
		for _, t := range c.all[thread] {
			t.writes(run.could)
		}
	}
	return run.could
}

// explore explores the executions of one trace a thread.
func (c *checker) explore(chosen []*trace) error {
	x := &candidate{test: c.test, final: &finals{c.runs, chosen}, work: c.budget}
	used := map[int]bool{}
	for _, t := range chosen {
		for i := range t.events {
			if e := &t.events[i]; e.kind <= write {
				used[e.loc] = true
			}
		}
	}
	for _, name := range c.observed {
		used[c.locs[name]] = true
	}
	for _, loc := range slices.Sorted(maps.Keys(used)) {
		x.events = append(x.events, event{kind: write, thread: -1, loc: loc, value: c.test.Locations[loc].Value})
	}
	for _, t := range chosen {
		x.events = append(x.events, t.events...)
	}
	err := x.explore(func(e *execution) error { c.add(e); return nil })
	c.result.Stuck += x.stuck
	return err
}

// add counts an execution that the axioms allow.
func (c *checker) add(x *execution) {
	counts := false
	x.states(c.observed, c.locs, func(s finalState) {
		if c.test.Filter != nil && !c.test.Filter.Holds(s) {
			return
		}
		counts = true
		o := Outcome{Satisfies: c.test.Cond.Holds(s)}
		for _, v := range c.test.Outcome() {
			o.Values = append(o.Values, v.In(s))
		}
		key := formatValues(o.Values)
		i, ok := c.seen[key]
		if !ok {
			i = len(c.result.Outcomes)
			c.seen[key] = i
			c.result.Outcomes = append(c.result.Outcomes, o)
		}
		c.result.Outcomes[i].Executions++
		if c.result.Witness == nil && o.Satisfies == (c.test.Quant != ForAll) {
			c.result.Witness = x.witness(s)
		}
	})
	if counts {
		c.result.Executions++
	}
}
