// Package ticket has an algorithm whose answer depends on who comes first.
package ticket

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// Ticket gives each vertex the number of the first update that it got.
type Ticket struct {
	scheduler.Min[uint32]
	Next []uint32
}

// Init is no ticket, and none is handed out.
func (Ticket) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return ^uint32(0) }

// Start is every vertex.
func (Ticket) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute takes a ticket for the arc's end.
func (a Ticket) Compute(e scheduler.Edge, src uint32) (uint32, bool) {
	return gpu.AtomicAdd(&a.Next[e.Dst/64], 1), true
}
