package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/sim/internal/link"
)

// execute runs launches that begin together on one GPU, for which the host waits; see Device.execute.
func (g *Group) execute(ctx context.Context, d *Device, jobs []job) (*device.Report, error) {
	p := g.newPlan(ctx)
	base := g.now()
	task := &task{gpu: d.m.gpu, jobs: jobs, ready: base + float64(len(jobs))*g.cfg.Launch.Kernel*1e-6}
	p.add(task)
	races := d.m.hooks.races()
	if races != nil {
		if err := races.BeginCommands(race.Launches(d.m.gpu, grids(jobs)...)); err != nil {
			return nil, err
		}
	}
	err := p.run()
	if races != nil {
		races.End()
	}
	if task.report != nil {
		g.clock.seconds = base + task.report.Seconds
		g.clock.pending = true
	}
	return task.report, err
}

// copied makes the time of a copy between the host and GPU d pass, before which the host waits for its kernels.
func (g *Group) copied(d *Device, b device.Buffer, toHost bool) error {
	d.synchronise(d.cfg)
	p := g.newPlan(context.Background())
	t := &task{gpu: d.m.gpu, copy: g.hostCopy(d, b, toHost), ready: g.now() + g.cfg.Copy.Latency*1e-6}
	p.add(t)
	err := p.run()
	g.clock.seconds = p.end
	return err
}

// now returns the time of the host, or the later time of the last event.
func (g *Group) now() float64 { return max(g.clock.seconds, float64(g.engine.CurrentTime())) }

// Run does commands; see device.Group. The host queues them one after the other, and waits once.
func (g *Group) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	defer g.mem.Begin().End()
	ctx = g.mem.During(ctx)
	timings := make([]device.Timing, len(cmds))
	if g.mem.Closed() {
		return timings, fmt.Errorf("run on %s: %w", g.Name(), device.ErrClosed)
	}
	if err := device.CheckCommands(g, cmds); err != nil || len(cmds) == 0 {
		return timings, err
	}
	if err := ctx.Err(); err != nil {
		return timings, cmds[0].Failed(0, err)
	}
	p, err := g.prepareAll(ctx, cmds)
	if err != nil {
		return timings, err
	}
	races := g.m.hooks.races()
	if races != nil {
		if err := g.raceBegin(p, cmds); err != nil {
			return timings, err
		}
	}
	err = p.run()
	if races != nil {
		races.End()
	}
	if err != nil {
		err = cmds[p.by.n].Failed(p.by.n, err)
	}
	end := p.end
	for i, task := range p.tasks {
		if !task.began || task.copy == nil && task.report == nil {
			continue
		}
		if !task.over { // ended by an error
			task.end = max(task.start, float64(g.engine.CurrentTime()))
		}
		timings[i] = device.Timing{Start: task.start, End: task.end, Report: task.report}
		if task.copy != nil {
			timings[i].Report = cmds[i].CopyReport(task.end - task.start)
		}
		end = max(end, task.end)
	}
	g.clock.seconds = max(end, g.clock.seconds) + g.cfg.Launch.Sync*1e-6 + g.stage(cmds, true)
	// What the loop of the host does between two lists with launches was measured as one time: see link.loop.
	if slices.ContainsFunc(cmds, func(c device.Command) bool { return c.Launch != nil }) {
		g.clock.seconds += g.cfg.Link.Loop * 1e-6
	}
	g.clock.pending = false
	return timings, err
}

// prepareAll makes a plan of commands that device.CheckCommands has accepted.
func (g *Group) prepareAll(ctx context.Context, cmds []device.Command) (*plan, error) {
	p := g.newPlan(ctx)
	last := map[[2]int]*task{}
	ready := g.now() + g.stage(cmds, false) + g.cfg.Link.Run*1e-6
	var jobs []job
	for i := range cmds {
		command := &cmds[i]
		task := &task{n: i, gpu: command.GPU, stream: command.Stream, ready: ready}
		if err := g.prepare(task, command); err != nil {
			return nil, command.Failed(i, err)
		}
		jobs = append(jobs, task.jobs...)
		issue := g.cfg.Link.CopyIssue * 1e-6
		switch {
		case task.copy == nil:
			task.ready += g.cfg.Launch.Kernel * 1e-6
		case task.copy.host():
			task.copy.delay = g.cfg.Link.HostCopy * 1e-6
			if rate := g.cfg.Link.HostRate; rate > 0 {
				task.copy.spacing = 1 / (rate * 1e9)
			}
			task.ready += issue
		default:
			task.copy.delay = g.cfg.Link.CopyLatency * 1e-6
			task.ready += issue
		}
		// The host issues command after command: each begins at least one issue later than the one before, even on another
		// stream.
		ready += issue
		stream := [2]int{command.GPU, command.Stream}
		// Commands of one stream run in their order (CUDA C++ Programming Guide, "Streams").
		if before := last[stream]; before != nil {
			task.after(before)
		}
		last[stream] = task
		for _, n := range command.After {
			task.after(p.tasks[n])
		}
		p.add(task)
	}
	if err := g.Device.renew(jobs); err != nil {
		return nil, err
	}
	if g.aliases != nil {
		p.place(cmds)
	}
	return p, nil
}

