// Package similar has an algorithm that looks at the neighbors of both ends of an arc and counts no triangles.
package similar

import "github.com/weft-gpu/weft/scheduler"

// Most is the largest number of neighbors that a vertex shares with one of its neighbors.
type Most struct{ scheduler.Max[uint32] }

// Init returns 0.
func (Most) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return 0 }

// Start returns true.
func (Most) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Symmetric returns true.
func (Most) Symmetric() bool { return true }

// Compute returns how many neighbors both ends have.
func (Most) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return e.Common(0), true }

// Apply returns what v has gathered. No value changes later.
func (Most) Apply(v scheduler.Vertex, old, gathered uint32) (uint32, bool) { return gathered, false }
