package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Heat is a simulation of heat that spreads from the source: the value of a vertex is its
// temperature, first 1 at the source and 0 elsewhere.
//
// In each step a vertex moves by Rate times the difference between the mean temperature of
// its neighbors, weighted by the conductance of the arcs (their weights), and its own. The
// simulation ends when no temperature changes by more than Epsilon in a step. The graph must
// be symmetric.
//
// Source: the benchmark "heat simulation" of Khorasani et al., Warp Segmentation, PACT 2015.
type Heat struct {
	scheduler.Add[float32]
	Total   []float32 // sum of the weights of the incoming arcs; 0 until it is known
	Rate    float32   `default:"0.5"`   // below 1: at 1, the heat of two neighbors may swap forever
	Epsilon float32   `default:"0.001"` // the largest change that ends the simulation
}

// Init returns 1 for the source and 0 for all other vertices.
func (Heat) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	if v.ID == in.Source {
		return 1
	}
	return 0
}

// Start returns true: every vertex takes part.
func (Heat) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Symmetric returns true: heat flows in both directions of an edge.
func (Heat) Symmetric() bool { return true }

// Compute returns the weighted temperature of the source.
func (a Heat) Compute(e scheduler.Edge, src float32) (float32, bool) {
	return weighted(e, a.Total, src)
}

// Apply moves the temperature towards the mean of the neighbors.
func (a Heat) Apply(v scheduler.Vertex, old, gathered float32) (float32, bool) {
	total := a.Total[v.ID]
	if total == 0 {
		a.Total[v.ID] = gathered
		return old, gathered != 0
	}
	next := old + float32(a.Rate*(gathered/total-old))
	return next, gpu.Abs(next-old) > a.Epsilon
}
