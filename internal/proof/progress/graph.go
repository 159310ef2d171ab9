package progress

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/internal/base/memory"
)

// A System is a program whose threads take steps. It must have finitely many
// states, or Explore ends with a *LimitError.
//
// A thread consists of one or more units that take steps on their own, such as
// the warps of a block. A scheduler that is fair to a thread is fair to each of
// its units. Units of Machine belong to no thread.
type System interface {
	// Threads returns the number of threads, 1 to MaxThreads.
	Threads() int
	// Units returns for each unit the thread that it belongs to, or Machine. There are at
	// most MaxThreads units.
	Units() []int
	// Initial returns the state at the start. A state is an encoding that is
	// equal for equal states only.
	Initial() string
	// Status returns the threads that have ended in a state, and the units that
	// cannot take a step until another one does, or that have ended.
	Status(state string) (ended, blocked Set)
	// Step appends to next the states that one step of a unit may lead to. The unit
	// is not blocked. A step that fails, such as one out of bounds, is an error.
	Step(state string, unit int, next []string) ([]string, error)
	// Describe describes a step.
	Describe(Move) Step
}

// Machine is the owner of a unit that no thread runs: it does what threads have begun, such
// as an asynchronous copy. What it can do it does sooner or later, whatever becomes of the
// threads, so that every model is fair to it.
const Machine = -1

// explainer is a System that can say what is missing in a state for waiting threads to go
// on, in a line each.
type explainer interface{ Causes(state string) []string }

// Limits are the limits of an exploration.
type Limits struct {
	States int
	Bytes  uint64 // memory for the states; 0 means half of what is free at the start
}

// LimitError reports that a program has more states than were to be explored.
type LimitError struct {
	States int
	Bytes  uint64 // the memory that they would need more than; 0 if there were too many states
}

func (e *LimitError) Error() string {
	if e.Bytes > 0 {
		return fmt.Sprintf("undecided: memory budget: more than %d states take more than %d MiB", e.States, e.Bytes>>20)
	}
	return fmt.Sprintf("undecided: the program has more than %d states", e.States)
}

// sized is a System whose states refer to something that needs memory besides them.
type sized interface{ Bytes() uint64 }

// About how many bytes a state, a node and an edge of a graph need: with strings, maps and
// room to grow.
const (
	stateBytes = 100
	nodeBytes  = 150
	edgeBytes  = 12
)

// bytes returns about how much memory the states, of the given size each, need.
func (g *Graph) bytes(each int) uint64 {
	n := uint64(len(g.states))*uint64(stateBytes+each) + uint64(len(g.nodes))*nodeBytes + uint64(len(g.edges))*edgeBytes
	if s, ok := g.sys.(sized); ok {
		n += s.Bytes()
	}
	return n
}

// node is a state of the program together with the threads that have taken a
// step.
type node struct {
	state                   int32 // index of the program's state in Graph.states
	parent                  int32 // node from which the breadth-first search came; -1 for the root
	via                     int32 // unit whose step led from parent to here
	first                   int32 // index in Graph.edges of the first edge from here; the next node's first ends them
	started, ended, blocked Set   // threads, threads, units
}

// edge is a step of a unit from one node to another.
type edge struct {
	to   int32
	unit int32
}

// A Graph has all reachable states of a program and all steps between them,
// under any schedule. Nodes are in breadth-first order, so that the first of
// several has a shortest path from the start.
type Graph struct {
	sys    System
	all    Set   // threads
	owner  []int // by unit
	others Set   // units of Machine
	states []string
	nodes  []node // and a last one that only ends the edges of its predecessor
	edges  []edge
	comp   []int32 // strongly connected component of each node; see components
}

// Explore enumerates the states of a program. It ends with a *LimitError if
// there are more than the limits allow, and with ctx's error when ctx ends.
func Explore(ctx context.Context, sys System, limit Limits) (*Graph, error) {
	if limit.Bytes == 0 {
		limit.Bytes = 4 << 30
		if free, known := memory.Available(); known {
			limit.Bytes = free / 2
		}
	}
	g := &Graph{sys: sys, all: All(sys.Threads()), owner: sys.Units()}
	begins := make([]Set, len(g.owner)) // by unit: the thread that its step starts
	for u, t := range g.owner {
		if t == Machine {
			g.others |= 1 << u
		} else {
			begins[u] = 1 << t
		}
	}
	units := All(len(g.owner))
	states := map[string]int32{}
	intern := func(s string) int32 {
		id, ok := states[s]
		if !ok {
			id = int32(len(g.states))
			states[s], g.states = id, append(g.states, s)
		}
		return id
	}
	type key struct {
		state   int32
		started Set
	}
	seen := map[key]int32{}
	visit := func(k key, parent, via int32) int32 {
		id, ok := seen[k]
		if !ok {
			id = int32(len(g.nodes))
			seen[k] = id
			ended, blocked := sys.Status(g.states[k.state])
			g.nodes = append(g.nodes, node{state: k.state, parent: parent, via: via, started: k.started, ended: ended, blocked: blocked})
		}
		return id
	}
	visit(key{intern(sys.Initial()), 0}, -1, -1)
	var next []string
	for at := 0; at < len(g.nodes); at++ {
		if len(g.nodes) > limit.States {
			return nil, &LimitError{States: limit.States}
		}
		const often = 1 << 6
		if at%often == 0 {
			if g.bytes(len(g.states[0])) > limit.Bytes {
				return nil, &LimitError{States: len(g.nodes) - 1, Bytes: limit.Bytes}
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		g.nodes[at].first = int32(len(g.edges))
		n := g.nodes[at]
		for _, u := range (units &^ n.blocked).Threads() {
			var err error
			if next, err = sys.Step(g.states[n.state], u, next[:0]); err != nil {
				return nil, err
			}
			for _, s := range next {
				to := visit(key{intern(s), n.started | begins[u]}, int32(at), int32(u))
				g.edges = append(g.edges, edge{to, int32(u)})
			}
		}
	}
	g.nodes = append(g.nodes, node{first: int32(len(g.edges))})
	g.comp = g.components(0, func(int32, edge) bool { return true }) // all nodes are reachable from the first
	return g, nil
}

// States returns the number of states, where states that differ only in which
// threads have taken a step count as several.
func (g *Graph) States() int { return len(g.nodes) - 1 }

// out returns the steps from a node.
func (g *Graph) out(at int32) []edge { return g.edges[g.nodes[at].first:g.nodes[at+1].first] }

// stuck reports whether nobody can take a step at a node, although some thread
// has not ended.
func (g *Graph) stuck(at int32) bool { return g.nodes[at].ended != g.all && len(g.out(at)) == 0 }

// units returns the units to which a scheduler is fair that is fair to a set of threads.
func (g *Graph) units(threads Set) (units Set) {
	for u, t := range g.owner {
		if t != Machine && threads.Has(t) {
			units |= 1 << u
		}
	}
	return units | g.others
}

// fair returns the fair set of a model at a node.
func (g *Graph) fair(m *Model, at int32) Set {
	n := &g.nodes[at]
	return m.Fair(n.started, g.all&^n.ended)
}

// owes reports whether a scheduler that follows a model is fair to the unit of a step from a
// node.
func (g *Graph) owes(m *Model, at int32, e edge) bool {
	t := g.owner[e.unit]
	return t == Machine || g.fair(m, at).Has(t)
}
