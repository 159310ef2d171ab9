package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestDependencies checks the dependencies of a chain of three diamonds, which were computed by hand, under all schemes, and that
// a machine without atomic additions of float64 refuses them.
func TestDependencies(t *testing.T) {
	g := fromArcs(11, [][2]uint32{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}, {6, 7}, {6, 8}, {7, 9}, {8, 9}})
	want := []float32{0, 3.5, 3.5, 6, 2, 2, 3, 0.5, 0.5, 0, 0} // vertex 10 is not reached
	schemes := 0
	for _, e := range catalog.Entries() {
		if e.Algorithm.Name != "bc" {
			continue
		}
		schemes++
		for _, device := range []string{"func", "sim:tiny", "sim:v100"} {
			res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{Algorithm: "bc", Scheduler: e.Scheduler.Name, Graph: g, Verify: true})
			require.NoError(t, err)
			require.True(t, res.Verified, "%s on %s: %v", e.Scheduler.Name, device, res.Mismatch)
			require.Equal(t, want, res.Values, "%s on %s", e.Scheduler.Name, device)
		}
	}
	assert.Equal(t, 8, schemes, "balanced, block, block-queue, hierq, multi, simdx, thread, warp")
	_, err := catalog.Run(t.Context(), openDevice(t, "sim:k40"), catalog.Request{Algorithm: "bc", Scheduler: "warp", Graph: g})
	require.EqualError(t, err, "launch of bsp.Push[kernels.BC, scheduler.WarpPerVertex, float64]: atom.add.f64 needs compute capability 6.0; k40 has 3.5")
}

// TestBetweennessOnDevice sums the dependencies of all members of Zachary's karate club on a simulated GPU, and compares with published
// betweenness, in which each pair counts once.
func TestBetweennessOnDevice(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "../../../graph/testdata/karate.mtx.gz", graph.LoadOptions{})
	require.NoError(t, err)
	sum := map[uint64]float64{}
	for source := range uint32(34) {
		res, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{Algorithm: "bc", Scheduler: "simdx", Graph: g, Source: source})
		require.NoError(t, err)
		for v, x := range res.Values.([]float32) {
			sum[g.FileID(uint32(v))] += float64(x) / 2
		}
	}
	for member, want := range map[uint64]float64{1: 231.0714, 34: 160.5516, 33: 76.6905, 3: 75.8508, 32: 73.0095, 8: 0} {
		require.InDelta(t, want, sum[member], 1e-4, "member %d", member)
	}
}

// TestLevels checks the lists of levels in the persistent kernel: each way to collect a level, levels for one block and for all,
// vertices whose arcs several blocks share, directed arcs, and vertices without outgoing ones in the deepest level; and that the
// kernel is the one with lists, unless a run asks for a comparison.
func TestLevels(t *testing.T) {
	graphs := []string{"grid:width=24,keep=0.8,seed=2", "rmat:scale=8,degree=8,seed=1", "uniform:n=300,degree=3,seed=2"}
	for _, name := range graphs {
		g, _, err := graph.Open(t.Context(), name, graph.LoadOptions{})
		require.NoError(t, err)
		for _, params := range []map[string]string{
			{}, {"one-block": "0"}, {"one-block": "4"}, {"filter": "ballot"}, {"filter": "online", "bin": "1024"}, {"block-list": "0", "bin": "2"}, {"block": "64", "blocks": "3"},
			{"small": "2", "large": "3", "split": "4"}, {"small": "1", "large": "1", "split": "0"}, {"barrier-kind": "locks"}, {"fusion": "all"},
		} {
			for _, device := range []string{"func", "sim:tiny"} {
				res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{Algorithm: "bc", Scheduler: "simdx", Graph: g, Params: params, Verify: true})
				require.NoError(t, err, "%s with %v on %s", name, params, device)
				require.True(t, res.Verified, "%s with %v on %s: %v", name, params, device, res.Mismatch)
				require.Contains(t, res.Steps[len(res.Steps)-1].Kernel, "simdx.Levels", "%s with %v on %s", name, params, device)
			}
		}
		for _, params := range []map[string]string{{"filter": "atomic"}, {"fusion": "none"}} {
			res, err := catalog.Run(t.Context(), openDevice(t, "func"), catalog.Request{Algorithm: "bc", Scheduler: "simdx", Graph: g, Params: params, Verify: true})
			require.NoError(t, err)
			require.True(t, res.Verified, "%s with %v: %v", name, params, res.Mismatch)
			require.NotContains(t, res.Steps[len(res.Steps)-1].Kernel, "simdx.Levels", "%s with %v", name, params)
		}
	}
}

// TestLevelsLimit checks that a limit of iterations ends a run forward and on the way back, whether one block runs alone or all do. A
// path has 9 levels forward and 7 back.
func TestLevelsLimit(t *testing.T) {
	var arcs [][2]uint32
	for v := range uint32(8) {
		arcs = append(arcs, [2]uint32{v, v + 1})
	}
	g := fromArcs(9, arcs)
	for _, alone := range []string{"0", "128"} {
		for limit, ok := range map[string]bool{"3": false, "12": false, "16": true} {
			_, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{Algorithm: "bc", Scheduler: "simdx", Graph: g, Params: map[string]string{"one-block": alone, "max-iterations": limit}})
			if ok {
				require.NoError(t, err, "one-block=%s", alone)
			} else {
				require.ErrorContains(t, err, "did not end within "+limit+" iterations", "one-block=%s", alone)
			}
		}
	}
}
