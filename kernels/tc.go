package kernels

import "github.com/weft-gpu/weft/scheduler"

// TC counts triangles: the value of a vertex is the number of triangles that it is part of. The graph must be symmetric (see
// Symmetric), without duplicate arcs; loops do not count.
//
// It is a single pull. On each arc into v, from u, v gathers the number of neighbors of both with a larger number than u, so
// that each pair of neighbors counts once. Each triangle is found at each of its three vertices, which needs no atomic. The
// neighbors of the end with the smaller degree are looked up in the row of the other one by binary search, so the work is the sum
// of the smaller degrees of all arcs, which is at most the number of arcs times the arboricity (Chiba and Nishizeki, Arboricity
// and Subgraph Listing Algorithms, SIAM Journal on Computing 1985), times the logarithm of a degree.
//
// That is what it does under schemes for all algorithms. Scheme oriented finds each triangle once (see Triangles).
//
// Sources: Hu, Liu and Huang, TriCore: Parallel Triangle Counting on GPUs, SC 2018 (binary search instead of merging, so that
// lanes have the same work and share the upper levels of a search); Beamer, Asanović and Patterson, The GAP Benchmark Suite,
// arXiv:1508.03619, for the problem.
type TC struct{ scheduler.Add[uint64] }

// Init returns 0.
func (TC) Init(v scheduler.Vertex, in scheduler.Problem) uint64 { return 0 }

// Start returns true: every vertex takes part.
func (TC) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Symmetric returns true: triangles have no direction.
func (TC) Symmetric() bool { return true }

// Triangles returns true: the answer is what scheme oriented counts.
func (TC) Triangles() bool { return true }

// Compute returns the number of triangles of both ends whose third vertex is larger than the source. A loop is in none.
func (TC) Compute(e scheduler.Edge, src uint64) (uint64, bool) {
	if e.Src == e.Dst {
		return 0, false
	}
	return uint64(e.Common(e.Src + 1)), true
}

// Apply returns what v has gathered. No value changes later.
func (TC) Apply(v scheduler.Vertex, old, gathered uint64) (uint64, bool) { return gathered, false }
