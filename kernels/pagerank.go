package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// PageRank is PageRank by pushing residuals: the value of a vertex is its residual.
//
// With damping d, the rank of a vertex is 1-d plus d times what its in-neighbors give,
// where a vertex divides its rank evenly among its outgoing arcs. Each vertex holds a rank
// and a residual: the part of the rank that it has not yet passed on. An active vertex adds
// its residual to its rank and sends d/degree of the residual along each arc. A vertex
// becomes active when its residual reaches Epsilon. In the end each rank is below the exact
// one, by at most Epsilon/(1-d) of itself.
//
// The ranks sum to at most the number of vertices. A vertex without outgoing arcs passes
// nothing on. The usual definition spreads its rank over all vertices, which only scales
// all ranks by one factor; the host does that when it divides the ranks by their sum.
//
// Source: Chen et al., Atos, ICPP 2022 (asynchronous PageRank, which pushes residuals).
type PageRank struct {
	scheduler.Add[float32]
	Rank    []float32
	Damping float32 `default:"0.85"`
	Epsilon float32 `default:"0.0001"` // the smallest residual that is pushed
}

// Init returns the residual 1-d. The rank starts at 0.
func (a PageRank) Init(v scheduler.Vertex, in scheduler.Problem) float32 { return 1 - a.Damping }

// Start returns true: every vertex is active first.
func (a PageRank) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Take moves the residual of v to its rank, and returns the share of each outgoing arc.
func (a PageRank) Take(v scheduler.Vertex, residual *float32) float32 {
	r := gpu.AtomicExch(residual, 0)
	a.Rank[v.ID] += r
	return float32(a.Damping*r) / float32(max(v.Degree, 1))
}

// Consumes returns true: exactly one thread may take a residual.
func (PageRank) Consumes() bool { return true }

// Compute returns the share of the arc, which Take computed.
func (PageRank) Compute(e scheduler.Edge, share float32) (float32, bool) { return share, true }

// Active reports whether the update made the residual reach Epsilon.
func (a PageRank) Active(v uint32, old, new float32) bool {
	return old < a.Epsilon && new >= a.Epsilon
}

// Unique returns true: a residual only grows until it is taken, so it reaches Epsilon once.
func (PageRank) Unique() bool { return true }
