package exttest_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestHeavyHundredRunsOneNumber runs algorithms whose threads race (which thread finds a vertex first, in which order
// floats are added) a hundred times on a machine with 132 SMs: on one processor and on two, with little garbage
// collection and with much. Cycles, every counter and every bit of the answer must be the same.
func TestHeavyHundredRunsOneNumber(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=8,degree=8,seed=5", graph.LoadOptions{})
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, alg := range []string{"bfs", "pagerank"} {
		var first *catalog.Result
		for i := range 50 {
			runtime.GOMAXPROCS(1 + i%2)
			debug.SetGCPercent([]int{400, 20}[i/2%2])
			cfg, err := config.Load("h200")
			require.NoError(t, err)
			d, err := sim.New(cfg, sim.Options{Seed: 1})
			require.NoError(t, err)
			res, err := catalog.Run(t.Context(), d, catalog.Request{
				Algorithm: alg, Scheduler: "thread", Graph: g, Source: source, Verify: i == 0})
			require.NoError(t, err)
			require.NoError(t, d.Close())
			if first == nil {
				first = res
				require.NoError(t, res.Mismatch)
				require.Greater(t, res.Report.Cycles, uint64(1000))
				continue
			}
			require.Equal(t, first.Report.Cycles, res.Report.Cycles, "%s, run %d", alg, i)
			require.Equal(t, counters(first.Report), counters(res.Report), "%s, run %d", alg, i)
			require.Equal(t, first.Values, res.Values, "%s, run %d", alg, i)
		}
		assert.Len(t, first.Values, g.Vertices())
	}
}

func counters(r *device.Report) map[string]float64 {
	m := map[string]float64{}
	for _, c := range r.Counters {
		m[c.Name] = c.Value
	}
	return m
}
