package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/exec"
)

// openDevice opens a device by name for one test.
func openDevice(t testing.TB, name string) device.Device {
	t.Helper()
	var dev device.Device
	switch name {
	case "func":
		dev = exec.New(exec.Options{})
	default:
		t.Skipf("no device %s", name)
	}
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}
