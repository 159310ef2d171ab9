// Package paths has path algorithms as users write them: without host code.
package paths

import "github.com/weft-gpu/weft/scheduler"

// Widest is single-source widest paths: the value of a vertex is the largest
// weight w such that a path from the source has no arc lighter than w.
type Widest struct{ scheduler.Max[uint32] }

// Init is unlimited at the source.
func (a Widest) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return ^uint32(0)
	}
	return 0
}

// Start is true for the source.
func (Widest) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the lightest arc so far.
func (Widest) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return min(src, e.Weight()), true }
