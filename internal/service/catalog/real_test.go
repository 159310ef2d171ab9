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

// TestRealGraphs runs every entry on the graphs in the folder $WEFT_GRAPHS: those with up to 300,000 edges, or all
// of them with WEFT_GRAPHS_ALL=1.
//
// Without WEFT_GRAPHS_ALL, schemes that visit the whole graph in each iteration run on those with up to 110,000
// edges: a road network of 120,000 takes a thousand iterations. So do warps and blocks per vertex for algorithms that
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
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			g := graphOf(t, file)
			edges := g.Arcs()
			if g.Symmetric {
				edges /= 2
			}
			if edges > 300_000 && !all {
				t.Skipf("%d edges: only with WEFT_GRAPHS_ALL=1", edges)
			}
			for _, e := range catalog.Entries() {
				if edges > 110_000 && !all && (slices.Contains([]string{"multi", "vwc", "warpseg", "wolf"}, e.Scheduler.Name) ||
					slices.Contains([]string{"block", "warp"}, e.Scheduler.Name) && slices.Contains([]string{"bp", "circuit", "colouring", "heat", "nn"}, e.Algorithm.Name)) {
					continue
				}
				t.Run(e.Name(), func(t *testing.T) { verifyReal(t, e, g, all) })
			}
		})
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
