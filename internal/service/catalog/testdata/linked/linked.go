// Package linked is an algorithm added by a program, with a host half and a package that its device code imports.
package linked

import (
	"github.com/weft-gpu/weft/internal/service/catalog/testdata/linked/hop"
	"github.com/weft-gpu/weft/scheduler"
)

// Near is the number of arcs from a vertex to the nearest vertex whose number is a multiple of Step.
type Near struct {
	scheduler.Min[uint32]
	Step uint32 `default:"7"`
}

// Init is 0 at each start vertex.
func (a Near) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID%a.Step == 0 {
		return 0
	}
	return hop.Far
}

// Start is true for each of these vertices.
func (a Near) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID%a.Step == 0 }

// Compute adds one arc.
func (a Near) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return hop.On(src) }

// Symmetric declares that arcs count in both directions.
func (a Near) Symmetric() bool { return true }
