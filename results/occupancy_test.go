package results_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/occupancy"
)

// optIn is the shared memory, in bytes a block, beyond which a kernel has to
// ask the driver for more before it may have it.
const optIn = 48 << 10

// TestOccupancy holds the simulator's blocks an SM to the driver's, for every
// kernel, block size and amount of shared memory that was recorded.
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
					continue // the record was made without asking for so much
				}
				got, err := occupancy.Of(machine, k, o.Block, r.Registers, o.Dynamic)
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
