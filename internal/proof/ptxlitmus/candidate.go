package ptxlitmus

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// candidate is a set of traces, one a thread, whose executions are enumerated.
type candidate struct {
	test   *Test
	events []event // initial writes first
	final  *finals
	stuck  int // executions in which some thread waits forever at a barrier
	work   *budget
}

// budget ends an enumeration that would take too long.
type budget struct {
	ctx  context.Context
	left int
	all  int
}

// spend takes one unit.
func (b *budget) spend() error {
	if b.left--; b.left < 0 {
		return &LimitError{fmt.Sprintf("more than %d executions have to be looked at", b.all)}
	}
	if b.left%1024 == 0 {
		return b.ctx.Err()
	}
	return nil
}

// explore enumerates the executions: how the barriers let the threads pass, where each
// read reads from, the order of the sequentially consistent fences, and the order of
// morally strong writes. It calls yield for those that the axioms allow. Since more of any
// of these relations only forbids more, what is chosen is checked after each choice.
func (c *candidate) explore(yield func(*execution) error) error {
	if len(c.events) > maxEvents {
		return &LimitError{fmt.Sprintf("an execution has more than %d events", maxEvents)}
	}
	f := c.relate()
	return c.barriers(func(barrier *relation) error {
		given := fenceOrder(f)
		return c.readFrom(f, 0, &relation{}, barrier, given, func(rf *relation) error {
			obs := f.observe(rf)
			return c.orderFences(f, rf, obs, barrier, given, func(sc, cause, co *relation) error {
				return c.orderWrites(f, rf, cause, co, func(co *relation) error {
					return yield(&execution{candidate: c, rf: rf, co: co, sc: sc})
				})
			})
		})
	})
}

// order returns causality and the coherence that it asks for; ok is false where an axiom
// forbids what has been chosen.
func (f *fixed) order(rf, obs, barrier, sc *relation) (cause, co *relation, ok bool) {
	base, cause := f.causality(obs, barrier, sc)
	if sc.meets(base) {
		return nil, nil, false
	}
	co, ok = f.leastCoherence(cause)
	return cause, co, ok && f.consistent(rf, cause, co)
}

// readFrom chooses a write for every read from event i on.
func (c *candidate) readFrom(f *fixed, i int, rf, barrier, sc *relation, yield func(*relation) error) error {
	for ; i < len(c.events) && c.events[i].kind != read; i++ {
	}
	if i == len(c.events) {
		return yield(rf)
	}
	for w := range all(f.writes & f.sameLoc[i] &^ f.poLoc[i]) {
		if c.events[w].value != c.events[i].value {
			continue
		}
		if err := c.work.spend(); err != nil {
			return err
		}
		more := *rf
		more.add(w, i)
		causal := more
		causal.union(&f.dep)
		if causal.cyclic() { // no thin air
			continue
		}
		if _, _, ok := f.order(&more, f.observe(&more), barrier, sc); !ok {
			continue
		}
		if err := c.readFrom(f, i+1, &more, barrier, sc, yield); err != nil {
			return err
		}
	}
	return nil
}

// fenceOrder returns the part of the order of sequentially consistent fences that is
// given: within a thread it is the thread's.
func fenceOrder(f *fixed) *relation { return f.po.between(f.fences, f.fences) }

// orderFences tries all orders of the morally strong pairs of fences.
func (c *candidate) orderFences(f *fixed, rf, obs, barrier, sc *relation, yield func(sc, cause, co *relation) error) error {
	if err := c.work.spend(); err != nil {
		return err
	}
	cause, co, ok := f.order(rf, obs, barrier, sc)
	if !ok {
		return nil
	}
	for i := range all(f.fences) {
		for j := range all(f.fences & f.strong[i]) {
			if sc.has(i, j) || sc.has(j, i) || j < i {
				continue
			}
			for _, pair := range [][2]int{{i, j}, {j, i}} {
				more := *sc
				more.add(pair[0], pair[1])
				if more.cyclic() {
					continue
				}
				if err := c.orderFences(f, rf, obs, barrier, &more, yield); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return yield(sc, cause, co)
}

// orderWrites tries all orders of the morally strong writes that co leaves open.
func (c *candidate) orderWrites(f *fixed, rf, cause, co *relation, yield func(*relation) error) error {
	if err := c.work.spend(); err != nil {
		return err
	}
	if !f.consistent(rf, cause, co) { // more order only forbids more
		return nil
	}
	i, j, open := f.open(co)
	if !open {
		return yield(co)
	}
	for _, pair := range [][2]int{{i, j}, {j, i}} {
		more := *co
		more.add(pair[0], pair[1])
		more.close()
		if err := c.orderWrites(f, rf, cause, &more, yield); err != nil {
			return err
		}
	}
	return nil
}

// execution is an execution that the axioms allow.
type execution struct {
	*candidate
	rf, co, sc *relation
}

// last returns the values that a location can have in the end: those of the writes that
// no other follows in coherence order.
func (x *execution) last(loc int) []int32 {
	loc = x.test.word(loc)
	var values []int32
	for i := range x.events {
		e := &x.events[i]
		if e.kind == write && e.loc == loc && x.co[i] == 0 && !slices.Contains(values, e.value) {
			values = append(values, e.value)
		}
	}
	slices.Sort(values)
	return values
}

// finals are the final values of the registers.
type finals struct {
	runs   []*threadRun
	traces []*trace
}

// finalState is a final state of an execution.
type finalState struct {
	x      *execution
	memory map[string]int32
}

// Register implements [State].
func (s finalState) Register(thread int, reg string) int32 {
	return s.x.final.traces[thread].regs[s.x.final.runs[thread].regs[reg]]
}

// Memory implements [State].
func (s finalState) Memory(loc string) int32 { return s.memory[loc] }

// states calls yield for each final state: where coherence leaves open which write of a
// location is last, there are several.
func (x *execution) states(locs []string, index map[string]int, yield func(finalState)) {
	var choose func(locs []string, memory map[string]int32)
	choose = func(locs []string, memory map[string]int32) {
		if len(locs) == 0 {
			yield(finalState{x, maps.Clone(memory)})
			return
		}
		for _, v := range x.last(index[locs[0]]) {
			memory[locs[0]] = v
			choose(locs[1:], memory)
		}
	}
	choose(locs, map[string]int32{})
}
