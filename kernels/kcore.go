package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// KCore is k-core decomposition by peeling: the value of a vertex is, in the end, its
// coreness, the largest k for which it belongs to the k-core. The k-core is the largest part
// of the graph in which every vertex has at least k neighbors in that part.
//
// A value begins as the degree. Phase k removes the vertices that have k neighbors left; a
// removed vertex tells its neighbors, which have one neighbor fewer, and those that have
// come down to k are removed next. No value falls below the current k, so that a removed
// vertex keeps the k of its phase, its coreness. SIMD-X found this rule to save most of the
// updates; it is also how Batagelj and Zaversnik get the coreness in one pass. When a phase
// ends, the next one is the smallest number of neighbors that any remaining vertex has.
//
// With K other than 0 there is one phase, which removes all vertices with fewer than K
// neighbors. In the end the vertices with a value of at least K are the K-core, and the value
// is the number of neighbors there.
//
// A pull counts, for each vertex that remains, the neighbors that remain. It needs no atomics,
// and what it counts is what a push would leave, so that a run may change between the two.
//
// The graph must be symmetric (see Symmetric). A self loop counts as one neighbor.
//
// Sources: Liu and Huang, SIMD-X, USENIX ATC 2019, sections 6 and 7.1 (one k, no decrement
// below k); Batagelj and Zaversnik, An O(m) algorithm for cores decomposition of networks,
// 2003; Kabir and Madduri, Parallel k-core decomposition on multicore platforms, IPDPSW 2017
// (a decrement that came too late is taken back).
type KCore struct {
	scheduler.Min[uint32]
	K uint32 // 0: the coreness of every vertex; otherwise this k alone
}

// Init returns the degree.
func (KCore) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.Degree }

// Start reports whether phase 0 removes v.
func (a KCore) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.Degree <= a.floor(0) }

// Symmetric returns true: a neighbor is one in both directions.
func (KCore) Symmetric() bool { return true }

// floor returns the number of neighbors with which a vertex is removed in a phase; no value
// falls below it.
func (a KCore) floor(phase uint32) uint32 {
	if a.K > 0 {
		return a.K - 1
	}
	return phase
}

// Phases returns true.
func (KCore) Phases() bool { return true }

// Phase returns the number of neighbors left, unless v has been removed.
func (a KCore) Phase(v, now uint32, left uint32) uint32 {
	if a.K == 0 && left > now {
		return left
	}
	return scheduler.NoPhase
}

// Take returns the floor of the phase, for Update.
func (a KCore) Take(v scheduler.Vertex, p *uint32) uint32 { return a.floor(v.Phase) }

// Compute passes it on: the update is that one neighbor was removed in this phase.
func (KCore) Compute(e scheduler.Edge, floor uint32) (uint32, bool) { return floor, true }

// Update takes one from the number of neighbors left, unless it is at the floor. A vertex that
// others brought to the floor after the load gets its neighbor back.
func (KCore) Update(p *uint32, floor uint32) uint32 {
	if left := gpu.Load(p); left <= floor {
		return left
	}
	left := gpu.AtomicAdd(p, ^uint32(0))
	if left <= floor {
		gpu.AtomicAdd(p, 1)
	}
	return left
}

// Combine returns the value after Update. Two updates do not combine to one, because each
// takes one; schemes that push apply every update to the value.
func (KCore) Combine(left, floor uint32) uint32 {
	if left > floor {
		return left - 1
	}
	return left
}

// Joins reports whether a vertex that lost a neighbor is removed in this phase.
func (a KCore) Joins(v, now uint32, left uint32) bool { return left == a.floor(now) }

// Unique returns true: one update brings a value to the floor, and nothing raises it again.
func (KCore) Unique() bool { return true }

// Counts returns true: a pull counts the neighbors that remain.
func (KCore) Counts() bool { return true }

// Gives reports whether a neighbor with that many neighbors left remains.
func (a KCore) Gives(v, now uint32, left uint32) bool { return left > a.floor(now) }

// Closed reports whether the vertex has been removed.
func (a KCore) Closed(now uint32, left uint32) bool { return left <= a.floor(now) }

// Apply returns the number of neighbors left, but not less than the floor.
func (a KCore) Apply(v scheduler.Vertex, old, left uint32) (uint32, bool) {
	left = max(left, a.floor(v.Phase))
	return left, left != old
}
