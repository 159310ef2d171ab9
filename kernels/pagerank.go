package kernels

// PageRank by pushing residuals.
//
// The rank of a vertex is 1-d plus d times what its in-neighbours give, where a
// vertex divides its rank evenly among its outgoing arcs. Each vertex holds a
// rank and a residual, the part of its rank that it has not yet passed on. An
// active vertex moves its residual to its rank and sends d/degree of it along
// each arc; a vertex becomes active when its residual reaches Epsilon. At the
// end each rank is short of the exact one by at most Epsilon/(1-d) of itself.
//
// Ranks here sum to at most the number of vertices. A vertex without outgoing
// arcs passes nothing on; to spread its rank over all vertices, as is usual,
// only scales all ranks alike, so the host divides by their sum.
//
// From: Atos, ICPP 2022 (asynchronous PageRank, which pushes residuals).

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// PageRank pushes residuals. The value of a vertex is its residual.
type PageRank struct {
	scheduler.Add[float32]
	Rank    []float32
	Damping float32 `default:"0.85"`
	Epsilon float32 `default:"0.0001"` // the least residual worth pushing
}

// Init is a residual of 1-d; the rank is 0.
func (a PageRank) Init(v scheduler.Vertex, in scheduler.Problem) float32 { return 1 - a.Damping }

// Start is every vertex.
func (a PageRank) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Take moves the residual to the rank.
func (a PageRank) Take(v scheduler.Vertex, residual *float32) float32 {
	r := gpu.AtomicExch(residual, 0)
	a.Rank[v.ID] += r
	return float32(a.Damping*r) / float32(max(v.Degree, 1))
}

// Consumes is true: a residual is taken once.
func (PageRank) Consumes() bool { return true }

// Compute is the arc's share, which Take worked out.
func (PageRank) Compute(e scheduler.Edge, share float32) (float32, bool) { return share, true }

// Active is that the residual has just reached Epsilon.
func (a PageRank) Active(v uint32, old, new float32) bool {
	return old < a.Epsilon && new >= a.Epsilon
}

// Unique holds since residuals only grow until they are taken.
func (PageRank) Unique() bool { return true }
