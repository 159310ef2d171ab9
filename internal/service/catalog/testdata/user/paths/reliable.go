package paths

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Reliable is the most reliable path, if an arc of weight w holds with probability w/(w+1). No GPU has an atomic
// maximum of floats, so updates use compare-and-swap.
type Reliable struct {
	scheduler.Add[float32]
	Hops []uint32 // number of improvements of each vertex
}

// Init is 1 (certainty) at the source.
func (a Reliable) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	if v.ID == in.Source {
		return 1
	}
	return 0
}

// Start is true for the source.
func (a Reliable) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute multiplies probabilities.
func (a Reliable) Compute(e scheduler.Edge, src float32) (float32, bool) {
	w := float32(e.Weight())
	return src * (w / (w + 1)), true
}

// Combine returns the larger probability.
func (a Reliable) Combine(x, y float32) float32 { return max(x, y) }

// Update is a compare-and-swap loop.
func (a Reliable) Update(p *float32, x float32) float32 {
	return scheduler.Swap(p, x, func(x, y float32) float32 { return a.Combine(x, y) })
}

// Active counts improvements.
func (a Reliable) Active(v uint32, old, new float32) bool {
	if new == old {
		return false
	}
	gpu.AtomicAdd(&a.Hops[v], 1)
	return true
}
