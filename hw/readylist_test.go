//go:build cgo && linux

package hw_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/internal/fakecuda"
)

// iotas returns a list that numbers the elements of a buffer of each GPU, and reads those of the last one into got.
func iotas(t *testing.T, buffers []device.Buffer, blocks int, got []uint32) (cmds []device.Command) {
	for i, b := range buffers {
		cmds = append(cmds, device.Command{GPU: i, Launch: &device.Launch{Kernel: kernel(t, "Iota"), Grid: blocks, Block: 32, Args: []any{b}}})
	}
	return append(cmds, device.Command{GPU: len(buffers) - 1, Read: &device.HostCopy{Buffer: buffers[len(buffers)-1], Host: got}})
}

// TestReadyList checks that a list that ReadyList has described does what it does otherwise, that what was described is used for this list alone and once, and not after anything else has
// happened, and that it knows its end before it asks for times.
func TestReadyList(t *testing.T) {
	for i, without := range append([]string{fakecuda.NoPeers, "", ""}, systems...) {
		t.Run("without "+without, func(t *testing.T) {
			if without != "" {
				t.Setenv(without, "1")
			}
			g := openWhole(t, 2, hw.Options{Check: i%2 == 1, Watchdog: i%2 == 1, Deadline: time.Minute})
			var buffers []device.Buffer
			for i := range 2 {
				b, err := g.GPU(i).Alloc("numbers", device.U32, 64)
				require.NoError(t, err)
				buffers = append(buffers, b)
			}
			empty := func() {
				for i, b := range buffers {
					require.NoError(t, g.GPU(i).Write(b, make([]uint32, 64)))
				}
			}
			got := make([]uint32, 64)
			run := func(cmds []device.Command, last uint32) {
				t.Helper()
				clear(got)
				before := g.Now()
				timings, err := g.Run(t.Context(), cmds)
				require.NoError(t, err)
				require.Equal(t, last, got[63])
				for _, x := range timings[:2] {
					require.Equal(t, 1, x.Report.Launches)
					require.GreaterOrEqual(t, x.End, x.Start)
					require.Greater(t, x.Start, before)
				}
				require.Greater(t, device.Known(g), before)
				require.Less(t, device.Known(g), g.Now())
			}
			empty()
			cmds, err := device.ReadyList(t.Context(), g, iotas(t, buffers, 2, got))
			require.NoError(t, err)
			run(cmds, 64)
			empty()
			run(cmds, 64) // like any other

			empty()
			_, err = device.ReadyList(t.Context(), g, iotas(t, buffers, 2, got))
			require.NoError(t, err)
			run(iotas(t, buffers, 1, got), 0) // another list
			cmds, err = device.ReadyList(t.Context(), g, iotas(t, buffers, 2, got))
			require.NoError(t, err)
			empty() // requests, which may have used the same memory
			run(cmds, 64)

			cmds, err = device.ReadyList(t.Context(), g, iotas(t, buffers, 2, got))
			require.NoError(t, err)
			require.NoError(t, g.GPU(1).Free(buffers[1]))
			_, err = g.Run(t.Context(), cmds)
			require.ErrorContains(t, err, "freed", "what was described has an address that is no more")
		})
	}
}

// TestReadyListRefuses checks that what ReadyList refuses is what Run would, and that with WEFT_HW_COLD nothing is made ready.
func TestReadyListRefuses(t *testing.T) {
	g := openWhole(t, 2, hw.Options{})
	wrong := []device.Command{{GPU: 1, Launch: &device.Launch{Kernel: kernel(t, "Iota"), Grid: 1, Block: 2000, Args: []any{device.Buffer{}}}}}
	_, want := g.Run(t.Context(), wrong)
	require.Error(t, want)
	_, err := device.ReadyList(t.Context(), g, wrong)
	assert.EqualError(t, err, want.Error())
	t.Setenv(hw.Cold, "1")
	_, err = device.ReadyList(t.Context(), g, wrong)
	assert.NoError(t, err)
}
