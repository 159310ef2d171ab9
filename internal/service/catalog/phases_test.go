package catalog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// phasesRuns are algorithms that run in phases, each with the parameters that matter for them.
var phasesRuns = []catalog.Request{
	{Algorithm: "bc"},
	{Algorithm: "kcore"},
	{Algorithm: "kcore", Params: map[string]string{"k": "3"}},
	{Algorithm: "scc"},
	{Algorithm: "sssp", Params: map[string]string{"delta": "1"}},
	{Algorithm: "sssp", Params: map[string]string{"delta": "20"}},
	{Algorithm: "sssp", Params: map[string]string{"delta": "4294967295"}},
	{Algorithm: "wcc"},
}

// phasesSchemes are schemes with phases, with parameters that select each of their push kernels.
var phasesSchemes = []catalog.Request{
	{Scheduler: "thread"},
	{Scheduler: "warp"},
	{Scheduler: "block", Params: map[string]string{"block": "64"}},
	{Scheduler: "block-queue"},
	{Scheduler: "hierq"},
	{Scheduler: "hierq", Params: map[string]string{"levels": "global"}},
	{Scheduler: "hierq", Params: map[string]string{"levels": "block", "one-block": "8", "block-length": "8"}},
	{Scheduler: "hierq", Params: map[string]string{"one-block": "0", "warp-length": "2", "block-length": "16"}},
}

// phasesGraphs returns directed graphs: named shapes, and random ones with self loops.
func phasesGraphs() []*graph.CSR {
	add := func(arcs [][2]uint32, u, v int) [][2]uint32 { return append(arcs, [2]uint32{uint32(u), uint32(v)}) }
	var cycle, chain, clique, star [][2]uint32
	for v := range 40 {
		cycle, star = add(cycle, v, (v+1)%40), add(star, v+1, 0)
	}
	for v := range 30 {
		chain = add(chain, v, v+1)
	}
	for u := range 12 {
		for v := range 12 {
			clique = add(clique, u, v)
		}
	}
	gs := []*graph.CSR{
		fromArcs(1, nil), fromArcs(9, nil), fromArcs(40, cycle), fromArcs(31, chain), fromArcs(14, clique), fromArcs(41, star),
		fromArcs(6, [][2]uint32{{5, 4}, {4, 3}, {3, 5}, {3, 1}, {1, 0}, {0, 2}, {2, 1}}),
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 20 + r.Uint32N(180)
		var arcs [][2]uint32
		for range n * (1 + r.Uint32N(5)) {
			arcs = append(arcs, [2]uint32{r.Uint32N(n), r.Uint32N(n)})
		}
		gs = append(gs, fromArcs(int(n), arcs))
	}
	return gs
}

// TestPhasesByEverySchemeThatHasThem verifies algorithms with phases on graphs whose answers differ much.
func TestPhasesByEverySchemeThatHasThem(t *testing.T) {
	gs := phasesGraphs()
	for _, a := range phasesRuns {
		for _, s := range phasesSchemes {
			for _, dev := range []string{"func", "sim:tiny"} {
				t.Run(fmt.Sprint(a.Algorithm, a.Params, s.Scheduler, s.Params, dev), func(t *testing.T) {
					for i, g := range gs {
						if dev != "func" && i%3 != 0 { // a simulation takes ten times as long
							continue
						}
						req := catalog.Request{Algorithm: a.Algorithm, Scheduler: s.Scheduler, Graph: g, Verify: true, Params: map[string]string{}}
						for _, params := range []map[string]string{a.Params, s.Params} {
							for name, value := range params {
								req.Params[name] = value
							}
						}
						res, err := catalog.Run(t.Context(), openDevice(t, dev), req)
						require.NoError(t, err)
						require.NoError(t, res.Mismatch, "graph %d", i)
						require.True(t, res.Verified)
					}
				})
			}
		}
	}
}

