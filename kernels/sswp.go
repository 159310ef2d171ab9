package kernels

import "github.com/weft-gpu/weft/scheduler"

// SSWP is single-source widest paths: the value of a vertex is the largest w for which some
// path from the source consists of arcs with a weight of at least w. It is 0 without a path,
// and the largest number at the source.
//
// It is the iteration of [SSSP] with other operations: an arc passes on the smaller one of
// the width of its source and its weight, and the larger update wins.
//
// Source: Khorasani et al., Warp Segmentation, PACT 2015, slide 15.
type SSWP struct{ scheduler.Max[uint32] }

// Init returns the largest number for the source, and 0 for all other vertices.
func (SSWP) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return ^uint32(0)
	}
	return 0
}

// Start reports whether v is the source.
func (SSWP) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the width of the path to the target by way of e.
func (SSWP) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return min(src, e.Weight()), true }
