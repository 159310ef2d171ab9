// Package langtest holds kernels that use every feature of the kernel language.
// The compiler's tests run them as plain Go and compiled, and compare the
// results. All kernels read in and write out; thread i owns
// out[i*Width:][:Width].
package langtest

import "github.com/weft-gpu/weft/gpu"

// Width is the number of words of out per thread.
const Width = 8

// words is a thread's part of out.
type words struct {
	out  []uint32
	base uint32
}

func mine(t gpu.Thread, out []uint32) words { return words{out, t.Global() * Width} }

func (w words) put(i, x uint32)          { w.out[w.base+i] = x }
func (w words) put64(i uint32, x uint64) { w.put(i, uint32(x)); w.put(i+1, uint32(x>>32)) }
func (w words) mix(i uint32, xs ...uint32) {
	h := uint32(2166136261)
	for _, x := range xs {
		h = (h ^ x) * 16777619
	}
	w.put(i, h)
}
