package wolf

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Init is the kernel that sets the first value of each vertex and marks the vertices that
// are active first and their edge blocks, one thread per vertex.
func Init[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, blocks Blocks, in scheduler.Problem, values []V, act Activity) {
	initBy[A, Blocks, V](t, alg, g, blocks, in, values, act)
}

// InitBy is Init with another plan.
func InitBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, plan P, in scheduler.Problem, values []V, act Activity) {
	initBy[A, P, V](t, alg, g, plan, in, values, act)
}

func initBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, plan P, in scheduler.Problem, values []V, act Activity) {
	starts := uint32(0)
	for id := t.Global(); id < in.Vertices; id += t.Stride() {
		v := scheduler.Vertex{ID: id, Degree: g.Row[id+1] - g.Row[id]}
		values[id] = alg.Init(v, in)
		act.Now[id], act.Next[id] = 0, 0
		if alg.Start(v, in) {
			act.Now[id] = act.Iteration
			plan.wake(act.Awake, act.Iteration, g, id)
			starts++
		}
	}
	scheduler.Tally(t, starts, act.Changed)
}

// Take is the kernel that calls Take once for each active vertex, one thread per vertex, and
// stores the result for the edges. Only algorithms whose Take modifies the vertex need it.
func Take[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values, taken []V, act Activity) {
	takeBy[A, Blocks, V](t, alg, g, values, taken, act)
}

// TakeBy is Take with another plan.
func TakeBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values, taken []V, act Activity) {
	takeBy[A, P, V](t, alg, g, values, taken, act)
}

func takeBy[A scheduler.Algorithm[V], P Plan, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values, taken []V, act Activity) {
	var plan P
	for id := t.Global(); id < g.Vertices(); id += t.Stride() {
		if plan.sends(act, id) {
			v := scheduler.Vertex{ID: id, Degree: g.Row[id+1] - g.Row[id]}
			taken[id] = alg.Take(v, &values[id])
		}
	}
}
