// Package linked is an algorithm that a program brings along, with a host half
// and a package that its device code imports.
package linked

import (
	"github.com/weft-gpu/weft/experiments/catalog/testdata/linked/hop"
	"github.com/weft-gpu/weft/scheduler"
)

// Near is how many arcs a vertex is from the nearest one whose number Step divides.
type Near struct {
	scheduler.Min[uint32]
	Step uint32 `default:"7"`
}

// Init is 0 at each start.
func (a Near) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID%a.Step == 0 {
		return 0
	}
	return hop.Far
}

// Start is each of these vertices.
func (a Near) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID%a.Step == 0 }

// Compute is an arc more.
func (a Near) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return hop.On(src) }

// Symmetric says that arcs count both ways.
func (a Near) Symmetric() bool { return true }
