package catalog

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// clocked is a device that records the time of a run's first launch and the time at which the host last received data
// from the device: the last read of its answer.
type clocked struct {
	device.Device
	launched     bool
	first, known float64
}

// begin records a launch.
func (c *clocked) begin() {
	if !c.launched {
		c.launched, c.first = true, c.Device.Now()
		c.known = c.first
	}
}

// Launch calls the device's Launch.
func (c *clocked) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	c.begin()
	return c.Device.Launch(ctx, l)
}

// LaunchRead calls the device's LaunchRead.
func (c *clocked) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	c.begin()
	r, err := device.LaunchRead(ctx, c.Device, l, a)
	c.known = c.Device.Now()
	return r, err
}

// LaunchAll calls the device's LaunchAll, if it has streams.
func (c *clocked) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	c.begin()
	return device.LaunchAll(ctx, c.Device, ls)
}

// Read calls the device's Read.
func (c *clocked) Read(b device.Buffer, dst any) error {
	err := c.Device.Read(b, dst)
	c.known = c.Device.Now()
	return err
}

// until returns the time from the first launch to a time on the device's clock; that to the answer if it is 0, which
// means unknown.
func (c *clocked) until(at float64) float64 {
	if !c.launched || at == 0 {
		return c.seconds()
	}
	return at - c.first
}

// seconds returns the time from the first launch to the answer; 0 if there was no launch, or the device has no clock.
func (c *clocked) seconds() float64 {
	if !c.launched {
		return 0
	}
	return c.known - c.first
}
