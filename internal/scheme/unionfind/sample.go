package unionfind

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Sample is the kernel that hooks one arc of each vertex, one thread per vertex: the one with
// the given index, from 0, or the last one. All parents are roots before.
//
// It hooks without atomics and takes losses: of several threads that hook one root, the last
// one wins. All that counts is that no tree ever leaves its component, and that the largest one
// becomes large: Hook hooks all edges of the others. With compare-and-swap, the threads of all SMs
// would queue for the few roots of trees that are already large.
//
// Nor does it look for the roots of trees that have been hooked meanwhile: with these searches all kernels of a uniform graph
// of a million vertices take 0.65 ms on an H200, and 0.18 without. A store changes the L1 of its SM as well, so that the
// threads that come later see that the root has been hooked, and do not store to it once more.
func Sample(t gpu.Thread, g scheduler.Graph, f Forest, arc uint32) {
	for u := t.Global(); u < g.Vertices(); u += t.Stride() {
		begin, end := g.Row[u], g.Row[u+1]
		if begin == end {
			continue
		}
		a, b := f.seen(u), f.seen(g.Col[min(begin+arc, end-1)])
		if high := max(a, b); a != b && f.seen(high) == high {
			gpu.Store(&f.Parents[high], min(a, b), gpu.BlockScope) //weft:racy one of several hooks a root, and Hook finds the others again
		}
	}
}

// Largest is the tree with the most arcs, as far as a sample of arcs tells.
type Largest struct {
	Root  *uint32
	Votes *uint32 // arcs of the sample that end in the tree; the sample has one for each thread of a block
}

// maxRounds is the largest number of launches of Sample, and largeShare is the share of arcs, in
// percent, from which the largest tree is large enough.
const (
	maxRounds  = 8
	largeShare = 75
)

// enough reports whether no launch of Sample should follow number round, after which the largest tree has so many votes of a sample and before which it had
// others: the tree is large, or it has not doubled. Then the graph has no component that large, or its trees merge slowly.
func enough(before, votes, sample, round uint32) bool {
	return 100*votes >= largeShare*sample || votes < 2*before || round >= maxRounds
}

// Compress is the kernel that makes every parent a root, one thread per vertex. Meanwhile the
// first block looks for the largest tree. No edge is hooked meanwhile, so a vertex has the
// same root for everyone. Without an arc no tree is looked for.
func Compress(t gpu.Thread, g scheduler.Graph, f Forest, largest Largest) {
	if t.Block() == 0 && g.Row[g.Vertices()] > 0 {
		vote(t, g, f, largest)
	}
	flatten(t, f)
}

// vote finds the most frequent root of the targets of a few arcs, one for each thread of the
// block. If several are most frequent, it is one of them.
func vote(t gpu.Thread, g scheduler.Graph, f Forest, largest Largest) {
	roots := gpu.Shared[[gpu.MaxBlock]uint32](t)
	best := gpu.Shared[uint32](t)
	root := f.root(g.Col[gpu.MulHi(spread(t.Idx()), g.Row[g.Vertices()])])
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
		*largest.Root, *largest.Votes = roots[*best%gpu.MaxBlock], *best/gpu.MaxBlock
	}
}

// voteOfWarp is vote by one warp: where nothing else is to be done meanwhile, all blocks wait for it.
func voteOfWarp(t gpu.Thread, g scheduler.Graph, f Forest, largest Largest) {
	root := f.root(g.Col[gpu.MulHi(spread(t.Lane()), g.Row[g.Vertices()])])
	votes := gpu.PopCount(gpu.Match(t, gpu.FullMask, root))
	best := votes*gpu.WarpSize + t.Lane()
	for mask := uint32(gpu.WarpSize / 2); mask > 0; mask /= 2 {
		best = max(best, gpu.ShflXor(t, gpu.FullMask, best, mask))
	}
	if best%gpu.WarpSize == t.Lane() {
		*largest.Root, *largest.Votes = root, votes
	}
}

// spread returns a number from the whole range of 32 bits for each i; those of neighbors are
// far apart (Knuth's multiplicative hash).
func spread(i uint32) uint32 { return (i + 1) * 2654435769 }
