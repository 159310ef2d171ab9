package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Init is the kernel that sets the first value and the first parent of each vertex, one
// thread per vertex. The parent is the first neighbor if that is smaller; as targets ascend
// within a row, no later one is smaller otherwise. No thread writes the parent of another
// vertex, so the edge is hooked without an atomic. outRow has the row offsets of the outgoing
// arcs, for the degrees of the vertices; those of g if the graph is symmetric.
func Init[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V) {
	initial[A, V](t, alg, g, outRow, in, f, values, owned{0, in.Vertices})
}

// owned is the vertices that a GPU has: so many from the first one on. In its graph and in its forest they have the numbers from 0 on.
type owned struct{ first, count uint32 }

// initial is Init for the vertices of a GPU. outRow and values are those of all vertices.
func initial[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, in scheduler.Problem, f Forest, values []V, own owned) {
	for id := t.Global(); id < own.count; id += t.Stride() {
		begin, end := g.Row[id], g.Row[id+1]
		v := own.first + id
		values[v] = alg.Init(scheduler.Vertex{ID: v, Degree: outRow[v+1] - outRow[v]}, in)
		parent := id
		if begin < end {
			parent = min(id, g.Col[begin])
		}
		f.Parents[id] = parent
	}
}
