package compare

import "github.com/weft-gpu/weft/internal/core/counter"

// Kind is the kind of a side of a comparison.
type Kind string

const (
	Simulated  Kind = "simulated"
	Functional Kind = "functional" // counts operations of the Program, and has no clock
	GPU        Kind = "GPU"
	Record     Kind = "record" // a recorded GPU
)

// silicon reports whether a side was measured on a GPU.
func (k Kind) silicon() bool { return k == GPU || k == Record }

// The words for the difference of two sides.
const (
	MeasureError      = "error"      // of a model from a GPU
	MeasureDifference = "difference" // between two models, or two GPUs
)

// Measure returns the word for the difference of a from b: it is an error only if a is a model of a machine and b was
// measured on one.
func Measure(a, b Kind) string {
	if a == Simulated && b.silicon() {
		return MeasureError
	}
	return MeasureDifference
}

// Incomparable returns why a counter of two sides is not comparable; "" if it is.
func Incomparable(name string, a, b Kind) string {
	if a.silicon() == b.silicon() {
		return ""
	}
	return counter.Apart(name)
}
