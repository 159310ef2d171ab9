package kernels

// Single-source shortest paths: the least sum of weights on a path from the
// source to each vertex.
//
// Bellman and Ford's relaxation with a frontier: a vertex whose distance fell
// relaxes its arcs in the next iteration. A distance can fall several times,
// so vertices come back to the frontier; with weights of at least 0 it ends
// after at most as many iterations as there are vertices.
//
// From: SIMD-X, USENIX ATC 2019, figure 3.

import "github.com/weft-gpu/weft/scheduler"

// SSSP is single-source shortest paths. The value of a vertex is its distance.
type SSSP struct{ scheduler.Min[uint32] }

// Init is distance 0 at the source.
func (SSSP) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return Unreached
}

// Start is the source alone.
func (SSSP) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute is the distance by way of the arc. A sum that does not fit 32 bits
// is no path.
func (SSSP) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	d := src + e.Weight()
	return d, d >= src
}
