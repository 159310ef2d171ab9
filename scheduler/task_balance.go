package scheduler

import "github.com/weft-gpu/weft/gpu"

// Balance calls body for each unit of work of the tasks of a batch, such as the arcs of a
// vertex, by load-balancing search (Atos, section 3.3; Davidson et al., IPDPS 2014): the units
// of all tasks are numbered, and thread i of the worker gets the numbers
// i, i + size and so on, whatever tasks they belong to. It finds the task of a unit by
// binary search in the sums of their numbers.
//
// task is the task of this thread, whose units are count ones from begin on; count is 0 in a
// thread without one. share stores what the worker has to know of the task at an
// index of the batch; body gets that index and the unit. room is called between strips of units,
// of which each may add a task.
//
// n is the number of threads that may have a task. The result is the number of units. The
// threads of the worker call it together.
func Balance[M Mapping, T any](t gpu.Thread, w Worker[T], n uint32, task T, begin, count uint32, share func(i uint32), body func(i, unit uint32), room func()) uint32 {
	sum := count
	if n > 1 {
		sum = scanTeam[M](t, count)
	}
	if w.Index < n {
		w.Batch[w.Index] = task
		w.first[w.Index] = begin - (sum - count)
		w.sum[w.Index] = sum
		share(w.Index)
	}
	TaskBarrier[M](t)
	total := w.sum[n-1]
	i := uint32(0)
	for base := uint32(0); base < total; base += TaskStrip * w.Size {
		for k := range uint32(TaskStrip) {
			if unit := base + k*w.Size + w.Index; unit < total {
				i = ownerOf(w.sum[:n], i, unit)
				body(i, w.first[i]+unit)
			}
		}
		if base+TaskStrip*w.Size < total {
			room()
		}
	}
	return total
}

// ownerOf returns the index of the task to which a unit of work belongs: the first i from low
// on with sum[i] > unit.
func ownerOf(sum []uint32, low, unit uint32) uint32 {
	high := gpu.Len(sum) - 1
	for low < high {
		if mid := (low + high) / 2; sum[mid] > unit {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// scanTeam returns the sum of x over the threads of the team up to and including this one.
func scanTeam[M Mapping](t gpu.Thread, x uint32) uint32 {
	var m M
	switch m.Team() {
	case OneWarp:
		return SumUpTo(t, x)
	case OneBlock:
		return SumUpToBlock(t, x)
	}
	return x
}

// SumUpToBlock returns, in each thread of a block, the sum of x over the threads up to this
// one. All threads must call it together. It scans each warp, then the sums of the warps in
// the first warp.
func SumUpToBlock(t gpu.Thread, x uint32) uint32 {
	sums := gpu.Shared[[gpu.WarpSize]uint32](t)
	x = SumUpTo(t, x)
	if t.Lane() == gpu.WarpSize-1 {
		sums[t.Warp()] = x
	}
	t.Sync()
	if t.Warp() == 0 {
		part := uint32(0)
		if t.Lane() < t.BlockDim()/gpu.WarpSize {
			part = sums[t.Lane()]
		}
		sums[t.Lane()] = SumUpTo(t, part)
	}
	t.Sync()
	if t.Warp() > 0 {
		x += sums[t.Warp()-1]
	}
	return x
}
