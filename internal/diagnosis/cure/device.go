package cure

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// changed is a device whose launches are changed before they begin.
type changed struct {
	device.Wrapper
	change Change
}

// Wrap returns a device that changes all launches.
func Wrap(d device.Device, change Change) device.Device {
	return &changed{device.Wrapper{Device: d}, change}
}

// Launch changes a launch and runs it.
func (c *changed) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	l, err := c.change(l)
	if err != nil {
		return nil, err
	}
	return c.Device.Launch(ctx, l)
}

// LaunchAll changes launches and runs them.
func (c *changed) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	list := make([]device.Launch, len(ls))
	for i, l := range ls {
		var err error
		if list[i], err = c.change(l); err != nil {
			return nil, err
		}
	}
	return device.LaunchAll(ctx, c.Device, list)
}

// LaunchRead changes a launch, runs it and reads the answer.
func (c *changed) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	l, err := c.change(l)
	if err != nil {
		return nil, err
	}
	return device.LaunchRead(ctx, c.Device, l, a)
}

// LaunchChain changes the launches of a chain and runs it.
func (c *changed) LaunchChain(ctx context.Context, chain device.Chain) ([]device.Started, error) {
	var err error
	if chain.First, err = c.change(chain.First); err != nil {
		return nil, err
	}
	rest := make([]device.Launch, len(chain.Rest))
	for i, l := range chain.Rest {
		if rest[i], err = c.change(l); err != nil {
			return nil, err
		}
	}
	chain.Rest = rest
	return device.LaunchChain(ctx, c.Device, chain)
}

// GPU returns a GPU of a group, whose launches are changed, too.
func (c *changed) GPU(i int) device.Device { return Wrap(c.Wrapper.GPU(i), c.change) }

// Run changes the launches of a list of commands and runs it.
func (c *changed) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	list := make([]device.Command, len(cmds))
	for i, cmd := range cmds {
		if cmd.Launch != nil {
			l, err := c.change(*cmd.Launch)
			if err != nil {
				return nil, err
			}
			cmd.Launch = &l
		}
		list[i] = cmd
	}
	return c.Wrapper.Run(ctx, list)
}
