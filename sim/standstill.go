package sim

import (
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// The time in which a launch without a budget must not get on before it is given up, in multiples of hang.window; more
// where a recurrence of the whole state could still be shown. standstillMost is the size of a memory up to which this is
// looked for.
const (
	standstillWindows = 1280
	standstillProof   = 8
	standstillMost    = 1 << 28
)

// mayStandStill reports whether launches have run for long enough that standStill looks at them: a sixteenth of the time passes before
// anything is recorded, since most launches have ended by then.
func (d *diagnosis) mayStandStill() bool {
	return d.now-d.run.start >= standstillWindows*uint64(d.cfg.Hang.Window)/16
}

// standStill ends a launch without a budget that looks like a livelock; see repeat.Standstill.
func (d *diagnosis) standStill() {
	run, state := d.run, &d.standstill
	if state.Least = standstillWindows * uint64(d.cfg.Hang.Window); !d.mayStandStill() || run.over {
		return
	}
	if !state.Began() {
		used := run.unfinished().grid.Mem.UsedByAll()
		// To look for changes in a memory of this size would take longer than the launch.
		if used > standstillMost {
			return
		}
		state.Begin(run.start, int(used/8))
	}
	// A recurrence would prove what this only makes likely: it gets more time to be found.
	if d.whyUndecided() == "" {
		state.Least *= standstillProof
	}
	effort := wordsPerStep * d.machine.work()
	if !state.Due(d.now, effort) {
		return
	}
	state.Sample(d.now, effort)
	state.Part(0, func(rec *repeat.Record) {
		for _, launch := range run.jobs {
			rec.Int(launch.next)
			rec.Int(launch.done)
		}
		run.unfinished().grid.Mem.Each(func(a *simt.Allocation) { rec.Bytes(a.Data) })
	})
	for i, slot := range d.dispatcher.slots {
		if slot.running > 0 {
			state.Part(1+i, func(rec *repeat.Record) { rec.Bytes(slot.Shared) })
		}
	}
	for i := range d.warps {
		if wp := &d.warps[i]; wp.state != warpFree && wp.w != nil && !wp.w.Done() {
			state.Warp(i, wp.job.flow, wp)
		}
	}
	if d.stands = state.Stands(); d.stands && (d.links.group == nil || d.links.group.standStill()) {
		u := d.undecided(0)
		u.Still = fmt.Sprintf("%s of its %s cycles%s", format.Thousands(state.Gap()), format.Thousands(d.now-run.start), d.notPlaced())
		d.fail(u)
	}
}

// standStill reports whether all GPUs that run a launch stand still, and nothing else changes memory.
func (g *Group) standStill() bool {
	return !g.plan.active() && !slices.ContainsFunc(g.gpus, func(d *Device) bool { return !d.m.run.over && !d.m.diagnosis.stands })
}

// Local implements repeat.WarpState.
func (wp *warp) Local() []byte { return wp.w.Local }
