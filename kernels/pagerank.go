package kernels

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// PageRank is PageRank by residuals, which are pushed or pulled: the value of a vertex is its
// residual, or in a pull its share.
//
// With damping d, the rank of a vertex is 1-d plus d times what its in-neighbors give,
// where a vertex divides its rank evenly among its outgoing arcs. Each vertex holds a rank
// and a residual: the part of the rank that it has not yet passed on. An active vertex adds
// its residual to its rank and sends d/degree of the residual along each arc. A vertex
// becomes active when its residual reaches Epsilon. In the end each rank is below the exact
// one, by at most Epsilon/(1-d) of itself.
//
// A pull does the same for all vertices at once. What a vertex gathers is its next residual,
// which it adds to its rank; its value is the share that it passes on, its residual times
// d/degree. The iterations end when no residual reaches Epsilon, as in a push, so a run can
// begin with pulls and end with pushes. Shares are negative, which tells the two kinds of
// values apart.
//
// The ranks sum to at most the number of vertices. A vertex without outgoing arcs passes
// nothing on. The usual definition spreads its rank over all vertices, which only scales
// all ranks by one factor; the host does that when it divides the ranks by their sum.
//
// Sources: Chen et al., Atos, ICPP 2022, section 5.2 (asynchronous PageRank, which pushes
// residuals); Liu and Huang, SIMD-X, USENIX ATC 2019, section 6 (pull first, push in the end,
// when most vertices are stable).
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
	return a.share(v, r)
}

// share returns what v sends along each arc when it passes on the residual r.
func (a PageRank) share(v scheduler.Vertex, r float32) float32 {
	return float32(a.Damping*r) / float32(max(v.Degree, 1))
}

// residual returns the residual of which v sends a share: the inverse of share, up to
// rounding.
func (a PageRank) residual(v scheduler.Vertex, share float32) float32 {
	return float32(share*float32(max(v.Degree, 1))) / a.Damping
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

// Apply moves the residual that v has gathered to its rank, and returns the new share. It
// compares what Turn would return with Epsilon, so that after a change to pushing the active
// vertices are those with such a residual.
func (a PageRank) Apply(v scheduler.Vertex, old, gathered float32) (float32, bool) {
	r := gpu.Abs(gathered)
	a.Rank[v.ID] += r
	share := a.share(v, r)
	return -share, a.residual(v, share) >= a.Epsilon
}

// Turn converts between a residual that is not yet part of the rank, and the share of one
// that is.
func (a PageRank) Turn(v scheduler.Vertex, x float32, pull bool) float32 {
	if pull {
		a.Rank[v.ID] += x
		return -a.share(v, x)
	}
	r := a.residual(v, gpu.Abs(x))
	a.Rank[v.ID] -= r
	return r
}
