package function

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// LaunchChain implements device.Nester.
func (d *Device) LaunchChain(ctx context.Context, c device.Chain) ([]device.Started, error) {
	return device.RunChain(d, c, func(l device.Launch, _ bool) (*device.Report, error) { return d.Launch(ctx, l) })
}
