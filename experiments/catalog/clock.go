package catalog

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// clocked is a device that notes when a run made its first launch, and when it
// last learned something from the device: the last read of its answer.
type clocked struct {
	device.Device
	launched     bool
	first, known float64
}

// begin notes a launch.
func (c *clocked) begin() {
	if !c.launched {
		c.launched, c.first = true, c.Device.Now()
		c.known = c.first
	}
}

// Launch is the device's.
func (c *clocked) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	c.begin()
	return c.Device.Launch(ctx, l)
}

// LaunchRead is the device's.
func (c *clocked) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	c.begin()
	r, err := device.LaunchRead(ctx, c.Device, l, a)
	c.known = c.Device.Now()
	return r, err
}

// LaunchAll is the device's, where it has streams.
func (c *clocked) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	c.begin()
	return device.LaunchAll(ctx, c.Device, ls)
}

// Read is the device's.
func (c *clocked) Read(b device.Buffer, dst any) error {
	err := c.Device.Read(b, dst)
	c.known = c.Device.Now()
	return err
}

// seconds is the time from the first launch to the answer; 0 where there was no
// launch, or the device has no clock.
func (c *clocked) seconds() float64 {
	if !c.launched {
		return 0
	}
	return c.known - c.first
}
