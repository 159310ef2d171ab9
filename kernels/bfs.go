package kernels

// Breadth-first search: the least number of arcs from the source to each vertex.
//
// Iteration k expands the vertices at level k-1. Every vertex found then gets
// level k, whoever finds it, so the first update is the right one and all later
// ones change nothing. In a pull scheme a vertex without a level looks for a
// neighbour that has one, and may stop at the first.
//
// From: ECE 508 lecture 7 (one kernel a frontier); SIMD-X, USENIX ATC 2019,
// section 6 (as Active, Compute, Combine; voting in pull).

import "github.com/weft-gpu/weft/scheduler"

// BFS is breadth-first search. The value of a vertex is its level.
type BFS struct{ scheduler.Min[uint32] }

// Init is level 0 at the source.
func (BFS) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return Unreached
}

// Start is the source alone.
func (BFS) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute is one level more; what is unreached stays so.
func (BFS) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	return min(src, Unreached-1) + 1, true
}

// Unique holds since all updates of an iteration are equal.
func (BFS) Unique() bool { return true }

// EarlyEnd is true: one neighbour with a level is enough.
func (BFS) EarlyEnd() bool { return true }

// Settled is that the vertex has a level.
func (BFS) Settled(level uint32) bool { return level != Unreached }
