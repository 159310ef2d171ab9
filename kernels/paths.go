package kernels

import "github.com/weft-gpu/weft/scheduler"

// Paths counts shortest paths: the value of a vertex is its level, as in [BFS], in the upper 32
// bits, and in the lower ones the number of paths of that length from the source, or 2^32-1 if
// there are as many or more.
//
// It is BFS by the product of a sparse matrix and a vector: in iteration k the vector has the path
// counts of the vertices with k-1 arcs from the source, and the product, which sums the counts
// over the incoming arcs of every vertex, has those with k. Vertices that have a level are removed from the
// product. Every iteration computes every row, so the work is O((V+E)L) for L levels; a vertex
// needs the counts of all in-neighbors, so that a gather cannot stop at the first one.
//
// Sources: Deng, Wang and Mu, Taming Irregular EDA Applications on GPUs, ICCAD 2009; ECE 508
// lecture 7 ("BFS Using Sparse Matrix-Vector Multiply").
type Paths struct{ scheduler.Min[uint64] }

// most is the largest number of paths.
const most = 1<<32 - 1

// Init returns level 0 and one path for the source, and no level for all other vertices.
func (a Paths) Init(v scheduler.Vertex, in scheduler.Problem) uint64 {
	if v.ID == in.Source {
		return 1
	}
	return a.Identity()
}

// Start reports whether v is the source.
func (Paths) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the level after that of src, with its paths.
func (a Paths) Compute(e scheduler.Edge, src uint64) (uint64, bool) {
	return src + 1<<32, src != a.Identity()
}

// Combine returns the sum of the paths of equal levels, and otherwise those of the smaller level.
func (Paths) Combine(a, b uint64) uint64 {
	if a>>32 != b>>32 {
		return min(a, b)
	}
	return a>>32<<32 | min(a&most+b&most, most)
}

// Apply returns what v has gathered if it has no level yet.
func (a Paths) Apply(v scheduler.Vertex, old, gathered uint64) (uint64, bool) {
	if old != a.Identity() || gathered == a.Identity() {
		return old, false
	}
	return gathered, true
}
