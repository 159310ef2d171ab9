package reference

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/graph/traverse"

	gonum "gonum.org/v1/gonum/graph"

	"github.com/weft-gpu/weft/graph"
)

// specs are graphs small enough for gonum, of each kind: connected and not, directed and
// not, with and without dangling vertices.
var specs = []string{
	"../../graph/testdata/karate.mtx.gz", "../../graph/testdata/chesapeake.mtx.gz",
	"grid:width=1", "grid:width=25,keep=0.6,seed=3", "grid:width=3,keep=0",
	"rmat:scale=8,degree=4,directed=true", "rmat:scale=9,degree=8",
	"uniform:n=400,degree=1,seed=5", "uniform:n=300,degree=6", "smallworld:n=300,degree=4",
}

func load(t testing.TB, spec string) *graph.CSR {
	t.Helper()
	g, _, err := graph.Open(context.Background(), spec, graph.LoadOptions{Weights: graph.WeightsAlways})
	require.NoError(t, err)
	return g
}

// oracle returns a graph in gonum's form.
func oracle(g *graph.CSR) *simple.WeightedDirectedGraph {
	o := simple.NewWeightedDirectedGraph(0, math.Inf(1))
	for v := range g.Vertices() {
		o.AddNode(simple.Node(v))
	}
	for u := range g.Vertices() {
		for i, v := range g.Neighbors(uint32(u)) {
			w := float64(g.Weights(uint32(u))[i])
			o.SetWeightedEdge(o.NewWeightedEdge(simple.Node(u), simple.Node(v), w))
		}
	}
	return o
}

func TestAgainstGonum(t *testing.T) {
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			g := load(t, spec)
			o := oracle(g)
			src, _ := g.MaxDegreeVertex()

			levels := make([]uint32, g.Vertices())
			for v := range levels {
				levels[v] = Unreached
			}
			search := traverse.BreadthFirst{}
			search.Walk(o, simple.Node(src), func(n gonum.Node, depth int) bool {
				levels[n.ID()] = uint32(depth)
				return false
			})
			assert.NoError(t, CheckBFS(t.Context(), g, src, levels))

			shortest := path.DijkstraFrom(simple.Node(src), o)
			dist := make([]uint32, g.Vertices())
			for v := range dist {
				if d := shortest.WeightTo(int64(v)); math.IsInf(d, 1) {
					dist[v] = Unreached
				} else {
					dist[v] = uint32(d)
				}
			}
			assert.NoError(t, CheckSSSP(t.Context(), g, src, dist))

			label := make([]uint32, g.Vertices())
			for _, c := range topo.ConnectedComponents(gonum.Undirect{G: o}) {
				least := int64(math.MaxInt64)
				for _, n := range c {
					least = min(least, n.ID())
				}
				for _, n := range c {
					label[n.ID()] = uint32(least)
				}
			}
			assert.NoError(t, CheckComponents(t.Context(), "cc", g, label, CC))

			// gonum uses the weights for ranks if there are any.
			plain := simple.NewDirectedGraph()
			gonum.Copy(plain, o)
			ranks := network.PageRankSparse(plain, 0.85, 1e-12)
			ours, err := PageRank(t.Context(), g, PageRankOptions{})
			require.NoError(t, err)
			for v, r := range ours.Rank {
				require.InEpsilon(t, ranks[int64(v)], r, 1e-8, "vertex %d", v)
			}
		})
	}
}

func TestByHand(t *testing.T) {
	// 0 -> 1 -> 2, and 0 -> 2 with a larger weight; 3 -> 0; 4 is isolated.
	g := &graph.CSR{Name: "hand", Row: []uint64{0, 2, 3, 3, 4, 4}, Col: []uint32{1, 2, 2, 0}, Weight: []uint32{1, 5, 3, 1}}
	levels, err := BFS(t.Context(), g, 0)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0, 1, 1, Unreached, Unreached}, levels)
	dist, err := SSSP(t.Context(), g, 0)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0, 1, 4, Unreached, Unreached}, dist)
	label, err := CC(t.Context(), g)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0, 0, 0, 0, 4}, label)
}

// TestPageRankDefinition substitutes the result into the equation.
func TestPageRankDefinition(t *testing.T) {
	for _, spec := range specs {
		g := load(t, spec)
		in, err := g.Transpose(t.Context())
		require.NoError(t, err)
		for _, dangling := range []Dangling{DanglingSpread, DanglingDrop} {
			r, err := PageRank(t.Context(), g, PageRankOptions{Damping: 0.7, Dangling: dangling})
			require.NoError(t, err)
			assert.LessOrEqual(t, r.Error, 1e-10)
			n := float64(g.Vertices())
			var lost, sum float64
			for v, x := range r.Rank {
				sum += x
				if g.Degree(uint32(v)) == 0 && dangling == DanglingSpread {
					lost += x
				}
			}
			for v, x := range r.Rank {
				want := 0.3/n + 0.7*lost/n
				for _, u := range in.Neighbors(uint32(v)) {
					want += 0.7 * r.Rank[u] / float64(g.Degree(u))
				}
				require.InDelta(t, want, x, 1e-9, "%s: vertex %d", spec, v)
			}
			if dangling == DanglingSpread {
				assert.InDelta(t, 1, sum, 1e-9)
			} else {
				assert.LessOrEqual(t, sum, 1+1e-9)
			}
		}
	}
}

