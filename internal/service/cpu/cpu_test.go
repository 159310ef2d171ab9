package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
)

// params are the defaults of the algorithms' parameters.
var params = map[string]string{"k": "0", "damping": "0.85", "epsilon": "0.0001", "gain": "0.9", "rate": "0.5", "leak": "0.1"}

// graphs returns graphs of several shapes: directed and not, of small and of large diameter, in several parts.
func graphs(t *testing.T) (list []*graph.CSR) {
	for _, spec := range []string{"rmat:scale=11,degree=16,seed=1", "rmat:scale=8,degree=2,seed=3", "grid:width=60,keep=0.7,seed=1", "uniform:n=3000,degree=3,seed=2"} {
		g, _, err := graph.Open(t.Context(), spec, graph.LoadOptions{})
		require.NoError(t, err)
		g, _, err = g.WithWeights(t.Context())
		require.NoError(t, err)
		closure, err := g.Symmetrize(t.Context())
		require.NoError(t, err)
		list = append(list, g, closure)
	}
	return list
}

// TestCodes compares every code, with one and with many workers, with the reference.
func TestCodes(t *testing.T) {
	ctx := t.Context()
	want := func(algorithm string, g *graph.CSR, source uint32) any {
		var x any
		var err error
		switch algorithm {
		case "bfs":
			x, err = reference.BFS(ctx, g, source)
		case "parents":
			_, x, err = reference.Parents(ctx, g, source)
		case "paths":
			_, x, err = reference.Paths(ctx, g, source)
		case "sssp":
			x, err = reference.SSSP(ctx, g, source)
		case "sswp":
			x, err = reference.SSWP(ctx, g, source)
		case "cc", "wcc":
			x, err = reference.CC(ctx, g)
		case "scc":
			x, err = reference.SCC(ctx, g)
		case "kcore":
			x, err = reference.Coreness(ctx, g)
		default:
			return nil // another check
		}
		require.NoError(t, err)
		return x
	}
	for _, g := range graphs(t) {
		for _, name := range Algorithms() {
			if !g.Symmetric && (name == "kcore" || name == "colouring" || name == "cc") {
				continue // which get the symmetric closure
			}
			c := byAlgorithm[name]
			source, _ := g.MaxDegreeVertex()
			p, err := newProblem(ctx, g, source, params)
			require.NoError(t, err)
			all := c.sequential
			if c.parallel != nil {
				all = append(all[:len(all):len(all)], *c.parallel)
			}
			for i, x := range all {
				for _, p.workers = range []int{1, 7} {
					if p.workers > 1 && i < len(c.sequential) {
						continue
					}
					what := fmt.Sprintf("%s by %s on %s, %d workers", name, x.name, g.Name, p.workers)
					got, err := x.run(ctx, p)
					require.NoError(t, err, what)
					if w := want(name, g, source); w != nil {
						require.Equal(t, w, got, what)
						continue
					}
					checked(t, name, g, source, got, what)
				}
			}
		}
	}
}

// checked compares answers for which there is a tolerance, or several right ones.
func checked(t *testing.T, name string, g *graph.CSR, source uint32, got any, what string) {
	switch name {
	case "bc":
		_, err := reference.CheckBC(t.Context(), g, source, got.([]float32))
		require.NoError(t, err, what)
	case "colouring":
		require.NoError(t, reference.CheckColouring(t.Context(), g, got.([]uint64)), what)
	case "pagerank", "pagerank-pull":
		exact, err := reference.PageRank(t.Context(), g, reference.PageRankOptions{Dangling: reference.DanglingDrop})
		require.NoError(t, err)
		sum := 0.0
		for _, x := range exact.Rank {
			sum += x
		}
		for v, x := range got.([]float32) {
			require.InEpsilon(t, exact.Rank[v]/sum, x, 1e-4/(1-0.85)*1.5, "%s: vertex %d", what, v)
		}
	default: // values at rest: another iteration moves none by more than epsilon
		values := got.([]float32)
		next := map[string]func(old, mean float64) float64{
			"nn":      func(_, mean float64) float64 { return math.Tanh(0.9 * mean) },
			"heat":    func(old, mean float64) float64 { return old + 0.5*(mean-old) },
			"circuit": func(_, mean float64) float64 { return mean / 1.1 },
		}[name]
		in, err := g.Transpose(t.Context())
		require.NoError(t, err)
		require.True(t, name == "heat" || values[source] == 1, what)
		for v := range values {
			total, sum := 0.0, 0.0
			for i, u := range in.Neighbors(uint32(v)) {
				w := float64(in.Weights(uint32(v))[i])
				total += w
				sum += w * float64(values[u])
			}
			if total > 0 && (name == "heat" || uint32(v) != source) {
				require.InDelta(t, next(float64(values[v]), sum/total), values[v], 1.1e-4, "%s: vertex %d", what, v)
			}
		}
	}
}

