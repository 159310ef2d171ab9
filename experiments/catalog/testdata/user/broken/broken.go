// Package broken holds types that are no algorithms, each for a reason of its own.
package broken

import (
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Bare has no methods but one.
type Bare struct{}

// Compute is there.
func (Bare) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Wrong has a method of another signature and one with a pointer receiver.
type Wrong struct{ scheduler.Min[uint32] }

// Init wants a pointer.
func (a *Wrong) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return 0 }

// Start lacks a parameter.
func (Wrong) Start(v scheduler.Vertex) bool { return true }

// Compute is as it should be.
func (Wrong) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Text is no number.
type Text struct{ scheduler.Min[uint32] }

// Init returns what no vertex can hold.
func (Text) Init(v scheduler.Vertex, in scheduler.Problem) string { return "" }

// Number is not a struct.
type Number uint32

// Fielded has a field that the host cannot set.
type Fielded struct {
	scheduler.Min[uint32]
	limit uint32
}

// Init is the limit.
func (a Fielded) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return a.limit }

// Start is every vertex.
func (Fielded) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute passes on.
func (Fielded) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Mapped has a field that no device holds.
type Mapped struct {
	scheduler.Min[uint32]
	Names [4]uint32
}

// Init is one of the names.
func (a Mapped) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return a.Names[0] }

// Start is every vertex.
func (Mapped) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute passes on.
func (Mapped) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Generic has a type parameter.
type Generic[T any] struct{ scheduler.Min[uint32] }

// Twice has a field of the name of one that it embeds.
type Twice struct {
	kernels.PageRank
	DAMPING float32
}
