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
	for id := t.Global(); id < in.Vertices; id += t.Stride() {
		begin, end := g.Row[id], g.Row[id+1]
		values[id] = alg.Init(scheduler.Vertex{ID: id, Degree: outRow[id+1] - outRow[id]}, in)
		parent := id
		if begin < end {
			parent = min(id, g.Col[begin])
		}
		f.Parents[id] = parent
	}
}
