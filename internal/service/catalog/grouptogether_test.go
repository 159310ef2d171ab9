package catalog_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
)

// togetherWays are parameters by which every part of the kernel of union-find for several GPUs runs: with a sample, tiles, and neither.
var togetherWays = []map[string]string{
	{},
	{"skip": "always"},
	{"skip": "always", "rounds": "1", "partition": "vertices"},
	{"skip": "never", "partition": "random"},
	{"skip": "never", "tile": "0"},
	{"skip": "never", "tile": "7", "partition": "hubs"},
}

// scattered returns a symmetric graph of random edges, of which some end in one of two hubs.
func scattered(t *testing.T, rng *rand.Rand) *graph.CSR {
	n := 1 + rng.IntN(600)
	hubs := [2]uint32{rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n))}
	var edges []graph.Edge
	for range rng.IntN(3 * n) {
		e := graph.Edge{From: rng.Uint32N(uint32(n)), To: rng.Uint32N(uint32(n))}
		if rng.IntN(3) == 0 {
			e.To = hubs[rng.IntN(2)]
		}
		edges = append(edges, e)
	}
	g, _, err := graph.FromEdges(t.Context(), "scattered", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	return g
}

// ofComponents returns the number of vertices in the component of each vertex, or the largest number of arcs of one of them.
func ofComponents(t *testing.T, g *graph.CSR, algorithm string) any {
	roots, err := reference.CC(t.Context(), g)
	require.NoError(t, err)
	both, err := g.Symmetrize(t.Context())
	require.NoError(t, err)
	values := make([]uint32, len(roots))
	for v, root := range roots {
		if strings.HasSuffix(algorithm, "Size") {
			values[root]++
		} else {
			values[root] = max(values[root], uint32(both.Degree(uint32(v))))
		}
	}
	for v, root := range roots {
		values[v] = values[root]
	}
	return values
}

// TestTogether checks components, and values that roots do not have from the start, on 1, 2, 3, 4 and 8 GPUs.
func TestTogether(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(11, 12))
			graphs := append(bitmapGraphs(t), graphOf(t, "rmat:scale=8,degree=3,seed=2,directed=true"))
			for range map[string]int{"func": 40, "sim:tiny": 12}[name] {
				graphs = append(graphs, scattered(t, rng))
			}
			algorithms := []string{"cc", "wcc", "./testdata/user/component.Size", "./testdata/user/component.Largest"}
			for turn, g := range graphs {
				for i, way := range togetherWays {
					if name != "func" && (turn+i)%3 != 0 {
						continue
					}
					gpus := []int{2, 3, 4, 8, 1}[(turn+i)%5]
					params := maps.Clone(way)
					params["block"], params["fusion"] = []string{"32", "96", "256"}[(turn+i)%3], "all"
					algorithm := algorithms[(turn+i)%4]
					d := openGroup(t, name, gpus, nil)
					res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: algorithm, Scheduler: "union-find", Graph: g, Verify: true, Params: params})
					what := fmt.Sprintf("%s on %s, %d GPUs, %v", algorithm, g.Name, gpus, params)
					require.NoError(t, err, what)
					require.NoError(t, d.Close())
					if i := strings.Index(algorithm, "component."); i < 0 {
						require.True(t, res.Verified, "%s: %v", what, res.Mismatch)
						continue
					}
					require.Equal(t, ofComponents(t, g, algorithm), res.Values, what)
				}
			}
		})
	}
}

// TestTogetherHasNoRaces checks that nothing races that is not meant to, on a machine with a stack and on one whose lanes part at every backward branch.
func TestTogetherHasNoRaces(t *testing.T) {
	parted := func(n int) func(*device.Races) device.Device {
		return func(races *device.Races) device.Device {
			g, err := sim.NewGroup(parting(t), n, sim.Options{Races: races, Strict: true})
			require.NoError(t, err)
			return g
		}
	}
	for i, way := range togetherWays {
		params := maps.Clone(way)
		params["block"], params["fusion"] = "32", "all"
		q := catalog.Request{Algorithm: []string{"cc", "wcc", "./testdata/user/component.Size"}[i%3], Scheduler: "union-find", Params: params, Verify: true}
		noRaces(t, func(races *device.Races) device.Device { return openGroup(t, "func", 3, races) }, "rmat:scale=7,degree=8,seed=3", q)
		noRaces(t, func(races *device.Races) device.Device { return openGroup(t, "sim:tiny", 2, races) }, "uniform:n=300,degree=3,seed=4", q)
		noRaces(t, parted(2+i%2), "rmat:scale=5,degree=6,seed=3", q)
	}
}

// TestTogetherUnderDelays runs under schedules in which messages between GPUs, SMs and blocks are late at random, on a machine whose lanes part at every backward branch.
func TestTogetherUnderDelays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for seed := range uint64(12) {
		cfg := parting(t)
		for name, value := range map[string]string{"jitter.message": "400", "jitter.sm": "300", "jitter.block": "200", "launch.order": "random", "issue.scheduler": "random"} {
			require.NoError(t, cfg.Set(name, value))
		}
		d, err := sim.NewGroup(cfg, 2+int(seed%3), sim.Options{Strict: true, Seed: 1 + seed})
		require.NoError(t, err)
		params := maps.Clone(togetherWays[seed%uint64(len(togetherWays))])
		params["block"], params["fusion"] = "32", "all"
		g := scattered(t, rng)
		res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "cc", Scheduler: "union-find", Graph: g, Verify: true, Params: params})
		require.NoError(t, err)
		require.True(t, res.Verified, "seed %d: %v", seed, res.Mismatch)
		require.NoError(t, d.Close())
	}
}

