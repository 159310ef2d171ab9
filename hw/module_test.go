//go:build cgo && linux

package hw_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// TestKernelOfPTX refuses a kernel read from PTX before anything runs.
func TestKernelOfPTX(t *testing.T) {
	d := openFake(t, hw.Options{})
	m, err := readptx.Read("m.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 p) { ret; }"))
	require.NoError(t, err)
	k, err := m.Kernel("k")
	require.NoError(t, err)
	_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 32, Args: []any{nil}})
	require.EqualError(t, err, "launch of k: a kernel read from PTX runs on func and on simulated machines, and not yet on a GPU")
}
