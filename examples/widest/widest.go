// Package widest is an algorithm as a user writes it: one type in a directory, without host
// code. Run it with
//
//	weft run ./examples/widest.Widest --scheduler thread
package widest

import "github.com/weft-gpu/weft/scheduler"

// Widest is single-source widest paths: the value of a vertex is the largest w for which
// some path from the source consists of arcs with a weight of at least w.
type Widest struct{ scheduler.Max[uint32] }

// Init returns the largest number for the source, and 0 (no path) for all other vertices.
func (Widest) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return ^uint32(0)
	}
	return 0
}

// Start reports whether v is the source.
func (Widest) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the smaller one of the source's value and the arc's weight.
func (Widest) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return min(src, e.Weight()), true }
