// Package helped is an algorithm whose device code imports another package of its module.
package helped

import (
	"github.com/weft-gpu/weft/command/testdata/user/helped/step"
	"github.com/weft-gpu/weft/scheduler"
)

// Hops is breadth-first search.
type Hops struct{ scheduler.Min[uint32] }

// Init is 0 at the source.
func (Hops) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return step.Far
}

// Start is the source.
func (Hops) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute is a hop more.
func (Hops) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return step.On(src), true }
