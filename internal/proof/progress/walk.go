package progress

// A Counterexample is an execution that a model allows and that never ends.
type Counterexample struct {
	// Prefix leads from the start to the first state of the cycle. Cycle leads
	// from there back to that state, and repeats for ever. An empty cycle means
	// that no thread which the model schedules fairly can take a step, and that
	// the others need not be scheduled.
	Prefix, Cycle []Move
	// Fair has the threads that the model schedules fairly during the cycle,
	// Unfinished those that have not ended.
	Fair, Unfinished Set
	// Partial says that there are too many steps which strong fairness demands
	// in the cycle: it has at least one of each thread, but not all.
	Partial bool
}

// A Move is a step of a unit of a thread, or of Machine, from a state of the program to another.
type Move struct {
	Thread, Unit int
	From, To     string
}

// counterexample returns the execution that goes to a node by the shortest way
// and then round the cycle.
func (g *Graph) counterexample(at int32, cycle walk, fair Set) *Counterexample {
	var prefix walk
	for n := at; g.nodes[n].parent >= 0; n = g.nodes[n].parent {
		prefix = append(prefix, hop{g.nodes[n].parent, edge{n, g.nodes[n].via}})
	}
	for i, j := 0, len(prefix)-1; i < j; i, j = i+1, j-1 {
		prefix[i], prefix[j] = prefix[j], prefix[i]
	}
	return &Counterexample{Prefix: g.moves(prefix), Cycle: g.moves(cycle), Fair: fair, Unfinished: g.all &^ g.nodes[at].ended}
}

// cycles returns the state in which the cycle of a counterexample begins.
func (g *Graph) cycles(x *Counterexample) string {
	switch {
	case len(x.Cycle) > 0:
		return x.Cycle[0].From
	case len(x.Prefix) > 0:
		return x.Prefix[len(x.Prefix)-1].To
	}
	return g.states[g.nodes[0].state]
}

// hop is an edge with the node that it starts from.
type hop struct {
	from int32
	edge
}

// walk is a sequence of edges, each from where the one before led.
type walk []hop

func (g *Graph) moves(w walk) []Move {
	list := make([]Move, len(w))
	for i, h := range w {
		list[i] = Move{g.owner[h.unit], int(h.unit), g.states[g.nodes[h.from].state], g.states[g.nodes[h.to].state]}
	}
	return list
}

// a filter says which edges to follow.
type filter func(from int32, e edge) bool

