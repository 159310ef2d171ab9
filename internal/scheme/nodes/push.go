package nodes

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Marks says which vertices are in the frontier.
type Marks struct {
	Iteration uint32   // the current iteration, from 1
	Now       []uint32 // v is in the frontier if Now[v] == Iteration
	Next      []uint32 // Next[v] becomes Iteration+1 if v becomes active
	Processed *uint32  // vertices of frontiers, over all iterations
	Found     *uint32  // updates that made a vertex active, over all iterations
}

// Init is the kernel that sets the first value of each vertex and marks the first frontier, one
// thread per vertex.
func Init[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, in scheduler.Problem, values []V, marks Marks) {
	found := uint32(0)
	for id := t.Global(); id < in.Vertices; id += t.Stride() {
		v := scheduler.Vertex{ID: id, Degree: g.Row[id+1] - g.Row[id]}
		values[id] = alg.Init(v, in)
		marks.Now[id], marks.Next[id] = 0, 0
		if alg.Start(v, in) {
			marks.Now[id] = marks.Iteration
			found++
		}
	}
	scheduler.Tally(t, found, marks.Found)
}

// Push is the kernel of one iteration, one thread per vertex of the graph: those of the frontier
// send updates along their arcs.
func Push[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, marks Marks) {
	processed, found := uint32(0), uint32(0)
	for id := t.Global(); id < g.Vertices(); id += t.Stride() {
		if marks.Now[id] != marks.Iteration {
			continue
		}
		processed++
		scheduler.SendUpdates[A, scheduler.ThreadPerVertex, V](t, alg, g, values, id, 0, func(v uint32) {
			gpu.Store(&marks.Next[v], marks.Iteration+1)
			found++
		})
	}
	scheduler.Tally(t, processed, marks.Processed)
	scheduler.Tally(t, found, marks.Found)
}
