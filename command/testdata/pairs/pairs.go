// Package pairs has the kernels with which all pairs of flags are tried. They are tried in other folders; a package keeps
// the names of its files as the first folder sees them, so that no other test may read this one.
package pairs

import "github.com/weft-gpu/weft/gpu"

// Add adds two vectors, and counts the blocks in an order that depends on the schedule.
func Add(t gpu.Thread, n uint32, x, y []float32, out []float32, order []uint32, next *uint32) {
	if t.Idx() == 0 {
		order[t.Block()] = gpu.AtomicAdd(next, 1)
	}
	for i := t.Global(); i < n; i += t.Stride() {
		out[i] = 0.1*x[i] + y[i]
	}
}

// Twice doubles instead.
func Twice(t gpu.Thread, n uint32, x, y []float32, out []float32, order []uint32, next *uint32) {
	for i := t.Global(); i < n; i += t.Stride() {
		out[i] = 2 * x[i]
	}
}

// Meet is a barrier of two threads.
func Meet(t gpu.Thread, n *uint32) {
	gpu.AtomicAdd(n, 1)
	for gpu.Load(n) < 2 {
	}
}

// Rare stores plainly where the last thread to come stores, too, unless it came first.
func Rare(t gpu.Thread, private []uint32, done *uint32, x []uint32) {
	for i := range t.Block() * 8 {
		private[t.Block()] += i
	}
	n := gpu.AtomicAdd(done, 1)
	if n != t.Block() {
		x[0] = n
	}
}

// Part reads from lanes that a block of 48 threads does not have, which PTX leaves undefined.
func Part(t gpu.Thread, x []uint32) {
	x[t.Global()] = gpu.ShflXor(t, gpu.FullMask, t.Idx(), 16)
}

// Spin waits for what never comes.
func Spin(t gpu.Thread, word *uint32) {
	for gpu.Load(word) == 0 {
	}
}

// Long counts until it has counted n, which may be far.
func Long(t gpu.Thread, n uint64, out []uint64) {
	for i := uint64(0); i < n; i++ {
		gpu.AtomicAdd(&out[0], i)
	}
}
