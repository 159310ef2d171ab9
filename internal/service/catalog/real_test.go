package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestRealGraphs runs entries on the graphs in the folder $WEFT_GRAPHS. With WEFT_GRAPHS_ALL=1 every entry runs on all of
// them; without it, on one of those with 1,000 to 300,000 edges, such that each graph has many schemes and many algorithms
// (see shares): what a graph of another kind breaks is seldom a matter of one pair.
//
// Without WEFT_GRAPHS_ALL, schemes that visit the whole graph in each iteration run on those with up to 110,000
// edges: a road network of 120,000 takes a thousand iterations. So does bc, which looks for the vertices of each level, and so do warps and blocks per vertex for algorithms that
// visit all vertices in each iteration: most of their lanes are idle, but the executor's time is that of all.
//
// Without WEFT_GRAPHS_ALL it also saves time for algorithms that visit all vertices many times: PageRank uses a
// damping factor with which it ends sooner, and is verified to 1%; blocks have two warps, for PageRank one.
func TestRealGraphs(t *testing.T) {
	dir := os.Getenv("WEFT_GRAPHS")
	if dir == "" {
		t.Skip("WEFT_GRAPHS names no folder with graphs")
	}
	all := os.Getenv("WEFT_GRAPHS_ALL") == "1"
	files, err := filepath.Glob(filepath.Join(dir, "*.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no graphs in %s", dir)
	var graphs []realGraph
	for _, file := range files {
		if g := (realGraph{CSR: graphOf(t, file), name: filepath.Base(file)}); all || g.edges() <= 300_000 && g.edges() >= 1000 {
			graphs = append(graphs, g)
		}
	}
	if all {
		for i := range graphs {
			graphs[i].entries = catalog.Entries()
		}
	} else {
		divide(t, graphs)
	}
	for _, g := range graphs {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, g.entries)
			for _, e := range g.entries {
				t.Run(e.Name(), func(t *testing.T) { verifyReal(t, e, g.CSR, all) })
			}
		})
	}
}

// realGraph is a graph with the entries that run on it.
type realGraph struct {
	*graph.CSR
	name    string // of its file
	entries []catalog.Entry
}

func (g *realGraph) edges() int {
	if g.Symmetric {
		return g.Arcs() / 2
	}
	return g.Arcs()
}

// suits reports whether an entry ends soon on g. Roads have a thousand levels, and a block or a warp for each of their vertices takes half a minute.
func (g *realGraph) suits(e catalog.Entry) bool {
	roads := g.edges() < 5*g.Vertices()/4
	if roads && slices.Contains([]string{"block", "warp"}, e.Scheduler.Name) {
		return false
	}
	return g.edges() <= 110_000 || !slices.Contains([]string{"multi", "vwc", "warpseg", "wolf"}, e.Scheduler.Name) &&
		!(slices.Contains([]string{"block", "warp"}, e.Scheduler.Name) && slices.Contains([]string{"bp", "circuit", "colouring", "heat", "nn", "paths"}, e.Algorithm.Name)) && e.Algorithm.Name != "bc"
}

// divide gives each entry to a graph that it suits.
func divide(t *testing.T, graphs []realGraph) {
	for i, share := range shares(catalog.Entries(), len(graphs)) {
		for _, e := range share {
			at := slices.IndexFunc(slices.Concat(graphs[i:], graphs[:i]), func(g realGraph) bool { return g.suits(e) })
			require.GreaterOrEqual(t, at, 0, "%s runs on no graph", e.Name())
			g := &graphs[(i+at)%len(graphs)]
			g.entries = append(g.entries, e)
		}
	}
}

func verifyReal(t *testing.T, e catalog.Entry, g *graph.CSR, all bool) {
	source, _ := g.MaxDegreeVertex()
	req := catalog.Request{Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name, Graph: g, Source: source, Verify: true}
	if !all {
		req.Params = map[string]string{"block": "64"}
		params, err := catalog.Params(e.Algorithm)
		require.NoError(t, err)
		for name, value := range map[string]string{"epsilon": "0.005", "damping": "0.5"} {
			if _, ok := params[name]; ok {
				req.Params[name], req.Params["block"] = value, "32"
			}
		}
	}
	res, err := catalog.Run(context.Background(), openDevice(t, "func"), req)
	require.NoError(t, err)
	require.NoError(t, res.Mismatch)
	require.True(t, res.Verified)
}
