package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// BP is belief propagation: each vertex is an event, true or false, and its belief is the
// logarithm of the odds that it is true. An arc says that its target tends to be what its
// source is, the more so the larger its weight.
//
// A belief is the prior log-odds of the event plus the messages of all incoming arcs. The
// message along an arc from u is that of the sum-product algorithm for two events that agree
// with a correlation of t: 2*atanh(t*tanh(belief(u)/2)). The correlations of a vertex are
// Coupling divided among its incoming arcs in proportion to their weights. They add up to
// less than 1, so a change of the beliefs by x changes them in the next iteration by at most
// Coupling*x: there is one fixed point, and the iteration converges to it (Mooij and Kappen).
// It ends when no belief changes by more than Epsilon; each is then within
// Epsilon*Coupling/(1-Coupling) of the fixed point. Priors are random numbers from -1 to 1,
// by the ids of vertices.
//
// As in SIMD-X there is one belief for a vertex and not one message for each arc. The
// sum-product algorithm excludes from what u sends to v what v sent to u. This is not done
// here, so evidence that comes back, or arrives by two ways, counts again. Where that cannot
// happen, in a tree whose arcs lead to the root, the belief of the root is the exact one;
// elsewhere it is an approximation, as that of the sum-product algorithm is.
//
// The value of a vertex is tanh(belief/2), which is the probability of true minus that of
// false: all arcs of a vertex need it, so it is computed once.
//
// Sources: Liu and Huang, SIMD-X, USENIX ATC 2019, section 6; Pearl, Reverend Bayes on
// Inference Engines, AAAI 1982 (messages); Mooij and Kappen, Sufficient Conditions for
// Convergence of the Sum-Product Algorithm, IEEE Trans. Inf. Theory 53, 2007 (the sum of
// correlations as a condition).
type BP struct {
	scheduler.Add[float32]
	Belief   []float32
	Scale    []float32 // Coupling divided by the sum of the weights of the incoming arcs; 0 until it is known
	Coupling float32   `default:"0.5"`
	Epsilon  float32   `default:"0.001"` // the largest change of a belief that ends the iteration
}

// Init sets the belief to the prior.
func (a BP) Init(v scheduler.Vertex, in scheduler.Problem) float32 { return a.publish(v, prior(v.ID)) }

// prior returns a multiple of 2^-23 from -1 to below 1.
func prior(v uint32) float32 { return float32(scatter(v)>>8)*0x1p-23 - 1 }

// Start returns true: every vertex takes part.
func (BP) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns the message of the arc. In the first iteration it returns the weight, for
// the scale of the target.
func (a BP) Compute(e scheduler.Edge, src float32) (float32, bool) {
	//weft:racy the lanes of a team read this before the shuffles to which it leads; the one that stores it does so afterwards
	weight, scale := float32(e.Weight()), a.Scale[e.Dst]
	if scale == 0 {
		return weight, true
	}
	x := float32(scale*weight) * src
	return gpu.Log((1 + x) / (1 - x)), true // 2*atanh(x)
}

// Apply adds the messages to the prior.
func (a BP) Apply(v scheduler.Vertex, old, gathered float32) (float32, bool) {
	if a.Scale[v.ID] == 0 {
		if gathered != 0 {
			a.Scale[v.ID] = a.Coupling / gathered
		}
		return old, gathered != 0
	}
	belief := prior(v.ID) + gathered
	changed := gpu.Abs(belief-a.Belief[v.ID]) > a.Epsilon
	return a.publish(v, belief), changed
}

// publish records the belief of v and returns its value.
func (a BP) publish(v scheduler.Vertex, belief float32) float32 {
	a.Belief[v.ID] = belief
	return gpu.Tanh(belief / 2)
}
