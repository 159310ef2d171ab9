package oriented

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Few is the most targets that a lane looks up by itself: so many searches of one lane take about as long as those of all lanes for the rows of two or three arcs.
const Few = 8

// rows are what is searched for an arc: each of [few, fewEnd) in [many, manyEnd).
type rows struct{ few, fewEnd, many, manyEnd uint32 }

// Count is the kernel that adds the triangles of all arcs to the values of their vertices. A warp takes 32 places of arcs at a time.
func Count[V gpu.Num](t gpu.Thread, g scheduler.Graph, arcs Arcs, values []V) {
	places := g.Row[g.Vertices()]
	for first := t.Global() - t.Lane(); first < places; first += t.Stride() {
		u, v := None, None
		r := rows{}
		if e := first + t.Lane(); e < places {
			if u = arcs.Src[e]; u != None {
				v = arcs.Col[e]
				r = rows{g.Row[u], arcs.End[u], g.Row[v], arcs.End[v]}
				if r.fewEnd-r.few > r.manyEnd-r.many {
					r = rows{r.many, r.manyEnd, r.few, r.fewEnd}
				}
			}
		}
		size := r.fewEnd - r.few
		found := uint32(0)
		if size <= Few {
			found = look(arcs, r, 0, 1, values)
		}
		for left := t.Ballot(gpu.FullMask, size > Few); left != 0; left &= left - 1 {
			of := gpu.TrailingZeros(left)
			one := rows{gpu.Shfl(t, gpu.FullMask, r.few, of), gpu.Shfl(t, gpu.FullMask, r.fewEnd, of),
				gpu.Shfl(t, gpu.FullMask, r.many, of), gpu.Shfl(t, gpu.FullMask, r.manyEnd, of)}
			_, all := scheduler.PrefixSum(t, look(arcs, one, t.Lane(), gpu.WarpSize, values))
			if t.Lane() == of {
				found = all
			}
		}
		if found > 0 {
			gpu.AtomicAdd(&values[u], V(found))
			gpu.AtomicAdd(&values[v], V(found))
		}
	}
}

// look returns how many of the targets that a thread of a team has to look up are in the other row, and adds 1 to the value of each.
func look[V gpu.Num](arcs Arcs, r rows, thread, threads uint32, values []V) (found uint32) {
	for i := r.few + thread; i < r.fewEnd; i += threads {
		w := arcs.Col[i]
		// Targets ascend: what was passed is not searched again.
		r.many = scheduler.FirstFrom(arcs.Col, r.many, r.manyEnd, w)
		if r.many == r.manyEnd {
			return found
		}
		if arcs.Col[r.many] == w {
			gpu.AtomicAdd(&values[w], V(1))
			found++
		}
	}
	return found
}
