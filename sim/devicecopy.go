package sim

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

// Write copies src to b and accounts for the time of the copy.
func (d *Device) Write(b device.Buffer, src any) error {
	defer d.mem.Begin().End()
	if err := d.mem.Write(b, src); err != nil {
		return err
	}
	d.m.stats.copiedToDevice += uint64(b.Bytes())
	if at := d.placeOf(b); at.ok {
		d.m.l2.leave(at.phys, b.Bytes())
	}
	if d.group != nil {
		return d.group.copied(d, b, false)
	}
	d.host.placed += b.Bytes()
	d.observeCopy(b, false, d.copied(d.cfg, b.Bytes()))
	return nil
}

// Read copies b to dst and accounts for the time of waiting for kernels and of the copy.
func (d *Device) Read(b device.Buffer, dst any) error {
	defer d.mem.Begin().End()
	if err := d.mem.Read(b, dst); err != nil {
		return err
	}
	d.m.stats.copiedToHost += uint64(b.Bytes())
	if d.group != nil {
		return d.group.copied(d, b, true)
	}
	d.observeCopy(b, true, d.copied(d.cfg, b.Bytes()))
	return nil
}

// Copy implements device.Copier: memory transfers the lines of both buffers, and the host waits for that.
func (d *Device) Copy(ctx context.Context, c device.Copy) error {
	defer d.mem.Begin().End()
	if err := c.Check(); err != nil {
		return err
	}
	if d.group != nil {
		_, err := d.group.Run(ctx, []device.Command{{GPU: d.m.gpu, Copy: &c}})
		return err
	}
	if err := d.mem.Copy(c); err != nil {
		return err
	}
	d.synchronise(d.cfg)
	start := d.m.now
	done := d.m.l2.bulk(d.placeOf(c.Src).phys, c.Src.Bytes(), false, start)
	d.m.skip(max(done, d.m.l2.bulk(d.placeOf(c.Dst).phys, c.Dst.Bytes(), true, start)))
	d.m.l2.leave(d.placeOf(c.Dst).phys, c.Dst.Bytes())
	d.work.Copies++
	d.seconds += d.cfg.Copy.Latency*1e-6 + float64(d.m.now-start)*d.comp.period
	return nil
}