// TestDanglingDiffersByAFactor checks what the documentation of DanglingDrop states.
func TestDanglingDiffersByAFactor(t *testing.T) {
	g := load(t, "rmat:scale=8,degree=4,directed=true")
	spread, err := PageRank(t.Context(), g, PageRankOptions{})
	require.NoError(t, err)
	drop, err := PageRank(t.Context(), g, PageRankOptions{Dangling: DanglingDrop})
	require.NoError(t, err)
	var sum float64
	for _, x := range drop.Rank {
		sum += x
	}
	assert.Less(t, sum, 0.9)
	for v, x := range drop.Rank {
		require.InDelta(t, spread.Rank[v], x/sum, 1e-9)
	}
}

func TestPageRankOptions(t *testing.T) {
	g := load(t, "rmat:scale=8,degree=4,directed=true")
	_, err := PageRank(t.Context(), g, PageRankOptions{MaxIterations: 3})
	require.ErrorIs(t, err, ErrNoConvergence)
	assert.Regexp(t, `^PageRank of rmat:\S+ did not converge to 1e-10 in 3 iterations \(error at most [0-9.e-]+\)$`, err.Error())
	for _, opt := range []PageRankOptions{{Damping: 1}, {Damping: -1}, {Damping: math.NaN()}, {Tolerance: -1}, {MaxIterations: -1}} {
		_, err := PageRank(t.Context(), g, opt)
		assert.Error(t, err, "%+v", opt)
	}
	r, err := PageRank(t.Context(), &graph.CSR{Row: []uint64{0}}, PageRankOptions{})
	require.NoError(t, err)
	assert.Empty(t, r.Rank)
}

func TestWrongArguments(t *testing.T) {
	g := load(t, "grid:width=2")
	g.Name = "g"
	_, err := BFS(t.Context(), g, 4)
	assert.EqualError(t, err, "source 4 is out of range: graph g has 4 vertices")
	_, err = SSSP(t.Context(), g, 4)
	assert.EqualError(t, err, "source 4 is out of range: graph g has 4 vertices")
	assert.Error(t, CheckBFS(t.Context(), g, 4, nil))
	assert.Error(t, CheckSSSP(t.Context(), g, 4, nil))
	g.Weight = nil
	_, err = SSSP(t.Context(), g, 0)
	require.ErrorIs(t, err, ErrNoWeights)
}

func TestDistanceOverflow(t *testing.T) {
	path := func(last uint32) *graph.CSR {
		return &graph.CSR{Name: "path", Row: []uint64{0, 1, 2, 2}, Col: []uint32{1, 2}, Weight: []uint32{math.MaxUint32 - 5, last}}
	}
	dist, err := SSSP(t.Context(), path(4), 0)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0, math.MaxUint32 - 5, math.MaxUint32 - 1}, dist)
	_, err = SSSP(t.Context(), path(5), 0)
	require.EqualError(t, err, "graph path: the distance from 0 to 2 is 4294967295 or more, which needs more than 32 bits")

	// Too long on one path, reached on another: not an error.
	g := &graph.CSR{Row: []uint64{0, 2, 3, 3}, Col: []uint32{1, 2, 2}, Weight: []uint32{1, math.MaxUint32, 7}}
	dist, err = SSSP(t.Context(), g, 0)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0, 1, 8}, dist)
}

func TestMismatch(t *testing.T) {
	g := load(t, "grid:width=3")
	levels, err := BFS(t.Context(), g, 0)
	require.NoError(t, err)
	require.NoError(t, CheckBFS(t.Context(), g, 0, levels))
	assert.EqualError(t, CheckBFS(t.Context(), g, 0, levels[1:]), "bfs: the answer has 8 values, the graph 9 vertices")
	levels[4] = Unreached
	err = CheckBFS(t.Context(), g, 0, levels)
	require.EqualError(t, err, `bfs: vertex 4 has "not reached", the reference level 2; 1 of 9 vertices is wrong`)
	levels[7] = 9
	err = CheckBFS(t.Context(), g, 0, levels)
	var m *Mismatch
	require.ErrorAs(t, err, &m)
	assert.Equal(t, Mismatch{Algorithm: "bfs", Vertex: 4, Got: `"not reached"`, Want: "level 2", Wrong: 2, Total: 9}, *m)

	dist, err := SSSP(t.Context(), g, 0)
	require.NoError(t, err)
	dist[0] = 3
	assert.EqualError(t, CheckSSSP(t.Context(), g, 0, dist), "sssp: vertex 0 has distance 3, the reference distance 0; 1 of 9 vertices is wrong")

	label, err := CC(t.Context(), g)
	require.NoError(t, err)
	label[2], label[8] = 2, 2
	assert.EqualError(t, CheckComponents(t.Context(), "cc", g, label, CC), "cc: vertex 2 has label 2, the reference label 0; 2 of 9 vertices are wrong")

}

// BenchmarkReference runs each algorithm on a graph of a million arcs.
func BenchmarkReference(b *testing.B) {
	g := load(b, "rmat:scale=16,degree=16")
	src, _ := g.MaxDegreeVertex()
	for name, f := range map[string]func() error{
		"bfs":      func() error { _, err := BFS(b.Context(), g, src); return err },
		"sssp":     func() error { _, err := SSSP(b.Context(), g, src); return err },
		"sswp":     func() error { _, err := SSWP(b.Context(), g, src); return err },
		"cc":       func() error { _, err := CC(b.Context(), g); return err },
		"pagerank": func() error { _, err := PageRank(b.Context(), g, PageRankOptions{}); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, f())
			}
			b.ReportMetric(float64(g.Arcs())*float64(b.N)/b.Elapsed().Seconds(), "arcs/s")
		})
	}
}
