package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Edges is the edge list. The destination and the weight of edge e are Col[e] and Weight[e] of
// the graph, which are in the order of the list: that of the sources, or that of the file.
type Edges struct {
	Source []uint32 // of each edge
	Slot   []uint32 // of the destination of each edge in its block's local values; the shared index
	Count  uint32   // number of edges
}

// Activity records which vertices are active, that is, changed in the previous iteration, and
// which edge blocks are awake, that is, have an edge whose source is active.
type Activity struct {
	Iteration uint32   // the current iteration, from 1
	Now       []uint32 // v is active if Now[v] == Iteration
	Next      []uint32 // Next[v] becomes Iteration+1 if v changes
	Awake     []uint32 // edge block b is awake if Awake[b] == Iteration
	Wake      []uint32 // Wake[b] becomes Iteration+1 if the source of an edge of b changes
	Processed *uint32  // number of edges whose source was active, over all iterations
	Changed   *uint32  // number of updates that changed a value, over all iterations
}

// active reports whether u is active in this iteration.
func (act Activity) active(u uint32) bool { return act.Now[u] == act.Iteration }

// awake reports whether an edge block has work in this iteration.
func (act Activity) awake(block uint32) bool { return act.Awake[block] == act.Iteration }

// relax computes the update of edge e and calls deliver with it. It returns the number of
// edges processed: 1 if the plan processes edges of this source, otherwise 0.
func relax[A scheduler.Algorithm[V], P Plan, V gpu.Num](alg A, g scheduler.Graph, list Edges, plan P, values, taken []V, act Activity, e uint32, deliver func(v uint32, update V)) uint32 {
	u := list.Source[e]
	if !plan.sends(act, u) {
		return 0
	}
	v := g.Col[e]
	if update, ok := alg.Compute(g.Edge(e, u, v), sent[A, V](alg, g, values, taken, u)); ok {
		deliver(v, update)
	}
	return 1
}

// sent returns what u sends. If Take modifies the vertex, the kernel Take has called it.
func sent[A scheduler.Algorithm[V], V gpu.Num](alg A, g scheduler.Graph, values, taken []V, u uint32) V {
	if alg.Consumes() {
		return taken[u]
	}
	return alg.Take(scheduler.Vertex{ID: u, Degree: g.Row[u+1] - g.Row[u]}, &values[u])
}

// commit combines an update with the global value of v. It returns 1 if the value changed,
// so that v is active in the next iteration, otherwise 0. There is no queue that must hold
// v only once, so a store is enough to mark it and its edge blocks.
func commit[A scheduler.Algorithm[V], P Plan, V gpu.Num](alg A, g scheduler.Graph, plan P, values []V, act Activity, v uint32, update V) (changed uint32) {
	old := alg.Update(&values[v], update)
	if !alg.Active(v, old, alg.Combine(old, update)) {
		return 0
	}
	gpu.Store(&act.Next[v], act.Iteration+1)
	plan.wake(act.Wake, act.Iteration+1, g, v)
	return 1
}
