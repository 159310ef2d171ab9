package catalog_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
)

// nearFarWays are parameters by which every part of the kernel runs: one block alone, all blocks, parts of long rows in shared memory, in chunks and both, and every partition.
var nearFarWays = []map[string]string{
	{},
	{"one-block": "0", "partition": "vertices"},
	{"one-block": "0", "stage": "0", "partition": "random"},
	{"one-block": "0", "stage": "3", "partition": "hubs"},
	{"one-block": "4096", "blocks": "2"},
	{"one-block": "30", "blocks": "1"},
}

// deltas are widths of phases: none, many phases, the default (""), and one phase for all.
var deltas = []string{"", "1", "0", "20", "4294967295"}

// weighted returns a graph with these weights, which are taken in turn.
func weighted(g *graph.CSR, weights ...uint32) *graph.CSR {
	copied := *g
	copied.Name, copied.Weight = fmt.Sprintf("%s with weights %v", g.Name, weights), make([]uint32, g.Arcs())
	for i := range copied.Weight {
		copied.Weight[i] = weights[i*7%len(weights)]
	}
	copied.Symmetric = false
	return &copied
}

// wheel returns a directed graph with a hub to all others, whose row has several pieces, and arcs back from some of them.
func wheel(t *testing.T, n uint32) *graph.CSR {
	var edges []graph.Edge
	for v := uint32(1); v < n; v++ {
		edges = append(edges, graph.Edge{From: 0, To: v, Weight: 1 + v*37%400}, graph.Edge{From: v, To: 1 + v*5%(n-1), Weight: 1 + v%9})
		if v%3 == 0 {
			edges = append(edges, graph.Edge{From: v, To: 0, Weight: 2})
		}
	}
	g, _, err := graph.FromEdges(t.Context(), "wheel", int(n), edges, graph.LoadOptions{})
	require.NoError(t, err)
	return g
}

// nearFarGraphs are graphs with hubs, many levels, several components, fewer vertices than GPUs, isolated vertices, weights of 0, and weights whose sums do not fit.
func nearFarGraphs(t *testing.T) []*graph.CSR {
	list := append(bitmapGraphs(t), wheel(t, 1500), graphOf(t, "rmat:scale=8,degree=3,seed=2,directed=true"))
	return append(list, weighted(graphOf(t, "uniform:n=300,degree=4,seed=4"), 0, 0, 3, 1, 0), weighted(graphOf(t, "uniform:n=200,degree=9,seed=6"), 400_000_000, math.MaxUint32, 7, math.MaxUint32-1, 100_000_000, 3, 1_000_000_000))
}

// TestNearFar checks paths and others on 1, 2, 3, 4 and 8 GPUs.
func TestNearFar(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kinds, turn := map[string]float64{}, 0
			for of, g := range nearFarGraphs(t) {
				source, _ := g.MaxDegreeVertex()
				for i, way := range nearFarWays {
					for _, delta := range deltas {
						if turn++; name != "func" && turn%7 != 0 {
							continue
						}
						gpus := []int{2, 3, 4, 8, 1}[(turn/5+i+of)%5]
						params := maps.Clone(way)
						params["block"] = []string{"32", "96", "256"}[turn%3]
						algorithm := "sssp"
						if delta != "" {
							params["delta"] = delta
						} else {
							algorithm = []string{"sssp", "sswp", "cc", "bfs", "parents"}[(turn/5)%5]
						}
						d := openGroup(t, name, gpus, nil)
						res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: algorithm, Scheduler: "near-far", Graph: g, Source: source, Verify: true, Params: params})
						what := fmt.Sprintf("%s on %s, %d GPUs, %v", algorithm, g.Name, gpus, params)
						require.NoError(t, err, what)
						require.True(t, res.Verified, "%s: %v", what, res.Mismatch)
						require.NoError(t, d.Close())
						require.Len(t, res.Steps, 1)
						for _, n := range []string{"iterations", "phases", "one-block-iterations"} {
							x, ok := res.Steps[0].Number(n)
							require.True(t, ok)
							kinds[n] += x
						}
					}
				}
			}
			require.Greater(t, min(kinds["phases"], kinds["one-block-iterations"], kinds["iterations"]-kinds["one-block-iterations"]), 50.0, "of all kinds of iterations there are some")
		})
	}
}

// TestNearFarHasNoRaces checks that nothing races, on a machine with a stack and on one whose lanes part at every backward branch.
func TestNearFarHasNoRaces(t *testing.T) {
	parted := func(n int) func(*device.Races) device.Device {
		return func(races *device.Races) device.Device {
			g, err := sim.NewGroup(parting(t), n, sim.Options{Races: races, Strict: true})
			require.NoError(t, err)
			return g
		}
	}
	for i, way := range nearFarWays {
		params := maps.Clone(way)
		params["block"], params["delta"] = "32", []string{"20", "1", "64"}[i%3]
		q := catalog.Request{Algorithm: "sssp", Scheduler: "near-far", Params: params, Verify: true}
		noRaces(t, func(races *device.Races) device.Device { return openGroup(t, "func", 3, races) }, "rmat:scale=9,degree=8,seed=3", q)
		noRaces(t, func(races *device.Races) device.Device { return openGroup(t, "sim:tiny", 2, races) }, "uniform:n=300,degree=6,seed=4", q)
		noRaces(t, parted(1+i%3), "rmat:scale=5,degree=6,seed=3", q)
	}
}

