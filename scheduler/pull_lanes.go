package scheduler

import "github.com/weft-gpu/weft/gpu"

// PullLanes is one pull iteration in which each lane of a warp has a vertex: the warp gathers
// the updates of 32 vertices, however it likes, and then each lane applies the sum of its own.
// No two threads write the same word; the only atomic counts the changed vertices, once per
// warp.
//
// The rows of g hold the incoming arcs of the vertices from first on. outRow has the row
// offsets of the outgoing arcs of all vertices, for their degrees. All lanes of a warp call
// gather together, with the first of their 32 rows and the lane's own value, and then each.
// They have a vertex if id is in range; without one, both values are the neutral element.
func PullLanes[A Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g Graph, first uint32, outRow []uint32, values, next []V, changed *uint32,
	gather func(row uint32, old V) V, each func(id uint32, old, value V)) {
	n, count := g.Vertices(), uint32(0)
	// All lanes of a warp stay in the loop, as the warp gathers together: it runs while the
	// warp's first lane has a vertex. A lane without one has an empty row.
	for row := t.Global() - t.Lane(); row < n; row += t.Stride() {
		mine := row + t.Lane()
		id := first + mine
		old := alg.Identity()
		if mine < n {
			old = values[id]
		}
		sum := gather(row, old)
		value, moved := old, false
		if mine < n {
			if !alg.EarlyEnd() || !alg.Settled(old) {
				value, moved = alg.Apply(Vertex{ID: id, Degree: outRow[id+1] - outRow[id]}, old, sum)
			}
			next[id] = value
		}
		count += gpu.PopCount(t.Ballot(gpu.FullMask, moved))
		each(id, old, value)
	}
	if count > 0 && t.Lane() == 0 {
		gpu.AtomicAdd(changed, count)
	}
}
