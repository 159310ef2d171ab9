// Package kcore is a user's k-core decomposition for one k.
package kcore

import "github.com/weft-gpu/weft/scheduler"

// KCore removes vertices with fewer than K neighbours until none is left: the value of a vertex is the number of its
// neighbours when it was removed, or at the end. Vertices with at least K neighbours are the core.
type KCore struct {
	scheduler.Add[int32]
	K int32 `default:"16"`
}

// Init is the degree.
func (a KCore) Init(v scheduler.Vertex, in scheduler.Problem) int32 { return int32(v.Degree) }

// Start is true for every vertex with too few neighbours.
func (a KCore) Start(v scheduler.Vertex, in scheduler.Problem) bool { return int32(v.Degree) < a.K }

// Compute removes one neighbour.
func (a KCore) Compute(e scheduler.Edge, src int32) (int32, bool) { return -1, true }

// Active is true for the step from K to K-1, which happens once.
func (a KCore) Active(v uint32, old, new int32) bool { return old >= a.K && new < a.K }

// Unique is true for that reason.
func (a KCore) Unique() bool { return true }
