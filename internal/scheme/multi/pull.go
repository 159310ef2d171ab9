package multi

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/scheme/warpseg"
	"github.com/weft-gpu/weft/scheduler"
)

// Pull is the kernel of one iteration on one GPU: each vertex of the part gathers the updates
// of its incoming arcs, from values, and stores its next value.
//
// values and next have an element for each vertex of the graph. Those of the vertices of other
// GPUs are replicas, which the exchange before the iteration made current. The kernel itself
// sends nothing: all values of the range follow (ALL), or those that Pack collects (MS).
func Pull[A scheduler.Algorithm[V], B Base, V gpu.Num](t gpu.Thread, alg A, p Part, values, next []V, tally Tally) {
	count := uint32(0)
	pull[A, B, V](t, alg, p, values, next, tally, func(id uint32, old, value V) {
		changed, need := value != old, uint32(0)
		if changed && len(tally.Useful) > 0 {
			need = p.Need[id-p.First]
		}
		count = useful(t, tally, need, changed, count)
	})
	flush(t, tally, count)
}

// PullSend is Pull with vertex refinement (slides 22 and 23): it puts the values that other
// GPUs need into the outbox as it computes them, the marked ones that changed; or all marked
// ones if always is true, which is offline refinement alone.
func PullSend[A scheduler.Algorithm[V], B Base, V gpu.Num](t gpu.Thread, alg A, p Part, values, next []V, tally Tally, out Outbox[V], always bool) {
	count := uint32(0)
	pull[A, B, V](t, alg, p, values, next, tally, func(id uint32, old, value V) {
		changed, need := value != old, uint32(0)
		if row := id - p.First; row < p.Graph.Vertices() && (changed || always) {
			need = p.Need[row]
		}
		out.Put(t, id, value, need != 0)
		count = useful(t, tally, need, changed, count)
	})
	flush(t, tally, count)
}

// PullRefine is PullSend with online refinement that leaves out small changes: a value is sent when
// it is no longer near the one that was sent last, which sent has for each vertex of the part. What
// others have of a vertex is so never further from its value than the algorithm tolerates, whatever
// the number of iterations.
func PullRefine[A scheduler.Tolerant[V], B Base, V gpu.Num](t gpu.Thread, alg A, p Part, values, next []V, tally Tally, out Outbox[V], sent []V) {
	count := uint32(0)
	pull[A, B, V](t, alg, p, values, next, tally, func(id uint32, old, value V) {
		changed, need := false, uint32(0)
		if row := id - p.First; row < p.Graph.Vertices() && p.Need[row] != 0 {
			v := scheduler.Vertex{ID: id, Degree: p.OutRow[id+1] - p.OutRow[id]}
			if changed = !alg.Near(v, sent[row], value); changed {
				sent[row] = value
				need = p.Need[row]
			}
		}
		out.Put(t, id, value, changed)
		count = useful(t, tally, need, changed, count)
	})
	flush(t, tally, count)
}

// pull is one pull iteration over a part. All lanes of a warp call each together, with the old
// and the next value of the lane's vertex.
func pull[A scheduler.Algorithm[V], B Base, V gpu.Num](t gpu.Thread, alg A, p Part, values, next []V, tally Tally, each func(id uint32, old, value V)) {
	scheduler.PullLanes[A, V](t, alg, p.Graph, p.First, p.OutRow, values, next, tally.Changed,
		func(row uint32, old V) V { return gather[A, B, V](t, alg, p, values, row, old) }, each)
}

// gather returns the combined updates of the lane's vertex. The warp has those of 32 rows, from
// row on; old is the value of the lane's vertex.
func gather[A scheduler.Algorithm[V], B Base, V gpu.Num](t gpu.Thread, alg A, p Part, values []V, row uint32, old V) V {
	var b B
	switch b.Way() {
	case ByLane:
		begin, end := rowOf[A, V](alg, p.Graph, row+t.Lane(), old)
		return scheduler.GatherArcs[A, scheduler.ThreadPerVertex, V](t, alg, p.Graph, values, p.First+row+t.Lane(), begin, end)
	case ByWarp:
		return inTurn[A, V](t, alg, p, values, row, old)
	}
	return warpseg.Gather[A, V](t, alg, p.Graph, p.First, values, row, old)
}

// inTurn gathers the updates of one vertex after another, with all lanes of the warp.
func inTurn[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, p Part, values []V, row uint32, old V) V {
	var whole scheduler.WarpPerVertex
	begin, end := rowOf[A, V](alg, p.Graph, row+t.Lane(), old)
	mine := alg.Identity()
	for i := uint32(0); i < gpu.WarpSize; i++ {
		first, last := gpu.Shfl(t, gpu.FullMask, begin, i), gpu.Shfl(t, gpu.FullMask, end, i)
		if first == last {
			continue
		}
		sum := scheduler.GatherArcs[A, scheduler.WarpPerVertex, V](t, alg, p.Graph, values, p.First+row+i, first, last)
		sum = scheduler.Reduce(t, whole, sum, alg.Identity(), func(a, b V) V { return alg.Combine(a, b) })
		// The leader alone is sure to have the sum.
		if sum = gpu.Shfl(t, gpu.FullMask, sum, 0); t.Lane() == i {
			mine = sum
		}
	}
	return mine
}

// rowOf returns the arcs of a row, begin to end (exclusive). There are none if there is no such
// row, or its vertex has its final value, old.
func rowOf[A scheduler.Algorithm[V], V gpu.Num](alg A, g scheduler.Graph, row uint32, old V) (begin, end uint32) {
	if row >= g.Vertices() || alg.EarlyEnd() && alg.Settled(old) {
		return 0, 0
	}
	return g.Row[row], g.Row[row+1]
}
