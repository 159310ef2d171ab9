package warpseg

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Pull is the kernel of one iteration: a warp takes 32 vertices, one per lane, gathers their
// updates together, and each lane applies the sum of its vertex. No two threads write the
// same word; the only atomic counts the changed vertices, once per warp.
//
// The rows of g hold the incoming arcs. outRow has the row offsets of the outgoing arcs,
// for the degrees of the vertices.
func Pull[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, values, next []V, changed *uint32) {
	gather := func(row uint32, old V) V { return Gather[A, V](t, alg, g, 0, values, row, old) }
	scheduler.PullLanes[A, V](t, alg, g, 0, outRow, values, next, changed, gather, func(id uint32, old, value V) {})
}

// PullSized is Pull with reductions that end with the largest segment of a strip.
func PullSized[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, outRow []uint32, values, next []V, changed *uint32) {
	combine := func(a, b V) V { return alg.Combine(a, b) }
	gather := func(group uint32, old V) V {
		return walk[A, V](t, alg, g, 0, values, group, old, func(mine row, s segment, e, end uint32, x V) V {
			return reduceSized(t, s, leftOf(t, mine, s, e, end), x, combine)
		})
	}
	scheduler.PullLanes[A, V](t, alg, g, 0, outRow, values, next, changed, gather, func(id uint32, old, value V) {})
}

// Gather returns the combined updates of the lane's vertex. The warp walks over the arcs of
// its group, 32 at a time: those in 32 rows of g, from row group on. The first row of g is that of
// vertex first; old is the value of the lane's vertex.
func Gather[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, first uint32, values []V, group uint32, old V) V {
	combine := func(a, b V) V { return alg.Combine(a, b) }
	return walk[A, V](t, alg, g, first, values, group, old, func(mine row, s segment, e, end uint32, x V) V { return reduce(t, s, x, combine) })
}

// walk is Gather with the reduction of a strip: of the x of each segment, for the arc e of the lane, of arcs up to
// end.
func walk[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, first uint32, values []V, group uint32, old V, reduce func(mine row, s segment, e, end uint32, x V) V) V {
	mine := rowOf(g, group+t.Lane())
	begin, end := gpu.Shfl(t, gpu.FullMask, mine.begin, 0), gpu.Shfl(t, gpu.FullMask, mine.end, gpu.WarpSize-1)
	sum := alg.Identity()
	for strip := begin; strip < end; strip += gpu.WarpSize {
		open := uint32(gpu.FullMask)
		if alg.EarlyEnd() {
			left := max(mine.begin, strip) < mine.end
			open = t.Ballot(gpu.FullMask, left && !alg.Settled(old) && !alg.Settled(sum))
			if open == 0 {
				return sum // no vertex of the group needs another arc
			}
		}
		e := strip + t.Lane()
		u, src := uint32(0), alg.Identity()
		if e < end { // the search below runs while the loads are on their way
			u = g.Col[e]
			if !alg.EarlyEnd() {
				src = values[u]
			}
		}
		s := segmentOf(t, mine, e, end)
		x := alg.Identity()
		if e < end && open>>s.owner&1 != 0 {
			if alg.EarlyEnd() { // only now the lane knows whether it needs the value
				src = values[u]
			}
			if update, ok := alg.Compute(g.Edge(e, u, first+group+s.owner), src); ok {
				x = update
			}
		}
		x = reduce(mine, s, e, end, x)
		// The lane with the first arc of a segment has its sum.
		head := max(mine.begin, strip)
		x = gpu.Shfl(t, gpu.FullMask, x, head-strip)
		if head < min(mine.end, strip+gpu.WarpSize) {
			sum = alg.Combine(sum, x)
		}
	}
	return sum
}

// row is the range of the incoming arcs of a vertex: begin <= e < end.
type row struct{ begin, end uint32 }

// rowOf returns the row of a vertex, or the empty row behind the last arc if there is no such
// vertex. The loads of a warp are coalesced.
func rowOf(g scheduler.Graph, v uint32) row {
	n := g.Vertices()
	return row{g.Row[min(v, n)], g.Row[min(v+1, n)]}
}

// segment is the part of a vertex's row that lies in a strip, as a lane of it sees it.
type segment struct {
	owner uint32 // the lane that has the vertex
	right uint32 // number of arcs of the segment after that of the lane; 0 for a lane that has no arc
}

// segmentOf returns the segment of arc e; end is where the arcs of the group end. The owner is
// the last lane whose row does not begin after e. It is found by a binary search over the
// begins of the 32 rows, by five shuffles. The smallest begin above e that the search meets is
// where the row of the owner ends, since rows follow each other.
func segmentOf(t gpu.Thread, mine row, e, end uint32) segment {
	owner, behind := uint32(0), end
	for half := uint32(gpu.WarpSize / 2); half > 0; half /= 2 {
		if begin := gpu.Shfl(t, gpu.FullMask, mine.begin, owner+half); begin <= e {
			owner += half
		} else {
			behind = begin
		}
	}
	strip := e - t.Lane()
	right := min(behind, strip+gpu.WarpSize) - 1 - e
	if e >= end {
		right = 0
	}
	return segment{owner, right}
}

// reduce combines the x of each segment; the first lane of the segment gets the result. In
// each step a lane combines what it has with what the lane d to the right has, if that is in
// its segment. It always takes five steps: a vote on whether the largest segment of the strip
// needs another one costs more instructions than the step.
func reduce[V gpu.Num](t gpu.Thread, s segment, x V, combine func(a, b V) V) V {
	for d := uint32(1); d < gpu.WarpSize; d *= 2 {
		other := gpu.ShflDown(t, gpu.FullMask, x, d)
		if d <= s.right {
			x = combine(x, other)
		}
	}
	return x
}

// leftOf returns the index of arc e in its segment, from the left; 0 for a lane that has no arc.
func leftOf(t gpu.Thread, mine row, s segment, e, end uint32) uint32 {
	begin := gpu.Shfl(t, gpu.FullMask, mine.begin, s.owner)
	if e >= end {
		return 0
	}
	return e - max(begin, e-t.Lane())
}

// reduceSized is reduce with as many steps as the largest segment of the strip needs, whose size each lane knows by its index from the left
// and that from the right. The warp votes before each step.
func reduceSized[V gpu.Num](t gpu.Thread, s segment, left uint32, x V, combine func(a, b V) V) V {
	for d := uint32(1); d < gpu.WarpSize && t.Any(gpu.FullMask, d <= left+s.right); d *= 2 {
		other := gpu.ShflDown(t, gpu.FullMask, x, d)
		if d <= s.right {
			x = combine(x, other)
		}
	}
	return x
}
