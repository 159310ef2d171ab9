package reference

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// BP is belief propagation with one belief for each vertex:
//
//	belief(v) = Prior(v) + sum over arcs u -> v of 2*atanh(t * tanh(belief(u)/2))
//
// where t is Coupling times the weight of the arc, divided by the weights of all arcs to v. A
// vertex whose incoming arcs weigh nothing keeps its prior.
type BP struct {
	Prior    func(v uint32) float64
	Coupling float64 // below 1
	Epsilon  float64 // the device stopped when no belief changed by more
}

// Beliefs returns the fixed point, within 1e-12 and the rounding of float64.
func (b BP) Beliefs(ctx context.Context, g *graph.CSR) ([]float64, error) {
	w, err := newBeliefs(ctx, g, b)
	if err != nil {
		return nil, err
	}
	return w.fixed(ctx)
}

// CheckBP compares beliefs of a device, which computes in float32, with the fixed point in
// float64. The largest possible error is computed for each vertex: what the last change, of
// at most Epsilon, would still have changed, and the rounding errors, both propagated along
// all arcs. Errors are absolute, in log-odds.
//
// If a belief is further from the reference than that, the error is a *Mismatch. If the
// possible error is so large that a comparison is meaningless, it is a *NoBoundError.
func CheckBP(ctx context.Context, g *graph.CSR, b BP, got []float32) (graph.Tolerance, error) {
	if err := lengthError("bp", len(got), g.Vertices()); err != nil {
		return graph.Tolerance{}, err
	}
	want, err := memo.Do(ctx, b.key(g), bounded.bytes, func() (bounded, error) { return b.bounded(ctx, g) })
	if err != nil {
		return graph.Tolerance{}, err
	}
	return compareBounded(g, boundedAnswer{"bp", "belief", "in log-odds: what epsilon leaves and the rounding of float32, propagated along all arcs"}, want, got)
}

// bounded returns the beliefs with bounds of the error that they have on a device.
func (b BP) bounded(ctx context.Context, g *graph.CSR) (bounded, error) {
	w, err := newBeliefs(ctx, g, b)
	if err != nil {
		return bounded{}, err
	}
	want, err := w.fixed(ctx)
	if err != nil {
		return bounded{}, err
	}
	errs, err := w.errors(ctx, want)
	return bounded{want, errs}, err
}

// beliefsOf is the key of beliefs that a memo keeps.
type beliefsOf struct {
	g                 *graph.CSR
	coupling, epsilon float64
	priors            uint64 // a hash of those of all vertices
}

// key returns the key of the beliefs on a graph.
func (b BP) key(g *graph.CSR) beliefsOf {
	h := fnv.New64a()
	var bits [8]byte
	for v := range g.Vertices() {
		binary.LittleEndian.PutUint64(bits[:], math.Float64bits(b.Prior(uint32(v))))
		_, _ = h.Write(bits[:]) // never fails
	}
	return beliefsOf{g, b.Coupling, b.Epsilon, h.Sum64()}
}

// beliefs computes beliefs of a graph.
type beliefs struct {
	BP
	in    *graph.CSR
	total []float64 // the weights of the incoming arcs of each vertex
}

func newBeliefs(ctx context.Context, g *graph.CSR, b BP) (*beliefs, error) {
	if !(b.Coupling > 0 && b.Coupling < 1) {
		return nil, fmt.Errorf("coupling is %g; expected a number between 0 and 1", b.Coupling)
	}
	if g.Weight == nil && g.Arcs() > 0 {
		return nil, fmt.Errorf("graph %s: %w", g.Name, ErrNoWeights)
	}
	if err := memory.Need(memory.Bytes[[6]float64](uint64(g.Vertices())), "the reference of bp on graph %q", g.Name); err != nil {
		return nil, err
	}
	in, err := g.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	w := &beliefs{b, in, make([]float64, g.Vertices())}
	for v := range w.total {
		for _, weight := range in.Weights(uint32(v)) {
			w.total[v] += float64(weight)
		}
	}
	return w, nil
}

// arcs calls f for each arc to v that weighs something, with its source and correlation.
func (w *beliefs) arcs(v int, f func(u uint32, t float64)) {
	weights := w.in.Weights(uint32(v))
	for i, u := range w.in.Neighbors(uint32(v)) {
		if weights[i] > 0 {
			f(u, w.Coupling*float64(weights[i])/w.total[v])
		}
	}
}

// fixed iterates until all further iterations together would change no belief by more than
// 1e-12. Each change is at most Coupling times the one before.
func (w *beliefs) fixed(ctx context.Context) ([]float64, error) {
	const small = 1e-12
	n := len(w.total)
	now, next, mean := make([]float64, n), make([]float64, n), make([]float64, n)
	for v := range now {
		now[v] = w.Prior(uint32(v))
	}
	for moved := math.Inf(1); moved*w.Coupling > small*(1-w.Coupling); {
		for v, b := range now {
			mean[v] = math.Tanh(b / 2)
		}
		moved = 0
		for v := range next {
			if err := poll(ctx, v); err != nil {
				return nil, err
			}
			next[v] = w.Prior(uint32(v))
			w.arcs(v, func(u uint32, t float64) { next[v] += 2 * math.Atanh(t*mean[u]) })
			moved = max(moved, math.Abs(next[v]-now[v]))
		}
		now, next = next, now
	}
	return now, nil
}

// errors returns how far the beliefs of a device may be from the fixed point x. An error y of
// the source changes a message by at most t*y, so errors of all vertices are at most the
// solution of
//
//	y(v) = rounding(v) + sum over arcs u -> v of t*(Epsilon + y(u))
//
// It begins with a number that is too large for every vertex, and each iteration makes them
// smaller and none too small.
func (w *beliefs) errors(ctx context.Context, x []float64) ([]float64, error) {
	const rounds = 40
	n := len(x)
	rounding, now, next := make([]float64, n), make([]float64, n), make([]float64, n)
	worst := 0.0
	for v := range x {
		if err := poll(ctx, v); err != nil {
			return nil, err
		}
		rounding[v] = w.rounding(v, x)
		worst = max(worst, rounding[v])
	}
	for v := range now {
		now[v] = (worst + w.Coupling*w.Epsilon) / (1 - w.Coupling)
	}
	for range rounds {
		for v := range next {
			if err := poll(ctx, v); err != nil {
				return nil, err
			}
			next[v] = rounding[v]
			w.arcs(v, func(u uint32, t float64) { next[v] += t * (w.Epsilon + now[u]) })
		}
		now, next = next, now
	}
	return now, nil
}

// rounding returns the largest error of belief v in one iteration in float32, if the beliefs
// are those of x, within largestBound. With k incoming arcs, the argument
// of atanh has k+1 roundings in the sum of weights, one in the scale, two in products, and
// six in tanh; the logarithm has three in its argument and two in its result. Each message
// may be rounded k times in the sum, and the belief once.
func (w *beliefs) rounding(v int, x []float64) float64 {
	var lost, messages float64
	k := float64(w.in.Degree(uint32(v)))
	w.arcs(v, func(u uint32, t float64) {
		arg := t * math.Tanh((math.Abs(x[u])+largestBound)/2)
		message := 2 * math.Atanh(arg)
		lost += 2*arg/(1-arg*arg)*(k+10) + 3 + 2*message
		messages += message
	})
	if messages == 0 {
		return 0 // the prior is exact
	}
	return unit * (lost + k*messages + math.Abs(x[v]) + largestBound)
}
