package reference

import (
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/graph"
)

// BC returns the dependency of src on each vertex (Brandes 2001): the sum, over all other vertices t, of the share of the shortest
// paths from src to t, by arcs, that pass the vertex. src itself has 0. It is an error if a vertex has more shortest paths than a
// float64 can count.
func BC(ctx context.Context, g *graph.CSR, src uint32) ([]float64, error) {
	levels := make([]uint32, g.Vertices())
	for v := range levels {
		levels[v] = Unreached
	}
	paths, dependency := make([]float64, g.Vertices()), make([]float64, g.Vertices())
	levels[src], paths[src] = 0, 1
	order := []uint32{src} // by level
	for i := 0; i < len(order); i++ {
		if err := poll(ctx, i); err != nil {
			return nil, err
		}
		u := order[i]
		if math.IsInf(paths[u], 0) {
			return nil, fmt.Errorf("bc: more shortest paths lead to vertex %d than a float64 can count", g.FileID(u))
		}
		for _, v := range g.Neighbors(u) {
			if levels[v] == Unreached {
				levels[v] = levels[u] + 1
				order = append(order, v)
			}
			if levels[v] == levels[u]+1 {
				paths[v] += paths[u]
			}
		}
	}
	for i := len(order) - 1; i > 0; i-- {
		if err := poll(ctx, i); err != nil {
			return nil, err
		}
		u := order[i]
		for _, v := range g.Neighbors(u) {
			if levels[v] == levels[u]+1 {
				dependency[u] += paths[u] / paths[v] * (1 + dependency[v])
			}
		}
	}
	return dependency, nil
}

// Rounded returns numbers as float32, which is what answers have.
func Rounded(list []float64) []float32 {
	short := make([]float32, len(list))
	for i, x := range list {
		short[i] = float32(x)
	}
	return short
}

// CheckBC compares dependencies with BC. All terms are positive, so that a sum or a product of float64 adds half of an ulp to the
// relative error of its terms: the number of paths to a vertex of level l has l sums of at most as many terms as a vertex has arcs,
// and a dependency as many again, each with three further operations. If a value is further off than that, on either side, and
// the rounding to float32 say, the error is a *Mismatch.
func CheckBC(ctx context.Context, g *graph.CSR, src uint32, got []float32) (graph.Tolerance, error) {
	if err := lengthError("bc", len(got), g.Vertices()); err != nil {
		return graph.Tolerance{}, err
	}
	want, err := kept(ctx, answerOf{"bc", g, src}, func() ([]float64, error) { return BC(ctx, g, src) })
	if err != nil {
		return graph.Tolerance{}, err
	}
	levels, err := kept(ctx, answerOf{"bfs", g, src}, func() ([]uint32, error) { return BFS(ctx, g, src) })
	if err != nil {
		return graph.Tolerance{}, err
	}
	in := make([]int, g.Vertices())
	for _, v := range g.Col {
		in[v]++
	}
	deepest, widest := 0, 0
	for v, l := range levels {
		if l != Unreached {
			deepest, widest = max(deepest, int(l)), max(widest, g.Degree(uint32(v)), in[v])
		}
	}
	limit := 0x1p-24 + 2*0x1p-53*float64(2*deepest)*float64(widest+3)
	t := graph.Tolerance{Allowed: limit, MeanAllowed: limit, Rule: "rounding of sums in float64, and of the answer to float32"}
	var m *Mismatch
	for v, x := range want {
		off := math.Abs(float64(got[v]) - x)
		if off <= limit*x {
			t.Seen = max(t.Seen, off/max(x, math.SmallestNonzeroFloat64))
			continue
		}
		if m == nil {
			m = mismatch(g, "bc", v, fmt.Sprintf("dependency %g", got[v]), fmt.Sprintf("dependency %g", x))
			m.Limit = fmt.Sprintf("%.2g", limit*x)
		}
		m.Wrong++
	}
	if m != nil {
		return t, m
	}
	return t, nil
}
