// Package blocky has an algorithm with a parameter that schemes have as well, and one that can only be pulled.
package blocky

import "github.com/weft-gpu/weft/scheduler"

// Levels is breadth-first search with steps of Block.
type Levels struct {
	scheduler.Min[uint32]
	Block uint32 `default:"1"`
}

// Init is 0 at the source.
func (Levels) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return 1 << 30
}

// Start is true for the source.
func (Levels) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute adds one step.
func (a Levels) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	return src + a.Block, src < 1<<30
}

// Heat is the warmth of a vertex that loses half of what its neighbours give.
type Heat struct {
	scheduler.Add[float32]
	Rounds []uint32
}

// Init is 1 at the source.
func (Heat) Init(v scheduler.Vertex, in scheduler.Problem) float32 {
	if v.ID == in.Source {
		return 1
	}
	return 0
}

// Start is true for every vertex.
func (Heat) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns the neighbour's warmth.
func (Heat) Compute(e scheduler.Edge, src float32) (float32, bool) { return src, true }

// Apply takes a quarter of the neighbours' warmth, five times.
func (a Heat) Apply(v scheduler.Vertex, old, gathered float32) (float32, bool) {
	a.Rounds[v.ID]++
	return gathered / 4, a.Rounds[v.ID] < 5
}
