package results_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// optIn is the shared memory per block, in bytes, above which a kernel must request more from the driver explicitly.
const optIn = 48 << 10

// TestOccupancy compares the simulator's blocks per SM with the driver's, for every recorded kernel, block size and
// amount of shared memory.
func TestOccupancy(t *testing.T) {
	require.NotEmpty(t, results.GPUs())
	for _, gpu := range results.GPUs() {
		h, err := results.Load(gpu)
		require.NoError(t, err)
		machine, err := config.Load(gpu)
		require.NoError(t, err)
		cases := 0
		for _, r := range h.Kernels {
			k := &device.Kernel{Name: r.Name, Shared: r.Shared}
			for _, o := range r.Occupancy {
				if r.Shared+o.Dynamic > optIn && o.Blocks == 0 {
					continue // the record was made without requesting that much
				}
				got, err := sim.Occupancy(machine, device.Launch{Kernel: k, Block: o.Block, Regs: r.Registers, DynamicShared: o.Dynamic})
				var arg *device.ArgError
				if errors.As(err, &arg) { // no block fits
					err = nil
				}
				require.NoError(t, err)
				require.Equal(t, o.Blocks, got.BlocksPerSM, "%s on %s: %d registers, %d bytes of shared memory, blocks of %d with %d more bytes",
					r.Name, gpu, r.Registers, r.Shared, o.Block, o.Dynamic)
				cases++
			}
		}
		require.Greater(t, cases, 1000, gpu)
	}
}
