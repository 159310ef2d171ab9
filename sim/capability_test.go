package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestCapability launches kernels with mbarriers on machines that lack them or a part of them. What each GPU has is said in the
// sections "Target ISA Notes" of the PTX ISA.
func TestCapability(t *testing.T) {
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	for _, c := range []struct{ machine, kernel, want string }{
		{"k40", "HandOver", "mbarrier.init needs compute capability 8.0; k40 has 3.5"},
		{"v100", "HandOver", "mbarrier.init needs compute capability 8.0; v100 has 7.0"},
		{"a100", "HandOver", "mbarrier.try_wait.parity needs compute capability 9.0; a100 has 8.0"},
		{"a100", "ByTest", ""}, {"tiny", "HandOver", ""}, {"h100", "HandOver", ""}, {"v100", "Pipeline", ""},
	} {
		cfg, err := config.Load(c.machine)
		require.NoError(t, err)
		d, err := sim.New(cfg, sim.Options{})
		require.NoError(t, err)
		k, err := kernels.Kernel(t.Context(), "testkernels."+c.kernel, nil)
		require.NoError(t, err)
		out, err := d.Alloc("out", device.U32, 64)
		require.NoError(t, err)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 1, Block: 64, Args: []any{uint32(3), out}})
		if c.want == "" {
			require.NoError(t, err, "%s on %s", c.kernel, c.machine)
		} else {
			var refused *device.ArgError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.want, refused.What)
		}
		require.NoError(t, d.Close())
	}
}
