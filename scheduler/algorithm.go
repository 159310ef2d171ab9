package scheduler

import "github.com/weft-gpu/weft/gpu"

// Algorithm is a graph algorithm in the form Active-Compute-Combine (SIMD-X, Liu and Huang,
// USENIX ATC 2019). Each vertex has a value of type V. In each iteration an active vertex
// sends an update along each of its arcs (Compute); updates to the same vertex are combined
// (Combine); the new value decides whether that vertex is active in the next iteration
// (Active, Apply).
//
// An algorithm is a struct type. It embeds [Min], [Max] or [Add], which implement all
// methods but the first three, and overrides the methods that differ. Its scalar fields are
// parameters (the tag has the default: `default:"0.85"`). Its slice fields are arrays with
// one element per vertex, which start as zero. Methods are inlined, and a method that
// returns a constant costs nothing.
//
// A run has a source only if a method reads [Problem.Source], and weights only if one calls
// [Edge.Weight]. A type with a further method Symmetric() bool that returns true runs on
// the graph with the opposite of each arc added. One with a method Unordered() bool that
// returns true has the same answer without phases, which only save work; schemes without
// phases run it as well. One with a method Spreads() bool that returns true has the same value
// for all vertices of a connected component, whatever the direction of arcs: the Combine of
// their Init values (scheme union-find). With a method Triangles() bool that returns true, it is the number of triangles that a vertex is part of (scheme oriented); with a method
// Strong() bool that returns true, a vertex of its strongly connected component, the same one for all of them (scheme forward-backward). One with a
// method Reaches() bool that returns true starts with few vertices and has the neutral element as the value of all others; those that updates reach in an
// iteration have their values at its end and are active in the next one, and no other vertex sends any (scheme bitmap); with EarlyEnd, any one of these updates will do, and with a method Alike() bool that returns true, all updates of an
// iteration are the same, whatever arc brings them. A type that calls
// [Edge.Common] runs under schemes that have the whole graph in device memory as it is.
type Algorithm[V gpu.Num] interface {
	// Init returns the value of v before the first iteration, in the form of a push (see
	// Turn). The device calls it once for each vertex.
	Init(v Vertex, in Problem) V
	// Start reports whether v is active in the first iteration.
	Start(v Vertex, in Problem) bool
	// Compute returns the update that arc e carries from its source to its target. src is
	// the result of Take in a push scheme, and the value of the source in a pull scheme. If
	// ok is false, the arc carries no update.
	Compute(e Edge, src V) (update V, ok bool)

	// Combine combines two updates, or an update and a value. It must be pure, commutative
	// and associative (floats: up to rounding), because the scheme decides where and in
	// which order it runs.
	Combine(a, b V) V
	// Identity returns the neutral element of Combine.
	Identity() V
	// Update combines x into *p atomically and returns the old value. It may omit the write
	// if the value would not change.
	Update(p *V, x V) (old V)

	// Take returns what the active vertex v sends, computed from its value *p.
	Take(v Vertex, p *V) V
	// Consumes reports whether Take modifies the vertex, in which case exactly one thread
	// calls it. It must return a constant.
	Consumes() bool
	// Active reports whether an update that changed the value of v from old to new adds v
	// to the next frontier.
	Active(v uint32, old, new V) bool
	// Unique reports whether Active (and Joins) is true at most once per vertex and iteration,
	// so the frontier needs no marks against duplicates. It must return a constant.
	Unique() bool

	// Apply returns the next value of v in a pull scheme, computed from its value and the
	// combined updates of its incoming arcs. The iterations continue while changed is true
	// for some vertex.
	Apply(v Vertex, old, gathered V) (value V, changed bool)
	// EarlyEnd reports whether a pull scheme should call Settled. It must return a
	// constant.
	EarlyEnd() bool
	// Settled reports whether no further update can change x. A pull scheme skips a vertex
	// with such a value, and ends a gather that has reached one (voting).
	Settled(x V) bool
	// Turn converts the value of v when a scheme changes direction: to pull if pull is true,
	// otherwise to push. A scheme that begins with a pull calls it once for each vertex
	// before.
	Turn(v Vertex, x V, pull bool) V

	// Phases reports whether the algorithm runs in phases, such as the buckets of
	// delta-stepping. It must return a constant. The first phase is 0, with the vertices of
	// Start. When the frontier becomes empty, the run continues with the smallest phase that
	// Phase returns for any vertex, or ends if there is none.
	Phases() bool
	// Phase returns the next phase after now in which vertex v, with value x, will be
	// visited, or NoPhase. It is called when the frontier is empty, any number of times.
	Phase(v, now uint32, x V) uint32
	// Enter is called at the start of phase v.Phase for each vertex for which Phase returned
	// that phase. It reports whether v is active in the first iteration of the phase, and may
	// modify the value *p.
	Enter(v Vertex, p *V) bool
	// Joins reports whether a vertex that an update made active, with value x, is added to
	// the frontier of the phase now. If not, Phase finds it later.
	Joins(v, now uint32, x V) bool
	// Gives reports whether, in a pull in phase now, a vertex with value x gives its update to
	// its targets: a pull does not know which vertices are active. The default is all
	// vertices, which suits algorithms whose answer does not depend on phases (Unordered);
	// others can be pulled only if they define Gives.
	Gives(v, now uint32, x V) bool
	// Counts reports whether a pull in a phase counts the arcs whose source gives, instead of
	// combining what they carry: Apply gets their number. It must return a constant.
	Counts() bool
	// Closed reports whether no update of phase now or a later one can change x. A pull in a
	// phase skips a vertex with such a value.
	Closed(now uint32, x V) bool
	// Reverse reports whether a phase other than 0 traverses arcs from target to source: then
	// Edge.Src is the target of an arc, Edge.Dst its source, and Degree counts incoming arcs.
	Reverse(phase uint32) bool

	// Levels reports whether the phases are the levels of a search, which has a way back. It
	// must return a constant. If so, phases from 0 on are levels: the vertices of level l+1 are
	// those that get an update in phase l, and Active is true for the first update that a vertex
	// gets, and for no other. When an update reaches no vertex, the smallest phase that Phase
	// finds follows, in which nothing is sent; then the levels give in opposite order, in the
	// phases that Return says; and then, again without sending, what Phase finds.
	//
	// A scheme may keep the vertices of each level in a list, so that a phase looks at these and
	// no others. It calls Enter for a vertex of level l+1 at its first update, while phase l goes on
	// and other updates may follow: so Compute must let these pass, and Enter must not access the
	// value of a vertex that enters a level, and stores what Compute loads by gpu.Store. Whether
	// Enter says that the vertex is active does not matter. On the way back the scheme does not
	// call it: each vertex of level l-1 combines what its targets of level l send (Take, Compute),
	// which Gives tells from others, and one update brings it their sum (Update). Vertex.Degree
	// says nothing then.
	Levels() bool
	// Return returns the phase in which the vertices of a level give on the way back, or NoPhase
	// if the way back ends before them.
	Return(level uint32) (phase uint32)
}

