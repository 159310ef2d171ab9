package sim

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
)

var _ device.Nester = (*Device)(nil)

// LaunchChain runs a launch and those that kernels start after it; see device.Nester. Between two of them launch.device passes,
// and nothing of the host: it waits once, at the end, and then has the answer.
func (d *Device) LaunchChain(ctx context.Context, c device.Chain) ([]device.Started, error) {
	if !d.Capabilities().Has(device.Nested) {
		return nil, fmt.Errorf("device %s %s: its launch.device is 0", d.Name(), device.Capabilities(0).Lacks(device.Nested))
	}
	defer d.mem.Begin().End()
	if c.Answer.Clear {
		d.m.stats.copiedToDevice += uint64(c.Answer.Buffer.Bytes())
	}
	ctx = d.mem.During(ctx)
	started, err := device.RunChain(d.mem, c, func(l device.Launch, nested bool) (*device.Report, error) {
		d.nested = nested
		defer func() { d.nested = false }()
		return d.launch(ctx, l)
	})
	d.synchronise(d.cfg)
	if n := c.Answer.Buffer.Bytes(); err == nil && n > maxAnswer {
		d.m.stats.copiedToHost += uint64(n)
		d.observeCopy(c.Answer.Buffer, true, d.copied(d.cfg, n))
	} else if err == nil && n > 0 {
		answered(d, c.Answer.Buffer, n)
	}
	return started, err
}
