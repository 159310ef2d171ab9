package sim

import (
	"cmp"
	"slices"

	akita "github.com/sarchlab/akita/v3/sim"
)

// groupRounds simulate the GPUs of a group. In a round, each GPU that has something to do is simulated for a window of cycles in which
// nothing that another one sends can arrive (conservative parallel simulation), in one or more turns. In a turn the GPUs share
// nothing, so that several threads may simulate one each. Between turns, one thread does what concerns more than one GPU, in the
// order of cycles and of GPUs: messages are sent, launches end, and hangs are looked for that take the state of all. The number of
// threads decides about nothing of this.
type groupRounds struct {
	g     *Group
	next  *roundEvent // the event that is scheduled; nil for none
	spare []*roundEvent
	turn  []*component // those that are simulated in this turn
	part  func(int)    // simulates one of them
	team  team
}

// roundEvent begins a round in a cycle.
type roundEvent struct {
	g     *Group
	time  akita.VTimeInSec
	cycle uint64
}

// Time returns when the event happens.
func (e *roundEvent) Time() akita.VTimeInSec { return e.time }

// Handler returns the event.
func (e *roundEvent) Handler() akita.Handler { return e }

// IsSecondary returns false.
func (e *roundEvent) IsSecondary() bool { return false }

// Handle simulates a round.
func (e *roundEvent) Handle(akita.Event) error {
	e.g.rounds.handle(e)
	return nil
}

// begin prepares for commands, which threads simulate together if nothing sees several GPUs at the same time.
func (r *groupRounds) begin(g *Group) {
	r.g, r.part, r.team.threads = g, r.run, 1
	if !slices.ContainsFunc(g.gpus, func(d *Device) bool { return !d.m.partable() }) {
		r.team.threads = min(max(g.m.threads, -g.m.threads), len(g.gpus))
	}
}

// awake makes the component run from a cycle on, or from an earlier one if that is planned.
func (c *component) awake(cycle uint64) {
	c.wakes = min(c.wakes, cycle)
	c.group.rounds.schedule(c.wakes)
}

// schedule makes a round begin in a cycle, or in an earlier one if that is planned.
func (r *groupRounds) schedule(cycle uint64) {
	if cycle == never || r.next != nil && r.next.cycle <= cycle {
		return
	}
	var event *roundEvent
	if count := len(r.spare); count > 0 {
		event, r.spare = r.spare[count-1], r.spare[:count-1]
	} else {
		event = &roundEvent{g: r.g}
	}
	event.cycle = cycle
	// Akita's clock counts seconds as a float, and takes no event of the past: a cycle may round to just before now.
	event.time = max(akita.VTimeInSec(r.g.time(float64(cycle))), r.g.engine.CurrentTime())
	r.next = event
	r.g.engine.Schedule(event)
}

// follow makes the component run when its machine can go on.
func (c *component) follow() {
	if t, ok := c.m.next(); ok {
		c.awake(t)
	}
}

// handle simulates the GPUs that have something to do in a round.
func (r *groupRounds) handle(event *roundEvent) {
	late := event != r.next // an earlier event has taken its place
	if !late {
		r.next = nil
	}
	first := event.cycle
	r.spare = append(r.spare, event)
	if late || r.g.plan.failed() {
		return
	}
	r.turn = r.turn[:0]
	// A GPU that is far ahead of one whose launch begins would wait for it most of the time.
	start := r.g.plan.firstStart(first)
	for _, d := range r.g.gpus {
		c := d.comp
		if until := min(first+c.ahead(), max(first+c.window, start)) - 1; c.wakes <= until {
			c.until, c.wakes = until, never
			r.turn = append(r.turn, c)
		}
	}
	for len(r.turn) > 0 {
		busy := 0
		for _, c := range r.turn {
			c.idle, c.m.links.company = c.m.run.over, !r.g.alone(c.m)
			if !c.idle && (c.took >= worthThread || r.g.m.threads < 0) {
				busy++
			}
		}
		r.team.do(len(r.turn), r.part, busy < 2)
		if r.meet(); r.g.plan.failed() {
			return
		}
		r.turn = slices.DeleteFunc(r.turn, func(c *component) bool {
			next, ok := c.m.next()
			return !ok || next > c.until
		})
	}
	for _, d := range r.g.gpus {
		d.comp.follow()
		r.schedule(d.comp.wakes)
	}
}

