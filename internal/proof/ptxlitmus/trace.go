package ptxlitmus

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// kind is the kind of an event.
type kind uint8

const (
	read kind = iota
	write
	fence
	proxyFence
	barrier
)

// event is what an instruction does in one execution.
type event struct {
	kind   kind
	thread int // an index of Test.Threads; -1 for an initial write
	instr  int // an index of Thread.Code
	loc    int // the word in memory: an index of Test.Locations that is no alias
	addr   int // the address by which it is reached: an index of Test.Locations
	value  int32
	order  Order
	scope  Scope
	proxy  Proxy // by which the word is reached, or of which a proxyFence is
	// rmw is, of a write that belongs to a read-modify-write operation, the distance to
	// its read, which precedes it; else 0.
	rmw int
	// deps are the reads of the same thread on which the event depends, by their place
	// in the thread.
	deps set
	bar  arrival
}

// arrival is the arrival of a thread at a barrier.
type arrival struct {
	instance, id int32
	named        bool // id means something
	round        int  // how often the thread has arrived at this barrier before
	count        int32
	counted      bool // count means something
	waits        bool // sync, not arrive
}

// trace is one way through the code of a thread: the values of its reads are guesses.
type trace struct {
	events        []event
	regs          []int32
	reads, writes places
}

// threadRun enumerates the traces of a thread.
type threadRun struct {
	ctx    context.Context
	test   *Test
	index  int
	regs   map[string]int // numbers of the registers
	locs   map[string]int
	words  []int         // the memory of each location, see Test.word
	addrs  []int         // its address, see Test.address
	live   []set         // registers that are read later, by instruction
	heads  []bool        // targets of branches back, by instruction
	domain []domain      // by location
	bound  int           // how often a branch back is taken
	path   func([]event) // gets what each way through the code does, also one that is given up
	emit   func(*trace)  // gets each trace, which is a way to the end
	ways   int
	cut    bool   // some loop ran into the bound
	could  places // what some trace writes
}

// progress is the state of a thread on the way through its code.
type progress struct {
	pc     int
	events []event
	regs   []int32
	deps   []set // of the registers
	ctrl   set   // reads on which branches depended
	writes int   // events that others can see or that wait
	// visits are the states in which the targets of branches back were reached last;
	// taken is how often the branch at an instruction was taken back.
	visits map[int]visit
	taken  map[int]int
	rounds map[arrival]int
}

// visit is the state of a thread at the target of a branch back.
type visit struct {
	writes int
	regs   []int32
	deps   []set
}

// LimitError reports that a test is too large to enumerate its executions.
type LimitError struct{ What string }

// Error returns which limit it exceeds.
func (e *LimitError) Error() string { return e.What }

func newThreadRun(ctx context.Context, t *Test, index int, locs map[string]int, known []domain, o Options) *threadRun {
	r := &threadRun{ctx: ctx, test: t, index: index, regs: map[string]int{}, locs: locs, domain: known, bound: o.Bound}
	for i := range t.Locations {
		r.words, r.addrs = append(r.words, t.word(i)), append(r.addrs, t.address(i))
	}
	for _, in := range t.Threads[index].Code {
		for _, name := range append(in.reads(), in.Dst) {
			r.number(name)
		}
	}
	for _, v := range t.Outcome() {
		if v.Reg != "" && v.Thread == index {
			r.number(v.Reg)
		}
	}
	for _, init := range t.Registers {
		if init.Thread == index {
			r.number(init.Reg)
		}
	}
	r.liveness()
	return r
}

func (r *threadRun) number(reg string) {
	if _, ok := r.regs[reg]; !ok && reg != "" {
		r.regs[reg] = len(r.regs)
	}
}

// reads returns the registers that an instruction reads.
func (in *Instr) reads() (regs []string) {
	for _, o := range []*Operand{&in.A, &in.B, in.ID, in.Count} {
		if o != nil && o.Reg != "" {
			regs = append(regs, o.Reg)
		}
	}
	return regs
}