// TestWidestFar has a vertex for a block whose arcs all lead to vertices of another GPU outside of its largest tree.
func TestWidestFar(t *testing.T) {
	const half, n, leaves = 1024, 2048, 600
	edges := []graph.Edge{{From: half - 1, To: n - 1}}
	for v := uint32(leaves); v < half-1; v++ { // the largest trees: a path, and a star
		edges = append(edges, graph.Edge{From: v, To: v + 1}, graph.Edge{From: n - 1, To: half + v})
	}
	for v := range uint32(leaves) { // half has arcs to each of these, and some of them to one further vertex
		edges = append(edges, graph.Edge{From: half, To: v})
		if v%3 == 0 {
			edges = append(edges, graph.Edge{From: half + 1 + v/30, To: v})
		}
	}
	g, _, err := graph.FromEdges(t.Context(), "widest", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	for _, name := range []string{"func", "sim:tiny"} {
		for _, skip := range []string{"always", "never"} {
			d := openGroup(t, name, 2, nil)
			res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "cc", Scheduler: "union-find", Graph: g, Verify: true, Params: map[string]string{"partition": "vertices", "skip": skip}})
			require.NoError(t, err)
			require.True(t, res.Verified, "%v", res.Mismatch)
			require.NoError(t, d.Close())
		}
	}
}

// TestLargestTreesApart has two GPUs whose largest trees no sampled arc puts together: all arcs between the halves of a graph but one lead to vertices outside of them. Only the last exchange has that arc.
func TestLargestTreesApart(t *testing.T) {
	const half, n, leaves = 40_000, 80_000, 30_000
	var edges []graph.Edge
	star := func(center, first, end uint32) {
		for v := first; v < end; v++ {
			if v != center {
				edges = append(edges, graph.Edge{From: center, To: v})
			}
		}
	}
	star(leaves, leaves, half)
	star(half, half, n-leaves)
	// The vertices before and after have no arc but one to a vertex of the other half, of which none is in a star.
	for i := range uint32(leaves) {
		edges = append(edges, graph.Edge{From: i, To: n - leaves + i})
	}
	edges = append(edges, graph.Edge{From: half - 1, To: half + 1})
	g, _, err := graph.FromEdges(t.Context(), "two stars", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	second := 0
	for seed := range 3 {
		d := openGroup(t, "func", 2, nil)
		res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "cc", Scheduler: "union-find", Graph: g, Verify: true, Params: map[string]string{"partition": "vertices", "skip": []string{"always", "never", "auto"}[seed]}})
		require.NoError(t, err)
		require.True(t, res.Verified, "%v", res.Mismatch)
		for _, u := range res.Communication.Remote {
			if u.Cause == scheduler.ForBarriers && u.Bytes == 2*4*3 {
				second++
			}
		}
		require.NoError(t, d.Close())
	}
	require.Positive(t, second, "there is a second exchange")
}

// TestTogetherSends counts by hand what GPUs send each other: a bit for each vertex of a range; the parent of each vertex outside of the largest tree with an arc to another GPU, unless it is a root; and each root that is hooked.
func TestTogetherSends(t *testing.T) {
	const half, n = 64, 128
	var edges []graph.Edge
	for v := range uint32(half - 1) { // paths of 60 and 4 vertices in the first half, and of 64 in the second
		if v != 59 {
			edges = append(edges, graph.Edge{From: v, To: v + 1})
		}
		edges = append(edges, graph.Edge{From: half + v, To: half + v + 1})
	}
	edges = append(edges, graph.Edge{From: 5, To: half}, graph.Edge{From: 62, To: n - 1})
	g, _, err := graph.FromEdges(t.Context(), "paths", n, edges, graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	d := openGroup(t, "func", 2, nil)
	res, err := catalog.Run(t.Context(), d, catalog.Request{Algorithm: "cc", Scheduler: "union-find", Graph: g, Verify: true, Params: map[string]string{"partition": "vertices", "skip": "never"}})
	require.NoError(t, err)
	require.True(t, res.Verified, "%v", res.Mismatch)
	// GPU 0 sends that 62 is under 60, that it has hooked 64 under 0, by the arc from 5, and 60 under 64 or, if it comes later, 0. GPU 1 sends the first of these hooks alone: 62 is not in its largest tree, and 127 is.
	words := uint64(4 * half / 32)
	require.Equal(t, words+3*8, res.Communication.Pairs[0].Bytes)
	require.Equal(t, words+8, res.Communication.Pairs[1].Bytes)
	by := map[scheduler.Cause]uint64{}
	for _, u := range res.Communication.Remote {
		by[u.Cause] = u.Bytes
	}
	require.Equal(t, map[scheduler.Cause]uint64{scheduler.ForValues: 4 * 8, scheduler.ForFrontier: 2 * words, scheduler.ForCounters: 2 * 2 * 4, scheduler.ForBarriers: 2 * 2 * 4}, by)
	require.Equal(t, 2, res.Communication.Cut/2)
	require.NoError(t, d.Close())
}
