package catalog_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/scheduler"
)

// scheme returns a scheme that is never run.
func scheme(name string) func() scheduler.Scheme {
	return func() scheduler.Scheme {
		return scheduler.Scheme{Name: name, Doc: "nothing",
			Kernels: func(scheduler.Type) []scheduler.EntryPoint { return []scheduler.EntryPoint{{Name: "none.None"}} },
			Run:     func(context.Context, scheduler.Job) (*scheduler.Outcome, error) { return nil, nil }}
	}
}

// TestSchemesOfOneName checks that duplicate names and invalid schemes are rejected.
func TestSchemesOfOneName(t *testing.T) {
	_, err := catalog.New(catalog.Extensions{Schemes: []func() scheduler.Scheme{scheme("mine")}})
	require.NoError(t, err)
	for want, more := range map[string][]func() scheduler.Scheme{
		`scheduler "warp": there is an algorithm or another scheduler of that name`: {scheme("warp")},
		`scheduler "mine": there is an algorithm or another scheduler of that name`: {scheme("mine"), scheme("mine")},
		`scheduler "bfs": there is an algorithm or another scheduler of that name`:  {scheme("bfs")},
		`scheduler "My": a name consists of lower-case letters, digits and hyphens`: {scheme("My")},
	} {
		_, err := catalog.New(catalog.Extensions{Schemes: more})
		require.EqualError(t, err, want)
	}
}

// TestStepsSayWhatTheSchemeLists checks that a reported number without unit and meaning is an error of the scheme.
func TestStepsSayWhatTheSchemeLists(t *testing.T) {
	mine := scheme("mine")()
	mine.Quantities = []scheduler.Quantity{{Name: "tasks", Unit: "task", Doc: "done"}}
	number := "tasks"
	mine.Run = func(_ context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
		return &scheduler.Outcome{Values: make([]uint32, j.Graph.Vertices()), Steps: []scheduler.Step{{Kernel: "k", Numbers: []scheduler.Number{{Name: number, Value: 1}}}}}, nil
	}
	c, err := catalog.New(catalog.Extensions{Schemes: []func() scheduler.Scheme{func() scheduler.Scheme { return mine }}})
	require.NoError(t, err)
	req := catalog.Request{Algorithm: "bfs", Scheduler: "mine", Graph: graphOf(t, "grid:width=4")}
	res, err := c.Run(t.Context(), openDevice(t, "func"), req)
	require.NoError(t, err)
	require.Equal(t, "k", res.Kernel)
	number = "queue"
	_, err = c.Run(t.Context(), openDevice(t, "func"), req)
	require.EqualError(t, err, `scheduler mine reports "queue" of a launch of k, which is none of its Quantities`)
}

