package catalog_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/scheduler"
)

// TestThroughputOverTime checks that the history of atos has all visits, and that it is normalised by the overwork.
func TestThroughputOverTime(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=8,seed=3")
	for _, algorithm := range []string{"pagerank", "colouring"} {
		res, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{
			Algorithm: algorithm, Scheduler: "atos", Graph: g, Params: map[string]string{"history": "1000"}, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified)
		last := res.Steps[len(res.Steps)-1]
		visited, _ := last.Number("visited")
		least, _ := last.Number("least")
		require.InDelta(t, g.Vertices(), least, 0)
		require.Len(t, res.Series, 2)
		for i, want := range []float64{visited, least} {
			sum := 0.0
			for _, x := range res.Series[i].Values {
				sum += x * res.Series[i].Interval
			}
			require.InEpsilon(t, want, sum, 1e-9, res.Series[i].Name)
		}
		require.Less(t, float64(len(res.Series[0].Values))*res.Series[0].Interval, res.KernelSeconds()+2e-6)
	}
	_, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{
		Algorithm: "pagerank", Scheduler: "atos", Graph: g, Params: map[string]string{"history": "1"}})
	require.EqualError(t, err, "parameter history of scheduler atos: the run is longer than 4095 intervals; choose longer ones")
}

// TestRoundsOverTime checks that discrete kernels with a history say how many vertices chose in each round: all of them in the
// first, and in the others those that lost a conflict.
func TestRoundsOverTime(t *testing.T) {
	g := graphOf(t, "rmat:scale=6,degree=8,seed=3")
	for _, worker := range []string{"warp", "block"} {
		for _, portion := range []string{"0", "20"} { // one launch for all tasks of a round, and several
			params := map[string]string{"kernel": "discrete", "worker": worker, "block": "64", "portion": portion, "history": "1"}
			res, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{Algorithm: "colouring", Scheduler: "atos", Graph: g, Params: params, Verify: true})
			require.NoError(t, err)
			require.True(t, res.Verified)
			require.Empty(t, res.Series)
			rounds, sum := map[int]float64{}, 0.0
			for _, s := range res.Steps {
				n, _ := s.Number("visited")
				rounds[s.Iteration] += n
				sum += n
			}
			require.InDelta(t, g.Vertices(), rounds[1], 0, "%s, portion %s", worker, portion)
			last := res.Steps[len(res.Steps)-1]
			least, _ := last.Number("least")
			overwork, ok := last.Number("overwork")
			require.True(t, ok)
			require.InEpsilon(t, least*overwork, sum, 1e-9)
			if portion == "0" {
				require.Greater(t, overwork, 1.0, "the test needs conflicts")
			}
			params["history"] = "0"
			again, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{Algorithm: "colouring", Scheduler: "atos", Graph: g, Params: params})
			require.NoError(t, err)
			for i, s := range again.Steps {
				n, ok := s.Number("visited")
				require.Equal(t, i == len(again.Steps)-1, ok, "without a history the last step alone has the number")
				require.True(t, !ok || n == sum)
			}
		}
	}
}

// TestLookForTasks runs PageRank whose workers look for tasks, for workers of each size, and with batches that are smaller
// and larger than the part of the vertices that they look at.
func TestLookForTasks(t *testing.T) {
	g := graphOf(t, "rmat:scale=5,degree=6,seed=3")
	for _, worker := range []string{"thread", "warp", "block"} {
		for _, check := range []string{"1", "40"} {
			for _, device := range []string{"func", "sim:tiny"} {
				res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{
					Algorithm: "pagerank", Scheduler: "atos", Graph: g, Params: map[string]string{"worker": worker, "check": check, "block": "64"}, Verify: true})
				require.NoError(t, err)
				require.True(t, res.Verified, "%s on %s: %v", worker, device, res.Mismatch)
				require.Contains(t, res.Kernel, "atos.Scan[")
			}
		}
	}
	for _, c := range []struct{ algorithm, kernel, want string }{
		{"bfs", "persistent", "kernels.BFS does not collect in its value what it has to send, as PageRank does"},
		{"colouring", "persistent", "kernels.Colouring does not collect in its value what it has to send, as PageRank does"},
		{"pagerank", "discrete", "only the persistent kernel looks for vertices"},
	} {
		_, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{
			Algorithm: c.algorithm, Scheduler: "atos", Graph: g, Params: map[string]string{"check": "1", "kernel": c.kernel}})
		require.ErrorContains(t, err, "parameter check of scheduler atos: "+c.want)
	}
}

// TestVariantsOfAtos compares answers of all algorithms under the variants of atos and its baselines that are no defaults.
func TestVariantsOfAtos(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=8,seed=3") // it has vertices for each bucket
	variants := []struct {
		scheduler string
		params    map[string]string
	}{
		{"balanced", map[string]string{"balance": "buckets", "block": "64"}},
		{"balanced", map[string]string{"balance": "search", "collect": "true", "block": "64"}},
		{"balanced", map[string]string{"balance": "buckets", "collect": "true", "block": "64"}},
		{"atos", map[string]string{"merge": "false", "worker": "warp", "fetch": "1"}},
		{"atos", map[string]string{"merge": "false", "kernel": "discrete", "block": "64"}},
		{"atos", map[string]string{"kernel": "bsp", "worker": "buckets", "block": "64"}},
	}
	ran := 0
	for _, v := range variants {
		for i, e := range catalog.Entries() {
			if e.Scheduler.Name != v.scheduler {
				continue
			}
			res, err := catalog.Run(t.Context(), openDevice(t, []string{"func", "sim:tiny"}[i%2]), catalog.Request{
				Algorithm: e.Algorithm.Name, Scheduler: v.scheduler, Graph: g, Params: maps.Clone(v.params), Verify: true})
			var refused *scheduler.ParamError
			if errors.As(err, &refused) {
				continue
			}
			require.NoError(t, err, "%s by %s %v", e.Algorithm.Name, v.scheduler, v.params)
			require.NoError(t, res.Mismatch, "%s by %s %v", e.Algorithm.Name, v.scheduler, v.params)
			require.Equal(t, res.Reference, res.Verified, "%s by %s %v", e.Algorithm.Name, v.scheduler, v.params)
			ran++
		}
	}
	require.GreaterOrEqual(t, ran, 18, "pairs of algorithm and variant")
}
