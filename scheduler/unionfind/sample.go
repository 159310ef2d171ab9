package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Sample is the kernel that hooks the first neighbors of each vertex, one thread per vertex
// (Afforest: neighbor rounds).
func Sample(t gpu.Thread, g scheduler.Graph, f Forest, neighbors uint32) {
	for u := t.Global(); u < g.Vertices(); u += t.Stride() {
		begin, end := g.Row[u], g.Row[u+1]
		above := u
		for e := begin; e < min(begin+neighbors, end); e++ {
			if v := g.Col[e]; e > begin || v > u { // Init has hooked a smaller first neighbor
				above = f.Link(above, v)
			}
		}
	}
}

// Compress is the kernel that makes every parent a root, one thread per vertex. Meanwhile the
// first block looks for the root that most vertices have, and stores it in *largest. No edge
// is hooked meanwhile, so a vertex has the same root for everyone.
func Compress(t gpu.Thread, f Forest, largest *uint32) {
	n := gpu.Len(f.Parents)
	if t.Block() == 0 {
		mostFrequent(t, f, n, largest)
	}
	for v := t.Global(); v < n; v += t.Stride() {
		f.Flatten(v)
	}
}

// mostFrequent stores the most frequent root of a few vertices, one for each thread of the
// block. If several are most frequent, it is one of them.
func mostFrequent(t gpu.Thread, f Forest, n uint32, largest *uint32) {
	roots := gpu.Shared[[gpu.MaxBlock]uint32](t)
	best := gpu.Shared[uint32](t)
	root := f.root(gpu.MulHi(spread(t.Idx()), n))
	roots[t.Idx()] = root
	if t.Idx() == 0 {
		*best = 0
	}
	t.Sync()
	votes := uint32(0)
	for i := uint32(0); i < t.BlockDim(); i++ {
		if roots[i] == root {
			votes++
		}
	}
	gpu.AtomicMax(best, votes*gpu.MaxBlock+t.Idx(), gpu.BlockScope)
	t.Sync()
	if t.Idx() == 0 {
		*largest = roots[*best%gpu.MaxBlock]
	}
}

// spread returns a number from the whole range of 32 bits for each i; those of neighbors are
// far apart (Knuth's multiplicative hash).
func spread(i uint32) uint32 { return (i + 1) * 2654435769 }
