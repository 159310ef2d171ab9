package function

import (
	"testing"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

func TestContract(t *testing.T) {
	devicetest.Contract(t, func(*testing.T) device.Device { return New(Options{}) },
		devicetest.Traits{Keeps: true, Faults: true, Hangs: true, Independent: true, Repeats: true})
}
