// Package component has a user's algorithms whose answers are one value for each connected component.
package component

import "github.com/weft-gpu/weft/scheduler"

// Size is the number of vertices in the component. Updates would count a vertex once for each walk to it, so no scheme
// that sends updates gives this answer.
type Size struct{ scheduler.Add[uint32] }

// Init counts the vertex.
func (Size) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return 1 }

// Start is false: there is nothing to send.
func (Size) Start(v scheduler.Vertex, in scheduler.Problem) bool { return false }

// Compute is not used.
func (Size) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return 0, false }

// Symmetric is true: components are those of undirected graphs.
func (Size) Symmetric() bool { return true }

// Spreads is true.
func (Size) Spreads() bool { return true }

// Largest is the largest degree in the component, by label propagation or by union-find.
type Largest struct{ scheduler.Max[uint32] }

// Init is the degree.
func (Largest) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.Degree }

// Start is true for vertices with arcs.
func (Largest) Start(v scheduler.Vertex, in scheduler.Problem) bool { return v.Degree > 0 }

// Compute passes the value on.
func (Largest) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Symmetric is true.
func (Largest) Symmetric() bool { return true }

// Spreads is true.
func (Largest) Spreads() bool { return true }
