// Package paths holds path algorithms as a user writes them: no host code.
package paths

import "github.com/weft-gpu/weft/scheduler"

// Widest is single-source widest paths: the value of a vertex is the largest
// weight w such that a path from the source has no arc lighter than w.
type Widest struct{ scheduler.Max[uint32] }

// Init is no limit at the source.
func (a Widest) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return ^uint32(0)
	}
	return 0
}

// Start is the source.
func (Widest) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute is the narrowest arc so far.
func (Widest) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return min(src, e.Weight()), true }
