package reference

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
)

// pushed is a run that pushes residuals in float32, one vertex after another.
func pushed(g *graph.CSR, damping, epsilon float32) (run PageRankRun, ranks []float32) {
	n := g.Vertices()
	rank, residual := make([]float32, n), make([]float32, n)
	for v := range residual {
		residual[v] = 1 - damping
	}
	i := 0
	for active := true; active; i++ {
		active = false
		for u, r := range residual {
			if r < epsilon {
				continue
			}
			active = true
			residual[u] = 0
			rank[u] += r
			share := float32(damping*r) / float32(max(g.Degree(uint32(u)), 1))
			for _, v := range g.Neighbors(uint32(u)) {
				residual[v] += share
			}
		}
	}
	return PageRankRun{Damping: float64(damping), Epsilon: float64(epsilon), Iterations: i, Residual: Residuals{Of: residual}}, normal(rank)
}

// pulled is a run that pulls shares in float32.
func pulled(g *graph.CSR, damping, epsilon float32) (run PageRankRun, ranks []float32) {
	n := g.Vertices()
	in, err := g.Transpose(context.Background())
	if err != nil {
		panic(err)
	}
	rank, next := make([]float32, n), make([]float32, n)
	for v := range rank {
		rank[v] = 1 - damping
	}
	i := 0
	for moved := true; moved; i++ {
		moved = false
		for v := range next {
			var sum float32
			for _, u := range in.Neighbors(uint32(v)) {
				sum += rank[u] / float32(g.Degree(u))
			}
			next[v] = 1 - damping + float32(damping*sum)
			moved = moved || next[v]-rank[v] > epsilon || rank[v]-next[v] > epsilon
		}
		rank, next = next, rank
	}
	return PageRankRun{Damping: float64(damping), Epsilon: float64(epsilon), Iterations: i}, normal(rank)
}

// drained is a run that pulls residuals in float32: each vertex adds what it gathers to its
// rank, and passes it on in the next iteration.
func drained(g *graph.CSR, damping, epsilon float32) (run PageRankRun, ranks []float32) {
	n := g.Vertices()
	in, err := g.Transpose(context.Background())
	if err != nil {
		panic(err)
	}
	rank, now, next := make([]float32, n), make([]float32, n), make([]float32, n)
	for v := range rank {
		rank[v], now[v] = 1-damping, 1-damping
	}
	i := 0
	for active := true; active; i++ {
		active = false
		for v := range next {
			var sum float32
			for _, u := range in.Neighbors(uint32(v)) {
				sum += float32(damping*now[u]) / float32(g.Degree(u))
			}
			next[v] = sum
			rank[v] += sum
			active = active || sum >= epsilon
		}
		now, next = next, now
	}
	return PageRankRun{Damping: float64(damping), Epsilon: float64(epsilon), Iterations: i, Residual: Residuals{Of: now, Added: true}}, normal(rank)
}

func normal(rank []float32) []float32 {
	var sum float64
	for _, r := range rank {
		sum += float64(r)
	}
	for v, r := range rank {
		rank[v] = float32(float64(r) / sum)
	}
	return rank
}

// allWays calls f with a run of each kind.
func allWays(t *testing.T, g *graph.CSR, damping, epsilon float32, f func(t *testing.T, run PageRankRun, ranks []float32)) {
	for name, how := range map[string]func(*graph.CSR, float32, float32) (PageRankRun, []float32){"push": pushed, "pull": pulled, "pull residuals": drained} {
		t.Run(name, func(t *testing.T) {
			run, ranks := how(g, damping, epsilon)
			f(t, run, ranks)
		})
	}
}

// A correct run is within the allowed error, which is little more than epsilon demands.
func TestCheckPageRank(t *testing.T) {
	for _, spec := range append(specs, "../../graph/testdata/wiki-Vote.txt.gz") {
		g := load(t, spec)
		for _, epsilon := range []float32{1e-3, 1e-4, 1e-6} {
			for _, damping := range []float32{0.5, 0.85, 0.95} {
				t.Run(fmt.Sprintf("%s/%g/%g", spec, epsilon, damping), func(t *testing.T) {
					allWays(t, g, damping, epsilon, func(t *testing.T, run PageRankRun, ranks []float32) {
						tol, err := CheckPageRank(t.Context(), g, run, ranks)
						require.NoError(t, err)
						assert.LessOrEqual(t, tol.Seen, tol.Allowed)
						assert.LessOrEqual(t, tol.MeanAllowed, tol.Allowed)
						assert.Positive(t, tol.MeanAllowed)
						const float32s = 1e-3
						assert.Less(t, tol.Allowed, 1.1*float64(epsilon)/(1-run.Damping)+float32s)
					})
				})
			}
		}
	}
}

