//go:build cgo && linux

package hw_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
)

// TestClustersAlongX refuses clusters that the driver would get as others than they are.
func TestClustersAlongX(t *testing.T) {
	d := openFake(t, hw.Options{})
	b, err := d.Alloc("numbers", device.U32, 64)
	require.NoError(t, err)
	_, err = d.Launch(t.Context(), device.Launch{Kernel: kernel(t, "Iota"), Grid: 1, GridY: 2, ClusterY: 2, Block: 32, Args: []any{b}})
	var refused *device.ArgError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "clusters along y or z are only for func and simulated machines; let them be along x", refused.What)
	still(t, d)
}
