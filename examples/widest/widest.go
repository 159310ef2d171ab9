// Package widest is an algorithm as a user writes one: a type in a directory,
// no host code. Run it by
//
//	weft run ./examples/widest.Widest --scheduler thread
package widest

import "github.com/weft-gpu/weft/scheduler"

// Widest is single-source widest paths: the value of a vertex is the largest w
// for which a path from the source has no arc of a weight below w.
type Widest struct{ scheduler.Max[uint32] }

// Init is no limit at the source, and no path elsewhere.
func (Widest) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return ^uint32(0)
	}
	return 0
}

// Start is the source.
func (Widest) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute is the narrowest arc on the way.
func (Widest) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return min(src, e.Weight()), true }
