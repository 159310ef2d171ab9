package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Colouring gives each vertex a colour, a number from 0, such that the two ends of an edge
// have different ones. A vertex never gets a colour above its degree. The graph must be
// symmetric; a self loop is ignored.
//
// There are two ways. A pull scheme runs the algorithm of Jones and Plassmann: a vertex takes
// the smallest colour that no neighbor of higher priority has. The answer is that of a greedy
// colouring in the order of priorities, in every run. Priority is by degree, largest first,
// and random among equal degrees. That keeps the colours few, and the chains of vertices that
// wait for each other short. A vertex need not wait for all neighbors of higher priority. It
// publishes the smallest colour that it may still get; neighbors may take what is below
// (Alabandi, Powers and Burtscher call it shortcutting, and the colours stay the same). On an
// R-MAT graph of 2^18 vertices this makes 89 iterations of 577.
//
// A scheme that knows [scheduler.Speculative] runs the algorithm of Gebremedhin and Manne
// instead: a vertex takes the smallest colour that no neighbor has at that moment; if two
// neighbors took the same at the same time, the one of lower priority chooses again. The
// answer depends on the timing.
//
// Sources: Jones and Plassmann, A Parallel Graph Coloring Heuristic, SIAM J. Sci. Comput. 14,
// 1993; Hasenplaugh et al., Ordering Heuristics for Parallel Graph Coloring, SPAA 2014,
// section 4 (largest degree first); Alabandi et al., Increasing the Parallelism of Graph
// Coloring via Shortcutting, PPoPP 2020; Gebremedhin and Manne, Scalable Parallel Graph
// Coloring Algorithms, 2000; Chen et al., Atos, ICPP 2022, section 5.3.
type Colouring struct {
	scheduler.Max[uint64]          // for what a set does not define
	Degree                []uint32 // decides the priority
	Least                 []uint32 // the smallest colour that the vertex may get
}

// The value of a vertex without a colour is its degree and, in the lower 32 bits, the
// smallest colour that it may get. The value of one with a colour is coloured plus that.
const coloured = uint64(1) << 63

// A vertex gathers two sets of colours, from its smallest one on: in the lowest bits those
// that are taken, above them the smallest one of each neighbor that comes first and has no
// colour. The highest bit says that the vertex has to wait in any case.
const (
	window  = 31 // colours in a set
	blocked = coloured
)

// Init publishes that any colour is possible.
func (a Colouring) Init(v scheduler.Vertex, in scheduler.Problem) uint64 {
	a.Degree[v.ID] = min(v.Degree, 1<<30-1)
	return uint64(a.Degree[v.ID]) << 32
}

// Start returns true: every vertex needs a colour.
func (Colouring) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Symmetric returns true: both ends of an edge must see each other.
func (Colouring) Symmetric() bool { return true }

// precedes reports whether u has a higher priority than v: by degree, and then by scattered
// numbers, which differ.
func precedes(u, degreeU, v, degreeV uint32) bool {
	if degreeU != degreeV {
		return degreeU > degreeV
	}
	return scatter(u) > scatter(v)
}

// Compute returns what the source means for the target, which has no colour yet.
//
// The colour of a source counts, although its priority may be lower: then it took one below
// the smallest of the target, and is not in the set.
func (a Colouring) Compute(e scheduler.Edge, src uint64) (uint64, bool) {
	//weft:racy the lanes of a team read this before the shuffles to which it leads; the one that stores it does so afterwards
	least := a.Least[e.Dst]
	at := uint32(src) - least // wraps around if it is below
	if src&coloured != 0 {
		return 1 << at, at < window
	}
	if !precedes(e.Src, uint32(src>>32), e.Dst, a.Degree[e.Dst]) {
		return 0, false
	}
	if uint32(src) < least {
		return blocked, true
	}
	return 1 << (window + at), at < window
}

// Combine returns the union of two sets.
func (Colouring) Combine(a, b uint64) uint64 { return a | b }

// EarlyEnd returns true: a vertex looks no further when it is blocked.
func (Colouring) EarlyEnd() bool { return true }

// Settled reports whether x, a value, has a colour or x, what was gathered, is blocked.
func (Colouring) Settled(x uint64) bool { return x&coloured != 0 }

// Apply takes the smallest free colour, unless a neighbor that comes first may still get it
// too; then it only publishes that colour. Not all vertices can be waiting: of those without
// colours, the one of highest priority is not.
func (a Colouring) Apply(v scheduler.Vertex, old, gathered uint64) (uint64, bool) {
	if gathered&blocked != 0 {
		return old, false
	}
	free := smallest(^gathered, window)
	if free < smallest(gathered>>window, window) {
		return coloured | uint64(a.Least[v.ID]+free), true
	}
	a.Least[v.ID] += free
	return old + uint64(free), free > 0
}

// smallest returns the smallest number in a set; numbers from limit on do not count.
func smallest(set uint64, limit uint32) uint32 {
	return gpu.TrailingZeros(set | 1<<limit)
}
