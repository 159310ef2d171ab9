package scheduler

import "github.com/weft-gpu/weft/gpu"

// Speculative is an algorithm that chooses the value of a vertex from the values of its
// neighbors while those may be changing too, and repairs conflicts afterwards: speculative
// greedy colouring (Gebremedhin and Manne, 2000; Atos, ICPP 2022, section 5.3).
//
// Such a type has a method Symmetric that returns true: in a symmetric graph the arcs of
// the row of v are at the same time those that enter v and those that leave it. A scheme
// passes them as entering arcs: e.Dst is v, and e.Src is the neighbor. e.Index is that of
// the arc or of its opposite.
//
// A scheme chooses the value of v in this way, where x begins as the present value of v:
//
//	for done := false; !done; {
//		gathered := alg.Identity()
//		for each arc e that enters v {
//			gathered = alg.Combine(gathered, alg.Guess(e, value of e.Src, x))
//		}
//		x, done = alg.Choose(v, x, gathered)
//	}
//	value of v = x
//
// Values in between are not stored, so no other vertex sees them. Later it asks Conflict for
// both directions of each edge of v, and chooses the value of the vertex that lost once more.
// It first does this for each vertex for which Start returns true, with the values of Init.
//
// Compute, Update, Take, Active and Apply take no part in it. They are what the schemes run
// that do not know this interface.
type Speculative[V gpu.Num] interface {
	Algorithm[V]
	// Guess returns what the neighbor e.Src, with value src, excludes for e.Dst, whose own
	// value is dst, such as a bit for a colour. It returns Identity if it excludes nothing,
	// as for a neighbor without a value. src may be out of date.
	Guess(e Edge, src, dst V) V
	// Choose returns the value of v that is allowed by what its neighbors exclude. If done
	// is false, there is none yet, and the neighbors are asked again with the returned
	// value in place of the old one, such as a mark that asks for the next 32 colours.
	Choose(v Vertex, old, gathered V) (value V, done bool)
	// Conflict reports whether the values at the ends of e exclude each other and e.Dst is
	// the one that has to choose again. For two values that exclude each other it must
	// return true for exactly one direction of the edge, and the vertices that win must be
	// those that come first in some order which stays the same during a run. So the first
	// vertex chooses once, the second at most once more after that, and the run ends.
	Conflict(e Edge, src, dst V) bool
}
