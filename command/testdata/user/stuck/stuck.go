// Package stuck has algorithms that do not end well.
package stuck

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Hang waits for a flag that nobody raises.
type Hang struct {
	scheduler.Min[uint32]
	Flag []uint32
}

// Init is the vertex's number.
func (Hang) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start is every vertex.
func (Hang) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute waits.
func (a Hang) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	for gpu.Load(&a.Flag[0]) == 0 {
	}
	return src, true
}

// Endless counts for ever: it never ends, and is no hang either.
type Endless struct {
	scheduler.Min[uint32]
	Count []uint32
}

// Init is the vertex's number.
func (Endless) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start is every vertex.
func (Endless) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute counts.
func (a Endless) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	for gpu.AtomicAdd(&a.Count[0], 1)+1 != 0 {
		gpu.AtomicAdd(&a.Count[0], 1)
	}
	return src, true
}

// Outside reads past its array.
type Outside struct {
	scheduler.Min[uint32]
	Seen []uint32
}

// Init is the vertex's number.
func (Outside) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start is every vertex.
func (Outside) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute looks at the arc's element of an array that has one a vertex.
func (a Outside) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	return a.Seen[e.Index], true
}
