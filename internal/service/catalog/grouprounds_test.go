package catalog_test

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// deviceLoops returns the parameters of the runs in which the GPUs of a group do all iterations by themselves, for each algorithm that has
// such runs.
func deviceLoops(t *testing.T) (cases []groupCase) {
	t.Helper()
	for _, e := range catalog.Entries() {
		if e.Scheduler.Name != "multi" {
			continue
		}
		for _, lanes := range []string{"1", "8", "32"} {
			params := map[string]string{"loop": "device", "lanes": lanes, "block": "64", "blocks": "3"}
			maps.Copy(params, short[e.Algorithm.Name])
			if _, err := e.Parameters(params); err != nil {
				require.Regexp(t, "cannot be pushed|which loop=device does not have|lanes is for pushes", err.Error())
				continue
			}
			for _, more := range directions(e) {
				all := maps.Clone(params)
				maps.Copy(all, more)
				for _, g := range tiny(t) {
					cases = append(cases, groupCase{e, g, 0, all})
				}
			}
		}
		for _, exchange := range []string{"all", "ms", "vr-online"} {
			params := map[string]string{"loop": "device", "direction": "pull", "exchange": exchange, "block": "64", "blocks": "3"}
			maps.Copy(params, short[e.Algorithm.Name])
			if _, err := e.Parameters(params); err != nil {
				require.Regexp(t, "cannot be pulled|which loop=device does not have", err.Error())
				continue
			}
			for _, g := range tiny(t) {
				cases = append(cases, groupCase{e, g, 0, params})
			}
		}
	}
	require.NotEmpty(t, cases)
	return cases
}

// directions returns parameters with which loops push alone, and pull early or late, for an algorithm that can do both.
func directions(e catalog.Entry) []map[string]string {
	if _, err := e.Parameters(map[string]string{"loop": "device", "direction": "both"}); err != nil {
		return []map[string]string{nil}
	}
	return []map[string]string{{"direction": "push"}, {"direction": "both", "pull-above": "0"}, {"direction": "both", "pull-above": "0.02"}, {"pull-above": "0.3"}}
}

// TestDeviceLoops checks answers of groups of 1, 2, 3, 4 and 8 GPUs that do all iterations in one launch on each: on func all cases, on
// simulated GPUs each with one number of GPUs and with messages that are late by chance.
func TestDeviceLoops(t *testing.T) {
	cfg, err := config.Load("tiny")
	require.NoError(t, err)
	late := *cfg
	require.NoError(t, late.Set("jitter.message", "200"))
	for at, c := range deviceLoops(t) {
		source, _ := c.graph.MaxDegreeVertex()
		run := func(dev device.Group) {
			t.Helper()
			res, err := catalog.Run(context.Background(), dev, catalog.Request{Algorithm: c.entry.Algorithm.Name, Scheduler: c.entry.Scheduler.Name, Graph: c.graph, Source: source, Verify: true, Params: c.params})
			require.NoError(t, err, "%s on %s, %s: %v", c.entry.Name(), c.graph.Name, dev.Name(), c.params)
			require.True(t, res.Verified, "%s on %s, %s, %v: %v", c.entry.Name(), c.graph.Name, dev.Name(), c.params, res.Mismatch)
			require.NoError(t, dev.Close())
		}
		counts := []int{1, 2, 3, 4, 8}
		for _, n := range counts {
			g, err := function.NewGroup(n, function.Options{})
			require.NoError(t, err)
			run(g)
		}
		g, err := sim.NewGroup(&late, counts[at%len(counts)], sim.Options{Seed: uint64(at)})
		require.NoError(t, err)
		run(g)
	}
}

// TestDeviceLoopsHaveNoRaces checks that GPUs which store into each other's memory order what they do.
func TestDeviceLoopsHaveNoRaces(t *testing.T) {
	for name, every := range map[string]int{"func": 5, "sim:tiny": 17} {
		for i, c := range deviceLoops(t) {
			if i%every != 0 {
				continue
			}
			noRaces(t, func(races *device.Races) device.Device { return openGroup(t, name, 3, races) }, "rmat:scale=6,degree=6,seed=3", catalog.Request{Algorithm: c.entry.Algorithm.Name, Scheduler: c.entry.Scheduler.Name, Params: c.params})
		}
	}
}

