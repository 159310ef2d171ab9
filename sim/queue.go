package sim

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// Time runs a launch repeat times, one queued behind the other while the host
// does not look: the cost of a launch then hides behind the kernel before it,
// and what is left is the gap between two kernels, or how fast the host can
// launch. The report is of all runs together.
func (d *Device) Time(ctx context.Context, l device.Launch, repeat int) (*device.Report, error) {
	before := d.m.snapshot()
	seconds := 0.0
	for range repeat {
		r, err := d.Launch(ctx, l)
		if err != nil {
			return r, err
		}
		c := &d.cfg.Launch
		queued := max(c.Rate*1e-6, float64(r.Cycles)/(d.cfg.Clock.SM*1e6)+c.Gap*1e-6)
		d.m.stats.seconds += queued - r.Seconds
		d.seconds += queued - r.Seconds
		seconds += queued
	}
	after := d.m.snapshot()
	r := report(d.cfg, &after, &before)
	r.Seconds = seconds
	return r, nil
}