// liveness finds the registers whose values matter at each instruction.
func (r *threadRun) liveness() {
	code := r.test.Threads[r.index].Code
	r.live, r.heads = make([]set, len(code)+1), make([]bool, len(code)+1)
	for i := range code {
		if in := &code[i]; (in.Op == Branch || in.Op == Goto) && in.Target <= i {
			r.heads[in.Target] = true
		}
	}
	for _, v := range r.test.Outcome() {
		if v.Reg != "" && v.Thread == r.index {
			r.live[len(code)] |= 1 << r.regs[v.Reg]
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			in := &code[i]
			out := r.live[i+1]
			switch in.Op {
			case Goto:
				out = r.live[in.Target]
			case Branch:
				out |= r.live[in.Target]
			}
			if in.Dst != "" {
				out &^= 1 << r.regs[in.Dst]
			}
			for _, name := range in.reads() {
				out |= 1 << r.regs[name]
			}
			changed = changed || out != r.live[i]
			r.live[i] = out
		}
	}
}

// run emits all traces.
func (r *threadRun) run() error {
	if len(r.regs) > maxEvents {
		return &LimitError{fmt.Sprintf("P%d uses more than %d registers", r.test.Threads[r.index].ID, maxEvents)}
	}
	s := &progress{regs: make([]int32, len(r.regs)), deps: make([]set, len(r.regs)), visits: map[int]visit{}, taken: map[int]int{}, rounds: map[arrival]int{}}
	for _, init := range r.test.Registers {
		if init.Thread == r.index {
			v := init.Value
			if init.Loc != "" {
				v = Address(r.locs[init.Loc])
			}
			s.regs[r.regs[init.Reg]] = v
		}
	}
	return r.step(s)
}

// fork returns a copy of the state.
func (s *progress) fork() *progress {
	c := *s
	c.events = slices.Clip(s.events)
	c.regs, c.deps = slices.Clone(s.regs), slices.Clone(s.deps)
	c.visits, c.taken, c.rounds = maps.Clone(s.visits), maps.Clone(s.taken), maps.Clone(s.rounds)
	return &c
}

// operand returns the value of an operand and the reads on which it depends.
func (r *threadRun) operand(s *progress, o Operand) (int32, set) {
	if o.Reg == "" {
		return o.Const, 0
	}
	i := r.regs[o.Reg]
	return s.regs[i], s.deps[i]
}

func (r *threadRun) set(s *progress, reg string, v int32, deps set) {
	if reg != "" {
		s.regs[r.regs[reg]], s.deps[r.regs[reg]] = v, deps
	}
}

// step runs the thread to its end, or to a read, where it goes on once for each value.
func (r *threadRun) step(s *progress) error {
	code := r.test.Threads[r.index].Code
	for s.pc < len(code) {
		in := &code[s.pc]
		if len(s.events) > maxEvents {
			return &LimitError{fmt.Sprintf("an execution has more than %d events", maxEvents)}
		}
		if r.heads[s.pc] && !r.atHead(s) {
			return r.end(s)
		}
		next := s.pc + 1
		switch in.Op {
		case Load, Atom, Red:
			return r.branchOnRead(s, in)
		case Store:
			v, deps := r.operand(s, in.A)
			e := r.access(write, s.pc)
			e.value, e.deps = v, deps|s.ctrl
			s.events = append(s.events, e)
			s.writes++
		case Fence:
			s.events = append(s.events, event{kind: fence, thread: r.index, instr: s.pc, order: in.Order, scope: in.Scope})
		case FenceProxy:
			s.events = append(s.events, event{kind: proxyFence, thread: r.index, instr: s.pc, proxy: in.Proxy})
		case BarSync, BarArrive:
			r.arrive(s, in)
		case Local:
			a, da := r.operand(s, in.A)
			b, db := r.operand(s, in.B)
			r.set(s, in.Dst, in.Binary.Of(a, b), da|db)
		case Branch:
			a, da := r.operand(s, in.A)
			b, db := r.operand(s, in.B)
			s.ctrl |= da | db
			if in.Cmp.Of(a, b) {
				next = in.Target
			}
		case Goto:
			next = in.Target
		}
		if next <= s.pc {
			if s.taken[s.pc]++; s.taken[s.pc] > r.bound {
				r.cut = true
				return r.end(s)
			}
		}
		s.pc = next
	}
	r.emit(&trace{events: slices.Clip(s.events), regs: s.regs})
	return r.end(s)
}