// TestDeviceLoopSends checks that GPUs send, in loops of their own, what they send where the host runs the loop: the same vertices in
// each iteration, each with its number. It checks the limit of iterations, too.
func TestDeviceLoopSends(t *testing.T) {
	g := graphOf(t, "rmat:scale=8,degree=8,seed=4")
	var sent [2]uint64
	var iterations [2]int
	for i, params := range []map[string]string{{"base": "push"}, {"loop": "device", "direction": "push"}} {
		res, err := catalog.Run(t.Context(), openGroup(t, "func", 3, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Verify: true, Params: params})
		require.NoError(t, err)
		sent[i], iterations[i] = res.Communication.Bytes(), res.Iterations
	}
	assert.Equal(t, sent[0], sent[1], "breadth-first search finds each vertex in one iteration")
	assert.Equal(t, iterations[0], iterations[1])
	for _, above := range []string{"1", "0.1", "0"} { // 1: nothing is pulled; 0: all but the first iteration
		for most := 1; most < iterations[0]; most++ {
			_, err := catalog.Run(t.Context(), openGroup(t, "func", 3, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Params: map[string]string{"loop": "device", "pull-above": above, "max-iterations": strconv.Itoa(most)}})
			var limit *scheduler.NotConverged
			require.ErrorAs(t, err, &limit, "%s %d", above, most)
			assert.Equal(t, most, limit.Iterations)
			assert.Positive(t, limit.Active)
		}
		res, err := catalog.Run(t.Context(), openGroup(t, "func", 3, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Verify: true, Params: map[string]string{"loop": "device", "pull-above": above, "max-iterations": fmt.Sprint(iterations[0])}})
		require.NoError(t, err)
		assert.Equal(t, iterations[0], res.Iterations)
	}
}

// TestDeviceLoopPulls counts what the pulls of a breadth-first search send by hand: a complete graph of 64 vertices on two GPUs. The first iteration
// pushes along the 63 arcs of the source, 32 of them to the other GPU, each with its number; then 63 vertices have 63 arcs each, of 63*64 in all. Each GPU tells
// the other the word of its 32 vertices and their values, finds nothing in a pull, and tells its word once more.
func TestDeviceLoopPulls(t *testing.T) {
	var arcs []graph.Edge
	for u := range uint32(64) {
		for v := range uint32(64) {
			if u != v {
				arcs = append(arcs, graph.Edge{From: u, To: v})
			}
		}
	}
	g, _, err := graph.FromEdges(t.Context(), "complete", 64, arcs, graph.LoadOptions{})
	require.NoError(t, err)
	res, err := catalog.Run(t.Context(), openGroup(t, "func", 2, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Verify: true, Params: map[string]string{"loop": "device"}})
	require.NoError(t, err)
	assert.True(t, res.Verified)
	assert.Equal(t, 2, res.Iterations)
	require.Len(t, res.Communication.Pairs, 2)
	assert.EqualValues(t, 32*8+4+32*4+4, res.Communication.Pairs[0].Bytes, "of the GPU with the source")
	assert.EqualValues(t, 4+32*4+4, res.Communication.Pairs[1].Bytes)
	assert.False(t, res.Communication.Counted)
}

