package command

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

// TestAllowUnwritten checks that --allow-unwritten reaches the device.
func TestAllowUnwritten(t *testing.T) {
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "testkernels.UnwrittenGlobal", nil)
	require.NoError(t, err)
	for _, allow := range []bool{false, true} {
		spec, err := devices.New(devices.Func, devices.Options{Unwritten: allow})
		require.NoError(t, err)
		d, err := spec.Open(t.Context(), devices.Watch{})
		require.NoError(t, err)
		in, err := d.Alloc("in", device.U32, 4)
		require.NoError(t, err)
		out, err := d.Alloc("out", device.U32, 4)
		require.NoError(t, err)
		_, err = d.Launch(context.Background(), device.Launch{Kernel: k, Grid: 1, Block: 32, Args: []any{in, out}})
		if allow {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "element 0 of in is read, but neither the host nor a thread has written it")
		}
	}
}
