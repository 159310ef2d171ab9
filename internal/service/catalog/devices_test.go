package catalog_test

import (
	"strconv"
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
		return openMachine(t, preset, 0)
	}
	require.Equal(t, "func", name)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// openMachine opens a simulated machine with a number of SMs; 0 for all that the preset has.
func openMachine(t testing.TB, preset string, sms int) device.Device {
	t.Helper()
	machine, err := config.Load(preset)
	require.NoError(t, err)
	if sms > 0 {
		require.NoError(t, machine.Set("sm.count", strconv.Itoa(sms)))
	}
	dev, err := sim.New(machine, sim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}