// TestOneCore: with k, the answer is that of a device: the neighbors in one core.
func TestOneCore(t *testing.T) {
	g := graphs(t)[1]
	p, err := newProblem(t.Context(), g, 0, map[string]string{"k": "4"})
	require.NoError(t, err)
	coreness, err := reference.Coreness(t.Context(), g)
	require.NoError(t, err)
	want, err := reference.Core(t.Context(), g, coreness, 4)
	require.NoError(t, err)
	for _, x := range []code{byAlgorithm["kcore"].sequential[0], *byAlgorithm["kcore"].parallel} {
		got, err := x.run(t.Context(), p)
		require.NoError(t, err)
		assert.Equal(t, want, got, x.name)
	}
}

// TestRuns: a code runs until its runs have taken enough time together, and at least leastRuns times. A busy host makes runs longer and never shorter.
func TestRuns(t *testing.T) {
	for _, c := range []struct{ run, least, most int }{{1, leastRuns, 100}, {60, leastRuns, leastRuns}} {
		sleep := time.Duration(c.run) * time.Millisecond
		began := time.Now()
		_, got, err := measure(t.Context(), code{name: "sleep", run: func(context.Context, *problem) (any, error) {
			time.Sleep(sleep)
			return nil, nil
		}}, nil)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(began), enough)
		assert.GreaterOrEqual(t, got.Seconds, sleep.Seconds())
		assert.GreaterOrEqual(t, got.Runs, c.least)
		assert.LessOrEqual(t, got.Runs, c.most, "runs of %s", sleep)
	}
}

func TestMeasure(t *testing.T) {
	g := graphs(t)[1]
	for _, name := range Algorithms() {
		require.True(t, Has(name))
		times, err := Measure(t.Context(), name, g, 0, params)
		require.NoError(t, err, name)
		assert.Equal(t, runtime.GOMAXPROCS(0), times.Cores)
		assert.Positive(t, times.Sequential.Seconds)
		assert.GreaterOrEqual(t, times.Sequential.Runs, leastRuns)
		if times.Parallel == nil {
			assert.Contains(t, []string{"bc", "colouring", "parents", "paths", "scc", "sswp"}, name)
		} else {
			assert.Positive(t, times.Parallel.Seconds)
		}
	}
	assert.False(t, Has("bp"))

	ended, end := context.WithCancel(t.Context())
	end()
	_, err := Measure(ended, "sssp", g, 0, params)
	require.ErrorIs(t, err, context.Canceled)
	_, err = Measure(t.Context(), "pagerank", g, 0, map[string]string{"damping": "much"})
	require.EqualError(t, err, `pagerank on the CPU, pull, Gauss-Seidel: parameter damping: strconv.ParseFloat: parsing "much": invalid syntax`)
}

// TestDifferentAnswers: a code whose answer is another one than that of the first is reported, not timed.
func TestDifferentAnswers(t *testing.T) {
	byAlgorithm["planted"] = codes{
		sequential: []code{{"right", func(context.Context, *problem) (any, error) { return []uint32{1, 2}, nil }}},
		parallel:   &code{"wrong", func(context.Context, *problem) (any, error) { return []uint32{1, 3}, nil }},
	}
	defer delete(byAlgorithm, "planted")
	_, err := Measure(t.Context(), "planted", graphs(t)[0], 0, nil)
	require.EqualError(t, err, "planted on the CPU: right and wrong have different answers: this is an error of weft")
	byAlgorithm["planted"] = codes{sequential: []code{{"broken", func(context.Context, *problem) (any, error) { return nil, errors.New("no") }}}}
	_, err = Measure(t.Context(), "planted", graphs(t)[0], 0, nil)
	require.EqualError(t, err, "planted on the CPU, broken: no")

	close := codes{tolerance: 0.01}
	assert.True(t, close.same([]float32{1, 0}, []float32{1.005, 0}))
	assert.False(t, close.same([]float32{1, 0}, []float32{1.02, 0}))
	assert.False(t, close.same([]float32{1, 1}, []float32{1, 0}))
	assert.True(t, close.same([]uint64{4}, []uint64{4}))
	assert.False(t, close.same(4, 4), "an answer of another kind")
}
