package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestArrivalsReleaseToTheCluster checks that an arrival at the mbarrier of another block costs a fence of the device, and one at the block's own does not: an
// H200 takes some 350 cycles for each arrival that releases to the cluster (results/hw/asynchronous/README.md), and 28 for one that does not.
func TestArrivalsReleaseToTheCluster(t *testing.T) {
	d := open(t, "h200")
	k := testKernel(t, "ClusterTurns")
	round := func(alone uint32) float64 {
		out := upload(t, d, "out", device.U64, make([]uint64, 2))
		_, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 2, Block: 32, Cluster: 2, Args: []any{alone, uint32(50), out}})
		require.NoError(t, err)
		return float64(download[uint64](t, d, out)[0])
	}
	own, other := round(1), round(0)
	assert.Less(t, own, 150.)
	assert.Greater(t, other, own+250)
	assert.Less(t, other, own+600) // the way between two SMs comes on top
}