// TestSchemesWithoutPhasesRunUnorderedAlgorithms checks that delta has no effect on them.
func TestSchemesWithoutPhasesRunUnorderedAlgorithms(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3,directed=true")
	for scheme, params := range map[string]string{"vwc": "", "warpseg": "", "wolf": "", "warp": "pull"} {
		run := func(delta string) *catalog.Result {
			req := catalog.Request{Algorithm: "sssp", Scheduler: scheme, Graph: g, Verify: true, Params: map[string]string{"delta": delta}}
			if params != "" {
				req.Params["direction"] = params
			}
			res, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), req)
			require.NoError(t, err)
			require.True(t, res.Verified)
			return res
		}
		require.Equal(t, run("0").Report.Cycles, run("3").Report.Cycles, scheme)
	}
}

// TestDelta checks that a search for phases costs nothing where there are none, and that phases save visits.
func TestDelta(t *testing.T) {
	g := graphOf(t, "grid:width=30,keep=0.8,seed=2")
	run := func(params map[string]string) (kernels map[string]int, visits float64) {
		res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "sssp", Scheduler: "thread", Graph: g, Params: params, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified)
		kernels = map[string]int{}
		for _, s := range res.Steps {
			kernels[strings.SplitN(s.Kernel, "[", 2)[0]]++
			if s.Iteration > 0 {
				n, ok := s.Number("frontier")
				require.True(t, ok)
				visits += n
			}
		}
		return kernels, visits
	}
	plain, all := run(nil)
	require.Zero(t, plain["scheduler.NextPhase"])
	stepping, fewer := run(map[string]string{"delta": "100"})
	require.Greater(t, stepping["scheduler.NextPhase"], 2)
	require.Equal(t, stepping["scheduler.NextPhase"]-1, stepping["scheduler.EnterPhase"], "the last search finds none")
	require.Less(t, fewer, all)
}

// TestDefaultsByGraph checks that a scheme whose kernels have phases gets the default of delta for the graph, unless
// the user sets it.
func TestDefaultsByGraph(t *testing.T) {
	mine := scheme("mine")()
	mine.PhasesInKernel = true
	var got scheduler.Job
	mine.Run = func(_ context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
		got = j
		return &scheduler.Outcome{Values: make([]uint32, j.Graph.Vertices())}, nil
	}
	c, err := catalog.New(catalog.Extensions{Schemes: []func() scheduler.Scheme{func() scheduler.Scheme { return mine }}})
	require.NoError(t, err)
	g := fromArcs(4, [][2]uint32{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}, {2, 0}, {3, 1}})
	g.Weight = []uint32{1, 3, 2, 4, 5, 5, 6, 6} // 4 on average, and two arcs per vertex: 8 * 32 * 4 / 2
	for _, x := range []struct {
		scheme, set, want string
		phased            bool
	}{{"mine", "", "512", true}, {"mine", "7", "7", true}, {"mine", "0", "0", false}, {"thread", "", "0", false}, {"thread", "7", "7", true}} {
		req := catalog.Request{Algorithm: "sssp", Scheduler: x.scheme, Graph: g}
		if x.set != "" {
			req.Params = map[string]string{"delta": x.set}
		}
		res, err := c.Run(t.Context(), openDevice(t, "func"), req)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"delta": x.want}, res.Params)
		if x.scheme == "mine" {
			require.Equal(t, x.want, got.AlgorithmParams["delta"])
			require.Equal(t, x.phased, got.Algorithm.Phased)
		}
	}
	for _, empty := range []*graph.CSR{fromArcs(1, nil), fromArcs(5, nil)} {
		res, err := c.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "sssp", Scheduler: "mine", Graph: empty})
		require.NoError(t, err)
		require.Equal(t, "1", res.Params["delta"])
	}
}

// TestPhasesNeedAPush checks that a scheme that could pull an algorithm does not if it has phases.
func TestPhasesNeedAPush(t *testing.T) {
	e, err := catalog.Lookup("scc", "warp")
	require.NoError(t, err)
	_, err = e.Parameters(map[string]string{"direction": "pull"})
	require.EqualError(t, err, `scheduler "warp" does not run scc: kernels.SCC runs in phases, which the scheduler does not have in this direction`)
}
