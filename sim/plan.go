package sim

import (
	"context"
	"slices"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// plan is the commands of one call of Group.Run, or a single launch or copy for which the host waits.
type plan struct {
	g       *Group
	ctx     context.Context
	tasks   []*task
	on      [][]*task // by GPU: launches on its machine
	lanes   []copyEngine
	local   bool           // no launch uses the memory of another GPU
	streams []int          // by GPU: streams with commands that have not ended
	undone  map[[2]int]int // by GPU and stream: commands that have not ended
	soon    int            // tasks whose start is scheduled, and copies under way
	end     float64        // the latest end so far
	races   bool           // the race detector knows its tasks
	err     error
	by      *task // whose error it is
}

// task is a command.
type task struct {
	n      int // of the command
	gpu    int // on whose stream it is
	stream int
	ready  float64 // seconds: it does not begin before
	waits  int     // commands that must end first
	next   []*task // commands that wait for this one
	jobs   []job   // of launches
	on     []*job  // the same, on the machine
	copy   *transfer
	began  bool
	over   bool
	start  float64
	end    float64
	report *device.Report
	each   []*device.Report // of several launches that run at the same time
}

// taskEvent begins a task, or ends a copy.
type taskEvent struct {
	time akita.VTimeInSec
	p    *plan
	t    *task
}

// Time returns when the event happens.
func (e *taskEvent) Time() akita.VTimeInSec { return e.time }

// Handler returns the plan.
func (e *taskEvent) Handler() akita.Handler { return e.p }

// IsSecondary returns false.
func (e *taskEvent) IsSecondary() bool { return false }

func (g *Group) newPlan(ctx context.Context) *plan {
	n := len(g.gpus)
	return &plan{g: g, ctx: ctx, local: true, on: make([][]*task, n), lanes: make([]copyEngine, 2*n), streams: make([]int, n), undone: map[[2]int]int{}}
}

// add adds a task to the plan.
func (p *plan) add(t *task) {
	p.tasks = append(p.tasks, t)
	for _, j := range t.jobs {
		for i, l := range j.grid.Prog.Leaves {
			if l.Role != ir.Base && l.Role != ir.Pointer {
				continue
			}
			if a, _ := j.grid.Mem.Lookup(j.grid.Leaves[i]); a != nil && a.GPU != t.gpu {
				p.local = false
			}
		}
	}
	at := [2]int{t.gpu, t.stream}
	if p.undone[at]++; p.undone[at] == 1 {
		p.streams[t.gpu]++
	}
}

// failed reports whether an error has ended the plan, or there is none.
func (p *plan) failed() bool { return p == nil || p.err != nil }

// active reports whether something other than launches will change memory or begin launches.
func (p *plan) active() bool { return p != nil && p.soon > 0 }

// fail ends the plan with an error of a task.
func (p *plan) fail(t *task, err error) {
	if p.err == nil {
		p.err, p.by = err, t
	}
}

// run does all tasks.
func (p *plan) run() error {
	g := p.g
	g.plan = p
	defer func() { g.plan = nil }()
	for _, t := range p.tasks {
		if t.waits == 0 {
			p.schedule(t)
		}
	}
	if err := g.engine.Run(); err != nil {
		return err
	}
	if p.err == nil {
		return nil
	}
	for i, d := range g.gpus {
		if d.m.run.jobs != nil && len(p.on[i]) > 0 {
			d.m.run.over = true
			d.m.abandon()
			p.report(i, p.on[i])
		}
		d.m.wheel.Reset()
		d.m.links.away, d.comp.next = 0, nil
	}
	return p.err
}

// schedule makes a task that waits for no other begin when it is ready, or end if it is a copy that has begun.
func (p *plan) schedule(t *task) {
	p.soon++
	at := t.ready
	if t.began {
		at = t.end
	}
	p.g.engine.Schedule(&taskEvent{max(akita.VTimeInSec(at), p.g.engine.CurrentTime()), p, t})
}

// Handle begins a task or ends a copy.
func (p *plan) Handle(ev akita.Event) error {
	e := ev.(*taskEvent)
	t := e.t
	p.soon--
	if p.err != nil {
		return nil
	}
	if err := p.ctx.Err(); err != nil {
		p.fail(t, err)
		return nil
	}
	switch {
	case t.began:
		p.endCopy(t)
	case t.copy != nil:
		p.queueCopy(t)
	default:
		p.launch(t, float64(e.time))
	}
	return nil
}

// launch puts the launches of a task on the machine of its GPU.
func (p *plan) launch(t *task, at float64) {
	d := p.g.gpus[t.gpu]
	m := d.m
	cycle := p.g.cycle(at)
	t.began = true
	// The machine is idle: it skips to the cycle, instead of simulating the time in which it has nothing to do.
	if m.run.over {
		m.skip(cycle)
		t.start = p.g.time(float64(m.now))
		d.begin(t.jobs, t.start)
		t.on = slices.Clone(m.run.jobs)
	} else {
		for i := range t.jobs {
			m.admit(&t.jobs[i], max(cycle, m.now+1))
			t.on = append(t.on, &t.jobs[i])
		}
		if h := m.hooks; h != nil {
			h.joined(t.on)
		}
		t.start = p.g.time(float64(max(cycle, m.now+1)))
	}
	p.on[t.gpu] = append(p.on[t.gpu], t)
	d.comp.follow()
}

// ended looks for launches of a GPU that have ended, and for errors.
func (p *plan) ended(gpu int) {
	m := p.g.gpus[gpu].m
	r := m.run
	if r.err != nil {
		p.fail(p.unfinished(gpu), r.err)
		return
	}
	if !r.finished {
		return
	}
	r.finished = false
	var left, done []*task
	for _, t := range p.on[gpu] {
		if t.runs() {
			left = append(left, t)
		} else {
			done = append(done, t)
		}
	}
	p.on[gpu] = left
	p.report(gpu, done)
	for _, t := range done {
		last := uint64(0)
		for _, j := range t.on {
			last = max(last, j.end)
			r.remove(j)
		}
		p.done(t, p.g.time(float64(last)))
	}
	if r.over {
		m.settle()
	}
	// What others have found out rested on this launch still running: they look again.
	p.g.changed()
}

// report makes the reports of launches of a GPU that have ended.
func (p *plan) report(gpu int, tasks []*task) {
	d := p.g.gpus[gpu]
	var all *device.Report
	for _, t := range tasks {
		d.observeEnd(t.on)
	}
	if d.m.run.over {
		all = d.account()
	}
	for _, t := range tasks {
		t.report = all
		if d.m.run.count == 1 {
			return
		}
		for _, j := range t.on {
			t.each = append(t.each, d.jobReport(j))
		}
		if len(t.on) == 1 {
			t.report = t.each[0]
		}
	}
}

// runs reports whether a launch of the task has not ended.
func (t *task) runs() bool {
	return slices.ContainsFunc(t.on, func(j *job) bool { return j.done < j.grid.Blocks })
}

// unfinished returns the first task of a GPU that runs.
func (p *plan) unfinished(gpu int) *task {
	for _, t := range p.on[gpu] {
		if t.runs() {
			return t
		}
	}
	return p.on[gpu][0]
}

// done records the end of a task, and lets those that wait for it begin.
func (p *plan) done(t *task, at float64) {
	t.over, t.end = true, at
	stream := [2]int{t.gpu, t.stream}
	if p.undone[stream]--; p.undone[stream] == 0 {
		p.streams[t.gpu]--
	}
	p.end = max(p.end, at)
	for _, n := range t.next {
		// The GPU needs this time between the end of a command and the start of the next one on its stream.
		n.ready = max(n.ready, at+p.g.cfg.Launch.Gap*1e-6)
		if n.waits--; n.waits == 0 {
			p.schedule(n)
		}
	}
}
