package hw

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
)

// request is a part of a list that the child runs at once.
type request struct {
	*Group
	cmds    []device.Command
	pieces  []piece
	timings []device.Timing

	calls []worker.RunCall
	data  []byte
	sent  float64 // when the child got the request, on the clock of Now
}

// do runs the part.
func (r *request) do(ctx context.Context, words, data int) error {
	if err := r.describe(ctx, words, data); err != nil {
		return err
	}
	return r.send(ctx, words)
}

// send lets the child run the commands that were described to it.
func (r *request) send(ctx context.Context, words int) error {
	r.child.Ready()
	head := r.child.Run()
	*head = worker.RunHead{Calls: len(r.pieces), Words: words}
	r.sent = r.Now()
	r.child.Send(worker.OpRun)
	f, err := r.wait(ctx, head)
	r.known = r.Now()
	if err == nil {
		r.clockError = head.ClockError
		r.known += head.Known - worker.Monotonic() // the child has asked for the commands' times since
	}
	r.collect(r.Now())
	return r.outcome(head, f, err)
}

// describe describes the commands to the child, in the arena.
func (r *request) describe(ctx context.Context, words, data int) error {
	if err := r.room(worker.Room(len(r.pieces), words, data)); err != nil {
		return err
	}
	var after []int32
	r.calls, after, r.data = r.child.Queue(len(r.pieces), words)
	return r.fill(ctx, after)
}

// room makes the first n bytes of the arena ready for use, which costs time once.
func (g *Group) room(n int) error {
	if n <= g.arena {
		return nil
	}
	defer g.aside(time.Now())
	size := 4 << 20
	for size < n {
		size *= 2
	}
	size = min(size, worker.Arena)
	if err := g.ask(context.Background(), "preparing memory for a list of commands", worker.OpReserve, size, nil); err != nil {
		return err
	}
	g.child.Touch(size)
	g.arena = size
	return nil
}

// fill describes the commands to the child.
func (r *request) fill(ctx context.Context, after []int32) error {
	used := 0
	r.last = slices.Grow(r.last[:0], len(r.cmds))[:len(r.cmds)]
	for i := range r.last {
		r.last[i] = -1
	}
	r.built = slices.Grow(r.built[:0], len(r.pieces))[:len(r.pieces)]
	clear(r.built)
	for i := range r.pieces {
		p, call := &r.pieces[i], &r.calls[i]
		c := &r.cmds[p.cmd]
		launch := &call.Launch
		*call = worker.RunCall{GPU: c.GPU, Stream: c.Stream, After: [2]int{used, used}, Bytes: len(p.host), At: p.at}
		for _, j := range c.After {
			if k := r.last[j]; k >= 0 && p.skip == 0 { // the others were in an earlier part, or an earlier piece has waited
				after[used] = k
				used++
			}
		}
		call.After[1] = used
		r.last[p.cmd] = int32(i)
		d := r.gpus[c.GPU]
		var err error
		switch {
		case c.Launch != nil:
			r.built[i], err = d.fill(ctx, c.Launch, launch)
		case c.Copy != nil:
			call.Kind, call.Bytes = worker.RunCopy, c.Copy.Src.Bytes()
			if call.To, call.Dst, err = r.locate(c.Copy.Dst); err == nil {
				call.From, call.Src, err = r.locate(c.Copy.Src)
			}
		case c.Write != nil:
			call.Kind = worker.RunWrite
			_, call.Dst, err = r.locate(c.Write.Buffer)
			call.Dst += uint64(p.skip)
			spread(r.data[p.at:], p.host)
		default:
			call.Kind = worker.RunRead
			_, call.Src, err = r.locate(c.Read.Buffer)
			call.Src += uint64(p.skip)
		}
		if err != nil {
			return c.Failed(p.cmd, err)
		}
	}
	return nil
}

// fill describes a launch.
func (d *Device) fill(ctx context.Context, l *device.Launch, call *worker.LaunchCall) (*code, error) {
	g, c, err := d.prepare(ctx, *l)
	if err == nil {
		d.describe(call, g, c)
	}
	return c, err
}

// locate returns the GPU of a buffer, and its address there.
func (g *Group) locate(b device.Buffer) (gpu int, addr uint64, err error) {
	a, off, err := g.mem.Find(b)
	if err != nil {
		return 0, 0, err
	}
	return a.GPU, g.addr[a.ID] + uint64(off), nil
}

// wait waits for the child. The deadline is that of a launch: it counts anew whenever a command has ended.
func (g *Group) wait(ctx context.Context, head *worker.RunHead) (*worker.Failure, error) {
	limit := g.opts.Deadline
	if g.opts.Watchdog {
		limit += time.Second
	}
	for {
		before := atomic.LoadUint32(&head.Progress)
		f, err := g.child.wait(ctx, limit)
		if !errors.Is(err, worker.ErrLate) || atomic.LoadUint32(&head.Progress) == before {
			return f, err
		}
	}
}

