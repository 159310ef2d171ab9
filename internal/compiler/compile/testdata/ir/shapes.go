package shapes

import "github.com/weft-gpu/weft/gpu"

type pair struct {
	n uint16
	v [2]float32
}

// visit is inlined twice.
func visit(s []pair, f func(p *pair) bool) {
	for i := range s {
		if !f(&s[i]) {
			panic("a pair that must not be")
		}
	}
}

// Kernel has one of each: a struct in memory, a closure, shared memory, a
// local array with a dynamic index, a trap, scopes and a 64-bit shuffle.
func Kernel(t gpu.Thread, s []pair, out []int64, on bool) {
	sums := gpu.Shared[[2]int64](t)
	var hist [4]uint32
	visit(s, func(p *pair) bool {
		hist[p.n&3]++
		p.v[0], p.v[1] = p.v[1], p.v[0]
		return p.n != 7
	})
	gpu.AtomicAdd(&sums[0], int64(hist[t.Idx()&3]), gpu.BlockScope)
	t.Sync()
	x := gpu.Shfl(t, gpu.FullMask, sums[0], 3)
	if on {
		x = -x
	}
	out[t.Global()] = x
}
