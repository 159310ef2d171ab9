package hw

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/worker"
)

var _ device.Asker = (*Device)(nil)

// answer is what a launch fetches for the host.
type answer struct {
	buffer                  device.Buffer
	addr                    uint64 // on the GPU
	bytes                   int    // 0: nothing
	clearBefore, clearAfter bool
}

// cleared is an answer that the GPU set to zero once it was fetched, since the
// next launch is likely to want that. Who looks at the buffer before then must
// find the answer there: settle puts it back.
type cleared struct {
	buffer device.Buffer // Len is 0 where there is none
	value  [worker.MaxAnswer]byte
	never  bool // it had to be put back for another launch
}

// LaunchRead is a launch with the read of its answer in one request to the child.
func (d *Device) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
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
	if err := d.settle(nil); err != nil {
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

// fetched notes that a launch with an answer was made.
func (d *Device) fetched(ask answer) {
	if ask.clearAfter {
		d.cleared.buffer = ask.buffer
		copy(d.cleared.value[:ask.bytes], d.answer[:])
	}
}

// settle puts a cleared answer back before somebody uses b, or before a launch
// that may use any buffer where b is nil.
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

// overlaps reports that two buffers share bytes; their addresses say which
// allocation they are in.
func overlaps(a, b device.Buffer) bool {
	return a.Addr < b.Addr+uint64(b.Bytes()) && b.Addr < a.Addr+uint64(a.Bytes())
}
