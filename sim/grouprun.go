package sim

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/internal/link"
)

// execute runs launches that begin together on one GPU, for which the host waits; see Device.execute.
func (g *Group) execute(ctx context.Context, d *Device, jobs []job) (*device.Report, error) {
	p := g.newPlan(ctx)
	base := g.now()
	t := &task{gpu: d.m.gpu, jobs: jobs, ready: base + float64(len(jobs))*g.cfg.Launch.Kernel*1e-6}
	p.tasks = []*task{t}
	err := p.run()
	if t.report != nil {
		g.clock.seconds = base + t.report.Seconds
		g.clock.pending = true
	}
	return t.report, err
}

// copied makes the time of a copy between the host and GPU d pass, before which the host waits for its kernels.
func (g *Group) copied(d *Device, b device.Buffer, toHost bool) error {
	d.synchronise()
	p := g.newPlan(context.Background())
	t := &task{gpu: d.m.gpu, copy: g.hostCopy(d, b, toHost), ready: g.now() + g.cfg.Copy.Latency*1e-6}
	p.tasks = []*task{t}
	err := p.run()
	g.clock.seconds = p.end
	return err
}

// now returns the time of the host, or the later time of the last event.
func (g *Group) now() float64 { return max(g.clock.seconds, float64(g.engine.CurrentTime())) }

// Run does commands; see device.Group. The host issues them one after the other, at the rate at which it launches
// kernels, and waits once.
func (g *Group) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	timings := make([]device.Timing, len(cmds))
	if g.closed {
		return timings, fmt.Errorf("run on %s: the device is closed", g.Name())
	}
	if err := ctx.Err(); err != nil || len(cmds) == 0 {
		return timings, err
	}
	p, err := g.prepareAll(ctx, cmds)
	if err != nil {
		return timings, err
	}
	if err = p.run(); err != nil {
		err = fmt.Errorf("%v: %w", p.by, err)
	}
	end := p.end
	for i, t := range p.tasks {
		if !t.began || t.report == nil {
			continue
		}
		if !t.over { // ended by an error
			t.end = max(t.start, float64(g.engine.CurrentTime()))
		}
		timings[i] = device.Timing{Start: t.start, End: t.end, Report: t.report}
		end = max(end, t.end)
	}
	g.clock.seconds = max(end, g.clock.seconds) + g.cfg.Launch.Sync*1e-6
	g.clock.pending = false
	return timings, err
}

// prepareAll checks commands and makes a plan of them.
func (g *Group) prepareAll(ctx context.Context, cmds []device.Command) (*plan, error) {
	p := g.newPlan(ctx)
	last := map[[2]int]*task{}
	base := g.now()
	var jobs []job
	for i := range cmds {
		c := &cmds[i]
		t := &task{n: i, gpu: c.GPU, ready: base + float64(i)*g.cfg.Launch.Rate*1e-6}
		fail := func(err error) error { return fmt.Errorf("%v: %w", t, err) }
		if c.GPU < 0 || c.GPU >= len(g.gpus) {
			return nil, fmt.Errorf("command %d: there is no GPU %d; the group has %d", i, c.GPU, len(g.gpus))
		}
		d := g.gpus[c.GPU]
		var err error
		switch {
		case c.Launch != nil:
			var j job
			l := *c.Launch
			l.Stream = c.Stream
			if j, err = d.prepare(l); err != nil {
				return nil, fail(err)
			}
			t.jobs = []job{j}
			jobs = append(jobs, j)
			t.ready += g.cfg.Launch.Kernel * 1e-6
		case c.Copy != nil:
			if err = c.Copy.Check(); err != nil {
				return nil, fail(err)
			}
			if t.copy, err = g.peerCopy(c.GPU, c.Copy); err != nil {
				return nil, fail(err)
			}
			t.copy.effect = func() error { return g.mem.Copy(*c.Copy) }
		case c.Write != nil:
			if _, err = d.mem.CheckWrite(c.Write.Buffer, c.Write.Host); err != nil {
				return nil, fail(err)
			}
			t.copy = g.hostCopy(d, c.Write.Buffer, false)
			t.copy.effect = func() error {
				d.m.stats.copiedToDevice += uint64(c.Write.Buffer.Bytes())
				return d.mem.Write(c.Write.Buffer, c.Write.Host)
			}
		case c.Read != nil:
			if _, err = d.mem.CheckRead(c.Read.Buffer, c.Read.Host); err != nil {
				return nil, fail(err)
			}
			t.copy = g.hostCopy(d, c.Read.Buffer, true)
			t.copy.effect = func() error {
				d.m.stats.copiedToHost += uint64(c.Read.Buffer.Bytes())
				return d.mem.Read(c.Read.Buffer, c.Read.Host)
			}
		default:
			return nil, fail(fmt.Errorf("there is nothing to do"))
		}
		if t.copy != nil {
			t.ready += g.overhead(t.copy) * 1e-6
		}
		stream := [2]int{c.GPU, c.Stream}
		if before := last[stream]; before != nil {
			t.after(before)
		}
		last[stream] = t
		for _, n := range c.After {
			if n < 0 || n >= i {
				return nil, fail(fmt.Errorf("it begins after command %d, which is not an earlier one", n))
			}
			t.after(p.tasks[n])
		}
		p.tasks = append(p.tasks, t)
	}
	if err := g.Device.renew(jobs); err != nil {
		return nil, err
	}
	return p, nil
}

// after makes a task wait for another.
func (t *task) after(other *task) {
	t.waits++
	other.next = append(other.next, t)
}

// overhead returns the fixed overhead of a copy in microseconds.
func (g *Group) overhead(x *transfer) float64 {
	if x.from == link.Host || x.to == link.Host {
		return g.cfg.Copy.Latency
	}
	return g.cfg.Link.CopyLatency
}

// direct reports whether data pass from one node to another without the memory of the host.
func (g *Group) direct(from, to link.Node) bool {
	return from == link.Host || to == link.Host || g.Peer(int(from), int(to)).Copy
}

// inFlight returns how many chunks of a copy are on their way at a time.
func (g *Group) inFlight(x *transfer) int { return 4 }

func copiedCounters(x *transfer) []device.Counter { return nil }

// observeCopy informs the trace about a copy.
func (g *Group) observeCopy(t *task) {
	if m := g.gpus[t.gpu].m; m.trace != nil {
		m.trace.Copy(t.copy.name, t.copy.toHost, t.copy.bytes, t.start, t.end)
	}
}
