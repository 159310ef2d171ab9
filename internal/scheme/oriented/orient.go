package oriented

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Arcs is the oriented graph. The row of a vertex begins where its row of the symmetric graph does, and has ascending targets.
type Arcs struct {
	End []uint32 // of each vertex: where its row ends
	Src []uint32 // of each place: the vertex whose arc it is; None in the gap behind a row
	Col []uint32 // of each place that has an arc: its target
}

// None is the source of places without an arc. No graph has that many vertices.
const None = ^uint32(0)

// WideDegree is the largest degree of a vertex that Orient gives to one warp.
const WideDegree = 1024

// Wide is a list of the vertices of more than WideDegree arcs.
type Wide struct {
	Vertices []uint32
	Count    *uint32
}

// up reports whether the edge between u, whose degree is given, and v is an arc from u.
func up(g scheduler.Graph, u, degree, v uint32) bool {
	of := g.Row[v+1] - g.Row[v]
	return of > degree || of == degree && v > u
}

// Orient is the kernel that sets the values to zero and makes the rows of the oriented graph, one warp per vertex. Vertices of more than
// WideDegree arcs go to the list.
func Orient[V gpu.Num](t gpu.Thread, g scheduler.Graph, arcs Arcs, wide Wide, values []V) {
	scheduler.WarpPerVertex{}.Vertices(t, g.Vertices(), func(u uint32) {
		begin, end := g.Row[u], g.Row[u+1]
		if t.Lane() == 0 {
			values[u] = 0
		}
		if end-begin > WideDegree {
			if t.Lane() == 0 {
				wide.Vertices[gpu.AtomicAdd(wide.Count, 1)] = u
			}
			return
		}
		to := begin
		for strip := begin; strip < end; strip += gpu.WarpSize {
			e := strip + t.Lane()
			v, keep := u, false
			if e < end {
				v = g.Col[e]
				keep = up(g, u, end-begin, v)
			}
			kept := t.Ballot(gpu.FullMask, keep)
			if keep {
				arcs.add(to+gpu.PopCount(kept&(1<<t.Lane()-1)), u, v)
			}
			to += gpu.PopCount(kept)
		}
		arcs.finish(u, to, end, t.Lane(), gpu.WarpSize)
	})
}

// OrientWide is the kernel that makes the rows of the vertices in the list, a block for each.
func OrientWide(t gpu.Thread, g scheduler.Graph, arcs Arcs, wide Wide) {
	counts := gpu.Shared[[gpu.MaxBlock / gpu.WarpSize]uint32](t)
	warp := t.Idx() / gpu.WarpSize
	scheduler.BlockPerVertex{}.Vertices(t, *wide.Count, func(i uint32) {
		u := wide.Vertices[i]
		begin, end := g.Row[u], g.Row[u+1]
		to := begin
		for strip := begin; strip < end; strip += t.BlockDim() {
			e := strip + t.Idx()
			v, keep := u, false
			if e < end {
				v = g.Col[e]
				keep = up(g, u, end-begin, v)
			}
			kept := t.Ballot(gpu.FullMask, keep)
			if t.Lane() == 0 {
				counts[warp] = gpu.PopCount(kept)
			}
			t.Sync()
			mine := uint32(0)
			if t.Lane() < t.BlockDim()/gpu.WarpSize {
				mine = counts[t.Lane()]
			}
			below, all := scheduler.PrefixSum(t, mine)
			below = gpu.Shfl(t, gpu.FullMask, below, warp)
			if keep {
				arcs.add(to+below+gpu.PopCount(kept&(1<<t.Lane()-1)), u, v)
			}
			to += all
			t.Sync() // the next strip overwrites the counts
		}
		arcs.finish(u, to, end, t.Idx(), t.BlockDim())
	})
}

// add puts an arc to a place.
func (a Arcs) add(place, u, v uint32) { a.Src[place], a.Col[place] = u, v }

// finish ends the row of u, and fills the gap behind it: each of so many threads calls it with its number.
func (a Arcs) finish(u, to, end, thread, threads uint32) {
	if thread == 0 {
		a.End[u] = to
	}
	for e := to + thread; e < end; e += threads {
		a.Src[e] = None
	}
}