// path returns a shortest walk, of at least one edge, over edges that keep
// accepts and whose last one goal accepts; nil if there is none.
func (g *Graph) path(start int32, keep, goal filter) (w walk) {
	came := map[int32]hop{} // by node: the edge by which the search reached it first
	for queue := []int32{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range g.out(at) {
			if !keep(at, e) {
				continue
			}
			if goal(at, e) {
				w = append(w, hop{at, e})
				for at != start {
					w = append(w, came[at])
					at = came[at].from
				}
				for i, j := 0, len(w)-1; i < j; i, j = i+1, j-1 {
					w[i], w[j] = w[j], w[i]
				}
				return w
			}
			if _, ok := came[e.to]; !ok && e.to != start {
				came[e.to] = hop{at, e}
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

// tour returns a closed walk from a node within its strongly connected
// component, in which each unit of left takes a step or is blocked once.
func (g *Graph) tour(start int32, left Set) (round walk) {
	inside := func(_ int32, e edge) bool { return g.comp[e.to] == g.comp[start] }
	at := start
	for left &^= g.nodes[at].blocked; left != 0; {
		part := g.path(at, inside, func(_ int32, e edge) bool { return left.Has(int(e.unit)) || left&g.nodes[e.to].blocked != 0 })
		for _, h := range part {
			left &^= 1<<h.unit | g.nodes[h.to].blocked
		}
		round = append(round, part...)
		at = part[len(part)-1].to
	}
	return append(round, g.back(at, start, inside)...)
}

// back returns a shortest walk between two nodes, which is empty if they are
// the same.
func (g *Graph) back(at, to int32, keep filter) walk {
	if at == to {
		return nil
	}
	return g.path(at, keep, func(_ int32, e edge) bool { return e.to == to })
}

// mostSteps is the largest number of steps that a counterexample under strong
// fairness takes all of in its cycle.
const mostSteps = 1 << 10

// settle returns a counterexample under strong fairness, given a node from
// which steps of the fair set do not lead to the end: it goes on by steps of the
// fair set to nodes that they do not leave, and round all of those.
func (g *Graph) settle(m *Model, start int32) *Counterexample {
	fair := func(from int32, e edge) bool { return g.owes(m, from, e) }
	comp := g.components(start, fair)
	leaves := map[int32]bool{} // components that some step leaves
	for at, c := range comp {
		for _, e := range g.out(int32(at)) {
			if c >= 0 && fair(int32(at), e) && comp[e.to] != c {
				leaves[c] = true
			}
		}
	}
	at, lead := start, walk(nil)
	if leaves[comp[start]] {
		lead = g.path(start, fair, func(_ int32, e edge) bool { return !leaves[comp[e.to]] })
		at = lead[len(lead)-1].to
	}
	cycle, partial := g.round(at, fair, comp)
	x := g.counterexample(start, cycle, g.fair(m, at))
	x.Prefix = append(x.Prefix, g.moves(lead)...)
	x.Unfinished = g.all &^ g.nodes[at].ended
	x.Partial = partial
	return x
}

// round returns a closed walk from a node over all edges that keep accepts in
// its component. If there are more than mostSteps, it has at least one of each unit,
// and partial is true.
func (g *Graph) round(start int32, keep filter, comp []int32) (cycle walk, partial bool) {
	left := map[hop]bool{}
	units := Set(0)
	for at, c := range comp {
		for _, e := range g.out(int32(at)) {
			if c == comp[start] && keep(int32(at), e) {
				left[hop{int32(at), e}] = true
				units |= 1 << e.unit
			}
		}
	}
	partial = len(left) > mostSteps
	wanted := func(from int32, e edge) bool { return left[hop{from, e}] }
	if partial {
		wanted = func(_ int32, e edge) bool { return units.Has(int(e.unit)) }
	}
	at := start
	for len(left) > 0 && (!partial || units != 0) {
		part := g.path(at, keep, wanted)
		for _, h := range part {
			delete(left, h)
			units &^= 1 << h.unit
		}
		cycle = append(cycle, part...)
		at = part[len(part)-1].to
	}
	return append(cycle, g.back(at, start, keep)...), partial
}

// components returns the strongly connected component of each node that can be
// reached from root over edges that keep accepts, -1 for other nodes (Tarjan's
// algorithm, with a stack of its own instead of recursion).
func (g *Graph) components(root int32, keep filter) []int32 {
	n := g.States()
	comp := make([]int32, n)
	for i := range comp {
		comp[i] = -1
	}
	index, low := make([]int32, n), make([]int32, n) // index 0: not visited
	type frame struct{ at, edge int32 }
	var (
		stack         []int32
		calls         []frame
		visited, done int32
	)
	enter := func(at int32) {
		visited++
		index[at], low[at] = visited, visited
		stack = append(stack, at)
		calls = append(calls, frame{at, g.nodes[at].first})
	}
	enter(root)
	for len(calls) > 0 {
		f := &calls[len(calls)-1]
		at := f.at
		if f.edge < g.nodes[at+1].first {
			e := g.edges[f.edge]
			f.edge++
			switch {
			case !keep(at, e):
			case index[e.to] == 0:
				enter(e.to)
			case comp[e.to] < 0:
				low[at] = min(low[at], index[e.to])
			}
			continue
		}
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			up := calls[len(calls)-1].at
			low[up] = min(low[up], low[at])
		}
		if low[at] != index[at] {
			continue
		}
		for member := int32(-1); member != at; {
			member = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			comp[member] = done
		}
		done++
	}
	return comp
}
