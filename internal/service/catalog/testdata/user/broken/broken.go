// Package broken has types that are not algorithms, each for a different reason.
package broken

import (
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Bare has only one method.
type Bare struct{}

// Compute is correct.
func (Bare) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Wrong has a method with another signature and one with a pointer receiver.
type Wrong struct{ scheduler.Min[uint32] }

// Init has a pointer receiver.
func (a *Wrong) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return 0 }

// Start lacks a parameter.
func (Wrong) Start(v scheduler.Vertex) bool { return true }

// Compute is correct.
func (Wrong) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Text is not a number.
type Text struct{ scheduler.Min[uint32] }

// Init returns a type that no vertex can hold.
func (Text) Init(v scheduler.Vertex, in scheduler.Problem) string { return "" }

// Number is not a struct.
type Number uint32

// Fielded has a field that the host cannot set.
type Fielded struct {
	scheduler.Min[uint32]
	limit uint32
}

// Init returns the limit.
func (a Fielded) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return a.limit }

// Start is true for every vertex.
func (Fielded) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns its argument.
func (Fielded) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Mapped has a field of a type that devices do not support.
type Mapped struct {
	scheduler.Min[uint32]
	Names [4]uint32
}

// Init returns one of the names.
func (a Mapped) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return a.Names[0] }

// Start is true for every vertex.
func (Mapped) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns its argument.
func (Mapped) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Generic has a type parameter.
type Generic[T any] struct{ scheduler.Min[uint32] }

// Twice has a field with the name of one that it embeds.
type Twice struct {
	kernels.PageRank
	DAMPING float32
}
