// Package adopt is an algorithm that is pulled: one type in a directory, with a reference
// beside it. Run it with
//
//	weft run ./examples/adopt.Adoption --scheduler warp
package adopt

import "github.com/weft-gpu/weft/scheduler"

// Adoption is bootstrap percolation: how a habit spreads in a network. Each vertex whose
// number is a multiple of Every starts with the habit; every other vertex adopts it when K
// of its in-neighbors have it. The value of a vertex is K if it has the habit, and
// otherwise the number of its in-neighbors that have it.
type Adoption struct {
	scheduler.Add[uint32]
	K     uint32 `default:"3"`
	Every uint32 `default:"10"`
}

// Init returns K for a vertex that starts with the habit, and 0 for all others.
func (a Adoption) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID%a.Every == 0 {
		return a.K
	}
	return 0
}

// Start returns true; a pull scheme visits all vertices.
func (Adoption) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns 1 if the in-neighbor has the habit.
func (a Adoption) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return 1, src >= a.K }

// Apply returns the number of in-neighbors with the habit, limited to K; it ignores the old
// value. The run continues while a vertex adopts the habit.
func (a Adoption) Apply(v scheduler.Vertex, old, gathered uint32) (uint32, bool) {
	return min(gathered, a.K), gathered >= a.K
}

// EarlyEnd returns true: a count of K is decisive.
func (Adoption) EarlyEnd() bool { return true }

// Settled reports whether the vertex has the habit, or the count suffices for it.
func (a Adoption) Settled(x uint32) bool { return x >= a.K }
