package sweep

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// TestAgainParameters checks that a run of a store is run again with its parameters, by themselves or with their owner, and not with the defaults.
func TestAgainParameters(t *testing.T) {
	for _, name := range []string{"param.block", "param.warp.block"} {
		again, err := NewAgain(t.Context(), &store.Run{Settings: map[string]string{
			"algorithm": "bfs", "scheduler": "warp", "device": "sim:tiny", "graph": "grid:width=4", name: "64"}})
		require.NoError(t, err)
		r, _, err := again.Run(t.Context(), devices.Watch{}, t.Output())
		require.NoError(t, err)
		require.Equal(t, "64", r.SchedulerParams["block"], name)
		require.Contains(t, again.Command, "block=64")
	}
	// A store that has both is asked once.
	p := stored(&store.Run{Settings: map[string]string{"param.block": "64", "param.warp.block": "64"}})
	require.Len(t, p.Settings, 1)
	require.Equal(t, "param.warp.block", p.Settings[0].Name)
}
