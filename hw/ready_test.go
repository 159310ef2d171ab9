//go:build cgo && linux

package hw_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
)

// TestReady checks that a launch that Ready has prepared does what it does otherwise, with all that a driver may lack, and that what was prepared is not used
// for anything else.
func TestReady(t *testing.T) {
	for _, without := range systems {
		t.Run("without "+without, func(t *testing.T) {
			if without != "" {
				t.Setenv(without, "1")
			}
			for _, opts := range []hw.Options{{}, {Check: true}} {
				d := openFake(t, opts)
				b, err := d.Alloc("numbers", device.U32, 64)
				require.NoError(t, err)
				other, err := d.Alloc("others", device.U32, 64)
				require.NoError(t, err)
				read := func(b device.Buffer) []uint32 {
					t.Helper()
					got := make([]uint32, 64)
					require.NoError(t, d.Read(b, got))
					require.NoError(t, d.Write(b, make([]uint32, 64)))
					return got
				}
				on := func(b device.Buffer, blocks int) device.Launch {
					return device.Launch{Kernel: kernel(t, "Iota"), Grid: blocks, Block: 32, Args: []any{b}}
				}
				read(b)
				read(other)
				l, err := device.Ready(t.Context(), d, on(b, 2))
				require.NoError(t, err)
				require.NotZero(t, l.Prepared)
				for range 2 { // the second time it is a launch like others
					rep, err := d.Launch(t.Context(), l)
					require.NoError(t, err)
					require.Equal(t, 1, rep.Launches)
					require.Equal(t, uint32(63), read(b)[63])
				}
				_, err = d.Launch(t.Context(), on(other, 1))
				require.NoError(t, err)
				_, err = d.Launch(t.Context(), l)
				require.NoError(t, err)
				assert.Equal(t, uint32(63), read(b)[63], "the launch between")
				assert.Equal(t, []uint32{31, 0}, read(other)[31:33])

				l, err = device.Ready(t.Context(), d, on(b, 2))
				require.NoError(t, err)
				require.NoError(t, d.Free(b))
				_, err = d.Launch(t.Context(), l)
				require.ErrorContains(t, err, "freed", "what was prepared has an address that is no more")
			}
		})
	}
}

// TestReadyRefuses checks that what Ready refuses is what the launch would, and that with WEFT_HW_COLD nothing is made ready.
func TestReadyRefuses(t *testing.T) {
	d := openFake(t, hw.Options{})
	l := device.Launch{Kernel: kernel(t, "Iota"), Grid: 1, Block: 2000, Args: []any{device.Buffer{}}}
	_, want := d.Launch(t.Context(), l)
	require.EqualError(t, want, "launch of testkernels.Iota: a block of 2000 threads; it may have 1 to 1024")
	_, err := device.Ready(t.Context(), d, l)
	require.EqualError(t, err, want.Error())
	still(t, d)
	t.Setenv(hw.Cold, "1")
	same, err := device.Ready(t.Context(), d, l)
	require.NoError(t, err)
	require.Zero(t, same.Prepared)
}
