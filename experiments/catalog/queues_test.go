package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/catalog"
)

// TestHierarchicalQueues checks the answers of hierq with each hierarchy, with queues that overflow at every level, and
// with runs that change between its two kernels.
func TestHierarchicalQueues(t *testing.T) {
	g := graphOf(t, "rmat:scale=7,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for name, params := range map[string]map[string]string{
		"global queue":          {"levels": "global"},
		"block queue":           {"levels": "block", "block-length": "30", "one-block": "0"},
		"block queue, 1 block":  {"levels": "block", "block-length": "30"},
		"short warp queues":     {"warp-queues": "5", "warp-length": "2", "block-length": "20", "one-block": "0"},
		"contiguous, 1 block":   {"warp-queues": "32", "warp-length": "3", "block-length": "40", "interleaved": "false", "one-block-threads": "64"},
		"the smallest capacity": {"warp-queues": "1", "warp-length": "1", "block-length": "1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, algorithm := range []string{"bfs", "cc", "pagerank", "sssp"} {
				for _, device := range []string{"func", "sim:tiny"} {
					res, err := catalog.Run(t.Context(), openDevice(t, device), catalog.Request{
						Algorithm: algorithm, Scheduler: "hierq", Graph: g, Source: source, Params: params, Verify: true})
					require.NoError(t, err)
					require.True(t, res.Verified, "%s on %s: %v", algorithm, device, res.Mismatch)
				}
			}
		})
	}
	_, err := catalog.Run(t.Context(), openDevice(t, "sim:tiny"), catalog.Request{Algorithm: "bfs", Scheduler: "hierq", Graph: g, Source: source,
		Params: map[string]string{"levels": "block", "block-length": "32768"}})
	require.ErrorContains(t, err, "launch of hierq.PushSmall[kernels.BFS, hierq.BlockLevel, uint32]: a block takes ")
	require.ErrorContains(t, err, " bytes of shared memory; the device has 32768")
}
