package kernels

// PageRank by pulling: Jacobi's iteration.
//
// In each iteration every vertex computes its rank, 1-d plus d times the shares
// of its in-neighbours, from the ranks of the iteration before. What a vertex
// publishes is its share, rank over degree, so that a gather reads one word an
// arc. It ends when no rank moved by more than Epsilon; each rank is then
// within Epsilon/(1-d) of itself of the exact one. Sums come in a fixed order,
// so a mapping gives the same bits in every run.
//
// From: SIMD-X, USENIX ATC 2019, section 6. Scale as in pagerank.go.

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// PageRankPull pulls shares. The value of a vertex is its rank over its degree.
type PageRankPull struct {
	scheduler.Add[float32]
	Rank    []float32
	Damping float32 `default:"0.85"`
	Epsilon float32 `default:"0.0001"` // the largest change of a rank that counts as none
}

// Init is a rank of 1-d.
func (a PageRankPull) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	return a.publish(v, 1-a.Damping)
}

// Start is every vertex.
func (a PageRankPull) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute is the source's share.
func (PageRankPull) Compute(e scheduler.Edge, share float32) (float32, bool) { return share, true }

// Apply is the rank that the shares add up to.
func (a PageRankPull) Apply(v scheduler.Vertex, old, shares float32) (float32, bool) {
	rank := 1 - a.Damping + float32(a.Damping*shares)
	changed := gpu.Abs(rank-a.Rank[v.ID]) > a.Epsilon
	return a.publish(v, rank), changed
}

// publish records the rank and returns the share.
func (a PageRankPull) publish(v scheduler.Vertex, rank float32) float32 {
	a.Rank[v.ID] = rank
	return rank / float32(max(v.Degree, 1))
}
