package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestGroupsInACube checks answers of eight GPUs of which each reaches three others through another GPU: by copies, by stores and by
// kernels that wait for each other.
func TestGroupsInACube(t *testing.T) {
	machine, err := config.Load("tiny")
	require.NoError(t, err)
	require.NoError(t, machine.Set("link.topology", "cube"))
	require.NoError(t, machine.Set("link.links", "6"))
	g := graphOf(t, "rmat:scale=7,degree=6,seed=3")
	source, _ := g.MaxDegreeVertex()
	for _, params := range []map[string]string{{"transfer": "peer"}, {"transfer": "store"}, {"loop": "device"}} {
		for _, gpus := range []int{5, 8} {
			dev, err := sim.NewGroup(machine, gpus, sim.Options{})
			require.NoError(t, err)
			res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Source: source, Verify: true, Params: params})
			require.NoError(t, err, "%d GPUs, %v", gpus, params)
			require.True(t, res.Verified, "%d GPUs, %v: %v", gpus, params, res.Mismatch)
			require.NoError(t, dev.Close())
		}
	}
}
