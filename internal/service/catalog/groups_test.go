package catalog_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// openGroup opens n GPUs, "func" or "sim:preset", which the caller closes: a function that the test calls at its end
// would keep all groups in memory until then.
func openGroup(t testing.TB, name string, n int, races *device.Races) device.Group {
	t.Helper()
	if name == "func" {
		g, err := function.NewGroup(n, function.Options{Races: races})
		require.NoError(t, err)
		return g
	}
	machine, err := config.Load(name[len("sim:"):])
	require.NoError(t, err)
	g, err := sim.NewGroup(machine, n, sim.Options{Races: races})
	require.NoError(t, err)
	return g
}

// groupCase is a run of an algorithm on several GPUs.
type groupCase struct {
	entry  catalog.Entry
	graph  *graph.CSR
	gpus   int
	params map[string]string
}

// groupCases returns the runs of TestGroups: each algorithm that several GPUs can run with every base, every exchange
// and every graph. Of the numbers of GPUs and the ways of the values, each of these has one pair, in turn, or with all
// every pair. If few is set, exchanges other than the default have one base.
func groupCases(t *testing.T, all, few bool) (cases []groupCase) {
	counts := []int{2, 3, 4, 8, 1}
	ways := []map[string]string{{"transfer": "peer"}, {"transfer": "host"}, {"transfer": "store"}, {"transfer": "peer", "overlap": "true"}, {"transfer": "host", "overlap": "true"}}
	at := 0
	for _, e := range catalog.Entries() {
		if e.Scheduler.Name != "multi" {
			continue
		}
		for _, base := range []string{"warpseg", "thread", "warp", "push"} {
			for _, exchange := range []string{"all", "ms", "vr-offline", "vr-online"} {
				if few && !all && base != "warpseg" && exchange != "vr-online" {
					continue
				}
				params := map[string]string{"base": base, "exchange": exchange, "block": "64"}
				maps.Copy(params, short[e.Algorithm.Name])
				if _, err := e.Parameters(params); err != nil {
					require.Regexp(t, "cannot be pushed|which base=(warpseg|thread|warp) does not have|are counted and do not combine", err.Error())
					continue
				}
				for _, g := range tiny(t) {
					first, pairs := at, 1
					if at++; all {
						first, pairs = 0, len(counts)*len(ways)
					}
					if e.Type.Counts() && !all { // it has one base and one exchange
						first, pairs = 0, len(counts)
					}
					for n := first; n < first+pairs; n++ {
						// Another way comes to each number of GPUs after as many cases as there are numbers.
						way := ways[(n+n/len(counts))%len(ways)]
						if base == "push" && way["overlap"] != "" {
							if all {
								continue
							}
							way = map[string]string{"transfer": way["transfer"]}
						}
						c := groupCase{e, g, counts[n%len(counts)], maps.Clone(params)}
						maps.Copy(c.params, way)
						cases = append(cases, c)
					}
				}
			}
		}
	}
	require.NotEmpty(t, cases)
	return cases
}

// TestGroups checks answers of groups of 1, 2, 3, 4 and 8 GPUs, on graphs of which one has fewer vertices than there
// are GPUs. With WEFT_GROUPS_ALL ("make test-groups") it does all cases, and else a part of them.
func TestGroups(t *testing.T) {
	all := os.Getenv("WEFT_GROUPS_ALL") != ""
	for _, name := range []string{"func", "sim:tiny"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cases := groupCases(t, all, name != "func")
			for _, c := range cases {
				source, _ := c.graph.MaxDegreeVertex()
				dev := openGroup(t, name, c.gpus, nil)
				res, err := catalog.Run(context.Background(), dev, catalog.Request{
					Algorithm: c.entry.Algorithm.Name, Scheduler: c.entry.Scheduler.Name, Graph: c.graph, Source: source, Verify: true, Params: c.params})
				require.NoError(t, err, "%s on %s, %d GPUs: %v", c.entry.Name(), c.graph.Name, c.gpus, c.params)
				require.True(t, res.Verified, "%s on %s, %d GPUs, %v: %v", c.entry.Name(), c.graph.Name, c.gpus, c.params, res.Mismatch)
				require.NoError(t, dev.Close())
			}
			t.Logf("%d runs with right answers", len(cases))
		})
	}
}

// TestNoRacesInGroups checks that no algorithm on two GPUs has a race, within a launch or between commands, that its
// source does not allow.
func TestNoRacesInGroups(t *testing.T) {
	for name, every := range map[string]int{"func": 7, "sim:tiny": 23} {
		for i, c := range groupCases(t, false, false) {
			if i%every != 0 {
				continue
			}
			noRaces(t, func(races *device.Races) device.Device { return openGroup(t, name, 2, races) }, "rmat:scale=6,degree=6,seed=3", catalog.Request{Algorithm: c.entry.Algorithm.Name, Scheduler: c.entry.Scheduler.Name, Params: c.params})
		}
	}
}

// TestGroupsCrossEverything checks that the cases of TestGroups have each number of GPUs with each way of the values,
// for each algorithm, and in the full list each combination once.
func TestGroupsCrossEverything(t *testing.T) {
	type pair struct {
		name string
		gpus int
	}
	counts, seen := map[pair]bool{}, map[string]bool{}
	ways := map[string]bool{}
	for _, c := range groupCases(t, false, false) {
		counts[pair{c.entry.Name(), c.gpus}] = true
		ways[fmt.Sprint(c.gpus, c.params["transfer"], c.params["overlap"])] = true
	}
	names := map[string]bool{}
	for _, c := range groupCases(t, true, false) {
		names[c.entry.Name()] = true
		what := fmt.Sprint(c.entry.Name(), c.graph.Name, c.gpus, c.params)
		require.False(t, seen[what], what)
		seen[what] = true
	}
	require.Len(t, counts, 5*len(names), "each algorithm on each number of GPUs")
	require.Len(t, ways, 5*5, "each number of GPUs with each way")
}
