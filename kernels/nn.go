package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// NN is a recurrent neural network: the value of a vertex (a neuron) is its activation. The
// source is an input that is always 1.
//
// In each iteration a neuron computes the sum of the activations of its in-neighbors, weighted
// by the arcs, and its activation becomes tanh of Gain times that sum. The weights of a neuron
// are divided by their total, so that with a Gain below 1 there is one fixed point and the
// iteration converges to it. It ends when no activation changes by more than Epsilon; each is
// then within Epsilon*Gain/(1-Gain) of the exact one.
//
// Source: the benchmark "neural network" of Khorasani et al., Warp Segmentation, PACT 2015.
type NN struct {
	scheduler.Add[float32]
	Total   []float32 // sum of the weights of the incoming arcs; 0 until it is known, fixed at the source
	Gain    float32   `default:"0.9"`
	Epsilon float32   `default:"0.001"` // the largest change that ends the iteration
}

// Init returns 1 for the source, which keeps it, and 0 for all other vertices.
func (a NN) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	if v.ID == in.Source {
		a.Total[v.ID] = fixed
		return 1
	}
	return 0
}

// Start returns true: every vertex takes part.
func (NN) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns the weighted activation of the source.
func (a NN) Compute(e scheduler.Edge, src float32) (float32, bool) { return weighted(e, a.Total, src) }

// Apply returns the activation for the weighted sum.
func (a NN) Apply(v scheduler.Vertex, old, gathered float32) (float32, bool) {
	total := a.Total[v.ID]
	if total == fixed {
		return old, false
	}
	if total == 0 {
		a.Total[v.ID] = gathered
		return old, gathered != 0
	}
	next := gpu.Tanh(float32(a.Gain * (gathered / total)))
	return next, gpu.Abs(next-old) > a.Epsilon
}
