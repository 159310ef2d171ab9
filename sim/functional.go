package sim

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
)

// LaunchFunctional runs a launch on the memory of the device without simulating it: it takes no simulated time, changes
// no cache and no counter of the machine, and is not included in Total. The report has the counters of the functional
// executor. The number of blocks resident at the same time is that of the machine, so that kernels whose blocks wait for
// each other behave in the same way.
func (d *Device) LaunchFunctional(ctx context.Context, l device.Launch) (*device.Report, error) {
	defer d.mem.Begin().End()
	if d.functional == nil {
		d.functional = function.New(function.Options{
			Memory: d.mem, Races: d.opts.Races, Lax: !d.opts.Strict,
			Fit: func(l device.Launch) (device.Occupancy, error) { return Occupancy(d.cfg, l) },
		})
	}
	return d.functional.Launch(ctx, l)
}
