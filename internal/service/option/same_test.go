package option_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/monitor"
)

// TestSame compares values of other packages that the table repeats.
func TestSame(t *testing.T) {
	assert.EqualValues(t, sim.MaxGPUs, option.GPUs.Limits.Most)
	assert.EqualValues(t, monitor.Loopback, option.MonitorAddress.Default)
}