// stage returns for how long the host copies what a list reads (or writes) between its arrays and the memory that GPUs
// copy from and to. It does so after (or before) all commands.
func (g *Group) stage(cmds []device.Command, reads bool) (seconds float64) {
	if g.cfg.Link.Stage == 0 {
		return 0
	}
	bytes := 0
	for i := range cmds {
		switch c := &cmds[i]; {
		case reads && c.Read != nil:
			bytes += c.Read.Buffer.Bytes()
		case !reads && c.Write != nil:
			bytes += c.Write.Buffer.Bytes()
		}
	}
	return float64(bytes) / (g.cfg.Link.Stage * 1e9)
}

// prepare says what a task does.
func (g *Group) prepare(task *task, command *device.Command) error {
	gpu := g.gpus[command.GPU]
	switch {
	case command.Launch != nil:
		l := *command.Launch
		l.Stream = command.Stream
		j, err := gpu.prepare(l)
		task.jobs = []job{j}
		return err
	case command.Copy != nil:
		task.copy = g.peerCopy(command.GPU, command.Copy)
		task.copy.effect = func() error {
			g.copiedBytes += uint64(command.Copy.Src.Bytes())
			if c := task.copy; c.from != c.to {
				g.remote[command.Copy.Dst.Name] += uint64(command.Copy.Src.Bytes())
			}
			return g.mem.Copy(*command.Copy)
		}
	case command.Write != nil:
		task.copy = g.hostCopy(gpu, command.Write.Buffer, false)
		task.copy.effect = func() error {
			gpu.m.stats.copiedToDevice += uint64(command.Write.Buffer.Bytes())
			return gpu.mem.Write(command.Write.Buffer, command.Write.Host)
		}
		_, err := gpu.mem.CheckWrite(command.Write.Buffer, command.Write.Host)
		return err
	case command.Read != nil:
		task.copy = g.hostCopy(gpu, command.Read.Buffer, true)
		task.copy.effect = func() error {
			gpu.m.stats.copiedToHost += uint64(command.Read.Buffer.Bytes())
			return gpu.mem.Read(command.Read.Buffer, command.Read.Host)
		}
		_, err := gpu.mem.CheckRead(command.Read.Buffer, command.Read.Host)
		return err
	}
	return nil
}

// after makes a task wait for another.
func (t *task) after(other *task) {
	t.waits++
	other.next = append(other.next, t)
}

// host reports whether one end of a copy is the host.
func (x *transfer) host() bool { return x.from == link.Host || x.to == link.Host }

// direct reports whether data pass from one node to another without the memory of the host.
func (g *Group) direct(from, to link.Node) bool {
	return from == link.Host || to == link.Host || g.Peer(int(from), int(to)).Copy
}

// inFlight returns how many chunks of a copy are on their way at a time: as many as keep the links busy.
func (g *Group) inFlight(x *transfer) int {
	// As many chunks as travel in the time that an answer takes, and some more for those that wait for each other.
	return 3 + int(4*float64(g.net.Latency())/(x.spacing*chunkBytes))
}

// observeCopy informs the trace about a copy.
func (g *Group) observeCopy(t *task) {
	if trace := g.gpus[t.gpu].m.hooks.tracer(); trace != nil {
		trace.Copy(fmt.Sprintf("%v to %v", t.copy.from, t.copy.to), t.copy.name, t.copy.toHost, t.copy.bytes, t.start, t.end)
	}
}

// linkBytes returns the bytes that each link has carried, for the trace, and names the links in it.
func (g *Group) linkBytes() []uint64 {
	uses := g.Links()
	bytes := make([]uint64, len(uses))
	for i, u := range uses {
		bytes[i] = u.Wire
	}
	if t := g.opts.Trace; t.Links == nil {
		for _, u := range uses {
			t.Links = append(t.Links, u.From+" to "+u.To)
		}
	}
	return bytes
}
