package scheduler

import "github.com/weft-gpu/weft/gpu"

// Algorithm is Active-Compute-Combine (SIMD-X, Liu and Huang, USENIX ATC 2019):
// each vertex holds a value; an active vertex sends an update along each of its
// arcs (Compute); updates meet at a vertex (Combine); the new value says
// whether that vertex is active next (Active, Apply).
//
// An algorithm is a struct type. It embeds Min, Max or Add, which answer all
// but the first three methods, and redefines what differs. Its scalar fields
// are parameters (with a default in the tag, `default:"0.85"`), its slice
// fields are arrays of its own with one element a vertex, zero at the start.
// Methods are inlined, and methods that return a constant cost nothing.
type Algorithm[V gpu.Num] interface {
	// Init is the value of v before the first iteration. It is called once a
	// vertex, on the device.
	Init(v Vertex, in Problem) V
	// Start reports whether v is active in the first iteration.
	Start(v Vertex, in Problem) bool
	// Compute is the update that arc e carries from its source to its target,
	// where src is what Take gave (push) or the source's value (pull); with ok
	// false the arc carries nothing.
	Compute(e Edge, src V) (update V, ok bool)

	// Combine is how two updates, or an update and a value, meet. It is pure,
	// commutative and associative (for floats up to rounding): the scheme
	// decides where it runs.
	Combine(a, b V) V
	// Identity is the neutral element of Combine.
	Identity() V
	// Update combines x into *p atomically and returns the value before. It
	// may leave out the write when that would change nothing.
	Update(p *V, x V) (old V)

	// Take is what the active vertex v sends, read from its value at p.
	Take(v Vertex, p *V) V
	// Consumes says that Take changes the vertex: exactly one thread calls it.
	// A constant.
	Consumes() bool
	// Active reports whether an update that took the value of vertex v from
	// old to new puts v in the next frontier.
	Active(v uint32, old, new V) bool
	// Unique says that Active holds at most once a vertex and iteration, so
	// that the frontier needs no marks. A constant.
	Unique() bool

	// Apply is the next value of v in a pull scheme, from its value and the
	// combination of the updates on its incoming arcs; changed keeps the
	// iterations going.
	Apply(v Vertex, old, gathered V) (value V, changed bool)
	// EarlyEnd says that Settled is worth asking in a pull scheme. A constant.
	EarlyEnd() bool
	// Settled reports that no further update can change x: a vertex that holds
	// it is passed over, and a gather that reached it ends (voting).
	Settled(x V) bool
}

// Problem is what a run is about.
type Problem struct {
	Source   uint32 // the vertex that the user named; 0 where none is needed
	Vertices uint32 // in the graph
}

// Vertex is a vertex as an algorithm sees it.
type Vertex struct {
	ID     uint32
	Degree uint32 // outgoing arcs
}

// Edge is an arc as an algorithm sees it.
type Edge struct {
	Index    uint32 // in the graph that the scheme walks
	Src, Dst uint32
	weights  []uint32
}

// Weight is the weight of the arc. It is loaded only where asked for.
func (e Edge) Weight() uint32 { return e.weights[e.Index] }

// Graph is a graph in device memory, compressed sparse rows: arc e of vertex u,
// Row[u] <= e < Row[u+1], goes to Col[e] with weight Weight[e].
type Graph struct {
	Row    []uint32 // vertices+1
	Col    []uint32 // arcs
	Weight []uint32 // arcs, or empty
}

// Vertices is the number of vertices.
func (g Graph) Vertices() uint32 { return gpu.Len(g.Row) - 1 }

// Edge is arc index from src to dst.
func (g Graph) Edge(index, src, dst uint32) Edge {
	return Edge{Index: index, Src: src, Dst: dst, weights: g.Weight}
}
