package lint

import "github.com/weft-gpu/weft/gpu"

func read(s []uint32, i uint32) uint32 { return s[i] }

// Relax has plain loads of a buffer that it updates, in two places.
func Relax(t gpu.Thread, val, row []uint32) {
	i := t.Global()
	x := val[i]
	for x > 0 {
		gpu.AtomicMin(&val[i+1], x)
		x = read(val, i) + row[i]
	}
}

// Flag spins on a plain load, so it may never end.
func Flag(t gpu.Thread, flag *uint32, data []uint32) {
	if t.Global() == 0 {
		gpu.StoreRelease(flag, 1)
	}
	for *flag == 0 {
	}
	data[t.Global()] = 1
}

// Fine uses gpu.Load, and plain loads of buffers that it does not update.
func Fine(t gpu.Thread, val, other []uint32) {
	i := t.Global()
	if gpu.Load(&val[i]) > other[i] {
		gpu.AtomicMax(&val[i], other[i])
	}
	n := gpu.Shared[uint32](t)
	gpu.AtomicAdd(n, 1)
	t.Sync()
	other[i] = *n
}

// Sum loses updates: of its threads that add at the same time, one wins.
func Sum(t gpu.Thread, x []uint32, total *uint32) {
	for i := t.Global(); i < gpu.Len(x); i += t.Stride() {
		*total += x[i]
	}
}

// Bins does so at an index that the host gives, and in shared memory.
func Bins(t gpu.Thread, out []uint32, at uint32) {
	n := gpu.Shared[uint32](t)
	if t.Idx() == 0 {
		*n = 0
	}
	t.Sync()
	*n += t.Idx()
	out[at]++
	t.Sync()
	if t.Idx() == 0 {
		out[0] += *n
	}
}

// FineOne updates by one thread, or by each thread a word of its own.
func FineOne(t gpu.Thread, out []uint32, total *uint32) {
	if t.Global() == 0 {
		*total += 1
	}
	if t.Idx() < 1 && t.Block() < 1 {
		out[0]++
	}
	out[t.Global()]++
}

// FineLocked updates under a lock.
func FineLocked(t gpu.Thread, lock, total *uint32) {
	for gpu.AtomicCAS(lock, 0, 1) != 0 {
	}
	*total += t.Idx()
	gpu.Fence()
	gpu.AtomicExch(lock, 0)
}
