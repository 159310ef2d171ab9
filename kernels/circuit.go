package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Circuit is a simulation of a circuit of resistors: the value of a vertex (a node) is its
// voltage. The source is held at 1 volt, and every other node is connected to ground through
// a conductance of Leak times that of all its arcs.
//
// By Kirchhoff's law, the voltage of a node is the mean of the voltages of its neighbors,
// weighted by the conductance of the arcs (their weights), divided by 1+Leak. The iteration
// (Jacobi) sets all nodes so until no voltage changes by more than Epsilon; each is then
// within Epsilon/Leak of the exact one. The graph must be symmetric.
//
// Source: the benchmark "circuit simulation" of Khorasani et al., Warp Segmentation, PACT 2015.
type Circuit struct {
	scheduler.Add[float32]
	Total   []float32 // sum of the weights of the incoming arcs; 0 until it is known, fixed at the source
	Leak    float32   `default:"0.1"`
	Epsilon float32   `default:"0.001"` // the largest change that ends the iteration
}

// Init returns 1 for the source, which keeps it, and 0 for all other vertices.
func (a Circuit) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	if v.ID == in.Source {
		a.Total[v.ID] = fixed
		return 1
	}
	return 0
}

// Start returns true: every vertex takes part.
func (Circuit) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Symmetric returns true: a resistor conducts in both directions.
func (Circuit) Symmetric() bool { return true }

// Compute returns the weighted voltage of the source.
func (a Circuit) Compute(e scheduler.Edge, src float32) (float32, bool) {
	return weighted(e, a.Total, src)
}

// Apply returns the voltage at which the currents of the node add up to 0.
func (a Circuit) Apply(v scheduler.Vertex, old, gathered float32) (float32, bool) {
	total := a.Total[v.ID]
	if total == fixed {
		return old, false
	}
	if total == 0 {
		a.Total[v.ID] = gathered
		return old, gathered != 0
	}
	next := gathered / total / (1 + a.Leak)
	return next, gpu.Abs(next-old) > a.Epsilon
}
