package sim

import (
	"context"

	"github.com/weft-gpu/weft/device"
)

var _ device.Asker = (*Device)(nil)

// maxAnswer is the longest answer in bytes that does not need a copy of its own, as on hardware.
const maxAnswer = 1024

// LaunchRead runs a kernel and reads its answer. On hardware a small kernel behind the launch writes the answer to memory
// of the host, which waits for it there, and clears the buffer for the next launch: there is no copy, and no
// synchronization but the one (package hw does so). The answer then takes copy.answer and not copy.latency.
func (d *Device) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	defer d.mem.Begin().End()
	to, err := d.mem.CheckRead(a.Buffer, a.To)
	if err != nil {
		return nil, err
	}
	if d.group != nil || len(to) == 0 || len(to) > maxAnswer {
		return device.LaunchThenRead(ctx, d, l, a)
	}
	if a.Clear {
		if err := d.mem.Write(a.Buffer, a.Zeros()); err != nil {
			return nil, err
		}
		d.m.stats.copiedToDevice += uint64(len(to))
	}
	r, err := d.Launch(ctx, l)
	if err != nil {
		return r, err
	}
	if err := d.mem.Read(a.Buffer, a.To); err != nil {
		return r, err
	}
	answered(d, a.Buffer, len(to))
	return r, nil
}

// answered lets the time pass until the host has an answer.
func answered(d *Device, b device.Buffer, bytes int) {
	d.m.stats.copiedToHost += uint64(bytes)
	d.synchronise(d.cfg)
	took := d.cfg.Copy.Answer * 1e-6
	d.seconds += took
	d.work.Answers++
	d.observeCopy(b, true, took)
}
