// Package settle is the device code of a scheme that is not bulk-synchronous.
package settle

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Settle gives all vertices their first values and then pushes along all arcs
// until nothing changes: one launch of one block, whose size is fixed when it is
// compiled.
func Settle[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, in scheduler.Problem, values []V, rounds *uint32, threads uint32) {
	for v := t.Idx(); v < in.Vertices; v += threads {
		values[v] = alg.Init(scheduler.Vertex{ID: v, Degree: g.Row[v+1] - g.Row[v]}, in)
	}
	t.Sync()
	for again := true; again; {
		changed := false
		for u := t.Idx(); u < in.Vertices; u += threads {
			src := alg.Take(scheduler.Vertex{ID: u, Degree: g.Row[u+1] - g.Row[u]}, &values[u])
			for e := g.Row[u]; e < g.Row[u+1]; e++ {
				v := g.Col[e]
				if update, ok := alg.Compute(g.Edge(e, u, v), src); ok {
					old := alg.Update(&values[v], update)
					if alg.Active(v, old, alg.Combine(old, update)) {
						changed = true
					}
				}
			}
		}
		if t.Idx() == 0 {
			*rounds += 1
		}
		again = t.SyncOr(changed)
	}
}

// Count counts the vertices from one to another (exclusive) that an update reached.
func Count[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, values []V, from, to uint32, count *uint32) {
	for v := from + t.Idx(); v < to; v += t.BlockDim() {
		if values[v] != alg.Identity() {
			gpu.AtomicAdd(count, 1)
		}
	}
}
