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
	starts  []*task        // launches whose start is scheduled
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

// is reports whether the event is about a task.
func (e *taskEvent) is(t *task) bool { return e.t == t }

func (g *Group) newPlan(ctx context.Context) *plan {
	n := len(g.gpus)
	return &plan{g: g, ctx: ctx, local: true, on: make([][]*task, n), lanes: make([]copyEngine, 2*n), streams: make([]int, n), undone: map[[2]int]int{}}
}

// add adds a task to the plan.
func (p *plan) add(task *task) {
	p.tasks = append(p.tasks, task)
	for _, job := range task.jobs {
		for number, leaf := range job.grid.Prog.Leaves {
			if leaf.Role != ir.Base && leaf.Role != ir.Pointer {
				continue
			}
			if buffer, _ := job.grid.Mem.Lookup(job.grid.Leaves[number]); buffer != nil && buffer.GPU != task.gpu {
				p.local = false
			}
		}
	}
	at := [2]int{task.gpu, task.stream}
	if p.undone[at]++; p.undone[at] == 1 {
		p.streams[task.gpu]++
	}
}

// failed reports whether an error has ended the plan, or there is none.
func (p *plan) failed() bool { return p == nil || p.err != nil }

// active reports whether something other than launches will change memory or begin launches.
func (p *plan) active() bool { return p != nil && p.soon > 0 }

// fail ends the plan with an error of a task.
func (p *plan) fail(task *task, err error) {
	if p.err == nil {
		p.err, p.by = err, task
	}
}

// run does all tasks.
func (p *plan) run() error {
	g := p.g
	g.plan = p
	defer func() { g.plan = nil }()
	g.rounds.begin(g)
	defer g.rounds.team.dismiss()
	for _, task := range p.tasks {
		if task.waits == 0 {
			p.schedule(task)
		}
	}
	if err := g.engine.Run(); err != nil {
		return err
	}
	if p.err == nil {
		return nil
	}
	// An error ends the plan on all GPUs: what the others have in flight is of no use to what follows.
	for number, gpu := range g.gpus {
		if gpu.m.run.jobs != nil && len(p.on[number]) > 0 {
			gpu.m.run.over = true
			gpu.m.abandon()
			p.report(number, p.on[number])
		}
		gpu.m.wheel.Reset()
		gpu.m.links.forget()
		gpu.comp.wakes = never
	}
	g.rounds.next = nil
	return p.err
}

// schedule makes a task that waits for no other begin when it is ready, or end if it is a copy that has begun.
func (p *plan) schedule(task *task) {
	p.soon++
	at := task.ready
	if task.began {
		at = task.end
	}
	if task.copy == nil {
		p.starts = append(p.starts, task)
	}
	p.g.engine.Schedule(&taskEvent{max(akita.VTimeInSec(at), p.g.engine.CurrentTime()), p, task})
}

// Handle begins a task or ends a copy.
func (p *plan) Handle(ev akita.Event) error {
	event := ev.(*taskEvent)
	task := event.t
	p.soon--
	p.starts = slices.DeleteFunc(p.starts, event.is)
	// After an error, what is still scheduled comes and goes.
	if p.err != nil {
		return nil
	}
	if err := p.ctx.Err(); err != nil {
		p.fail(task, err)
		return nil
	}
	switch {
	case task.began:
		p.endCopy(task)
	case task.copy != nil:
		p.queueCopy(task)
	default:
		p.launch(task, float64(event.time))
	}
	return nil
}

// firstStart returns the first cycle, from one on, in which a launch begins that is scheduled.
func (p *plan) firstStart(from uint64) uint64 {
	first := uint64(never)
	for _, task := range p.starts {
		if cycle := p.g.cycle(task.ready); cycle >= from {
			first = min(first, cycle)
		}
	}
	return first
}

// launch puts the launches of a task on the machine of its GPU.
func (p *plan) launch(task *task, at float64) {
	gpu := p.g.gpus[task.gpu]
	m := gpu.m
	cycle := p.g.cycle(at)
	task.began = true
	// The machine is idle: it skips to the cycle, instead of simulating the time in which it has nothing to do.
	if m.run.over {
		m.skip(cycle)
		task.start = p.g.time(float64(m.now))
		gpu.begin(task.jobs, task.start)
		task.on = slices.Clone(m.run.jobs)
	} else {
		for i := range task.jobs {
			m.admit(&task.jobs[i], max(cycle, m.now+1))
			task.on = append(task.on, &task.jobs[i])
		}
		if hooks := m.hooks; hooks != nil {
			hooks.joined(task.on)
		}
		task.start = p.g.time(float64(max(cycle, m.now+1)))
	}
	p.on[task.gpu] = append(p.on[task.gpu], task)
	gpu.comp.follow()
}

// ended looks for launches of a GPU that have ended, and for errors.
func (p *plan) ended(gpu int) {
	m := p.g.gpus[gpu].m
	run := m.run
	if run.err != nil {
		p.fail(p.unfinished(gpu), run.err)
		return
	}
	if !run.finished {
		return
	}
	run.finished = false
	var left, done []*task
	for _, task := range p.on[gpu] {
		if task.runs() {
			left = append(left, task)
		} else {
			done = append(done, task)
		}
	}
	p.on[gpu] = left
	p.report(gpu, done)
	for _, task := range done {
		last := uint64(0)
		for _, job := range task.on {
			last = max(last, job.end)
			run.remove(job)
		}
		p.done(task, p.g.time(float64(last)))
	}
	if run.over {
		m.settle()
	}
	// What others have found out rested on this launch still running: they look again.
	p.g.changed()
}

// report makes the reports of launches of a GPU that have ended.
func (p *plan) report(gpu int, tasks []*task) {
	owner := p.g.gpus[gpu]
	var all *device.Report
	for _, task := range tasks {
		owner.observeEnd(task.on)
	}
	if owner.m.run.over {
		all = owner.account()
	}
	for _, task := range tasks {
		// Counters of one launch alone are those of the machine; launches side by side share them, and each has its own few.
		task.report = all
		if owner.m.run.count == 1 {
			return
		}
		for _, job := range task.on {
			task.each = append(task.each, owner.jobReport(job))
		}
		if len(task.on) == 1 {
			task.report = task.each[0]
		}
	}
}

// runs reports whether a launch of the task has not ended.
func (t *task) runs() bool {
	return slices.ContainsFunc(t.on, func(j *job) bool { return j.done < j.grid.Blocks })
}

// unfinished returns the first task of a GPU that runs.
func (p *plan) unfinished(gpu int) *task {
	for _, task := range p.on[gpu] {
		if task.runs() {
			return task
		}
	}
	return p.on[gpu][0]
}

// done records the end of a task, and lets those that wait for it begin.
func (p *plan) done(task *task, at float64) {
	task.over, task.end = true, at
	stream := [2]int{task.gpu, task.stream}
	if p.undone[stream]--; p.undone[stream] == 0 {
		p.streams[task.gpu]--
	}
	p.end = max(p.end, at)
	for _, waiter := range task.next {
		// The GPU needs this time between the end of a command and the start of the next one on its stream.
		waiter.ready = max(waiter.ready, at+p.g.cfg.Launch.Gap*1e-6)
		if waiter.waits--; waiter.waits == 0 {
			p.schedule(waiter)
		}
	}
}
