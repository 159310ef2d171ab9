package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestAlgorithmSeconds checks that the clock runs from the first launch to the last read: the copies to the device
// before it do not count, and a device without a clock has no time.
func TestAlgorithmSeconds(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=8", graph.LoadOptions{})
	require.NoError(t, err)
	for name, timed := range map[string]bool{"sim:tiny": true, "func": false} {
		dev := openDevice(t, name)
		for range 2 { // earlier work of the device does not count
			before := dev.Now()
			res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g})
			require.NoError(t, err)
			if !timed {
				assert.Zero(t, res.AlgorithmSeconds)
				assert.Zero(t, dev.Now())
				continue
			}
			assert.Greater(t, res.AlgorithmSeconds, res.KernelSeconds())
			assert.Less(t, res.AlgorithmSeconds, dev.Now()-before, "the graph was copied before")
		}
	}
}
