package command

import (
	"fmt"
	"time"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/scheduler"
	"github.com/weft-gpu/weft/sim"
)

// runWatch shows the progress of a run in the bar: completed launches, and
// progress inside a simulated launch.
type runWatch struct {
	bar      *progressbar.Bar
	start    time.Time
	launches int // completed launches
	last     scheduler.Step
	cycles   uint64 // of the completed launches
	shown    time.Time
}

// look is how often the progress inside a launch is looked at.
const look = 100 * time.Millisecond

// ended is called after each launch.
func (w *runWatch) ended(s scheduler.Step) {
	w.launches, w.last = w.launches+1, s
	w.cycles += s.Cycles
	w.show(0, "")
}

// inside is called from time to time during a simulated launch.
func (w *runWatch) inside(p sim.Progress) {
	if time.Since(w.shown) < look { // it is called after each few thousand instructions
		return
	}
	w.shown = time.Now()
	rate := ""
	if s := format.Since(w.start); s > 0 {
		rate = ", " + format.Scaled(float64(p.Instructions)/s) + " warp inst/s"
	}
	text := fmt.Sprintf("%s, block %s of %s", rate, format.Thousands(p.Blocks), format.Thousands(p.Grid))
	if p.Waiting != nil {
		waiting, resident := p.Waiting()
		text += fmt.Sprintf(", %s of %s warps wait", format.Thousands(waiting), format.Thousands(resident))
	}
	w.show(p.Cycles, text)
}

func (w *runWatch) show(cycles uint64, more string) { w.bar.Update(0, 0, w.text(cycles, more)) }

// text describes the progress of the run; the current launch has taken so many
// cycles. The numbers are those that the scheme reported for the last launch.
func (w *runWatch) text(cycles uint64, more string) string {
	text := "launch " + format.Thousands(w.launches+1)
	if w.last.Iteration > 0 {
		text = "iteration " + format.Thousands(w.last.Iteration+1)
	}
	if c := w.cycles + cycles; c > 0 {
		text += fmt.Sprintf(", %s cycles", format.Thousands(c))
	}
	text += more
	for _, n := range w.last.Numbers {
		text += fmt.Sprintf(", %s %s", n.Name, format.Number(n.Value))
	}
	return text
}
