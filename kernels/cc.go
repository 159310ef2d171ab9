package kernels

import "github.com/weft-gpu/weft/scheduler"

// CC is connected components by label propagation: the value of a vertex is its label, in
// the end the smallest vertex number in its component.
//
// Each vertex starts with its own number as label and sends it along its arcs; the smaller
// label wins. The graph must be symmetric (see Symmetric), so the components are the weakly
// connected components of the original graph. The number of iterations is the largest
// distance of a vertex from the smallest vertex of its component.
//
// Sources: WolfGraph; Khorasani et al., Warp Segmentation, PACT 2015. Both run it.
type CC struct{ scheduler.Min[uint32] }

// Init returns the number of the vertex.
func (CC) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start reports whether v has an arc.
func (CC) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.Degree > 0 }

// Symmetric returns true: labels must propagate in both directions of an edge.
func (CC) Symmetric() bool { return true }

// Compute passes the label of the source on.
func (CC) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Spreads returns true: the answer is the smallest number in the component.
func (CC) Spreads() bool { return true }
