package catalog_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// queueParams are parameters of atos on groups: workers of each size, batches of one task, boxes that are nearly always full, and partitions that cut most arcs.
var queueParams = []map[string]string{
	{"block": "64"},
	{"worker": "warp", "block": "64", "blocks": "2"},
	{"worker": "thread", "block": "32", "blocks": "2"},
	{"worker": "warp", "block": "64", "blocks": "3", "fetch": "1", "inbox": "1"},
	{"block": "64", "blocks": "1", "inbox": "1", "partition": "random"},
	{"worker": "thread", "block": "64", "blocks": "1", "inbox": "1", "partition": "hubs", "sleep": "20"},
}

// queueCases are the runs of atos on groups: each algorithm on each graph with some of queueParams, in turn.
func queueCases(t *testing.T, each int) (cases []groupCase) {
	t.Helper()
	at := 0
	for _, e := range catalog.Entries() {
		if e.Scheduler.Name != "atos" || e.TakesGroup() != nil {
			continue
		}
		for _, g := range tiny(t) {
			for range each {
				at++
				params := maps.Clone(queueParams[at%len(queueParams)])
				maps.Copy(params, short[e.Algorithm.Name])
				cases = append(cases, groupCase{e, g, 0, params})
			}
			at++ // so that each number of GPUs comes to each of queueParams
		}
	}
	return cases
}

// TestQueuesOfGroups checks answers of atos on groups of 1, 2, 3, 4 and 8 GPUs: on func, where a GPU runs until it waits, and on simulated GPUs whose messages are
// late by chance. Some graphs have fewer vertices than there are GPUs.
func TestQueuesOfGroups(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	late := *cfg
	require.NoError(t, late.Set("jitter.message", "200"))
	counts, runs, algorithms := []int{2, 3, 4, 8, 1}, 0, map[string]bool{}
	run := func(dev device.Group, c groupCase) {
		t.Helper()
		source, _ := c.graph.MaxDegreeVertex()
		res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: c.entry.Algorithm.Name, Scheduler: "atos", Graph: c.graph, Source: source, Verify: true, Params: c.params})
		require.NoError(t, err, "%s on %s, %s: %v", c.entry.Name(), c.graph.Name, dev.Name(), c.params)
		require.True(t, res.Verified, "%s on %s, %s, %v: %v", c.entry.Name(), c.graph.Name, dev.Name(), c.params, res.Mismatch)
		require.NoError(t, dev.Close())
		algorithms[c.entry.Algorithm.Name] = true
		runs++
	}
	for at, c := range queueCases(t, 2) {
		g, err := function.NewGroup(counts[at%len(counts)], function.Options{})
		require.NoError(t, err)
		run(g, c)
		s, err := sim.NewGroup(&late, counts[(at+1)%len(counts)], sim.Options{Seed: uint64(at)})
		require.NoError(t, err)
		run(s, c)
	}
	require.Equal(t, map[string]bool{"bfs": true, "cc": true, "pagerank": true, "parents": true, "sssp": true, "sswp": true}, algorithms)
	t.Logf("%d runs with right answers", runs)
}

// TestQueuesOfGroupsHaveNoRaces checks that GPUs which store into each other's memory order what they do.
func TestQueuesOfGroupsHaveNoRaces(t *testing.T) {
	for name, every := range map[string]int{"func": 3, "sim:tiny": 5} {
		for i, c := range queueCases(t, 1) {
			if i%every != 0 {
				continue
			}
			noRaces(t, func(races *device.Races) device.Device { return openGroup(t, name, 3, races) }, "rmat:scale=6,degree=6,seed=3", catalog.Request{Algorithm: c.entry.Algorithm.Name, Scheduler: "atos", Params: c.params})
		}
	}
}

// TestQueuesOfGroupsRefuse checks what the catalog says of runs that atos has on one GPU alone: of an algorithm, and of parameters.
func TestQueuesOfGroupsRefuse(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3")
	for _, c := range []struct {
		algorithm string
		params    map[string]string
		want      string
	}{
		{"colouring", nil, "scheduler atos runs kernels.Colouring on one GPU, since a vertex chooses its value by those of its neighbors, which other GPUs have, and funcx2 is a group of 2; schedulers that run colouring on all of them: multi"},
		{"bfs", map[string]string{"merge": "false"}, "parameter merge of scheduler atos: several GPUs need merge=true, by which what is sent is put together while it waits"},
		{"pagerank", map[string]string{"check": "64"}, "parameter check of scheduler atos: several GPUs need check=0: a look at all vertices does not see what is on its way"},
	} {
		for gpus, want := range map[int]string{1: "", 2: c.want} {
			dev := openGroup(t, "func", gpus, nil)
			res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: c.algorithm, Scheduler: "atos", Graph: g, Verify: true, Params: c.params})
			if want == "" {
				require.NoError(t, err)
				require.True(t, res.Verified)
			} else {
				require.EqualError(t, err, want)
			}
			require.NoError(t, dev.Close())
		}
	}
}

// TestQueuesOfGroupsSend counts by hand what a search sends on two GPUs with half of the vertices each, from a source by way of 30 vertices to a last one. The first GPU reaches the
// last vertex by 15 arcs, at the same distance, and sends it once; those of the other half it sends once each. The second one sends nothing.
func TestQueuesOfGroupsSend(t *testing.T) {
	const last = 31
	var edges []graph.Edge
	for v := uint32(1); v < last; v++ {
		edges = append(edges, graph.Edge{From: 0, To: v}, graph.Edge{From: v, To: last})
	}
	g, _, err := graph.FromEdges(t.Context(), "two steps", last+1, edges, graph.LoadOptions{})
	require.NoError(t, err)
	for _, worker := range []string{"thread", "warp", "block"} {
		sent := sentBy(t, "bfs", "atos", g, 0, map[string]string{"worker": worker, "block": "64", "partition": "vertices"})
		require.Equal(t, []scheduler.PairUse{{From: 0, To: 1, Bytes: 8 * (15 + 1)}, {From: 1, To: 0}}, sent.Pairs)
		require.Equal(t, 15+15, sent.Cut)
	}
	// A value of 8 bytes needs a second word.
	sent := sentBy(t, "parents", "atos", g, 0, map[string]string{"partition": "vertices"})
	require.Zero(t, sent.Bytes()%16)
	require.GreaterOrEqual(t, sent.Bytes(), uint64(16*16))
}
