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

// standStill ends a launch without a budget that looks like a livelock; see repeat.Standstill.
func (d *diagnosis) standStill() {
	r, s := d.run, &d.standstill
	// A sixteenth of the time passes before anything is recorded: most launches have ended by then.
	if s.Least = standstillWindows * uint64(d.cfg.Hang.Window); d.now-r.start < s.Least/16 || r.over {
		return
	}
	if !s.Began() {
		used := r.unfinished().grid.Mem.UsedByAll()
		// To look for changes in a memory of this size would take longer than the launch.
		if used > standstillMost {
			return
		}
		s.Begin(r.start, int(used/8))
	}
	// A recurrence would prove what this only makes likely: it gets more time to be found.
	if d.whyUndecided() == "" {
		s.Least *= standstillProof
	}
	effort := wordsPerStep * d.machine.work()
	if !s.Due(d.now, effort) {
		return
	}
	s.Sample(d.now, effort)
	s.Part(0, func(rec *repeat.Record) {
		for _, launch := range r.jobs {
			rec.Int(launch.next)
			rec.Int(launch.done)
		}
		r.unfinished().grid.Mem.Each(func(a *simt.Allocation) { rec.Bytes(a.Data) })
	})
	for i, slot := range d.dispatcher.slots {
		if slot.running > 0 {
			s.Part(1+i, func(rec *repeat.Record) { rec.Bytes(slot.Shared) })
		}
	}
	for i := range d.warps {
		if wp := &d.warps[i]; wp.state != warpFree && wp.w != nil && !wp.w.Done() {
			s.Warp(i, wp.job.flow, wp)
		}
	}
	if d.stands = s.Stands(); d.stands && (d.links.group == nil || d.links.group.standStill()) {
		u := d.undecided(0)
		u.Still = fmt.Sprintf("%s of its %s cycles%s", format.Thousands(s.Gap()), format.Thousands(d.now-r.start), d.notPlaced())
		d.fail(u)
	}
}

// standStill reports whether all GPUs that run a launch stand still, and nothing else changes memory.
func (g *Group) standStill() bool {
	return !g.plan.active() && !slices.ContainsFunc(g.gpus, func(d *Device) bool { return !d.m.run.over && !d.m.diagnosis.stands })
}

// Local implements repeat.WarpState.
func (wp *warp) Local() []byte { return wp.w.Local }
