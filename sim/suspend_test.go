package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
)

// TestRoundsOfWarps lets warps of a block arrive at an mbarrier and wait for it: whatever the number of warps, none keeps another one from its
// arrival, and a round takes at most 15% longer and 30% less than a CUDA program of the same on an H200 (results/hw/asynchronous/h200-asynchronous.csv, "arrive and wait").
func TestRoundsOfWarps(t *testing.T) {
	const rounds = 200
	for warps, h200 := range map[int]float64{1: 133, 4: 133, 8: 135, 16: 172, 32: 326} {
		d := open(t, "h200")
		out := upload(t, d, "out", device.U64, make([]uint64, 1))
		launch(t, d, testKernel(t, "Rounds"), 1, 32*warps, uint32(rounds), out)
		took := float64(download[uint64](t, d, out)[0]) / rounds
		assert.Less(t, took, 1.15*h200, "%d warps", warps)
		assert.Greater(t, took, 0.7*h200, "%d warps", warps)
		assert.NoError(t, d.Close())
	}
}
