package progress

// The verdicts on a program under a model.
const (
	Terminates = "terminates" // every execution that the model allows ends
	MayHang    = "may_hang"   // the model allows an execution that never ends
)

// Decide decides whether the program terminates under the model. If it may hang,
// it also returns an execution that the model allows and that never ends.
//
// An execution with no thread in the fair set goes on with a step of some thread:
// a scheduler is not supposed to leave the whole machine idle.
func (g *Graph) Decide(m *Model) (verdict string, x *Counterexample) {
	if m.Strong {
		x = g.strong(m)
	} else {
		x = g.weak(m)
	}
	if x != nil {
		return MayHang, x
	}
	return Terminates, nil
}

// weak decides under weak fairness. An execution that never ends visits the
// nodes of some cycle infinitely often. Ended and started threads only grow, so
// that the fair set is the same everywhere in a strongly connected component.
// Hence the component contains a cycle that the model allows if each unit of the
// fair set takes a step between two of its nodes, or is blocked in one: a closed
// walk visits them all.
func (g *Graph) weak(m *Model) *Counterexample {
	satisfied := make([]Set, g.States()) // by component: the units that step within it or are blocked in it
	cyclic := make([]bool, g.States())   // by component: there is a step within it
	for at := range int32(g.States()) {
		c := g.comp[at]
		satisfied[c] |= g.nodes[at].blocked
		for _, e := range g.out(at) {
			if g.comp[e.to] == c {
				satisfied[c] |= 1 << e.unit
				cyclic[c] = true
			}
		}
	}
	for at := range int32(g.States()) {
		fair, c := g.fair(m, at), g.comp[at]
		units := g.units(fair)
		if fair == 0 && !g.stuck(at) || units&^satisfied[c] != 0 {
			continue
		}
		if !cyclic[c] && units&^g.nodes[at].blocked != 0 {
			continue
		}
		return g.counterexample(at, g.tour(at, units), fair)
	}
	return nil
}

// strong decides under strong fairness. If an execution never ends and takes
// every step of the fair set that is possible infinitely often, then from the
// states that it visits infinitely often no steps of the fair set lead to the
// end. Conversely, if from some state none lead there, an execution that goes
// on from it with steps of the fair set alone, chosen fairly, never ends.
func (g *Graph) strong(m *Model) *Counterexample {
	good := g.backward(m)
	for at := range int32(g.States()) {
		if !good[at] {
			return g.settle(m, at)
		}
	}
	return nil
}

// backward returns the nodes from which steps of the fair set lead to one where
// the fair set is empty: all threads have ended, or the scheduler must start
// another one.
func (g *Graph) backward(m *Model) []bool {
	n := g.States()
	heads, next := make([]int32, n), make([]int32, len(g.edges)) // the edges into each node, as linked lists of indices + 1
	from := make([]int32, len(g.edges))
	good := make([]bool, n)
	var queue []int32
	for at := range int32(n) {
		fair := g.fair(m, at)
		if fair == 0 && !g.stuck(at) {
			good[at] = true
			queue = append(queue, at)
		}
		first := g.nodes[at].first
		for i, e := range g.out(at) {
			if g.owner[e.unit] == Machine || fair.Has(g.owner[e.unit]) {
				k := first + int32(i)
				from[k], next[k] = at, heads[e.to]
				heads[e.to] = k + 1
			}
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for k := heads[at]; k != 0; k = next[k-1] {
			if p := from[k-1]; !good[p] {
				good[p] = true
				queue = append(queue, p)
			}
		}
	}
	return good
}
