package compare

import "github.com/weft-gpu/weft/internal/counter"

// Kind is what a side of a comparison is.
type Kind string

const (
	Simulated  Kind = "simulated"
	Functional Kind = "functional" // counts operations of the Program, and has no clock
	GPU        Kind = "GPU"
	Record     Kind = "record" // of a GPU
)

// silicon reports that a side was measured on a GPU.
func (k Kind) silicon() bool { return k == GPU || k == Record }

// The words for how far two sides are apart.
const (
	MeasureError      = "error"      // of a model against what a GPU did
	MeasureDifference = "difference" // of two models, or two GPUs
)

// Measure says what the difference of a from b is: an error only where a is a
// model of a machine and b was measured on one.
func Measure(a, b Kind) string {
	if a == Simulated && b.silicon() {
		return MeasureError
	}
	return MeasureDifference
}

// Incomparable is why a counter of two sides does not compare; "" where it does.
func Incomparable(name string, a, b Kind) string {
	if a.silicon() == b.silicon() {
		return ""
	}
	return counter.Apart(name)
}
