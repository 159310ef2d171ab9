package kernels

import "github.com/weft-gpu/weft/scheduler"

// Parents is breadth-first search that records predecessors: the value of a vertex is its level, as
// in [BFS], in the upper 32 bits, and in the lower ones its predecessor, a vertex of the level before
// with an arc to it. The source is its own predecessor.
//
// Of several such vertices the one with the smallest number is the predecessor: updates of a smaller
// level win, and among those of one level the smallest number. So the answer does not depend on which
// update comes first, as it does in a search that keeps the first one.
//
// A later update of an iteration may replace the predecessor, but the level is final, and targets get
// their values from the level alone. So a vertex joins the frontier when its level changes, at most
// once in an iteration. A gather cannot stop at the first neighbor: it looks for the smallest.
//
// Sources: ECE 508 lecture 7 ("Sequential BFS is Efficient!": a search labels each node with its
// distance, its predecessor, or both). Graph 500 and GAP ask for the predecessors.
type Parents struct{ scheduler.Min[uint64] }

// Init returns level 0 for the source, which is its own predecessor, and no level for all other
// vertices.
func (a Parents) Init(v scheduler.Vertex, in scheduler.Problem) uint64 {
	if v.ID == in.Source {
		return uint64(v.ID)
	}
	return a.Identity()
}

// Start reports whether v is the source.
func (Parents) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the level after that of src, with the source of the arc.
func (a Parents) Compute(e scheduler.Edge, src uint64) (uint64, bool) {
	return (src>>32+1)<<32 | uint64(e.Src), src != a.Identity()
}

// Active reports whether the level changed: another predecessor alone changes nothing that the vertex
// sends.
func (Parents) Active(v uint32, old, new uint64) bool { return old>>32 != new>>32 }

// Unique returns true: all updates of an iteration have one level, so that a level changes at most
// once.
func (Parents) Unique() bool { return true }

// Reaches returns true: all predecessors that a vertex may have send in the iteration that reaches it first.
func (Parents) Reaches() bool { return true }
