package scheduler

import "github.com/weft-gpu/weft/gpu"

// Init is the kernel that sets the first value of each vertex and collects the first
// frontier, one thread per vertex.
func Init[A Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g Graph, in Problem, values []V, out Queue) {
	// All lanes of a warp stay in the loop for AddWarp: the loop runs while the warp's
	// first lane has a vertex.
	for first := t.Global() - t.Lane(); first < in.Vertices; first += t.Stride() {
		id := first + t.Lane()
		start := false
		if id < in.Vertices {
			v := Vertex{ID: id, Degree: g.Row[id+1] - g.Row[id]}
			values[id] = alg.Init(v, in)
			out.Stamp[id] = 0
			start = alg.Start(v, in)
		}
		out.AddWarp(t, id, start)
	}
}
