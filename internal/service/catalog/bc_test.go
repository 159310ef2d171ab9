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
