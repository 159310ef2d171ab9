package sim

import (
	akita "github.com/sarchlab/akita/v3/sim"
)

// windowEvent runs the component of a group for a window of cycles, from cycle on.
type windowEvent struct {
	c     *component
	time  akita.VTimeInSec
	cycle uint64
}

// Time returns when the event happens.
func (e *windowEvent) Time() akita.VTimeInSec { return e.time }

// Handler returns the component.
func (e *windowEvent) Handler() akita.Handler { return e.c }

// IsSecondary returns false.
func (e *windowEvent) IsSecondary() bool { return false }

// awake makes the component run from a cycle on, or from an earlier one if that is planned.
func (c *component) awake(cycle uint64) {
	if c.next != nil && c.next.cycle <= cycle {
		return
	}
	var event *windowEvent
	if count := len(c.spare); count > 0 {
		event, c.spare = c.spare[count-1], c.spare[:count-1]
	} else {
		event = &windowEvent{c: c}
	}
	event.cycle = cycle
	// Akita's clock counts seconds as a float, and takes no event of the past: a cycle may round to just before now.
	event.time = max(akita.VTimeInSec(c.group.time(float64(cycle))), c.engine.CurrentTime())
	c.next = event
	c.engine.Schedule(event)
}

// runWindow simulates the cycles of a window.
func (c *component) runWindow(event *windowEvent) {
	g, m := c.group, c.m
	late := event != c.next // an earlier event has taken its place
	if !late {
		c.next = nil
	}
	c.spare = append(c.spare, event)
	if late || g.plan.failed() {
		return
	}
	until := event.cycle + c.ahead() - 1
	for !m.run.over && !g.plan.failed() && c.step(until) {
	}
	if g.plan.failed() {
		return
	}
	// What other GPUs send still arrives at a machine whose launches have ended.
	if m.run.over {
		m.idle(until)
	}
	c.follow()
}

// ahead returns how many cycles the component simulates at once. No message comes if no launch uses the memory of
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

// follow makes the component run when its machine can go on.
func (c *component) follow() {
	if t, ok := c.m.next(); ok {
		c.awake(t)
	}
}

// step simulates launches for a quantum, but at most up to a cycle, and reports whether it has stopped before.
func (c *component) step(until uint64) (more bool) {
	m, plan := c.m, c.group.plan
	gpu := c.group.gpus[c.number]
	if plan.ctx.Err() != nil {
		m.fail(m.diagnosis.interrupted(plan.ctx))
	} else if m.cycles(quantum, until) {
		m.diagnosis.suspect()
		if gpu.opts.Budget == 0 {
			m.diagnosis.standStill()
		}
		if b := gpu.opts.Budget; b > 0 && !m.run.over && m.overBudget(b) {
			m.fail(m.diagnosis.undecided(b))
		}
		if !m.run.over {
			c.report(gpu.opts.Progress)
		}
	}
	plan.ended(c.number)
	next, ok := m.next()
	return ok && next <= until
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