// end counts a way through the code, whether it comes to the end or is given up.
func (r *threadRun) end(s *progress) error {
	r.path(s.events)
	if r.ways++; r.ways > maxTraces {
		return &LimitError{fmt.Sprintf("P%d has more than %d ways through its code", r.test.Threads[r.index].ID, maxTraces)}
	}
	if r.ways%1000 == 0 {
		return r.ctx.Err()
	}
	return nil
}

// atHead is called where the thread reaches the target of a branch back; it reports
// whether the thread goes on. It does not if nothing that matters has changed since it
// was there last: the execution without that turn of the loop has fewer events, hence
// fewer constraints, and the same outcomes.
func (r *threadRun) atHead(s *progress) bool {
	now := visit{s.writes, make([]int32, len(s.regs)), make([]set, len(s.regs))}
	for i := range all(r.live[s.pc]) {
		now.regs[i], now.deps[i] = s.regs[i], s.deps[i]
	}
	last, again := s.visits[s.pc]
	s.visits[s.pc] = now
	return !again || last.writes != now.writes || !slices.Equal(last.regs, now.regs) || !slices.Equal(last.deps, now.deps)
}

// arrive adds the arrival at a barrier.
func (r *threadRun) arrive(s *progress, in *Instr) {
	b := arrival{instance: in.Instance}
	if in.ID != nil {
		b.named = true
		b.id, _ = r.operand(s, *in.ID)
	}
	round := s.rounds[b]
	s.rounds[b]++
	if in.Count != nil {
		b.counted = true
		b.count, _ = r.operand(s, *in.Count)
	}
	b.round, b.waits = round, in.Op == BarSync
	s.events = append(s.events, event{kind: barrier, thread: r.index, instr: s.pc, bar: b})
	s.writes++
}

// access returns what the instruction at pc does to memory, without its value.
func (r *threadRun) access(k kind, pc int) event {
	in := &r.test.Threads[r.index].Code[pc]
	i := r.locs[in.Loc]
	return event{kind: k, thread: r.index, instr: pc, loc: r.words[i], addr: r.addrs[i], order: in.Order, scope: in.Scope, proxy: in.Proxy}
}

// branchOnRead goes on once for each value that the instruction can read.
func (r *threadRun) branchOnRead(s *progress, in *Instr) error {
	for _, v := range slices.Sorted(maps.Keys(r.domain[r.words[r.locs[in.Loc]]])) {
		c := s.fork()
		me := len(c.events)
		e := r.access(read, c.pc)
		e.value, e.deps = v, c.ctrl
		if in.Op != Load { // the halves of the operation have the halves of its order
			e.order = map[bool]Order{true: Acquire, false: Relaxed}[in.Order.Acquires()]
		}
		a, deps := r.operand(c, in.A)
		c.events = append(c.events, e)
		if in.Op != Load {
			w := r.access(write, c.pc)
			w.value, w.rmw, w.deps = in.Binary.Of(v, a), 1, c.ctrl|deps|1<<me
			w.order = map[bool]Order{true: Release, false: Relaxed}[in.Order.Releases()]
			stores := true
			if in.Binary == CAS {
				var more set
				stores = v == a
				w.value, more = r.operand(c, in.B)
				w.deps |= more
			}
			if stores {
				c.events = append(c.events, w)
				c.writes++
			}
		}
		r.set(c, in.Dst, v, 1<<me)
		c.pc++
		if err := r.step(c); err != nil {
			return err
		}
	}
	return nil
}
