// Package minimax is a graph algorithm of its own: paths whose heaviest arc is as
// light as possible.
package minimax

import "github.com/weft-gpu/weft/scheduler"

// Minimax computes for each vertex the smallest w for which a path from the source
// has no arc of a weight above w: 0 for the source, and None without a path. As
// updates combine by the minimum, it can be pushed and pulled.
type Minimax struct{ scheduler.Min[uint32] }

// None is the value of a vertex that the source does not reach.
const None = ^uint32(0)

// Init returns 0 for the source.
func (Minimax) Init(v scheduler.Vertex, in scheduler.Problem) uint32 {
	if v.ID == in.Source {
		return 0
	}
	return None
}

// Start reports the source.
func (Minimax) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.ID == in.Source }

// Compute returns the heaviest arc on the way through e.
func (Minimax) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	return max(src, e.Weight()), src != None
}
