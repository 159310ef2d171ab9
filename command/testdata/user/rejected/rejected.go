// Package rejected uses what a GPU cannot do.
package rejected

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Broken looks up a map in its Compute.
type Broken struct{ scheduler.Min[uint32] }

// Init is the vertex's number.
func (Broken) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start is every vertex.
func (Broken) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute is what no device can do.
func (Broken) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	m := map[uint32]uint32{e.Src: src}
	return m[e.Dst], true
}

// Appends grows a slice.
func Appends(t gpu.Thread, s []uint32) {
	s = append(s, t.Idx())
	s[0] = 1
}
