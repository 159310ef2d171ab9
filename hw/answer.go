package hw

import (
	"context"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

var _ device.Asker = (*Device)(nil)

// answer describes the answer that a launch fetches for the host.
type answer struct {
	buffer                  device.Buffer
	addr                    uint64 // on the GPU
	bytes                   int    // 0 if there is no answer
	clearBefore, clearAfter bool
}

// maxCleared is how many answers of a device may be cleared at a time. A loop with phases has two: how much there is to
// do, and where the phases are.
const maxCleared = 4

// cleared is an answer that the GPU set to zero after it was fetched, because the next launch is likely to require
// that. Any other use of the buffer must find the answer in it: settle writes it back first.
type cleared struct {
	buffer device.Buffer // Len is 0 if there is none
	value  [worker.MaxAnswer]byte
}

// LaunchRead launches a kernel and reads its answer with one request to the child.
func (d *Device) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	defer d.calls.Begin().End()
	ctx = d.calls.During(ctx)
	d.stages.asked(&l)
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
	if i := slices.IndexFunc(d.cleared[:], func(c cleared) bool { return c.buffer == a.Buffer }); a.Clear && i >= 0 {
		ask.clearBefore, d.cleared[i].buffer = false, device.Buffer{}
	}
	if err := d.settle(a.Buffer); err != nil {
		return nil, err
	}
	ask.clearAfter = a.Clear && d.info.Answers && !d.shared[a.Buffer.Addr] && d.free() >= 0
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

// free returns the index of an unused element of d.cleared, or -1.
func (d *Device) free() int {
	return slices.IndexFunc(d.cleared[:], func(c cleared) bool { return c.buffer.Len == 0 })
}

// fetched records that a launch with an answer was made.
func (d *Device) fetched(ask answer) {
	if ask.clearAfter {
		c := &d.cleared[d.free()]
		c.buffer = ask.buffer
		copy(c.value[:ask.bytes], d.answer[:])
	}
}

// settle writes the cleared answers in b back before a use of b.
func (d *Device) settle(b device.Buffer) error {
	for i := range d.cleared {
		if c := &d.cleared[i]; c.buffer.Len > 0 && overlaps(b, c.buffer) {
			if err := d.putBack(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// settleFor writes the cleared answers of all GPUs that a launch may use back before it runs. To do that takes a request
// of its own, as long as a launch: where it happens once, the answer in that buffer is not cleared ahead of time again.
// g is nil for launches that may use any buffer.
func (h *holder) settleFor(g *simt.Grid) error {
	for _, d := range h.gpus {
		for i := range d.cleared {
			c := &d.cleared[i]
			if c.buffer.Len == 0 || g != nil && !mayUse(g, c.buffer) {
				continue
			}
			d.shared[c.buffer.Addr] = true
			if err := d.putBack(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayUse reports whether a launch has an argument by which it can reach b.
func mayUse(g *simt.Grid, b device.Buffer) bool {
	for i := range g.Roots {
		if r := &g.Roots[i]; r.Space == ir.Global && r.Lo < b.Addr+uint64(b.Bytes()) && b.Addr < r.Lo+r.Bytes {
			return true
		}
	}
	return false
}

// putBack writes a cleared answer back.
func (d *Device) putBack(c *cleared) error {
	put := c.buffer
	c.buffer = device.Buffer{}
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
