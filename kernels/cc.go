package kernels

// Connected components: the smallest vertex number in each vertex's component.
//
// Label propagation: each vertex starts with its own number as label, and the
// smaller label wins over every arc. The arcs must go both ways (Symmetric
// asks for that), and then the components are the weakly connected ones of the
// graph as given. It takes as many iterations as the longest shortest path from
// a component's smallest vertex.
//
// From: WolfGraph, and Warp Segmentation (PACT 2015), which both run it.

import "github.com/weft-gpu/weft/scheduler"

// CC is connected components. The value of a vertex is its label.
type CC struct{ scheduler.Min[uint32] }

// Init is the vertex's own number.
func (CC) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start is every vertex that has an arc.
func (CC) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.Degree > 0 }

// Symmetric says that labels must travel both ways.
func (CC) Symmetric() bool { return true }

// Compute hands the label on.
func (CC) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }
