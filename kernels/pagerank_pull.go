package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// PageRankPull is PageRank by pulling (Jacobi iteration): the value of a vertex is its
// share, its rank divided by its out-degree.
//
// With damping d, each iteration computes the rank of every vertex as 1-d plus d times the
// sum of the shares of its in-neighbors in the previous iteration. A vertex publishes its
// share rather than its rank, so that a gather reads one word per arc. The iteration ends
// when no rank changes by more than Epsilon; each rank is then within Epsilon/(1-d) of the
// exact one, relative to itself (plus Tolerance/(1-d) on several GPUs). Each mapping adds in a fixed order, so every run gives the
// same bits.
//
// The scale of the ranks is that of [PageRank].
//
// Source: Liu and Huang, SIMD-X, USENIX ATC 2019, section 6.
type PageRankPull struct {
	scheduler.Add[float32]
	Rank    []float32
	Damping float32 `default:"0.85"`
	Epsilon float32 `default:"0.0001"` // the largest change of a rank that ends the iteration
	// Tolerance is the largest change of a rank that a scheme for several GPUs need not send (vertex
	// refinement); see Near. On one GPU nothing is sent.
	Tolerance float32 `default:"0"`
}

// Init publishes the rank 1-d.
func (a PageRankPull) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	return a.publish(v, 1-a.Damping)
}

// Start returns true: every vertex takes part.
func (a PageRankPull) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns the share of the source.
func (PageRankPull) Compute(e scheduler.Edge, share float32) (float32, bool) { return share, true }

// Apply computes the rank from the sum of the shares, and returns the new share of v.
func (a PageRankPull) Apply(v scheduler.Vertex, old, shares float32) (float32, bool) {
	rank := 1 - a.Damping + float32(a.Damping*shares)
	changed := gpu.Abs(rank-a.Rank[v.ID]) > a.Epsilon
	return a.publish(v, rank), changed
}

// Near reports whether ranks with the shares a and b differ by at most Tolerance. A vertex then
// computes its rank from shares of ranks that are wrong by so much, so that in the end each rank
// is within (Epsilon+Tolerance)/(1-d) of the exact one, relative to itself.
func (a PageRankPull) Near(v scheduler.Vertex, x, y float32) bool {
	return gpu.Abs(x-y)*float32(max(v.Degree, 1)) <= a.Tolerance
}

// publish records the rank of v and returns its share.
func (a PageRankPull) publish(v scheduler.Vertex, rank float32) float32 {
	a.Rank[v.ID] = rank
	return rank / float32(max(v.Degree, 1))
}
