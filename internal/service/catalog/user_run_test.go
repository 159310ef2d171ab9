package catalog_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// widest and the functions below are references for the algorithms in testdata/user, by plain relaxation or removal
// until nothing changes.

func widest(g *graph.CSR, source uint32) []uint32 {
	width := make([]uint32, g.Vertices())
	width[source] = ^uint32(0)
	relax(g, func(u, v, w uint32) bool {
		x := min(width[u], w)
		better := x > width[v]
		width[v] = max(width[v], x)
		return better
	})
	return width
}

func reliable(g *graph.CSR, source uint32) []float32 {
	p := make([]float32, g.Vertices())
	p[source] = 1
	relax(g, func(u, v, w uint32) bool {
		x := p[u] * (float32(w) / (float32(w) + 1))
		better := x > p[v]
		p[v] = max(p[v], x)
		return better
	})
	return p
}

// relax visits all arcs until none changes anything.
func relax(g *graph.CSR, arc func(u, v, w uint32) (changed bool)) {
	for changed := true; changed; {
		changed = false
		for u := range uint32(g.Vertices()) {
			for i, v := range g.Neighbors(u) {
				if arc(u, v, g.Weights(u)[i]) {
					changed = true
				}
			}
		}
	}
}

// personal returns the PageRank of a walk that starts over at source.
func personal(g *graph.CSR, source uint32) []float64 {
	rank := make([]float64, g.Vertices())
	for range 200 {
		next := make([]float64, len(rank))
		next[source] = 0.15
		for u := range uint32(len(rank)) {
			for _, v := range g.Neighbors(u) {
				next[v] += 0.85 * rank[u] / float64(g.Degree(u))
			}
		}
		rank = next
	}
	return rank
}

// core returns which vertices have at least k neighbours in the core.
func core(g *graph.CSR, k int) []bool {
	in, degree := make([]bool, g.Vertices()), g.Degrees()
	for v := range in {
		in[v] = true
	}
	for changed := true; changed; {
		changed = false
		for v := range in {
			if in[v] && int(degree[v]) < k {
				in[v], changed = false, true
				for _, u := range g.Neighbors(uint32(v)) {
					degree[u]--
				}
			}
		}
	}
	return in
}

// TestUserAlgorithms checks that a user's algorithm runs with every scheme without host code, and is not verified,
// because it has no reference.
func TestUserAlgorithms(t *testing.T) {
	g, err := graphOf(t, "rmat:scale=8,degree=10,seed=4").Symmetrize(t.Context())
	require.NoError(t, err)
	g, _, err = g.WithWeights(t.Context())
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	for _, s := range []string{"thread", "warp", "block"} {
		t.Run(s, func(t *testing.T) {
			run := func(name string, params map[string]string) *catalog.Result {
				dev := openDevice(t, "func")
				res, err := catalog.Run(context.Background(), dev, catalog.Request{Algorithm: name, Scheduler: s, Graph: g, Source: source, Params: params, Verify: true})
				require.NoError(t, err)
				require.False(t, res.Reference)
				require.False(t, res.Checked)
				require.False(t, res.Verified)
				require.NoError(t, res.Mismatch)
				return res
			}
			require.Equal(t, widest(g, source), run("./testdata/user/paths.Widest", nil).Values)

			res := run("./testdata/user/paths.Reliable", nil)
			require.Equal(t, reliable(g, source), res.Values)
			for v, hops := range res.Arrays["Hops"].([]uint32) {
				require.Equal(t, res.Values.([]float32)[v] > 0 && uint32(v) != source, hops > 0, "vertex %d", v)
			}

			res = run("./testdata/user/ranks.Personal", map[string]string{"epsilon": "1e-5"})
			want := personal(g, source)
			for v, r := range res.Arrays["Rank"].([]float32) {
				require.InDelta(t, want[v], r, 1e-3, "vertex %d", v)
			}

			res = run("./testdata/user/kcore.KCore", map[string]string{"k": "9"})
			got := make([]bool, g.Vertices())
			for v, x := range res.Values.([]int32) {
				got[v] = x >= 9
			}
			require.Equal(t, core(g, 9), got)
		})
	}
}
