// Package octet is a scheme: eight lanes of a warp for each vertex.
package octet

import (
	"example.com/outside/group"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Lanes is how many threads share the arcs of a vertex.
const Lanes = 8

// Push is the kernel of one iteration: each vertex of the frontier in sends updates
// along its arcs; vertices that become active are added to out.
func Push[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out scheduler.Queue) {
	lane := t.Lane() % Lanes
	for i := t.Global() / Lanes; i < in.Count; i += t.Stride() / Lanes {
		u := in.Vertices[i]
		begin, end := g.Row[u], g.Row[u+1]
		var src V
		if lane == 0 || !alg.Consumes() { // Take may only be called once if it modifies the vertex
			src = alg.Take(scheduler.Vertex{ID: u, Degree: end - begin, Phase: in.Phase}, &values[u])
		}
		if alg.Consumes() {
			src = group.First(t, Lanes, src)
		}
		for e := begin + lane; e < end; e += Lanes {
			edge := g.Edge(e, u, g.Col[e])
			edge.Phase = in.Phase
			scheduler.SendUpdate(alg, edge, src, &values[edge.Dst], func(v uint32) {
				scheduler.Enqueue[A, V](alg, out, v, func() { out.Add(v) })
			})
		}
	}
}