// TestOldKernelNames checks that each kernel recorded under an old name is a kernel that a scheme launches today.
func TestOldKernelNames(t *testing.T) {
	now := map[string]bool{}
	for _, e := range catalog.EntryPoints() {
		now[e.Name] = true
	}
	for _, a := range []string{"BFS", "CC", "PageRank", "PageRankPull", "SSSP"} {
		for _, what := range []string{"Init", "Thread", "Warp", "Block"} {
			name := results.KernelName("kernels." + a + what)
			require.True(t, now[name], "%s%s is %s", a, what, name)
		}
	}
	require.True(t, now[results.KernelName("kernels.BFSBlockQueue")])
	h, err := results.Load("h200")
	require.NoError(t, err)
	recorded := map[string]bool{}
	for _, k := range h.Kernels {
		recorded[k.Name] = k.Registers > 0
	}
	for _, name := range []string{"bfs/thread", "bfs/block-queue", "cc/warp", "pagerank/block", "pagerank-pull/warp", "sssp/thread"} {
		for _, e := range catalog.Entries() {
			if e.Name() == name {
				require.True(t, recorded[e.Kernel], "the registers of %s are not found", e.Kernel)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	e, err := catalog.Lookup("pagerank", "warp")
	require.NoError(t, err)
	p, err := e.Parameters(map[string]string{"damping": "0.9", "warp.block": "64", "max-iterations": "5"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"damping": "0.9", "epsilon": "0.0001"}, p.Algorithm)
	require.Equal(t, map[string]string{"block": "64", "direction": "auto", "max-iterations": "5"}, p.Scheduler)

	own, err := catalog.Lookup("./testdata/user/blocky.Levels", "warp")
	require.NoError(t, err)
	p, err = own.Parameters(map[string]string{"./testdata/user/blocky.Levels.block": "3", "warp.block": "96"})
	require.NoError(t, err)
	require.Equal(t, "3", p.Algorithm["block"])
	require.Equal(t, "96", p.Scheduler["block"])
	peeled, err := catalog.Lookup("./testdata/user/kcore.KCore", "warp")
	require.NoError(t, err)
	for _, c := range []struct {
		entry catalog.Entry
		given map[string]string
		want  string
	}{
		{own, map[string]string{"block": "3"}, `parameter "block": the algorithm and the scheduler both have one; write ./testdata/user/blocky.Levels.block or warp.block`},
		{e, map[string]string{"block.block": "64"}, `parameter "block.block": "block" is neither the algorithm, pagerank, nor the scheduler, warp`},
		{e, map[string]string{"warp.damping": "1"}, `unknown parameter of warp "damping"; there are: block, direction, max-iterations`},
		{e, map[string]string{"pagerank.block": "64"}, `unknown parameter of pagerank "block"; there are: damping, epsilon`},
		{e, map[string]string{"rounds": "64"}, `unknown parameter of pagerank by warp "rounds"; there are: block, damping, direction, epsilon, max-iterations`},
		{e, map[string]string{"block": "64", "warp.block": "64"}, `parameter "block" of warp is given twice`},
		{peeled, map[string]string{"direction": "pull"}, `scheduler "warp" does not run ./testdata/user/kcore.KCore: testdata/user/kcore.KCore cannot be pulled: its updates add up, and a pull scheme would add them again in each iteration; define Apply(v scheduler.Vertex, old, gathered int32) (value int32, changed bool) to compute the next value`},
		{e, map[string]string{"damping": "2"}, `pagerank: parameter damping is 2: must be between 0 and 1`},
	} {
		_, err := c.entry.Parameters(c.given)
		require.EqualError(t, err, c.want)
	}
	e, err = catalog.Lookup("bfs", "warp")
	require.NoError(t, err)
	_, err = e.Parameters(map[string]string{"bfs.depth": "1"})
	require.EqualError(t, err, `parameter "bfs.depth": bfs has no parameters`)
}

// TestUsersAlgorithmsArePulled checks that an algorithm that can be pushed and pulled is pulled on request, with the
// same answer, and that one that can only be pulled is pulled.
func TestUsersAlgorithmsArePulled(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for _, s := range []string{"thread", "warp", "block"} {
		for _, dev := range []string{"func", "sim:tiny"} {
			run := func(name string, params map[string]string) *catalog.Result {
				res, err := catalog.Run(t.Context(), openDevice(t, dev), catalog.Request{Algorithm: name, Scheduler: s, Graph: g, Source: source, Params: params})
				require.NoError(t, err)
				return res
			}
			const widest = "./testdata/user/paths.Widest"
			pushed, pulled := run(widest, nil), run(widest, map[string]string{"direction": "pull"})
			require.Contains(t, pushed.Kernel, "bsp.Push[")
			require.Contains(t, pulled.Kernel, "bsp.Pull[")
			require.Equal(t, pushed.Values, pulled.Values)
			heat := run("./testdata/user/blocky.Heat", nil)
			require.Contains(t, heat.Kernel, "bsp.Pull[")
			require.Equal(t, 5, heat.Iterations)
		}
	}
	for name, want := range map[string]string{
		"blocky.Heat": `scheduler "block-queue" does not run ./testdata/user/blocky.Heat: testdata/user/blocky.Heat cannot be pushed: it defines Apply, which only a pull scheme calls, and none of Take, Update and Active`,
	} {
		_, err := catalog.Lookup("./testdata/user/"+name, "block-queue")
		require.ErrorContains(t, err, want+"; these do: block, ")
	}
	// Removing a neighbour again in each iteration would remove all neighbours.
	e, err := catalog.Lookup("./testdata/user/kcore.KCore", "warp")
	require.NoError(t, err)
	_, err = e.Parameters(map[string]string{"direction": "pull"})
	require.ErrorContains(t, err, "testdata/user/kcore.KCore cannot be pulled: its updates add up")
}