// TestDeviceLoopRefuses checks which parameters do not go with loops of the GPUs.
func TestDeviceLoopRefuses(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"base", "warpseg", "loop=device needs base=push or auto"},
		{"exchange", "ms", "loop=device sends what has changed: it needs exchange=vr-online"},
		{"transfer", "peer", "loop=device stores into the memory of the other GPUs: it needs transfer=auto"},
		{"overlap", "true", "overlap=true needs a base that pulls"},
		{"direction", "down", `parameter direction of scheduler multi: "down" is not one of auto, push, pull, both`},
		{"lanes", "4", `parameter lanes of scheduler multi: 4 is not one of 1, 8, 32`},
	} {
		_, err := catalog.Run(t.Context(), openGroup(t, "func", 2, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: graphOf(t, "rmat:scale=8,degree=8,seed=4"), Params: map[string]string{"loop": "device", c.name: c.value}})
		require.ErrorContains(t, err, c.want)
	}
	for _, c := range []struct{ name, value, want string }{
		{"base", "thread", "direction=pull chooses how many threads share the arcs of a vertex: it needs base=auto"},
		{"base", "push", "direction=pull chooses how many threads share the arcs of a vertex: it needs base=auto"},
		{"exchange", "vr-offline", "direction=pull has no outboxes: it needs exchange=all, ms or vr-online"},
		{"lanes", "8", "lanes is for pushes: direction=pull chooses how many threads share the arcs of a vertex"},
		{"transfer", "host", "loop=device stores into the memory of the other GPUs: it needs transfer=auto"},
		{"overlap", "true", "loop=device has no overlap"},
		{"pull-above", "0.2", "pull-above says when to pull: it needs direction=both, or auto with an algorithm that can be pulled so"},
		{"tolerance", "0.001", "loop=device sends exact values: a tolerance needs loop=host"},
	} {
		_, err := catalog.Run(t.Context(), openGroup(t, "func", 2, nil), catalog.Request{Algorithm: "pagerank-pull", Scheduler: "multi", Graph: graphOf(t, "rmat:scale=8,degree=8,seed=4"), Params: map[string]string{"loop": "device", "direction": "pull", c.name: c.value}})
		require.ErrorContains(t, err, c.want, "%s=%s", c.name, c.value)
	}
	_, err := catalog.Run(t.Context(), openGroup(t, "func", 2, nil), catalog.Request{Algorithm: "kcore", Scheduler: "multi", Graph: graphOf(t, "rmat:scale=8,degree=8,seed=4"), Params: map[string]string{"loop": "device", "direction": "pull"}})
	require.ErrorContains(t, err, "which loop=device does not have")
	for name, value := range map[string]string{"lanes": "8", "blocks": "8", "direction": "both", "pull-above": "0.2"} {
		_, err := catalog.Run(t.Context(), openGroup(t, "func", 2, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: graphOf(t, "rmat:scale=8,degree=8,seed=4"), Params: map[string]string{"base": "push", name: value}})
		require.ErrorContains(t, err, "direction, pull-above, lanes and blocks are of kernels that run all iterations: they need loop=device")
	}
	for algorithm, params := range map[string]map[string]string{"cc": {"direction": "both"}, "pagerank": {"direction": "both"}} {
		params["loop"] = "device"
		_, err := catalog.Run(t.Context(), openGroup(t, "func", 2, nil), catalog.Request{Algorithm: algorithm, Scheduler: "multi", Graph: graphOf(t, "rmat:scale=8,degree=8,seed=4"), Params: params})
		require.ErrorContains(t, err, "direction=both needs an algorithm in which one update settles a vertex, that can be pushed and pulled: with methods EarlyEnd and Settled, and Min or Max")
	}
	for algorithm, params := range map[string]map[string]string{"cc": {}, "bfs": {"direction": "push"}} {
		params["loop"], params["pull-above"] = "device", "0.2"
		_, err := catalog.Run(t.Context(), openGroup(t, "func", 2, nil), catalog.Request{Algorithm: algorithm, Scheduler: "multi", Graph: graphOf(t, "rmat:scale=8,degree=8,seed=4"), Params: params})
		require.ErrorContains(t, err, "pull-above says when to pull: it needs direction=both, or auto with an algorithm that can be pulled so")
	}
	_, err = catalog.Run(t.Context(), openGroup(t, "func", 9, nil), catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: graphOf(t, "rmat:scale=8,degree=8,seed=4"), Params: map[string]string{"loop": "device"}})
	require.ErrorContains(t, err, "has 9 GPUs; a barrier of GPUs is for at most 8")
}
