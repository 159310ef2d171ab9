package catalog_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
)

// bitmapWays are parameters by which every part of the kernel for several GPUs runs: one block alone, all blocks, wide pushes with pulls and pushes behind them, pulls alone and what a
// pull leaves to all warps, lists that a block has no room for, and every partition.
var bitmapWays = []map[string]string{
	{},
	{"one-block": "0", "partition": "vertices"},
	{"one-block": "0", "pull-above": "0.01", "push-below": "0.3", "rest": "8", "partition": "random"},
	{"pull-above": "0", "push-below": "0", "rest": "0", "partition": "hubs"},
	{"direction": "push", "stage": "2"},
	{"direction": "push", "one-block": "0", "stage": "0"},
	{"one-block": "4096", "stage": "40", "blocks": "2"},
	{"direction": "push", "one-block": "0", "blocks": "1"}, // pushes of few threads are wide
	{"pull-above": "0.6", "push-below": "0.5", "one-block": "0", "blocks": "2"},
	{"pull-above": "0", "push-below": "0", "blocks": "1"}, // the first iteration pulls, where a block of 32 threads begins at a hub
}

// bitmapGraphs are graphs with hubs, many levels, several components, and fewer vertices than GPUs.
func bitmapGraphs(t *testing.T) []*graph.CSR {
	return append(tiny(t), graphOf(t, "rmat:scale=9,degree=12,seed=5"), graphOf(t, "uniform:n=900,degree=5,seed=9"), graphOf(t, "grid:width=90,height=3"))
}

// TestBitmapOnGroups checks levels and predecessors of searches on 2, 3, 4 and 8 GPUs, and that all of them together do what one GPU does: the same iterations, vertices and arcs.
func TestBitmapOnGroups(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kinds, turn := map[string]float64{}, 0
			for _, g := range bitmapGraphs(t) {
				source, _ := g.MaxDegreeVertex()
				for i, way := range bitmapWays {
					for _, algorithm := range []string{"bfs", "parents"} {
						if turn++; name != "func" && turn%3 != 0 {
							continue
						}
						gpus := []int{2, 3, 4, 8}[(turn/3+i)%4]
						params := maps.Clone(way)
						params["block"] = []string{"32", "96", "256"}[turn%3]
						run := func(d device.Device) *catalog.Result {
							res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: algorithm, Scheduler: "bitmap", Graph: g, Source: source, Verify: true, Params: params})
							what := fmt.Sprintf("%s on %s, %d GPUs, %v", algorithm, g.Name, gpus, params)
							require.NoError(t, err, what)
							require.True(t, res.Verified, "%s: %v", what, res.Mismatch)
							require.NoError(t, d.Close())
							return res
						}
						group := run(openGroup(t, name, gpus, nil))
						if name != "func" {
							continue
						}
						alone := run(openDevice(t, "func"))
						require.Len(t, group.Steps, 1)
						for _, n := range []string{"frontier", "arcs", "iterations", "next"} {
							want, _ := alone.Steps[0].Number(n)
							got, ok := group.Steps[0].Number(n)
							require.True(t, ok)
							require.Equal(t, want, got, "%s of %s on %s, %d GPUs, %v", n, algorithm, g.Name, gpus, params)
						}
						for _, n := range []string{"pulls", "one-block-iterations", "iterations"} {
							x, _ := group.Steps[0].Number(n)
							kinds[n] += x
						}
					}
				}
			}
			if name == "func" {
				require.Greater(t, min(kinds["pulls"], kinds["one-block-iterations"], kinds["iterations"]-kinds["pulls"]-kinds["one-block-iterations"]), 50.0, "of all kinds of iterations there are some")
			}
		})
	}
}

