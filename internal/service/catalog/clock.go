package catalog

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// clocked is a device that records the time of a run's first launch and the time at which the host last received data
// from the device: the last read of its answer.
type clocked struct {
	device.Wrapper
	all          *clocked // the group, if this is one of its GPUs
	launched     bool
	first, known float64
	before       device.HostWork // of a simulated host, before the first launch
}

// newClocked returns a device that records times.
func newClocked(d device.Device) *clocked { return &clocked{Wrapper: device.Wrapper{Device: d}} }

// whole returns the group that a GPU belongs to, or the device itself.
func (c *clocked) whole() *clocked {
	if c.all != nil {
		return c.all
	}
	return c
}

// begin records a launch. For the first one of a run the device is made ready before the time is taken; l is nil if that is not a single launch.
func (c *clocked) begin(ctx context.Context, l *device.Launch) (err error) {
	on := c.Device
	if c = c.whole(); c.launched {
		return nil
	}
	if l != nil {
		if *l, err = device.Ready(ctx, on, *l); err != nil {
			return err
		}
	}
	c.launched, c.before = true, device.HostWorkOf(c.Device)
	c.first = c.Device.Now()
	c.known = c.first
	return nil
}

// Launch calls the device's Launch.
func (c *clocked) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	if err := c.begin(ctx, &l); err != nil {
		return nil, err
	}
	return c.Device.Launch(ctx, l)
}

// LaunchRead calls the device's LaunchRead.
func (c *clocked) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	if err := c.begin(ctx, &l); err != nil {
		return nil, err
	}
	r, err := device.LaunchRead(ctx, c.Device, l, a)
	c.whole().known = c.Device.Now()
	return r, err
}

// LaunchAll calls the device's LaunchAll, if it has streams.
func (c *clocked) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	if err := c.begin(ctx, nil); err != nil {
		return nil, err
	}
	return device.LaunchAll(ctx, c.Device, ls)
}

// LaunchChain calls the device's LaunchChain.
func (c *clocked) LaunchChain(ctx context.Context, chain device.Chain) ([]device.Started, error) {
	if err := c.begin(ctx, nil); err != nil {
		return nil, err
	}
	all, err := device.LaunchChain(ctx, c.Device, chain)
	c.whole().known = c.Device.Now()
	return all, err
}

// Read calls the device's Read.
func (c *clocked) Read(b device.Buffer, dst any) error {
	err := c.Device.Read(b, dst)
	c.whole().known = c.Device.Now()
	return err
}

// GPU returns a GPU of a group; what happens on it counts for the group.
func (c *clocked) GPU(i int) device.Device {
	return &clocked{Wrapper: device.Wrapper{Device: c.Wrapper.GPU(i)}, all: c.whole()}
}

// Run calls the group's Run. Its first launch is the run's if there was none before; with it began what precedes it in
// the list.
func (c *clocked) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	launches := slices.ContainsFunc(cmds, func(c device.Command) bool { return c.Launch != nil })
	reads := slices.ContainsFunc(cmds, func(c device.Command) bool { return c.Read != nil })
	if launches && !c.whole().launched {
		var err error
		if cmds, err = device.ReadyList(ctx, c.Device, cmds); err == nil {
			err = c.begin(ctx, nil)
		}
		if err != nil {
			return make([]device.Timing, len(cmds)), err
		}
	}
	times, err := c.Wrapper.Run(ctx, cmds)
	if reads {
		c.whole().known = c.Device.Now()
	}
	return times, err
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
