package catalog_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/reference"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// refined runs PageRank on a group with a tolerance, and returns what was sent and the largest error of a rank,
// relative to the exact one.
func refined(t *testing.T, dev device.Group, g *graph.CSR, params map[string]string) (bytes uint64, worst float64) {
	t.Helper()
	res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "pagerank-pull", Scheduler: "multi", Graph: g, Verify: true, Params: params})
	require.NoError(t, err)
	require.NoError(t, dev.Close())
	require.True(t, res.Verified, "%v: %v", params, res.Mismatch)
	exact, err := reference.PageRank(t.Context(), g, reference.PageRankOptions{Damping: 0.85})
	require.NoError(t, err)
	for v, x := range res.Values.([]float32) {
		worst = max(worst, math.Abs(float64(x)-exact.Rank[v])/exact.Rank[v])
	}
	return res.Communication.Bytes(), worst
}

// TestTolerance checks vertex refinement that leaves out small changes: it sends less the larger the tolerance is, and
// ranks are wrong by as much as the tolerance allows, but not more. Without a tolerance they have the accuracy of epsilon.
func TestTolerance(t *testing.T) {
	g := graphOf(t, "rmat:scale=9,degree=8,seed=3")
	for _, base := range []string{"warpseg", "thread", "warp"} {
		for _, overlap := range []string{"false", "true"} {
			var sent []uint64
			var errors []float64
			for _, tolerance := range []string{"0", "1e-4", "1.4e-3"} {
				bytes, worst := refined(t, openGroup(t, "func", 4, nil), g, map[string]string{"base": base, "overlap": overlap, "tolerance": tolerance, "epsilon": "1e-5", "block": "64"})
				sent, errors = append(sent, bytes), append(errors, worst)
			}
			require.Less(t, 5*sent[1], 4*sent[0], "%s", base)
			require.Less(t, 5*sent[2], 4*sent[1], "%s", base)
			require.Less(t, errors[0], 2*1e-5/0.15)
			require.Greater(t, errors[2], errors[0], "what is not sent shows in the ranks")
			// Ranks are divided by their sum, which may be wrong by as much.
			require.Less(t, errors[1], 2*(1e-4+1e-5)/0.15)
			require.Less(t, errors[2], 2*(1.4e-3+1e-5)/0.15)
		}
	}
}

// TestToleranceOfSmallGraphs checks answers where GPUs have few vertices or none, and that other exchanges and one GPU
// pay no attention to a tolerance.
func TestToleranceOfSmallGraphs(t *testing.T) {
	for _, g := range tiny(t) {
		for _, gpus := range []int{1, 2, 8} {
			refined(t, openGroup(t, "func", gpus, nil), g, map[string]string{"tolerance": "1e-3"})
		}
	}
	g := graphOf(t, "rmat:scale=7,degree=8,seed=3")
	refined(t, openGroup(t, "sim:tiny", 2, nil), g, map[string]string{"tolerance": "1e-3"})
	for _, exchange := range []string{"all", "ms", "vr-offline"} {
		with, _ := refined(t, openGroup(t, "func", 3, nil), g, map[string]string{"tolerance": "1e-3", "exchange": exchange})
		without, _ := refined(t, openGroup(t, "func", 3, nil), g, map[string]string{"exchange": exchange})
		require.Equal(t, without, with)
	}
}

// TestNoRacesWithTolerance checks the kernel that remembers what was sent.
func TestNoRacesWithTolerance(t *testing.T) {
	for _, name := range []string{"func", "sim:tiny"} {
		noRaces(t, func(races *device.Races) device.Device { return openGroup(t, name, 2, races) }, "rmat:scale=6,degree=6,seed=3",
			catalog.Request{Algorithm: "pagerank-pull", Scheduler: "multi", Params: map[string]string{"tolerance": "1e-3"}})
	}
}