// A single wrong rank is found if it is off by more than the run could leave, and the
// message says what was allowed there.
func TestCheckPageRankFindsOneWrongRank(t *testing.T) {
	g := load(t, "rmat:scale=9,degree=8,directed=true")
	allWays(t, g, 0.85, 1e-4, func(t *testing.T, run PageRankRun, ranks []float32) {
		good, err := CheckPageRank(t.Context(), g, run, ranks)
		require.NoError(t, err)
		for _, factor := range []float32{1.001, 0.999, 1.4, 0.6, float32(math.NaN()), 0, -1, float32(math.Inf(1))} {
			for _, v := range []int{0, 17, 511} {
				kept := ranks[v]
				ranks[v] *= factor
				_, err := CheckPageRank(t.Context(), g, run, ranks)
				var m *Mismatch
				require.ErrorAs(t, err, &m, "rank of %d times %g; allowed %g", v, factor, good.Allowed)
				assert.EqualValues(t, v, m.Vertex)
				assert.Equal(t, 1, m.Wrong)
				assert.Regexp(t, `^pagerank: vertex \d+ has rank \S+, the reference rank \S+ \(allowed difference [-+]\S+% to [-+]\S+%\); 1 of 512 vertices is wrong$`, err.Error())
				ranks[v] = kept
			}
		}
	})
}

// Ranks that stopped far from the solution are wrong if a small epsilon was requested.
func TestCheckPageRankHoldsEpsilon(t *testing.T) {
	g := load(t, "rmat:scale=9,degree=8")
	allWays(t, g, 0.85, 0.1, func(t *testing.T, run PageRankRun, ranks []float32) {
		run.Epsilon = 1e-4
		_, err := CheckPageRank(t.Context(), g, run, ranks)
		require.Error(t, err)
	})
}

func TestCheckPageRankWantsTheStopRule(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "../../graph/testdata/wiki-Vote.txt.gz", graph.LoadOptions{})
	require.NoError(t, err)
	run, ranks := pushed(g, 0.85, 1e-4)
	for _, bad := range []float32{1e-4, -1e-9, float32(math.NaN())} {
		kept := run.Residual.Of[2]
		run.Residual.Of[2] = bad
		_, err := CheckPageRank(t.Context(), g, run, ranks)
		require.EqualError(t, err, fmt.Sprintf("pagerank: vertex 5 has a residual of %g left, which is not from 0 to epsilon (%g)", bad, run.Epsilon))
		run.Residual.Of[2] = kept
	}
	_, err = CheckPageRank(t.Context(), g, run, ranks[1:])
	require.EqualError(t, err, "pagerank: the answer has 7114 values, the graph 7115 vertices")
	run.Residual.Of = run.Residual.Of[1:]
	_, err = CheckPageRank(t.Context(), g, run, ranks)
	require.EqualError(t, err, "pagerank: the answer has 7114 values, the graph 7115 vertices")
}

// A million float32 additions may lose a tenth of a rank; then agreement is meaningless.
func TestCheckPageRankNeedsABound(t *testing.T) {
	const leaves = 1 << 20
	g := &graph.CSR{Name: "star", Row: make([]uint64, leaves+2), Col: make([]uint32, leaves), FirstID: 1}
	for v := range leaves {
		g.Row[v+2] = uint64(v + 1) // vertex 0 has no outgoing arc; every other vertex has an arc to it
	}
	exact, err := PageRank(t.Context(), g, PageRankOptions{Damping: 0.5})
	require.NoError(t, err)
	ranks := make([]float32, g.Vertices())
	for v, r := range exact.Rank {
		ranks[v] = float32(r)
	}
	_, err = CheckPageRank(t.Context(), g, PageRankRun{Damping: 0.5, Epsilon: 1e-4, Iterations: 2, Residual: Residuals{Of: make([]float32, g.Vertices())}}, ranks)
	require.EqualError(t, err, "pagerank: the value of vertex 1 may be off by 17% after this many float32 sums, so a comparison is meaningless")
	var none *NoBoundError
	require.ErrorAs(t, err, &none)
}

// ending is a context that is done after it was checked a number of times.
type ending struct {
	context.Context
	looks int
}

func (e *ending) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

// Each reference checks its context during its work.
func TestReferencesEnd(t *testing.T) {
	g := load(t, "rmat:scale=15,degree=8")
	answer, ranks := make([]uint32, g.Vertices()), make([]float32, g.Vertices())
	slow := PageRankRun{Damping: 0.9999, Epsilon: 1e-9}
	for name, check := range map[string]func(ctx context.Context) error{
		"bfs":      func(ctx context.Context) error { return CheckBFS(ctx, g, 0, answer) },
		"sssp":     func(ctx context.Context) error { return CheckSSSP(ctx, g, 0, answer) },
		"sswp":     func(ctx context.Context) error { _, err := SSWP(ctx, g, 0); return err },
		"cc":       func(ctx context.Context) error { return CheckComponents(ctx, "cc", g, answer, CC) },
		"heat":     func(ctx context.Context) error { _, err := CheckRelaxation(ctx, g, 0, heat(9), ranks); return err },
		"bp":       func(ctx context.Context) error { _, err := CheckBP(ctx, g, agreeing(0.5, 1e-3), ranks); return err },
		"pagerank": func(ctx context.Context) error { _, err := CheckPageRank(ctx, g, slow, ranks); return err },
	} {
		for _, looks := range []int{0, 3} {
			ctx := &ending{context.Background(), looks}
			assert.ErrorIs(t, check(ctx), context.Canceled, name)
			assert.Equal(t, -1, ctx.looks, "%s: it ends at once", name)
		}
	}
}
