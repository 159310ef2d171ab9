package kernels

import "github.com/weft-gpu/weft/scheduler"

// SCC is strongly connected components by colouring: the value of a vertex is, in the end, a
// vertex of its component, the same one for all of them.
//
// A round has two phases. In the first, labels spread along the arcs, and the smallest wins:
// the label of a vertex is that of the smallest vertex from which a path leads to it. Those
// with one label are a class, and the vertex whose own label it is their root. In the second
// phase each root searches its class along the arcs in reverse. What it finds reaches the
// root and is reached by it: the component of the root, which leaves the graph. The others
// take part in the next round.
//
// Two things keep the number of rounds small when there are many components, as in a long
// chain. Arcs between two classes are ignored from then on, since their ends are in different
// components. And each round numbers the vertices anew, at random, so that every round splits
// a class into several.
//
// That is what it does under schemes for all algorithms. Scheme forward-backward finds the components in another way (see Strong).
//
// Sources: Orzan, On distributed verification and verified distribution, 2004, chapter 5
// (colouring); Schudy, Finding strongly connected components in parallel using O(log² n)
// reachability queries, SPAA 2008 (random order, which bounds the rounds); Liu and Huang,
// SIMD-X, USENIX ATC 2019, section 3.2, names SCC as an algorithm whose updates vote.
type SCC struct {
	scheduler.Min[uint32]
	Class []uint32 // the class of a vertex after the last round, or found
}

const (
	everyone = 1          // the class of all vertices before the first round
	found    = 0          // the class of vertices whose component has left the graph
	nobody   = ^uint32(0) // the value of a vertex that no root has reached
)

// Init returns the label of the first round.
func (a SCC) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	a.Class[v.ID] = everyone
	return label(v.ID, 0)
}

// Start reports whether v has an arc to send its label along.
func (SCC) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.Degree > 0 }

// Strong returns true: the answer is what scheme forward-backward finds.
func (SCC) Strong() bool { return true }

// Phases returns true.
func (SCC) Phases() bool { return true }

// Reverse reports whether roots search, which is in every second phase.
func (SCC) Reverse(phase uint32) bool { return phase%2 == 1 }

// Phase returns the next phase, in which every vertex takes part that is still in the graph.
func (a SCC) Phase(v, now uint32, x uint32) uint32 {
	if a.Class[v] == found {
		return scheduler.NoPhase
	}
	return now + 1
}

// Enter begins a phase for v.
func (a SCC) Enter(v scheduler.Vertex, p *uint32) bool {
	if a.Reverse(v.Phase) {
		return a.enterSearch(v, p) && v.Degree > 0
	}
	return a.enterRound(v, p) && v.Degree > 0
}

// enterSearch makes the label of v its class, and reports whether v is the root of the class.
func (a SCC) enterSearch(v scheduler.Vertex, p *uint32) bool {
	a.Class[v.ID] = *p
	if *p != label(v.ID, v.Phase/2) {
		*p = nobody
		return false
	}
	*p = v.ID
	return true
}

// enterRound takes v out of the graph if its root has reached it. Otherwise it gives v a new
// label, and reports true.
func (a SCC) enterRound(v scheduler.Vertex, p *uint32) bool {
	if *p != nobody {
		a.Class[v.ID] = found
		return false
	}
	*p = label(v.ID, v.Phase/2)
	return true
}

// Compute passes on the label, or the root in a search, within a class.
func (a SCC) Compute(e scheduler.Edge, x uint32) (uint32, bool) {
	return x, a.Class[e.Src] == a.Class[e.Dst]
}

// label returns the label of a vertex in a round: a permutation of the numbers from 1 to 2³²-1,
// by the steps of the finalizer of MurmurHash3, each of which can be undone and keeps 0.
func label(v, round uint32) uint32 {
	x := (v + 1) * (0x9e3779b9 + round*0x6c8e9cf6) // an odd number for every round
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}
