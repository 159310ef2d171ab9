// Package mistaken has algorithms that compile and cannot be what their author means.
package mistaken

import "github.com/weft-gpu/weft/scheduler"

// base has the methods that are correct in all types of this package.
type base struct{ scheduler.Min[uint32] }

// Init returns the number of the vertex.
func (base) Init(v scheduler.Vertex, in scheduler.Problem) uint32 { return v.ID }

// Start is true for every vertex.
func (base) Start(v scheduler.Vertex, in scheduler.Problem) bool { return true }

// Compute returns its argument.
func (base) Compute(e scheduler.Edge, src uint32) (uint32, bool) { return src, true }

// Misspelled lacks a letter.
type Misspelled struct{ base }

// Symetric is not Symmetric.
func (Misspelled) Symetric() bool { return true }

// Prefixed has a method of another name than it inherits.
type Prefixed struct{ base }

// IsActive is not Active.
func (Prefixed) IsActive(v uint32, old, new uint32) bool { return new < old/2 }

// Counted has a Symmetric of another signature.
type Counted struct{ base }

// Symmetric returns no bool.
func (Counted) Symmetric() uint32 { return 1 }

// Split combines in one way and updates in another.
type Split struct{ base }

// Combine is not the minimum.
func (Split) Combine(a, b uint32) uint32 { return a | b }

// Endless has a Settled that is never called.
type Endless struct{ base }

// Settled is true for the smallest value.
func (Endless) Settled(x uint32) bool { return x == 0 }

// Helped has methods whose names are like those that it inherits, for its own use, and a
// Combine that only a pull calls; nothing is wrong with it.
type Helped struct{ base }

// Combine is not the minimum.
func (Helped) Combine(a, b uint32) uint32 { return a | b }

// Apply calls the others.
func (h Helped) Apply(v scheduler.Vertex, old, gathered uint32) (uint32, bool) {
	return h.combined(old, gathered, 1), h.actives(old) != 0
}

// combined has another signature than Combine.
func (Helped) combined(a, b, c uint32) uint32 { return a | b | c }

// actives has another signature than Active.
func (Helped) actives(x uint32) uint32 { return x & 1 }

// Alone says that updates are alike, but not that the first one is final.
type Alone struct{ base }

// Alike returns true.
func (Alone) Alike() bool { return true }
