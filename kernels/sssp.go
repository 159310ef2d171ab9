package kernels

import "github.com/weft-gpu/weft/scheduler"

// SSSP is single-source shortest paths: the value of a vertex is its distance, the smallest
// sum of arc weights on a path from the source.
//
// It is the relaxation of Bellman and Ford with a frontier: a vertex whose distance
// decreased relaxes its arcs in the next iteration. A distance can decrease several times,
// so a vertex can return to the frontier. Since weights are not negative, the number of
// iterations is at most the number of vertices.
//
// Source: Liu and Huang, SIMD-X, USENIX ATC 2019, figure 3.
type SSSP struct{ scheduler.Min[uint32] }

// Init returns distance 0 for the source and Unreached for all other vertices.
func (SSSP) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return Unreached
}

// Start reports whether v is the source.
func (SSSP) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the distance of the target by way of e. If the sum does not fit into 32
// bits, the arc carries no update.
func (SSSP) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	d := src + e.Weight()
	return d, d >= src
}
