package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// Relaxation is an iteration in which all vertices at once get a new value from their own and
// from the mean of their in-neighbors, weighted by the arcs. First the source has 1 and
// every other vertex 0. A vertex whose incoming arcs weigh nothing keeps its value.
type Relaxation struct {
	Algorithm, Value string // for messages: "heat", "temperature"
	Fixed            bool   // the source keeps its value
	Next             func(old, mean float64) float64
	// Old and Mean are the most that Next changes by if old or mean change by 1. Their sum is
	// at most 1.
	Old, Mean float64
	Rounds    int     // number of iterations that the device made
	Epsilon   float64 // the largest change of a value in the last one
}

// Rounding in float32, beside unit.
const (
	tiny     = 1e-37     // of a result that underflows
	byNext   = 10 * unit // of Next, relative to the sum of its arguments and its result
	byWeight = 8         // roundings of a mean beside two for each arc
)

// CheckRelaxation compares the values of a device, which computes in float32, with those of
// the same number of iterations in float64. The largest possible error is computed for each
// vertex: the rounding errors of sums in any order, of Next, and those of earlier iterations.
// Errors are relative to the value with which the source starts, 1.
//
// If a value is further from the reference than that, the error is a *Mismatch. If the
// possible error is so large that a comparison is meaningless, it is a *NoBoundError. An
// iteration that ended although values still changed by more than Epsilon is an error, too.
func CheckRelaxation(ctx context.Context, g *graph.CSR, src uint32, r Relaxation, got []float32) (graph.Tolerance, error) {
	n := g.Vertices()
	if err := checkSource(g, src); err != nil {
		return graph.Tolerance{}, err
	}
	if err := lengthError(r.Algorithm, len(got), n); err != nil {
		return graph.Tolerance{}, err
	}
	if g.Weight == nil && g.Arcs() > 0 {
		return graph.Tolerance{}, fmt.Errorf("graph %s: %w", g.Name, ErrNoWeights)
	}
	if err := memory.Need(memory.Bytes[[4]float64](uint64(n)), "the reference of %s on graph %q", r.Algorithm, g.Name); err != nil {
		return graph.Tolerance{}, err
	}
	in, err := g.Transpose(ctx)
	if err != nil {
		return graph.Tolerance{}, err
	}
	now, next := newBounded(n), newBounded(n)
	now.value[src] = 1
	for round := 1; round <= r.Rounds; round++ {
		moved, err := r.round(ctx, in, src, now, next)
		if err != nil {
			return graph.Tolerance{}, err
		}
		now, next = next, now
		if round == r.Rounds && moved > r.Epsilon {
			return graph.Tolerance{}, fmt.Errorf("%s: the run ended although a value changed by %.3g, which is more than %g", r.Algorithm, moved, r.Epsilon)
		}
	}
	return r.compare(g, now, got)
}

// bounded are values with bounds of the error that they have on a device.
type bounded struct{ value, err []float64 }

func newBounded(n int) bounded { return bounded{make([]float64, n), make([]float64, n)} }

// bytes returns the size of the values in memory.
func (b bounded) bytes() uint64 { return memory.Bytes[[2]float64](uint64(len(b.value))) }

// round computes one iteration. It returns the largest change less what may be rounding.
func (r Relaxation) round(ctx context.Context, in *graph.CSR, src uint32, now, next bounded) (moved float64, err error) {
	for v := range now.value {
		if err := poll(ctx, v); err != nil {
			return 0, err
		}
		old := now.value[v]
		next.value[v], next.err[v] = old, now.err[v]
		var total, sum, off float64
		from := in.Neighbors(uint32(v))
		for i, u := range from {
			w := float64(in.Weights(uint32(v))[i])
			total += w
			sum += w * now.value[u]
			off += w * now.err[u]
		}
		if total == 0 || r.Fixed && uint32(v) == src {
			continue
		}
		mean := sum / total
		x := r.Next(old, mean)
		rounding := float64(2*len(from)+byWeight) * unit * (mean + off/total)
		next.value[v] = x
		next.err[v] = r.Old*now.err[v] + r.Mean*(off/total+rounding) + byNext*(math.Abs(old)+math.Abs(mean)+math.Abs(x)) + tiny
		moved = max(moved, math.Abs(x-old)-next.err[v]-now.err[v])
	}
	return moved, nil
}

// compare compares the values of a device with those computed.
func (r Relaxation) compare(g *graph.CSR, want bounded, got []float32) (graph.Tolerance, error) {
	return compareBounded(g, boundedAnswer{r.Algorithm, r.Value, "rounding of float32, of the value with which the source starts"}, want, got)
}

// boundedAnswer says what is compared: "heat", "temperature", and where the bounds come from.
type boundedAnswer struct{ algorithm, value, rule string }

// compareBounded compares the values of a device with those computed, each with a bound of
// its own.
func compareBounded(g *graph.CSR, a boundedAnswer, want bounded, got []float32) (graph.Tolerance, error) {
	t := graph.Tolerance{Rule: a.rule}
	var m *Mismatch
	for v, x := range want.value {
		if t.Allowed = max(t.Allowed, want.err[v]); !(want.err[v] <= largestBound) {
			return graph.Tolerance{}, &NoBoundError{a.algorithm, g.FileID(uint32(v)), want.err[v]}
		}
		t.MeanAllowed += want.err[v] / float64(len(got))
		off := math.Abs(float64(got[v]) - x)
		if off <= want.err[v] {
			t.Seen = max(t.Seen, off)
			continue
		}
		if m == nil {
			m = mismatch(g, a.algorithm, v, fmt.Sprintf("%s %v", a.value, got[v]), fmt.Sprintf("%s %v", a.value, float32(x)))
			m.Limit = fmt.Sprintf("%.3g", want.err[v])
		}
		m.Wrong++
	}
	if m != nil {
		return t, m
	}
	return t, nil
}
