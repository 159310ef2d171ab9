package kernels

import "github.com/weft-gpu/weft/scheduler"

// BFS is breadth-first search: the value of a vertex is its level, the number of arcs on a
// shortest path from the source.
//
// Iteration k expands the vertices of level k-1. Every vertex that it finds gets level k,
// whichever arc reaches it first; later updates change nothing. In a pull scheme each
// vertex without a level looks for an in-neighbor that has one, and may stop at the first
// it finds.
//
// Sources: ECE 508 lecture 7 (one kernel launch per frontier); Liu and Huang, SIMD-X,
// USENIX ATC 2019, section 6 (as Active-Compute-Combine; voting in pull).
type BFS struct{ scheduler.Min[uint32] }

// Init returns level 0 for the source and Unreached for all other vertices.
func (BFS) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return Unreached
}

// Start reports whether v is the source: the first frontier is the source alone.
func (BFS) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the level after src. Unreached stays Unreached.
func (BFS) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	return min(src, Unreached-1) + 1, true
}

// Unique returns true: all updates of an iteration are equal, so a vertex changes at most
// once.
func (BFS) Unique() bool { return true }

// Reaches returns true: the first iteration that reaches a vertex gives it its level.
func (BFS) Reaches() bool { return true }

// Alike returns true: what an iteration reaches is one level.
func (BFS) Alike() bool { return true }

// EarlyEnd returns true: one in-neighbor with a level is enough.
func (BFS) EarlyEnd() bool { return true }

// Settled reports whether the vertex has a level.
func (BFS) Settled(level uint32) bool { return level != Unreached }
