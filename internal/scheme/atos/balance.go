package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Item is a task that a thread has taken for its worker, or none.
type Item[V gpu.Num] struct {
	Any        bool   // false: none
	Task       uint32 // a vertex, and perhaps Second
	Begin, End uint32 // the arcs of the vertex
	Value      V      // what Peek returned
	seen       uint64 // its word in Requests
}

// arcs calls body for each arc of the vertices of a batch, by load-balancing search (section
// 3.3): the arcs of all vertices are numbered, and thread i of the worker gets the numbers
// i, i + size and so on, whatever vertices they belong to. It finds the vertex of an arc by
// binary search in the sums of the degrees. share stores what the worker has to know of an
// item at an index; body gets that index and the arc. room is called between strips of arcs,
// of which each may add a task.
//
// n is the number of threads that may have an item. The result is the number of arcs. The
// threads of the worker call it together.
func arcs[V gpu.Num, M scheduler.Mapping](t gpu.Thread, w worker, n uint32, it Item[V], share func(i uint32), body func(i, arc uint32), room func()) uint32 {
	degree := uint32(0)
	if it.Any {
		degree = it.End - it.Begin
	}
	sum := degree
	if n > 1 {
		sum = scan[M](t, degree)
	}
	if w.index < n {
		w.task[w.index] = it.Task
		w.first[w.index] = it.Begin - (sum - degree)
		w.sum[w.index] = sum
		share(w.index)
	}
	barrier[M](t)
	total := w.sum[n-1]
	i := uint32(0)
	for base := uint32(0); base < total; base += strip * w.size {
		for k := range uint32(strip) {
			if arc := base + k*w.size + w.index; arc < total {
				i = search(w.sum[:n], i, arc)
				body(i, w.first[i]+arc)
			}
		}
		if base+strip*w.size < total {
			room()
		}
	}
	return total
}

// search returns the index of the vertex to which an arc belongs: the first i from low on
// with sum[i] > arc.
func search(sum []uint32, low, arc uint32) uint32 {
	high := gpu.Len(sum) - 1
	for low < high {
		if mid := (low + high) / 2; sum[mid] > arc {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// scan returns the sum of x over the threads of the worker up to and including this one.
func scan[M scheduler.Mapping](t gpu.Thread, x uint32) uint32 {
	var m M
	switch m.Team() {
	case scheduler.OneWarp:
		return scheduler.SumUpTo(t, x)
	case scheduler.OneBlock:
		return scanBlock(t, x)
	}
	return x
}

// scanBlock scans each warp, then the sums of the warps in the first warp.
func scanBlock(t gpu.Thread, x uint32) uint32 {
	sums := gpu.Shared[[gpu.WarpSize]uint32](t)
	x = scheduler.SumUpTo(t, x)
	if t.Lane() == gpu.WarpSize-1 {
		sums[t.Warp()] = x
	}
	t.Sync()
	if t.Warp() == 0 {
		part := uint32(0)
		if t.Lane() < t.BlockDim()/gpu.WarpSize {
			part = sums[t.Lane()]
		}
		sums[t.Lane()] = scheduler.SumUpTo(t, part)
	}
	t.Sync()
	if t.Warp() > 0 {
		x += sums[t.Warp()-1]
	}
	return x
}
