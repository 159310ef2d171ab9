//go:build cgo && linux

package hw_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

// TestTensorMaps launches a kernel with two tensor maps on the driver that runs kernels without a GPU, by itself and in a list: it gets
// maps that the driver's rules allow, behind the kernel's other parameters.
func TestTensorMaps(t *testing.T) {
	g := openWhole(t, 1, hw.Options{})
	d := g.GPU(0)
	all, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := all.Kernel(t.Context(), "testkernels.Turn", nil)
	require.NoError(t, err)
	const wide, high = 40, 36
	in := make([]uint32, wide*high)
	for i := range in {
		in[i] = uint32(i + 1)
	}
	from, err := d.Alloc("from", device.U32, len(in))
	require.NoError(t, err)
	require.NoError(t, d.Write(from, in))
	to, err := d.Alloc("to", device.U32, len(in))
	require.NoError(t, err)
	box := [2]uint32{32, 32}
	launch := device.Launch{Kernel: k, Grid: 4, Block: 64, Args: []any{
		device.NewTensorMap2(from, [2]uint32{wide, high}, box, 0), device.NewTensorMap2(to, [2]uint32{high, wide}, box, 0)}}
	for range 2 {
		require.NoError(t, d.Write(to, make([]uint32, len(in))))
		_, err = d.Launch(t.Context(), launch)
		require.NoError(t, err)
		got := make([]uint32, len(in))
		require.NoError(t, d.Read(to, got))
		for i := range got {
			require.Equal(t, in[i%high*wide+i/high], got[i])
		}
	}
	timed, err := g.Run(t.Context(), []device.Command{{Launch: &launch}})
	require.NoError(t, err)
	require.Len(t, timed, 1)
}
