package device

import (
	"context"
	"slices"
)

// Alone returns a device as a group of one GPU, so that a host loop for groups runs on every
// device. Its Run does the commands one after another, in their order. A device that is a
// Group already is returned as it is.
func Alone(d Device) Group {
	if g, ok := AsGroup(d); ok {
		return g
	}
	return &alone{Wrapper: Wrapper{d}}
}

// alone is a group of one GPU.
type alone struct {
	Wrapper
	copied uint64 // bytes, by Command.Copy
}

// Copier is a device that copies between its own buffers without the host.
type Copier interface {
	// Copy copies one buffer to another one of the same kind and length.
	Copy(ctx context.Context, c Copy) error
}

// Capabilities includes Peers.
func (a *alone) Capabilities() Capabilities { return a.Device.Capabilities() | Peers }

// GPUs returns 1.
func (a *alone) GPUs() int { return 1 }

// GPU returns the device, for number 0.
func (a *alone) GPU(i int) Device {
	MustHaveGPU(a, i)
	return only{Wrapper{a.Device}}
}

// only is the GPU of a group of one.
type only struct{ Wrapper }

// Name returns the name with the number.
func (o only) Name() string { return o.Device.Name() + "#0" }

// Close does nothing: the group closes the device.
func (o only) Close() error { return nil }

// Where returns 0: the device itself checks its buffers.
func (a *alone) Where(Buffer) (int, error) { return 0, nil }

// Peer returns that the GPU reaches its own memory.
func (a *alone) Peer(from, to int) Peer {
	MustHaveGPU(a, from)
	MustHaveGPU(a, to)
	return Peer{Copy: true, Access: true, Atomics: true}
}

// Links returns nil: a GPU alone has no link that is observed.
func (a *alone) Links() []LinkUse { return nil }

// Total has the copies of Run as well.
func (a *alone) Total() *Report {
	r := *a.Device.Total()
	r.Counters = append(slices.Clip(r.Counters), copied(a.copied))
	return &r
}

// Run does the commands in their order.
func (a *alone) Run(ctx context.Context, cmds []Command) ([]Timing, error) {
	times := make([]Timing, len(cmds))
	if err := CheckCommands(a, cmds); err != nil {
		return times, err
	}
	for i := range cmds {
		c := &cmds[i]
		if err := ctx.Err(); err != nil {
			return times, c.Failed(i, err)
		}
		t := &times[i]
		if i > 0 && answers(cmds[i-1], *c) { // it has come with the launch
			t.Start, t.End = times[i-1].End, times[i-1].End
			t.Report = c.CopyReport(0)
			continue
		}
		t.Start = a.Now()
		var err error
		if i+1 < len(cmds) && answers(*c, cmds[i+1]) {
			read := cmds[i+1].Read
			t.Report, err = LaunchRead(ctx, a.Device, *c.Launch, Answer{Buffer: read.Buffer, To: read.Host})
		} else {
			t.Report, err = a.do(ctx, c)
		}
		t.End = a.Now()
		if err != nil {
			return times, c.Failed(i, err)
		}
		if c.Launch == nil {
			t.Report = c.CopyReport(t.End - t.Start)
		}
		if c.Copy != nil {
			a.copied += uint64(c.Copy.Src.Bytes())
		}
	}
	return times, nil
}

// maxAnswer is the largest read, in bytes, that is made with the launch before it.
const maxAnswer = 64

// answers reports whether a command reads a few words behind a launch, as LaunchRead does.
func answers(launch, read Command) bool {
	return launch.Launch != nil && read.Read != nil && read.Read.Buffer.Bytes() <= maxAnswer
}

// do does one command. The report is that of a launch.
func (a *alone) do(ctx context.Context, c *Command) (*Report, error) {
	switch {
	case c.Launch != nil:
		return a.Device.Launch(ctx, *c.Launch)
	case c.Write != nil:
		return nil, a.Device.Write(c.Write.Buffer, c.Write.Host)
	case c.Read != nil:
		return nil, a.Device.Read(c.Read.Buffer, c.Read.Host)
	}
	return nil, copyOn(ctx, a.Device, *c.Copy)
}

// copyOn copies between buffers of a device, through the host if it does not do so by itself.
func copyOn(ctx context.Context, d Device, c Copy) error {
	if d, ok := d.(Copier); ok {
		return d.Copy(ctx, c)
	}
	host := hostSlice(c.Src)
	if err := d.Read(c.Src, host); err != nil {
		return err
	}
	return d.Write(c.Dst, host)
}
