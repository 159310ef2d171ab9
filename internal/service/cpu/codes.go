package cpu

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/weft-gpu/weft/internal/reference"
)

// code solves a problem.
type code struct {
	name string
	run  func(context.Context, *problem) (any, error)
}

// codes are those of an algorithm.
type codes struct {
	sequential []code
	parallel   *code   // nil: there is none
	tolerance  float64 // relative, by which the answers of two codes may differ; 0: they are the same
}

// byAlgorithm has the codes of each algorithm by its name.
var byAlgorithm = map[string]codes{
	"bfs": {sequential: []code{
		{"queue", func(ctx context.Context, p *problem) (any, error) { return reference.BFS(ctx, p.g, p.source) }},
		{"direction-optimising", directionOptimising},
	}, parallel: &code{"direction-optimising", directionOptimising}},
	"parents": {sequential: []code{{"queue", func(ctx context.Context, p *problem) (any, error) {
		_, parents, err := reference.Parents(ctx, p.g, p.source)
		return parents, err
	}}}},
	"paths": {sequential: []code{{"queue", func(ctx context.Context, p *problem) (any, error) {
		_, counts, err := reference.Paths(ctx, p.g, p.source)
		return counts, err
	}}}},
	"bc": {sequential: []code{{"Brandes", func(ctx context.Context, p *problem) (any, error) {
		dependencies, err := reference.BC(ctx, p.g, p.source)
		return reference.Rounded(dependencies), err
	}}}, tolerance: 1e-6},
	"sssp": {sequential: []code{
		{"Dijkstra, heap of four children", func(ctx context.Context, p *problem) (any, error) { return reference.SSSP(ctx, p.g, p.source) }},
		{"delta-stepping", deltaStepping},
	}, parallel: &code{"delta-stepping", deltaStepping}},
	"sswp": {sequential: []code{
		{"Dijkstra, heap of four children", func(ctx context.Context, p *problem) (any, error) { return reference.SSWP(ctx, p.g, p.source) }},
	}},
	"cc":  components,
	"wcc": components,
	"scc": {sequential: []code{{"Tarjan", func(ctx context.Context, p *problem) (any, error) { return reference.SCC(ctx, p.g) }}}},
	"kcore": {sequential: []code{{"Batagelj and Zaversnik", oneCore(func(ctx context.Context, p *problem) (any, error) { return reference.Coreness(ctx, p.g) })}},
		parallel: &code{"peeling by levels", oneCore(peel)}},
	"colouring":     {sequential: []code{{"greedy, largest degree first", greedy}}},
	"pagerank":      ranks,
	"pagerank-pull": ranks,
	"nn":            meansOf("gain", true, func(gain, _, mean float64) float64 { return math.Tanh(gain * mean) }),
	"heat":          meansOf("rate", false, func(rate, old, mean float64) float64 { return old + rate*(mean-old) }),
	"circuit":       meansOf("leak", true, func(leak, _, mean float64) float64 { return mean / (1 + leak) }),
}

var components = codes{
	sequential: []code{{"union-find", func(ctx context.Context, p *problem) (any, error) { return reference.CC(ctx, p.g) }}},
	parallel:   &code{"union-find with compare-and-swap", hooking},
}

// Ranks of both iterations are within epsilon/(1-damping) of the exact ones, which the parameters limit to 1%.
var ranks = codes{sequential: []code{{"pull, Gauss-Seidel", gaussSeidel}, {"pull, Jacobi", jacobi}}, parallel: &code{"pull, Jacobi", jacobi}, tolerance: 0.02}

func meansOf(param string, fixed bool, next func(param, old, mean float64) float64) codes {
	run := means(param, fixed, next)
	return codes{sequential: []code{{"pull, Jacobi", run}}, parallel: &code{"pull, Jacobi", run}}
}

// oneCore returns the code for one core, if the parameter k asks for that, after the coreness of all vertices.
func oneCore(all func(context.Context, *problem) (any, error)) func(context.Context, *problem) (any, error) {
	return func(ctx context.Context, p *problem) (any, error) {
		coreness, err := all(ctx, p)
		if err != nil {
			return nil, err
		}
		k, err := p.number("k")
		if err != nil || k == 0 {
			return coreness, err
		}
		return reference.Core(ctx, p.g, coreness.([]uint32), uint32(k))
	}
}

// greedy colours vertices in the order of their degrees.
func greedy(ctx context.Context, p *problem) (any, error) {
	priority := make([]uint64, p.g.Vertices())
	for v := range priority {
		priority[v] = uint64(p.g.Degree(uint32(v)))<<32 | uint64(uint32(v))
	}
	return reference.GreedyColouring(ctx, p.g, priority)
}

// Algorithms returns the algorithms that have code for processors, in order.
func Algorithms() []string { return slices.Sorted(maps.Keys(byAlgorithm)) }

// Has reports whether an algorithm has code for processors.
func Has(algorithm string) bool {
	_, ok := byAlgorithm[algorithm]
	return ok
}

// same reports whether two answers agree.
func (c *codes) same(a, b any) bool {
	switch a := a.(type) {
	case []uint32:
		return slices.Equal(a, b.([]uint32))
	case []uint64:
		return slices.Equal(a, b.([]uint64))
	case []float32:
		return slices.EqualFunc(a, b.([]float32), func(x, y float32) bool {
			return math.Abs(float64(x-y)) <= c.tolerance*math.Abs(float64(cmp.Or(y, x)))
		})
	}
	return false
}
