package ptxlitmus

import (
	"context"
	"maps"
	"slices"
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
	c := &checker{test: t, options: o, result: r, locs: map[string]int{}, seen: map[string]int{}, places: map[place]int{}}
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
	c.summarize()
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

// unsupported says what the test needs that the model does not have.
func (t *Test) unsupported() string {
	for _, th := range t.Threads {
		if slices.ContainsFunc(th.Code, func(in Instr) bool { return in.Op == BarRed }) {
			return "the model of PTX does not have bar.red"
		}
	}
	if t.Quant == NoCondition {
		return "the test has no condition"
	}
	return ""
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
	places   map[place]int
	initial  places
}

// explore explores the executions of one trace a thread.
func (c *checker) explore(chosen []*trace) error {
	x := c.candidate(chosen)
	err := x.explore(func(e *execution) error { c.add(e); return nil })
	c.result.Stuck += x.stuck
	return err
}

// candidate returns the events of one trace a thread, after initial writes to all words
// that matter.
func (c *checker) candidate(chosen []*trace) *candidate {
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
		used[c.test.word(c.locs[name])] = true
	}
	for _, loc := range slices.Sorted(maps.Keys(used)) {
		x.events = append(x.events, event{kind: write, thread: -1, loc: loc, addr: loc, value: c.test.Locations[loc].Value})
	}
	for _, t := range chosen {
		x.events = append(x.events, t.events...)
	}
	return x
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
