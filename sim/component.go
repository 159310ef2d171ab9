package sim

import (
	"context"

	akita "github.com/sarchlab/akita/v3/sim"
)

// component is the GPU as Akita sees it: one component, whose event simulates many cycles. Its time is the machine's
// cycle divided by the clock frequency. Its event takes no ID from Akita's generator.
type component struct {
	*akita.ComponentBase
	engine *akita.SerialEngine
	m      *machine
	period float64 // seconds per cycle
	tick   tickEvent

	// In a group; see groupRounds.
	group  *Group
	number int
	window uint64 // cycles of which messages are known before they arrive
	wakes  uint64 // cycle from which it runs; never: it sleeps
	until  uint64 // last cycle of its round
	idle   bool   // its launches had ended when this turn began
	took   uint64 // warp instructions and packets of its last turn

	// State of the running launch.
	ctx      context.Context
	progress func(Progress)
	budget   uint64 // cycles; 0 for none: see diagnosis.standStill
}

// tickEvent runs the component; one instance is reused.
type tickEvent struct {
	time    akita.VTimeInSec
	handler akita.Handler
}

// Time returns when the event happens.
func (e *tickEvent) Time() akita.VTimeInSec { return e.time }

// Handler returns the component.
func (e *tickEvent) Handler() akita.Handler { return e.handler }

// IsSecondary returns false: nothing else happens at the same time.
func (e *tickEvent) IsSecondary() bool { return false }

// newComponent returns the component of a machine, which has no engine yet.
func newComponent(m *machine) *component {
	c := &component{
		ComponentBase: akita.NewComponentBase("GPU"),
		m:             m,
		period:        1 / (m.cfg.Clock.SM * 1e6),
	}
	c.tick.handler = c
	return c
}

// quantum is how many active cycles one event simulates: nothing outside the GPU can interfere during a launch, and an
// engine event costs more than a cycle. In a group, time is a limit as well.
const quantum = 1024

// stretchQuantum is the same for a launch of which stretches are not simulated: what decides about them looks so often.
const stretchQuantum = 256

// run executes the launch that is on the machine.
func (c *component) run(ctx context.Context, progress func(Progress), budget uint64) error {
	c.ctx, c.progress, c.budget = ctx, progress, budget
	c.schedule()
	if err := c.engine.Run(); err != nil {
		return err
	}
	return c.m.run.err
}

func (c *component) schedule() {
	t := akita.VTimeInSec(float64(c.m.now+1) * c.period)
	c.tick.time = max(t, c.engine.CurrentTime())
	c.engine.Schedule(&c.tick)
}

// Handle runs the machine for one quantum.
func (c *component) Handle(akita.Event) error {
	m := c.m
	if c.ctx.Err() != nil {
		m.fail(m.diagnosis.interrupted(c.ctx))
		return nil
	}
	budget := quantum
	if m.run.stretches != nil {
		budget = stretchQuantum
	}
	if !m.cycles(budget, never) {
		return nil
	}
	passed := m.now - m.run.start
	if p := m.run.stretches; p != nil {
		if p.step(m); m.run.over {
			return nil
		}
		passed += uint64(p.left())
	}
	if m.held { // all warps wait for the others by intention
		c.schedule()
		return nil
	}
	// Blocks of a piece that got on may have changed what others wait for: there is no hang to look for yet.
	if !m.resumed() {
		m.diagnosis.suspect()
	}
	if c.budget == 0 {
		m.diagnosis.standStill()
	}
	if !m.run.over && c.budget > 0 && passed >= c.budget {
		m.fail(m.diagnosis.undecided(c.budget))
	}
	if m.run.over {
		return nil
	}
	c.report(c.progress)
	c.schedule()
	return nil
}

// report says how far the launches have progressed.
func (c *component) report(to func(Progress)) {
	if to == nil {
		return
	}
	m := c.m
	insts, _ := m.steps()
	progress := Progress{Kernel: m.run.unfinished().grid.Kernel.Name, Cycles: m.now - m.run.start, Instructions: insts}
	for _, launch := range m.run.jobs {
		progress.Blocks, progress.Grid = progress.Blocks+launch.done, progress.Grid+launch.grid.Blocks
	}
	progress.Waiting = m.diagnosis.waiting
	to(progress)
}

// NotifyRecv does nothing: the nodes of sim/internal/link have the ports.
func (c *component) NotifyRecv(akita.VTimeInSec, akita.Port) {}

// NotifyPortFree does nothing.
func (c *component) NotifyPortFree(akita.VTimeInSec, akita.Port) {}