// worthThread is how many warp instructions and packets a GPU must have simulated in its last turn for a thread of its own in this
// one: with fewer, threads would wait for each other for longer than that takes. The number decides about time alone.
const worthThread = 100

// run simulates a component of this turn.
func (r *groupRounds) run(number int) { r.turn[number].simulate() }

// ahead returns how many cycles the component simulates in a round. No message comes if no launch uses the memory of
// another GPU, and no launch joins those on the machine if the rest of the commands of its GPU wait for them; then it is
// more cycles, since the caches of this processor hold one machine better than several.
func (c *component) ahead() uint64 {
	if p := c.group.plan; p.local && p.streams[c.number] <= 1 {
		return max(c.window, apart)
	}
	return c.window
}

// apart is how many cycles of a machine are simulated at once if it is by itself.
const apart = 1 << 15

// simulate simulates a machine up to the end of the round, or until the group has to look at it.
func (c *component) simulate() {
	m := c.m
	if c.idle { // what other GPUs send still arrives
		m.idle(c.until)
		c.took = worthThread
		return
	}
	before := m.work()
	defer func() { c.took = m.work() - before }()
	for c.group.plan.ctx.Err() == nil && m.cycles(quantum, c.until) {
		if m.links.ask == askNothing {
			m.diagnosis.suspect()
		}
		if next, ok := m.next(); !ok || next > c.until || c.calls() || m.work()-before >= tellAfter {
			return
		}
	}
}

// calls reports whether the group has to look at the machine after a quantum.
func (c *component) calls() bool {
	m, opts := c.m, &c.group.gpus[c.number].opts
	return m.links.ask != askNothing || m.run.finished || m.run.err != nil || opts.Budget > 0 && m.overBudget(opts.Budget) || m.diagnosis.mayStandStill()
}

// tellAfter is after how many warp instructions and packets of a GPU, at most, somebody hears how far its launches have progressed.
const tellAfter = 1 << 16

// tell says how far the launches have progressed. It is called between turns: whoever listens may end the run, and then each number of
// threads must have simulated as much.
func (c *component) tell() {
	if to := c.group.gpus[c.number].opts.Progress; to != nil && !c.m.run.over {
		c.report(to)
	}
}

// question is what a machine asks its group: it would say that its launches hang, and has to know what the other GPUs do.
type question uint8

const (
	askNothing question = iota
	askJudge            // see diagnosis.judge
	askStuck            // see diagnosis.stuck
)

// asks reports whether something has to wait until all GPUs of a group rest, and asks for that.
func (k *linkPort) asks(what question) bool {
	if k.group == nil || k.meeting {
		return false
	}
	k.ask = max(k.ask, what)
	return true
}

// meet does what concerns several GPUs, after a turn.
func (r *groupRounds) meet() {
	g := r.g
	for _, c := range r.turn {
		c.m.links.meet()
		c.tell()
	}
	// What happened first comes first, but a launch that has ended may have changed what another one would be said to wait for in vain.
	slices.SortStableFunc(r.turn, func(x, y *component) int { return cmp.Compare(x.m.now, y.m.now) })
	for _, c := range r.turn {
		if !c.idle {
			g.plan.ended(c.number)
		}
	}
	for _, c := range r.turn {
		if !c.idle && !g.plan.failed() {
			c.look()
		}
	}
	slices.SortFunc(r.turn, func(x, y *component) int { return x.number - y.number })
}

// look looks at the launches of a machine: whether they have ended, or do not get on.
func (c *component) look() {
	m, plan := c.m, c.group.plan
	opts, links := &c.group.gpus[c.number].opts, &m.links
	links.meeting = true
	asked := links.ask
	links.ask = askNothing
	switch {
	case m.run.over:
	case plan.ctx.Err() != nil:
		m.fail(m.diagnosis.interrupted(plan.ctx))
	case asked == askJudge:
		m.diagnosis.judge()
	case asked == askStuck:
		m.diagnosis.stuck()
	}
	if !m.run.over && opts.Budget == 0 {
		m.diagnosis.standStill()
	}
	if b := opts.Budget; b > 0 && !m.run.over && m.overBudget(b) {
		m.fail(m.diagnosis.undecided(b))
	}
	links.meeting = false
	plan.ended(c.number)
}

// overBudget reports whether a launch has taken a number of cycles.
func (m *machine) overBudget(cycles uint64) bool {
	for _, job := range m.run.jobs {
		if job.done < job.grid.Blocks && m.now-job.put >= cycles {
			return true
		}
	}
	return false
}
