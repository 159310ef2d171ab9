// Package adopt is an algorithm that is pulled: a type in a directory, with a
// reference beside it. Run it by
//
//	weft run ./examples/adopt.Adoption --scheduler warp
package adopt

import "github.com/weft-gpu/weft/scheduler"

// Adoption is how a habit spreads in a network (bootstrap percolation): each
// vertex whose number Every divides has it, and a vertex adopts it when K of its
// in-neighbours have. The value of a vertex is K if it has the habit, and else
// how many of its in-neighbours have.
type Adoption struct {
	scheduler.Add[uint32]
	K     uint32 `default:"3"`
	Every uint32 `default:"10"`
}

// Init is K for a vertex that has the habit from the beginning.
func (a Adoption) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID%a.Every == 0 {
		return a.K
	}
	return 0
}

// Start is every vertex; a pull visits all.
func (Adoption) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute is one for an in-neighbour that has the habit.
func (a Adoption) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return 1, src >= a.K }

// Apply counts up to K, from 0 in each iteration: it ignores the old value. The
// run goes on while a vertex adopts the habit.
func (a Adoption) Apply(v scheduler.Vertex, old, gathered uint32) (uint32, bool) {
	return min(gathered, a.K), gathered >= a.K
}

// EarlyEnd is true: a count of K decides.
func (Adoption) EarlyEnd() bool { return true }

// Settled reports a vertex that has the habit, or a count that is enough for it.
func (a Adoption) Settled(x uint32) bool { return x >= a.K }