// TestNearFarUnderDelays runs under schedules in which messages between GPUs, SMs and blocks are late at random, on a machine whose lanes part at every backward branch.
func TestNearFarUnderDelays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for seed := range uint64(18) {
		cfg := parting(t)
		for name, value := range map[string]string{"jitter.message": "400", "jitter.sm": "300", "jitter.block": "200", "launch.order": "random", "issue.scheduler": "random"} {
			require.NoError(t, cfg.Set(name, value))
		}
		d, err := sim.NewGroup(cfg, 1+int(seed%4), sim.Options{Strict: true, Seed: 1 + seed})
		require.NoError(t, err)
		params := maps.Clone(nearFarWays[seed%uint64(len(nearFarWays))])
		params["block"], params["delta"] = "32", []string{"1", "16", "64"}[seed%3]
		g := scattered(t, rng)
		if seed%5 == 4 {
			g = wheel(t, 700)
		}
		res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "sssp", Scheduler: "near-far", Graph: g, Verify: true, Params: params})
		require.NoError(t, err)
		require.True(t, res.Verified, "seed %d: %v", seed, res.Mismatch)
		require.NoError(t, d.Close())
	}
}

// TestNearFarSends counts what GPUs send on a path of 128 vertices, of which each has half, by hand: a pair for each vertex, to the other GPU, and in each exchange how many there are.
func TestNearFarSends(t *testing.T) {
	const n = 128
	var edges []graph.Edge
	for v := range uint32(n - 1) {
		edges = append(edges, graph.Edge{From: v, To: v + 1, Weight: 3})
	}
	g, _, err := graph.FromEdges(t.Context(), "path", n, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, c := range []struct {
		oneBlock, delta string
		splits          uint64
	}{
		{"0", "0", 0},
		{"256", "0", 0},
		{"0", "1000", 0},
		{"0", "30", 12}, // distances up to 381: 13 phases, of which the first needs no exchange of its own
		{"256", "30", 12},
	} {
		d := openGroup(t, "func", 2, nil)
		params := map[string]string{"one-block": c.oneBlock, "delta": c.delta, "partition": "vertices"}
		res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "sssp", Scheduler: "near-far", Graph: g, Verify: true, Params: params})
		require.NoError(t, err)
		require.True(t, res.Verified, "%v", res.Mismatch)
		for _, p := range res.Communication.Pairs {
			require.EqualValues(t, 8*n/2, p.Bytes, "%v", params)
		}
		require.Equal(t, 1, res.Communication.Cut)
		by := map[scheduler.Cause]uint64{}
		for _, u := range res.Communication.Remote {
			by[u.Cause] = u.Bytes
		}
		exchanges := 1 + n + c.splits
		require.Equal(t, map[scheduler.Cause]uint64{scheduler.ForValues: 8 * n, scheduler.ForCounters: 2 * 16 * exchanges, scheduler.ForBarriers: 2 * 4 * exchanges}, by, "%v", params)
		require.NoError(t, d.Close())
	}
}

// TestNearFarByHand has a vertex that is far first and then near, one that stays far, and a phase that no vertex is in any more when it is looked for.
func TestNearFarByHand(t *testing.T) {
	edges := []graph.Edge{{From: 0, To: 1, Weight: 1}, {From: 0, To: 2, Weight: 10}, {From: 1, To: 2, Weight: 2}, {From: 2, To: 3, Weight: 1}, {From: 1, To: 4, Weight: 25}, {From: 4, To: 5, Weight: 1}}
	g, _, err := graph.FromEdges(t.Context(), "by hand", 6, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, oneBlock := range []string{"0", "256"} {
		for gpus := 1; gpus <= 3; gpus++ {
			d := openGroup(t, "func", gpus, nil)
			params := map[string]string{"one-block": oneBlock, "delta": "5", "history": "9"}
			res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "sssp", Scheduler: "near-far", Graph: g, Verify: true, Params: params})
			require.NoError(t, err)
			require.True(t, res.Verified)
			require.Equal(t, []uint32{0, 1, 3, 4, 26, 27}, res.Values)
			alone := map[string]float64{"0": 0, "256": 6}[oneBlock]
			// Vertex 2 is far with distance 10, of phase 2, and then near with 3. Nobody is in phase 2 when it is looked for, and vertices 4 and 5 are in phase 5.
			for n, want := range map[string]float64{"frontier": 6, "next": 0, "arcs": 6, "iterations": 6, "phases": 3, "one-block-iterations": alone} {
				x, ok := res.Steps[0].Number(n)
				require.True(t, ok)
				require.Equal(t, want, x, n)
			}
			series := map[string][]float64{}
			for _, s := range res.Series {
				series[s.Name] = s.Values
			}
			require.Equal(t, []float64{1, 1, 1, 1, 1, 1}, series["frontier"])
			require.Equal(t, []float64{2, 2, 1, 0, 1, 0}, series["arcs"])
			require.Equal(t, []float64{0, 0, 0, 0, 5, 5}, series["phase"])
			require.Equal(t, alone/6, series["how"][5])
			require.Len(t, series["iteration-cycles"], 6)
			require.NoError(t, d.Close())
		}
	}
}
