package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// openDevice opens a device by name, "func" or "sim:preset", for one test.
func openDevice(t testing.TB, name string) device.Device {
	t.Helper()
	var dev device.Device = function.New(function.Options{})
	if preset, ok := strings.CutPrefix(name, "sim:"); ok {
		machine, err := config.Load(preset)
		require.NoError(t, err)
		dev, err = sim.New(machine, sim.Options{})
		require.NoError(t, err)
	} else {
		require.Equal(t, "func", name)
	}
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}
