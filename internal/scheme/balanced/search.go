package balanced

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Work is the arcs of a frontier as one sequence. Entry i, of a vertex with arcs, has the arcs up to Sum[i] (exclusive) of it.
type Work[V gpu.Num] struct {
	Vertex, Degree []uint32
	First          []uint32 // the first arc, minus the number of arcs of the entries before
	Sum            []uint32 // the number of arcs up to and including this entry
	Sent           []V      // what the vertex sends
	Total          *uint64  // number of entries<<32 | number of arcs; 0 before Gather
	Next           *uint64  // the Total of the next iteration, which Gather sets to 0
}

// Gather takes what each vertex of the frontier sends and writes it to work, with the prefix
// sums of the degrees. A block reserves entries and arcs with one atomic, so that the sums grow along the entries,
// whatever the order of blocks. next is the counter of the next frontier, which becomes 0.
func Gather[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, work Work[V], next *uint32) {
	if t.Global() == 0 {
		*next, *work.Next = 0, 0
	}
	for tile := t.Block() * t.BlockDim(); tile < in.Count; tile += t.Stride() {
		var v scheduler.Vertex
		var sent V
		begin, has := uint32(0), uint32(0)
		if i := tile + t.Idx(); i < in.Count {
			v = scheduler.Vertex{ID: in.Vertices[i], Phase: in.Phase}
			begin = g.Row[v.ID]
			v.Degree = g.Row[v.ID+1] - begin
			sent = alg.Take(v, &values[v.ID])
			has = min(v.Degree, 1) // an entry without arcs would not be found
		}
		entries := scheduler.SumUpToBlock(t, has)
		t.Sync() // the second sum uses the same memory
		arcs := scheduler.SumUpToBlock(t, v.Degree)
		var m scheduler.BlockPerVertex
		last := gpu.Shared[uint64](t)
		if t.Idx() == t.BlockDim()-1 {
			*last = uint64(entries)<<32 | uint64(arcs)
		}
		t.Sync()
		base := scheduler.Once(t, m, func() uint64 { return gpu.AtomicAdd(work.Total, *last) })
		if has > 0 {
			at := uint32(base>>32) + entries - 1
			before := uint32(base) + arcs - v.Degree
			work.Vertex[at], work.Degree[at], work.Sent[at] = v.ID, v.Degree, sent
			work.First[at], work.Sum[at] = begin-before, before+v.Degree
		}
	}
}

// perThread is the number of arcs of a thread between two searches of its block.
const perThread = 4

// Expand sends the updates of all arcs of work; vertices that become active are added to out if enqueue is
// true. The block has perThread words of dynamic shared memory for each thread.
func Expand[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, work Work[V], phase uint32, enqueue bool, out scheduler.Queue) {
	total := gpu.Load(work.Total)
	entries, arcs := uint32(total>>32), uint32(total)
	chunk := perThread * t.BlockDim()
	sums := gpu.DynamicShared[uint32](t)
	var m scheduler.BlockPerVertex
	for first := t.Block() * chunk; first < arcs; first += t.GridDim() * chunk {
		n := min(chunk, arcs-first)
		low := scheduler.Once(t, m, func() uint32 { return owner(work.Sum[:entries], 0, first) })
		// Each entry has an arc, so that no more than chunk of them have one here.
		some := min(chunk, entries-low)
		for i := t.Idx(); i < some; i += t.BlockDim() {
			sums[i] = work.Sum[low+i]
		}
		t.Sync()
		i := uint32(0)
		for at := t.Idx(); at < n; at += t.BlockDim() {
			i = owner(sums[:some], i, first+at)
			u := scheduler.Vertex{ID: work.Vertex[low+i], Degree: work.Degree[low+i], Phase: phase}
			scheduler.SendArc[A, V](alg, g, values, u, work.Sent[low+i], work.First[low+i]+first+at, func(v uint32) {
				if enqueue {
					scheduler.Enqueue[A, V](alg, out, v, func() { out.Add(v) })
				}
			})
		}
		t.Sync() // the next chunk overwrites the sums
	}
}

// owner returns the entry of an arc: the first i from low on with sum[i] > arc.
func owner(sum []uint32, low, arc uint32) uint32 {
	high := gpu.Len(sum) - 1
	for low < high {
		if mid := low + (high-low)/2; sum[mid] > arc {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// Collect adds each vertex that has something to send to out. Its value is what came since the last Take.
func Collect[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, values []V, out scheduler.Queue) {
	// All lanes of a warp stay in the loop for AddWarp.
	for first := t.Global() - t.Lane(); first < gpu.Len(values); first += t.Stride() {
		id := first + t.Lane()
		out.AddWarp(t, id, id < gpu.Len(values) && alg.Active(id, alg.Identity(), values[id]))
	}
}
