package compare

import (
	"math"
	"slices"

	"github.com/weft-gpu/weft/internal/service/catalog"
)

// The verification states of an answer.
const (
	Verified        = "verified against the CPU reference"
	NoReference     = "not verified: there is no CPU reference for this algorithm"
	NotVerified     = "not verified"
	VerifiedThen    = "verified when it was recorded"
	NotVerifiedThen = "not verified when it was recorded"
)

// answerOf returns the verification state of the answer of a run.
func answerOf(r *catalog.Result) string {
	switch {
	case r.Verified:
		return Verified
	case !r.Reference:
		return NoReference
	}
	return NotVerified
}

// Rounding is the largest relative difference of two floats of an unverified answer: additions in a different order
// differ by less.
const Rounding = 1e-4

// Difference describes how two answers of a run differ.
type Difference struct {
	Vertices int `json:"vertices"` // vertices whose values differ in any bit
	Of       int `json:"of"`       // total number of vertices
	// First is the first of these vertices, with both values.
	First  int `json:"first"`
	FirstA any `json:"first_a"`
	FirstB any `json:"first_b"`
	// Most is the largest difference relative to the larger value; 1 if only one of the two is a number or finite. At
	// is its vertex.
	Most float64 `json:"most"`
	At   int     `json:"at"`
	// Float means that the values are floats, which may differ by rounding.
	Float bool `json:"float"`
}

// Same reports whether the answers are equal to the last bit.
func (d *Difference) Same() bool { return d.Vertices == 0 }

// Rounded reports whether the answers differ by no more than Rounding.
func (d *Difference) Rounded() bool { return d.Float && d.Most <= Rounding }

// Differ compares the answers of both sides; it returns nil if a side has none (a record).
func Differ(a, b Side) *Difference {
	switch x := a.Values.(type) {
	case []uint32:
		return differ(x, b.Values)
	case []int32:
		return differ(x, b.Values)
	case []uint64:
		return differ(x, b.Values)
	case []int64:
		return differ(x, b.Values)
	case []float32:
		return differ(x, b.Values)
	case []float64:
		return differ(x, b.Values)
	}
	return nil
}

type value interface {
	uint32 | int32 | uint64 | int64 | float32 | float64
}

func differ[V value](a []V, other any) *Difference {
	b, ok := other.([]V)
	if !ok || len(a) != len(b) {
		return nil
	}
	_, single := any(a).([]float32)
	_, double := any(a).([]float64)
	d := &Difference{Of: len(a), Float: single || double}
	for i := range a {
		if sameBits(a[i], b[i]) {
			continue
		}
		if d.Vertices++; d.Vertices == 1 {
			d.First, d.FirstA, d.FirstB, d.At = i, shown(a[i]), shown(b[i]), i
		}
		if m := apart(a[i], b[i]); m > d.Most {
			d.Most, d.At = m, i
		}
	}
	return d
}

// sameBits is a == b for values that may be NaN, and distinguishes 0 from -0.
func sameBits[V value](a, b V) bool {
	if x, ok := any(a).(float32); ok {
		return math.Float32bits(x) == math.Float32bits(any(b).(float32))
	}
	if x, ok := any(a).(float64); ok {
		return math.Float64bits(x) == math.Float64bits(any(b).(float64))
	}
	return a == b
}

// apart returns the difference of a and b relative to the larger.
func apart[V value](a, b V) float64 {
	x, y := float64(a), float64(b)
	largest := max(math.Abs(x), math.Abs(y))
	switch d := math.Abs(x - y); {
	case x == y:
		return 0 // 0 and -0, or integers beyond the precision of a float
	case math.IsNaN(d) || math.IsInf(largest, 0):
		return 1
	default:
		return d / largest
	}
}

// shown returns a value that JSON can represent.
func shown[V value](v V) any {
	if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
		switch {
		case x > 0:
			return "+Inf"
		case x < 0:
			return "-Inf"
		}
		return "NaN"
	}
	return v
}

// Judge reports whether differing answers are a failure: they are not if both were verified, or if they differ only by
// rounding.
func Judge(a, b Side, d *Difference) (failed bool) {
	return d != nil && !d.Same() && !d.Rounded() && slices.Contains([]bool{a.Verified, b.Verified}, false)
}
