package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Flatten is the kernel that makes every parent a root, combines the value of each vertex in
// that of its root, and gives it the root's value, one thread per vertex.
//
// *moved becomes the number of vertices that changed their root's value. If it stays 0, the
// values of the roots are final from the start, and those that the vertices got are right;
// otherwise Spread must follow.
func Flatten[A scheduler.Algorithm[V], V gpu.Num](t gpu.Thread, alg A, f Forest, values []V, moved *uint32) {
	changes := uint32(0)
	for v := t.Global(); v < gpu.Len(f.Parents); v += t.Stride() {
		root := f.Flatten(v)
		if root == v {
			continue
		}
		// What leaves an old value as it is leaves every later one as it is, so the L1 may
		// answer: most vertices of a graph may have the same root.
		x, sum := gpu.Load(&values[v], gpu.BlockScope), gpu.Load(&values[root], gpu.BlockScope) //weft:racy Spread gives all vertices the last value if there was an older one
		if alg.Combine(sum, x) != sum {
			alg.Update(&values[root], x)
			changes++
		}
		gpu.Store(&values[v], sum)
	}
	scheduler.Tally(t, changes, moved)
}

// Spread is the kernel that gives each vertex the value of its root, one thread per vertex.
func Spread[V gpu.Num](t gpu.Thread, f Forest, values []V) {
	for v := t.Global(); v < gpu.Len(f.Parents); v += t.Stride() {
		if root := f.seen(v); root != v {
			values[v] = gpu.Load(&values[root], gpu.BlockScope) // nothing changes any more, so the L1 may answer
		}
	}
}

// flatten makes every parent a root, one thread per vertex.
func flatten(t gpu.Thread, f Forest) {
	for v := t.Global(); v < gpu.Len(f.Parents); v += t.Stride() {
		f.Flatten(v)
	}
}
