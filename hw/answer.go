package hw

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
)

var _ device.Asker = (*Device)(nil)

// answer describes the answer that a launch fetches for the host.
type answer struct {
	buffer                  device.Buffer
	addr                    uint64 // on the GPU
	bytes                   int    // 0 if there is no answer
	clearBefore, clearAfter bool
}

// cleared is an answer that the GPU set to zero after it was fetched, because the next launch is likely to require
// that. Any other use of the buffer must find the answer in it: settle writes it back first.
type cleared struct {
	buffer device.Buffer // Len is 0 if there is none
	value  [worker.MaxAnswer]byte
	never  bool // it had to be written back for another launch
}

// LaunchRead launches a kernel and reads its answer with one request to the child.
func (d *Device) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	defer d.calls.Begin().End()
	ctx = d.calls.During(ctx)
	to, err := d.mem.CheckRead(a.Buffer, a.To)
	if err != nil {
		return nil, err
	}
	at, err := d.address(a.Buffer)
	if err != nil {
		return nil, err
	}
	if len(to) == 0 || len(to) > worker.MaxAnswer || len(to)%4 != 0 || at%4 != 0 {
		return device.LaunchThenRead(ctx, d, l, a)
	}
	ask := answer{buffer: a.Buffer, addr: at, bytes: len(to), clearBefore: a.Clear}
	if a.Clear && d.cleared.buffer == a.Buffer {
		ask.clearBefore, d.cleared.buffer = false, device.Buffer{}
	}
	if err := d.settleAll(); err != nil {
		return nil, err
	}
	ask.clearAfter = a.Clear && d.info.Answers && !d.cleared.never
	rep, err := d.launch(ctx, l, 1, ask)
	if err != nil {
		return rep, err
	}
	copy(to, d.answer[:])
	d.toHost += uint64(len(to))
	if a.Clear {
		d.toDevice += uint64(len(to))
	}
	return rep, nil
}

// fetched records that a launch with an answer was made.
func (d *Device) fetched(ask answer) {
	if ask.clearAfter {
		d.cleared.buffer = ask.buffer
		copy(d.cleared.value[:ask.bytes], d.answer[:])
	}
}

// settle writes a cleared answer back before a use of b, or, if b is nil, before a launch that may use any buffer.
func (d *Device) settle(b *device.Buffer) error {
	c := &d.cleared
	if c.buffer.Len == 0 || b != nil && !overlaps(*b, c.buffer) {
		return nil
	}
	put := c.buffer
	c.buffer, c.never = device.Buffer{}, c.never || b == nil
	at, err := d.address(put)
	if err != nil {
		return err
	}
	return d.upload("write to "+put.Name, at, c.value[:put.Bytes()])
}

// overlaps reports whether two buffers share bytes; their addresses identify their allocations.
func overlaps(a, b device.Buffer) bool {
	return a.Owner == b.Owner && a.Addr < b.Addr+uint64(b.Bytes()) && b.Addr < a.Addr+uint64(a.Bytes())
}
