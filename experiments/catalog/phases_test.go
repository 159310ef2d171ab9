package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/graph"
)

// phasesRuns are algorithms that run in phases, each with the parameters that matter for them.
var phasesRuns = []catalog.Request{
	{Algorithm: "kcore"},
	{Algorithm: "kcore", Params: map[string]string{"k": "3"}},
	{Algorithm: "scc"},
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

// TestPhasesNeedAPush checks that a scheme that could pull an algorithm does not if it has phases.
func TestPhasesNeedAPush(t *testing.T) {
	e, err := catalog.Lookup("scc", "warp")
	require.NoError(t, err)
	_, err = e.Parameters(map[string]string{"direction": "pull"})
	require.EqualError(t, err, `scheduler "warp" does not run scc: kernels.SCC runs in phases, which the scheduler does not have in this direction`)
}
