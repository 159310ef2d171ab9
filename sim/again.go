package sim

import (
	"context"
	"errors"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/sim/config"
)

// To explain a hang, a launch is run again: from the memory that it began with, on a machine of its own, with a record of
// who writes what. The simulation is deterministic, so the second run is the first one again if it was the first launch on
// its machine; else the L2 and random policies began otherwise, and the record counts only if it comes to the same values.

// The limits of running a launch again: warp instructions of the first run, and bytes that are kept for each warp of a
// launch and for each launch. To copy these takes less than a hundredth of the launch.
const (
	againInsts    = 4 << 20
	keptPerWarp   = 2 << 10
	keptPerLaunch = 64 << 10
)

// keep keeps the memory with which launches begin.
func (d *Device) keep(jobs []job) {
	grids, most := d.grids[:0], keptPerLaunch
	for i := range jobs {
		if g := jobs[i].grid; !g.Launch.Unexplained {
			grids = append(grids, g)
			most += g.Blocks * g.Warps * keptPerWarp
		}
	}
	d.grids = grids
	d.kept.Keep(most, grids...)
}

// errTooLong says that a launch is not run again.
var errTooLong = errors.New("the launch is too long to be run again")

// history runs the launches on the machine again, and records what happens to some words. The error says why it cannot,
// or that the launches do not end as they did.
func (d *Device) history(ctx context.Context, h *waitfor.History) error {
	m := d.m
	if insts, _ := m.steps(); insts-d.before.Insts > againInsts {
		return errTooLong
	}
	if err := ctx.Err(); err != nil {
		return errors.New("the launch was ended by its caller")
	}
	var ls []device.Launch
	for _, j := range m.run.jobs {
		ls = append(ls, j.grid.Launch)
	}
	return remedy.Again(d.again(ctx, d.cfg, ls, h, d.opts.Budget))
}

// try runs the launch on the machine again with a change. It has a few times the cycles of the first run.
func (d *Device) try(ctx context.Context, c remedy.Change) remedy.Verdict {
	m := d.m
	insts, _ := m.steps()
	switch {
	case d.opts.Control != nil:
		return remedy.Verdict{Err: errors.New("a schedule or a progress model is for the kernel as it is")}
	case len(m.run.jobs) != 1:
		return remedy.Verdict{Err: errors.New("launches at the same time are not run again with changes")}
	case insts-d.before.Insts > againInsts:
		return remedy.Verdict{Err: errTooLong}
	case ctx.Err() != nil:
		return remedy.Verdict{Err: errors.New("the launch was ended by its caller")}
	}
	budget := tryTimes*(m.now-m.run.start) + tryCycles
	if m.diagnosis.stands { // most of them have shown that it does not get on
		budget = m.now - m.run.start
	}
	if m.cfg.Hang.Window > tryCycles {
		budget += uint64(m.cfg.Hang.Window)
	}
	return remedy.Try(ctx, m.run.jobs[0].grid.Launch, c, func(ctx context.Context, l device.Launch) (string, error) {
		return remedy.Ends(d.again(ctx, d.cfg, []device.Launch{l}, nil, budget))
	})
}

// The cycles of a trial: times those of the first run, and more.
const (
	tryTimes  = 4
	tryCycles = 1 << 18
)

// again runs launches from the memory that those on the machine began with, on a new machine. Memory is as before when
// it returns. The error is that of the launches, or says why they cannot be run.
func (d *Device) again(ctx context.Context, cfg *config.GPU, ls []device.Launch, h *waitfor.History, budget uint64) error {
	undo, ok := d.kept.Restore()
	if !ok {
		return errors.New("the memory that the launch began with was not kept")
	}
	defer undo()
	m, err := newMachine(cfg, d.opts.Seed)
	if err != nil {
		return err
	}
	if h != nil {
		m.hook().history = h
	}
	second := &Device{
		cfg: cfg, opts: Options{Seed: d.opts.Seed, Budget: budget, Registers: d.opts.Registers, Control: d.opts.Control}, m: m, comp: newComponent(m), mem: d.mem,
		host: &host{}, code: map[*ir.Program]program{}, aliases: d.aliases,
	}
	second.launches = d.launches - 1 // a schedule may be for one of several
	second.comp.engine = akita.NewSerialEngine()
	var jobs []job
	for _, l := range ls {
		l.Unexplained, l.Fresh = true, false
		j, err := second.prepare(l)
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	_, err = second.execute(ctx, jobs...)
	return err
}