// begun reports whether a call has begun: the child has queued it, and all that it waits for has ended.
func (r *request) begun(i int) bool {
	call := &r.calls[i]
	if !call.Queued {
		return false
	}
	_, after, _ := r.child.Queue(len(r.calls), call.After[1])
	for _, j := range after[call.After[0]:] {
		if !r.calls[j].Done {
			return false
		}
	}
	for j := i - 1; j >= 0; j-- {
		if e := &r.calls[j]; e.GPU == call.GPU && e.Stream == call.Stream {
			return e.Done
		}
	}
	return true
}

// collect takes times, reports and data from the calls. The child replied at the given time.
func (r *request) collect(replied float64) {
	offset := r.Now() - worker.Monotonic()
	r.ends = r.ends[:0]
	for i := range r.calls {
		call, p := &r.calls[i], &r.pieces[i]
		c, t := &r.cmds[p.cmd], &r.timings[p.cmd]
		d := r.gpus[c.GPU]
		if !call.Done {
			if c.Launch != nil && r.begun(i) {
				t.Report = d.report(*c.Launch, r.built[i], 0, 0)
			}
			continue
		}
		start := call.Start + offset
		end := start + call.End - call.Start
		last := r.end(c)
		first := max(r.sent, *last)
		for _, j := range c.After {
			first = max(first, r.timings[j].End)
		}
		if late := first - start; late > 0 {
			start, end = start+late, end+late
		}
		start, end = min(start, replied), min(end, replied)
		*last = end
		if p.skip == 0 {
			t.Start = start
		}
		t.End = end
		r.account(call, c, t, r.built[i], span{start, end})
		if c.Read != nil {
			spread(p.host, r.data[p.at:p.at+len(p.host)])
		}
	}
	r.sum()
}

// end returns the end of the last command so far on the stream of a command.
func (g *Group) end(c *device.Command) *float64 {
	for i := range g.ends {
		if e := &g.ends[i]; e.gpu == c.GPU && e.stream == c.Stream {
			return &e.at
		}
	}
	g.ends = append(g.ends, streamEnd{c.GPU, c.Stream, 0})
	return &g.ends[len(g.ends)-1].at
}

// account counts a call that has ended, and makes its report.
func (r *request) account(call *worker.RunCall, c *device.Command, t *device.Timing, code *code, s span) {
	d := r.gpus[c.GPU]
	if c.Launch != nil {
		t.Report = d.report(*c.Launch, code, call.Launch.Seconds, 1)
		return
	}
	n := uint64(call.Bytes)
	switch {
	case c.Copy != nil:
		r.copied += n
		if call.From != call.To {
			r.carry(call.From, call.To, call.Bytes, s)
		}
	case c.Write != nil:
		d.toDevice += n
		r.carry(fromHost, c.GPU, 0, s)
	default:
		d.toHost += n
		r.carry(c.GPU, fromHost, 0, s)
	}
	t.Report = c.CopyReport(t.End - t.Start)
}

// outcome returns the error of the part: of the child, or of the first launch with a fault.
func (r *request) outcome(head *worker.RunHead, f *worker.Failure, err error) error {
	failed := head.Failed
	if errors.Is(err, worker.ErrLate) {
		failed = r.hanging()
	}
	if f == nil && err == nil {
		return r.fault()
	}
	if f == nil && !errors.Is(err, worker.ErrLate) || failed < 0 || failed >= len(r.pieces) {
		return r.holder.outcome("run")(f, err)
	}
	p := r.pieces[failed]
	c := &r.cmds[p.cmd]
	d := r.gpus[c.GPU]
	if f != nil && f.Sticky && head.Suspects > 0 {
		f.Text += fmt.Sprintf(", in this launch or in one of %d that had not ended on GPU %d", head.Suspects, c.GPU)
	}
	err = r.holder.outcome(during(c))(f, err)
	if c.Launch != nil {
		err = d.explain(*c.Launch, err)
	}
	return c.Failed(p.cmd, err)
}

// during says what a command does.
func during(c *device.Command) string {
	switch {
	case c.Launch != nil:
		return "launch of " + c.Launch.Kernel.Name
	case c.Copy != nil:
		return fmt.Sprintf("copy of %s to %s", c.Copy.Src.Name, c.Copy.Dst.Name)
	case c.Write != nil:
		return "write to " + c.Write.Buffer.Name
	}
	return "read of " + c.Read.Buffer.Name
}

// hanging returns the first launch that has begun and not ended; -1 if there is none.
func (r *request) hanging() int {
	for i := range r.calls {
		if r.calls[i].Kind == worker.RunLaunch && !r.calls[i].Done && r.begun(i) {
			return i
		}
	}
	return -1
}

// fault returns the error of the first launch that recorded one.
func (r *request) fault() error {
	for i := range r.calls {
		if call := &r.calls[i]; call.Kind == worker.RunLaunch && call.Launch.Faulted {
			c := &r.cmds[r.pieces[i].cmd]
			d := r.gpus[c.GPU]
			g, _, err := d.prepare(context.Background(), *c.Launch)
			if err == nil {
				err = d.fault(g, call.Launch.Fault[:])
			}
			return c.Failed(r.pieces[i].cmd, err)
		}
	}
	return nil
}
