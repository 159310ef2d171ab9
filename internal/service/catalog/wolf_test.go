package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/profile"
)

// TestVariantsOfWolf checks both variants of the edge-centric scheme; the other tests run only the default one.
func TestVariantsOfWolf(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for _, params := range []map[string]string{{"variant": "direct"}, {"variant": "shared", "edges-per-block": "100"}} {
		for _, a := range []string{"bfs", "cc", "pagerank", "sssp"} {
			for _, dev := range []string{"func", "sim:tiny"} {
				res, err := catalog.Run(t.Context(), openDevice(t, dev), catalog.Request{Algorithm: a, Scheduler: "wolf", Graph: g, Source: source, Params: params, Verify: true})
				require.NoError(t, err)
				require.True(t, res.Verified, "%s on %s, %v: %v", a, dev, params, res.Mismatch)
			}
		}
	}
	_, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "bfs", Scheduler: "wolf", Graph: g, Params: map[string]string{"edges-per-block": "65536"}})
	require.EqualError(t, err, "launch of wolf.Gather[kernels.BFS, uint32]: a block takes 262144 bytes of shared memory; the device has 166912")
}

// wolfLaunches runs SSSP by a variant of the edge-centric scheme, and returns what the profile has of its launches of
// a kernel.
func wolfLaunches(t *testing.T, g *graph.CSR, kernel string, params map[string]string) (list []profile.Launch) {
	t.Helper()
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	p := profile.New(0)
	d, err := sim.New(cfg, sim.Options{Profile: p})
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	_, err = catalog.Run(t.Context(), d, catalog.Request{Algorithm: "sssp", Scheduler: "wolf", Graph: g, Source: source, Params: params})
	require.NoError(t, err)
	require.NoError(t, d.Close())
	for _, l := range p.Launches {
		if strings.HasPrefix(l.Kernel, kernel+"[") {
			list = append(list, l)
		}
	}
	require.NotEmpty(t, list, kernel)
	return list
}

// TestConflictsOfWolf checks that the profile has the conflicts of each iteration that WolfGraph's figures 5.4 and 5.5
// show: in shared memory by block, and fewer in global memory if updates meet in shared memory first.
func TestConflictsOfWolf(t *testing.T) {
	// Vertex 0 sends to all others, and they to vertex 300; all weights into a vertex differ.
	const n = 300
	g := &graph.CSR{Name: "star", Row: make([]uint64, n+2), Symmetric: false}
	for u := range uint32(n) {
		if u == 0 {
			for v := uint32(1); v < n; v++ {
				g.Col, g.Weight = append(g.Col, v), append(g.Weight, n-v)
			}
		}
		g.Col, g.Weight = append(g.Col, n), append(g.Weight, n-u)
		g.Row[u+1] = uint64(len(g.Col))
	}
	g.Row[n+1] = g.Row[n]
	shared := map[string]string{"edges-per-block": "128"}
	highest, meeting := uint32(0), uint64(0)
	for _, l := range wolfLaunches(t, g, "wolf.Gather", shared) {
		highest = max(highest, l.BlockDegree)
		require.LessOrEqual(t, l.BlockDegree, uint32(128), "a block has that many edges")
		require.Equal(t, l.Shared.Ops == 0, l.BlockDegree == 0)
		meeting += l.Shared.Ops
	}
	require.Greater(t, highest, uint32(1), "edges to the same vertex meet in a block")
	require.Positive(t, meeting)
	most := func(list []profile.Launch) (lanes uint32) {
		for _, l := range list {
			require.Zero(t, l.Shared.Ops)
			lanes = max(lanes, l.Global.Highest)
		}
		return lanes
	}
	direct := most(wolfLaunches(t, g, "wolf.Direct", map[string]string{"variant": "direct"}))
	require.Greater(t, direct, most(wolfLaunches(t, g, "wolf.WriteBack", shared)))
	require.EqualValues(t, 1, most(wolfLaunches(t, g, "wolf.WriteBack", shared)), "a block has one slot for each destination")
}
