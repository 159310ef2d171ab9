package ptxlitmus

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exhaustive returns the outcomes of a test without any of the arguments by which Check
// leaves choices out: it tries every write of the value for a read, every order of
// morally strong fences, and every partial order of the writes to a location, and checks
// all axioms at the end. Only the relations that the events determine are Check's own.
func exhaustive(t *testing.T, test *Test) map[string]bool {
	c := &checker{test: test, options: Options{Bound: 1, Budget: 1 << 40}, result: &Result{}, locs: map[string]int{}, seen: map[string]int{}, places: map[place]int{}}
	c.budget = &budget{context.Background(), 1 << 40, 1 << 40}
	for i, l := range test.Locations {
		c.locs[l.Name] = i
	}
	for _, v := range test.Outcome() {
		if v.Loc != "" {
			c.observed = append(c.observed, v.Loc)
		}
	}
	require.NoError(t, c.traces(context.Background()))
	outcomes := map[string]bool{}
	var combine func(chosen []*trace)
	combine = func(chosen []*trace) {
		if len(chosen) < len(c.all) {
			for _, tr := range c.all[len(chosen)] {
				combine(append(chosen[:len(chosen):len(chosen)], tr))
			}
			return
		}
		x := &candidate{test: test, final: &finals{c.runs, chosen}, work: c.budget}
		for i, l := range test.Locations {
			x.events = append(x.events, event{kind: write, thread: -1, loc: i, value: l.Value})
		}
		for _, tr := range chosen {
			x.events = append(x.events, tr.events...)
		}
		x.everyReadsFrom(x.relate(), 0, relation{}, func(e *execution) {
			e.states(c.observed, c.locs, func(s finalState) {
				var values []int32
				for _, v := range test.Outcome() {
					values = append(values, v.In(s))
				}
				outcomes[formatValues(values)] = true
			})
		})
	}
	combine(nil)
	return outcomes
}

func (c *candidate) everyReadsFrom(f *fixed, i int, rf relation, yield func(*execution)) {
	for ; i < len(c.events) && c.events[i].kind != read; i++ {
	}
	if i < len(c.events) {
		for w := range c.events {
			if e := &c.events[w]; e.kind == write && e.loc == c.events[i].loc && e.value == c.events[i].value {
				more := rf
				more.add(w, i)
				c.everyReadsFrom(f, i+1, more, yield)
			}
		}
		return
	}
	var fences, writes [][2]int
	var initial relation
	for i := range c.events {
		for j := range i {
			a, b := &c.events[i], &c.events[j]
			if a.kind == fence && b.kind == fence && a.order == SC && b.order == SC && f.strong.has(i, j) {
				fences = append(fences, [2]int{i, j})
			}
			switch same := a.kind == write && b.kind == write && a.loc == b.loc; {
			case same && b.thread < 0:
				initial.add(j, i)
			case same:
				writes = append(writes, [2]int{i, j})
			}
		}
	}
	causal := rf
	causal.union(&f.dep)
	if causal.cyclic() {
		return
	}
	every(fences, relation{}, false, func(sc *relation) {
		if sc.cyclic() {
			return
		}
		_, cause := f.causality(f.observe(&rf), &relation{}, sc)
		if sc.then(cause).reflexive() {
			return
		}
		every(writes, initial, true, func(co *relation) {
			if x := (&execution{c, &rf, co, sc}); x.satisfies(f, cause) {
				yield(x)
			}
		})
	})
}

// every calls yield for each way to order the pairs; open allows to leave a pair open.
func every(pairs [][2]int, r relation, open bool, yield func(*relation)) {
	if len(pairs) == 0 {
		yield(&r)
		return
	}
	if open {
		every(pairs[1:], r, open, yield)
	}
	for k := range 2 {
		more := r
		more.add(pairs[0][k], pairs[0][1-k])
		every(pairs[1:], more, open, yield)
	}
}

// satisfies checks the axioms on coherence as they are written down.
func (x *execution) satisfies(f *fixed, cause *relation) bool {
	closed := *x.co
	closed.close()
	if closed != *x.co || closed.reflexive() {
		return false // not a partial order
	}
	for i := range x.events {
		for j := range x.events {
			a, b := &x.events[i], &x.events[j]
			if a.kind != write || b.kind != write || a.loc != b.loc {
				continue
			}
			if cause.has(i, j) && !x.co.has(i, j) {
				return false // coherence
			}
			if f.strong.has(i, j) && !x.co.has(i, j) && !x.co.has(j, i) {
				return false // morally strong writes are ordered
			}
		}
	}
	var fr relation
	for w := range x.events {
		for r := range all(x.rf[w]) {
			fr[r] = x.co[w]
		}
	}
	if between := fr.and(&f.strong).then(x.co.and(&f.strong)).and(&f.rmw); *between != (relation{}) {
		return false // atomicity
	}
	com := *x.rf
	com.union(&fr)
	if com.then(cause).reflexive() {
		return false // causality
	}
	com.union(x.co)
	loc := *com.and(&f.strong)
	loc.union(&f.poLoc)
	return !loc.cyclic() // SC per location
}

// TestSearch checks on random tests that the search of Check leaves out nothing.
func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compared := 0
	for compared < 25 {
		src := randomTest(rng, rng.IntN(4) == 0)
		if strings.Count(src, "st.")+strings.Count(src, "atom.") > 3 {
			continue // too many orders of the writes
		}
		compared++
		test, err := Parse("random.litmus", src)
		require.NoError(t, err)
		r, err := Check(context.Background(), test, Options{})
		require.NoError(t, err)
		allowed := map[string]bool{}
		for _, o := range r.Outcomes {
			allowed[formatValues(o.Values)] = true
		}
		require.Equal(t, exhaustive(t, test), allowed, src)
	}
}
