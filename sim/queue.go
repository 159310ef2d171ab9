package sim

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// Time runs a launch repeat times, queued back to back without the host waiting in between: the overhead of a launch
// then overlaps with the previous kernel, and what remains is the gap between two kernels or the rate at which the
// host can launch. The report covers all runs together.
func (d *Device) Time(ctx context.Context, l device.Launch, repeat int) (*device.Report, error) {
	defer d.mem.Begin().End()
	before := d.m.snapshot()
	seconds, queue := 0.0, uint32(0)
	for range repeat {
		r, err := d.launch(ctx, l)
		if err != nil {
			return r, err
		}
		_, longest := d.m.l2.words.Longest()
		queue = max(queue, longest)
		c := &d.cfg.Launch
		queued := max(c.Rate*1e-6, float64(r.Cycles)/(d.cfg.Clock.SM*1e6)+(c.Window+c.Gap)*1e-6)
		d.m.stats.seconds += queued - r.Seconds
		d.seconds += queued - r.Seconds
		seconds += queued
	}
	after := d.m.snapshot()
	r := report(d.cfg, &after, &before, queue)
	r.Seconds = seconds
	return r, nil
}
