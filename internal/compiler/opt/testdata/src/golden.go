// Package golden holds kernels whose optimised code has golden files.
package golden

import "github.com/weft-gpu/weft/gpu"

const inf = 1<<32 - 1

// Push is breadth-first search with one thread per vertex.
func Push(t gpu.Thread, row, col, level, in, out []uint32, outN *uint32, n, depth uint32) {
	i := t.Global()
	if i >= n {
		return
	}
	u := in[i]
	for e := row[u]; e < row[u+1]; e++ {
		v := col[e]
		if gpu.Load(&level[v]) == inf && gpu.AtomicCAS(&level[v], inf, depth) == inf {
			out[gpu.AtomicAdd(outN, 1)] = v
		}
	}
}

// RangeSum ranges over a slice with index and value.
func RangeSum(t gpu.Thread, a []float32, out []float32) {
	sum := float32(0)
	for i, x := range a {
		if uint32(i)%2 == t.Idx()%2 {
			sum += x
		}
	}
	out[t.Global()] = sum
}

// WarpReduce adds the values of a warp.
func WarpReduce(t gpu.Thread, a []uint32, total *uint32) {
	x := a[t.Global()]
	for d := uint32(16); d > 0; d /= 2 {
		x += gpu.ShflXor(t, gpu.FullMask, x, d)
	}
	if t.Lane() == 0 {
		gpu.AtomicAdd(total, x)
	}
}

// Histogram counts in shared memory first.
func Histogram(t gpu.Thread, a []uint8, bins []uint32) {
	h := gpu.Shared[[256]uint32](t)
	for i := t.Idx(); i < 256; i += t.BlockDim() {
		h[i] = 0
	}
	t.Sync()
	for i := t.Global(); i < gpu.Len(a); i += t.Stride() {
		gpu.AtomicAdd(&h[a[i]], 1, gpu.BlockScope)
	}
	t.Sync()
	for i := t.Idx(); i < 256; i += t.BlockDim() {
		gpu.AtomicAdd(&bins[i], h[i])
	}
}

// Spin takes a lock; threads return from inside the loop.
func Spin(t gpu.Thread, lock, data *uint32, tries uint32) {
	for range tries {
		if gpu.AtomicCAS(lock, 0, 1) == 0 {
			*data += t.Idx()
			gpu.StoreRelease(lock, 0)
			return
		}
	}
}

// Vector copies four words at once and clamps them.
func Vector(t gpu.Thread, a, b []uint32, limit uint32) {
	i := t.Global() * 4
	if i+3 < gpu.Len(a) {
		v := gpu.Load4(a, i)
		for j := range v {
			v[j] = min(v[j], limit)
		}
		gpu.Store4(b, i, v)
	}
}