// TestBitmapOnGroupsHasNoRaces checks that nothing races, on a machine with a stack and on one whose lanes part at every backward branch.
func TestBitmapOnGroupsHasNoRaces(t *testing.T) {
	parted := func(n int) func(*device.Races) device.Device {
		return func(races *device.Races) device.Device {
			g, err := sim.NewGroup(parting(t), n, sim.Options{Races: races, Strict: true})
			require.NoError(t, err)
			return g
		}
	}
	for i, way := range bitmapWays {
		params := maps.Clone(way)
		params["block"] = "32"
		algorithm := []string{"bfs", "parents"}[i%2]
		q := catalog.Request{Algorithm: algorithm, Scheduler: "bitmap", Params: params, Verify: true}
		noRaces(t, func(races *device.Races) device.Device { return openGroup(t, "func", 3, races) }, "rmat:scale=7,degree=8,seed=3", q)
		noRaces(t, func(races *device.Races) device.Device { return openGroup(t, "sim:tiny", 2, races) }, "uniform:n=300,degree=6,seed=4", q)
		noRaces(t, parted(2+i%2), "rmat:scale=5,degree=6,seed=3", q)
	}
}

// TestBitmapSends counts what GPUs send on a path of 128 vertices, of which each has half, by hand: a pair for each vertex that a GPU finds, to the other one.
func TestBitmapSends(t *testing.T) {
	const n = 128
	var edges []graph.Edge
	for v := range uint32(n - 1) {
		edges = append(edges, graph.Edge{From: v, To: v + 1})
	}
	g, _, err := graph.FromEdges(t.Context(), "path", n, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, c := range []struct {
		params        map[string]string
		first, second uint64
	}{
		{map[string]string{"direction": "push", "one-block": "0"}, 8 * (n/2 - 1), 8 * n / 2},
		{map[string]string{"direction": "push"}, 8 * (n/2 - 1), 8 * n / 2},
	} {
		c.params["partition"] = "vertices"
		d := openGroup(t, "func", 2, nil)
		res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "bfs", Scheduler: "bitmap", Graph: g, Verify: true, Params: c.params})
		require.NoError(t, err)
		require.True(t, res.Verified)
		require.Equal(t, c.first, res.Communication.Pairs[0].Bytes, "%v", c.params)
		require.Equal(t, c.second, res.Communication.Pairs[1].Bytes, "%v", c.params)
		require.Equal(t, 1, res.Communication.Cut)
		require.NoError(t, d.Close())
	}
}

// TestBitmapSendsWords counts what GPUs send of a star of 128 vertices, of which each has half, by hand. Both pushes, from the center to 127 others and back, are wide for 32 threads: two words to the other GPU
// each time. Levels are alike; of predecessors, the value of each vertex that was found goes with them.
func TestBitmapSendsWords(t *testing.T) {
	const n = 128
	var edges []graph.Edge
	for v := uint32(1); v < n; v++ {
		edges = append(edges, graph.Edge{From: 0, To: v})
	}
	g, _, err := graph.FromEdges(t.Context(), "star", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	for _, c := range []struct {
		algorithm     string
		first, second uint64
	}{
		{"bfs", 2 * 2 * 4, 2 * 2 * 4},
		{"parents", 2*2*4 + 8*(n/2-1), 2*2*4 + 8*n/2},
	} {
		d := openGroup(t, "func", 2, nil)
		res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: c.algorithm, Scheduler: "bitmap", Graph: g, Verify: true,
			Params: map[string]string{"partition": "vertices", "direction": "push", "one-block": "0", "block": "32", "blocks": "1", "history": "8"}})
		require.NoError(t, err)
		require.True(t, res.Verified)
		require.Equal(t, c.first, res.Communication.Pairs[0].Bytes, c.algorithm)
		require.Equal(t, c.second, res.Communication.Pairs[1].Bytes, c.algorithm)
		for _, s := range res.Series {
			if s.Name == "how" {
				require.Equal(t, []float64{3, 3}, s.Values, "wide pushes")
			}
		}
		require.NoError(t, d.Close())
	}
}
