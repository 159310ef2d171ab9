package hierq

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Adds is how the threads of a block add to its queue where that is not one atomic for each vertex.
type Adds interface {
	// Kept returns how many vertices a thread keeps before it adds them: 1, 4 or 8. It must return a constant.
	Kept() uint32
	// Any reports whether p is true in a thread of those that reserve places together.
	Any(t gpu.Thread, p bool) bool
	// Reserve reserves n places for each thread and returns the first one. head counts the places that are taken.
	Reserve(t gpu.Thread, head *uint32, n uint32) uint32
}

// LaneAdds keeps 4 vertices in the registers of a thread, for which it reserves places with one atomic (slide "More Thoughts
// on the Details": "Why not use register tiling to accumulate 4-8 nodes first?").
type LaneAdds struct{}

// Kept returns 4.
func (LaneAdds) Kept() uint32 { return 4 }

// Any returns p: threads do not wait for each other.
func (LaneAdds) Any(t gpu.Thread, p bool) bool { return p }

// Reserve is an atomic of the thread.
func (LaneAdds) Reserve(t gpu.Thread, head *uint32, n uint32) uint32 {
	return reserve(head, n)
}

// EightLaneAdds is LaneAdds with 8 vertices.
type EightLaneAdds struct{ LaneAdds }

// Kept returns 8.
func (EightLaneAdds) Kept() uint32 { return 8 }

// WarpAdds gives the lanes of a warp their places with one atomic (the same slide: "Why not use Cub's warp scans to avoid
// conflicts instead of adding w-queues?").
type WarpAdds struct{}

// Kept returns 1.
func (WarpAdds) Kept() uint32 { return 1 }

// Any is a vote of the warp.
func (WarpAdds) Any(t gpu.Thread, p bool) bool { return t.Any(gpu.FullMask, p) }

// Reserve adds up the numbers of the lanes. Those of at most 1 need one vote, which a scan would take 5 shuffles for.
func (WarpAdds) Reserve(t gpu.Thread, head *uint32, n uint32) uint32 {
	votes := t.Ballot(gpu.FullMask, n > 0)
	return reserveAll(t, head, gpu.PopCount(votes&(1<<t.Lane()-1)), gpu.PopCount(votes))
}

// KeptWarpAdds is WarpAdds with 4 vertices in the registers of each lane: the warp adds those of all lanes when one has 4.
type KeptWarpAdds struct{ WarpAdds }

// Kept returns 4.
func (KeptWarpAdds) Kept() uint32 { return 4 }

// Reserve adds up the numbers of the lanes, of at most 3 bits.
func (KeptWarpAdds) Reserve(t gpu.Thread, head *uint32, n uint32) uint32 {
	return reserveBits(t, head, n, 4)
}

// EightWarpAdds is KeptWarpAdds with 8 vertices.
type EightWarpAdds struct{ WarpAdds }

// Kept returns 8.
func (EightWarpAdds) Kept() uint32 { return 8 }

// Reserve adds up the numbers of the lanes, of at most 4 bits.
func (EightWarpAdds) Reserve(t gpu.Thread, head *uint32, n uint32) uint32 {
	return reserveBits(t, head, n, 8)
}

// reserveBits reserves n places for each lane of a warp, with a vote for each bit of n. The highest bit that n may have is top.
func reserveBits(t gpu.Thread, head *uint32, n, top uint32) uint32 {
	below, all := uint32(0), uint32(0)
	for bit := uint32(1); bit <= top; bit *= 2 {
		votes := t.Ballot(gpu.FullMask, n&bit != 0)
		below += bit * gpu.PopCount(votes&(1<<t.Lane()-1))
		all += bit * gpu.PopCount(votes)
	}
	return reserveAll(t, head, below, all)
}

// reserve takes n places with one atomic, or with none if n is 0.
func reserve(head *uint32, n uint32) (first uint32) {
	if n > 0 {
		first = gpu.AtomicAdd(head, n, gpu.BlockScope)
	}
	return first
}

// reserveAll takes all places of a warp and returns the first one of a lane, which comes after those below it.
func reserveAll(t gpu.Thread, head *uint32, below, all uint32) uint32 {
	first := uint32(0)
	if t.Lane() == 0 {
		first = reserve(head, all)
	}
	return gpu.Shfl(t, gpu.FullMask, first, 0) + below
}

// kept are the vertices that a thread has found and not added yet, the newest first. A new one moves the others on:
// registers have no index, by which a thread could choose one. The compiler drops those that addKept does not read.
type kept struct{ n, a, b, c, d, e, f, g, h uint32 }

// with returns the vertices and v.
func (k kept) with(v uint32) kept { return kept{k.n + 1, v, k.a, k.b, k.c, k.d, k.e, k.f, k.g} }

// PushKept is Push of BlockLevel for all ways to add but one atomic for each vertex.
func PushKept[A scheduler.Algorithm[V], H Adds, V gpu.Num](t gpu.Thread, alg A, g scheduler.Graph, values []V, in scheduler.Frontier, out Output, shape Shape) {
	var how H
	global := out.queue(out.Iteration)
	q := open[BlockLevel](t, gpu.Shared[heads](t), shape, 0)
	q.clear(t)
	t.Sync()
	var k kept
	// The lanes of a warp stay in both loops for Any and Reserve, until none of them has an arc.
	for strip := t.Global() - t.Lane(); strip < in.Count; strip += t.Stride() {
		var u scheduler.Vertex
		var src V
		e, end := uint32(0), uint32(0)
		if i := strip + t.Lane(); i < in.Count {
			id := in.Vertices[i]
			e, end = g.Row[id], g.Row[id+1]
			u = scheduler.Vertex{ID: id, Degree: end - e, Phase: in.Phase}
			src = scheduler.Taken[A, scheduler.ThreadPerVertex, V](t, alg, u, &values[id])
		}
		for how.Any(t, e < end) {
			if e < end {
				scheduler.SendArc[A, V](alg, g, values, u, src, e, func(v uint32) {
					scheduler.Enqueue[A, V](alg, global, v, func() { k = k.with(v) })
				})
				e++
			}
			if how.Any(t, k.n == how.Kept()) {
				addKept[H](t, q, k, global)
				k.n = 0
			}
		}
	}
	addKept[H](t, q, k, global)
	gather[BlockLevel](t, q, global, out.Counts)
	q.heads.block.Flush(t, q.block, global)
}

// addKept adds all vertices that a thread keeps to the block queue, or to the global one where that is full.
func addKept[H Adds](t gpu.Thread, q queues, k kept, out scheduler.Queue) {
	var how H
	slot := how.Reserve(t, &q.heads.block.Found, k.n)
	put := func(i, v uint32) {
		if k.n > i {
			q.put(slot+i, v, out)
		}
	}
	put(0, k.a)
	if how.Kept() == 1 {
		return
	}
	put(1, k.b)
	put(2, k.c)
	put(3, k.d)
	if how.Kept() == 4 {
		return
	}
	put(4, k.e)
	put(5, k.f)
	put(6, k.g)
	put(7, k.h)
}

// put stores v in a slot of the block queue that is its own, or adds it to out if there is no such slot.
func (q queues) put(slot, v uint32, out scheduler.Queue) {
	if slot < q.shape.BlockLength {
		q.block[slot] = v
	} else {
		out.Add(v)
	}
}