// NoPhase is the result of Algorithm.Phase for a vertex that no further phase visits.
const NoPhase = ^uint32(0)

// Problem is the input of a run besides the graph.
type Problem struct {
	Source   uint32 // the source vertex; 0 if the algorithm has none
	Vertices uint32 // in the graph
}

// Vertex is a vertex as an algorithm sees it.
type Vertex struct {
	ID     uint32
	Degree uint32 // number of outgoing arcs
	Phase  uint32 // the current phase; 0 if the algorithm has no phases
}

// Edge is an arc as an algorithm sees it.
type Edge struct {
	Index    uint32 // in the graph that the scheme traverses
	Src, Dst uint32
	Phase    uint32 // the current phase; 0 if the algorithm has no phases
	weights  []uint32
	row, col []uint32 // of the graph that the scheme traverses
}

// Weight returns the weight of the arc. The weight is loaded only if Weight is called.
func (e Edge) Weight() uint32 { return e.weights[e.Index] }

// Common returns how many vertices with a number of at least from have an arc from both ends of e, in a symmetric graph.
// The ends themselves do not count. It looks for each vertex in the row of the end with the smaller degree by binary search in
// the other row. Only schemes that have whole rows in device memory run an algorithm that calls it.
func (e Edge) Common(from uint32) (n uint32) {
	few, many := e.Src, e.Dst
	if e.row[few+1]-e.row[few] > e.row[many+1]-e.row[many] {
		few, many = many, few
	}
	begin, end := e.row[many], e.row[many+1]
	for i := FirstFrom(e.col, e.row[few], e.row[few+1], from); i < e.row[few+1]; i++ {
		w := e.col[i]
		begin = FirstFrom(e.col, begin, end, w)
		if begin == end {
			return n
		}
		if e.col[begin] == w && w != e.Src && w != e.Dst {
			n++
		}
	}
	return n
}

// FirstFrom returns the first index in [begin, end) at which ascending numbers are at least x, or end.
func FirstFrom(numbers []uint32, begin, end, x uint32) uint32 {
	for begin < end {
		middle := begin + (end-begin)/2
		if numbers[middle] < x {
			begin = middle + 1
		} else {
			end = middle
		}
	}
	return begin
}

// Graph is a graph in device memory in compressed sparse row (CSR) form: the arcs of vertex
// u have the indices Row[u] <= e < Row[u+1]; arc e goes to Col[e] and has weight Weight[e].
type Graph struct {
	Row    []uint32 // vertices+1 offsets
	Col    []uint32 // targets, one per arc
	Weight []uint32 // weights, one per arc, or empty
}

// Vertices returns the number of vertices.
func (g Graph) Vertices() uint32 { return gpu.Len(g.Row) - 1 }

// Edge returns the arc with the given index, from src to dst.
func (g Graph) Edge(index, src, dst uint32) Edge {
	return Edge{Index: index, Src: src, Dst: dst, weights: g.Weight, row: g.Row, col: g.Col}
}
