package scheduler

import "github.com/weft-gpu/weft/gpu"

// Init gives each vertex its first value and collects the first frontier, a
// thread a vertex.
func Init[A Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g Graph, in Problem, values []V, out Queue) {
	// Lanes stay together for AddWarp: the loop runs as long as the warp's
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
