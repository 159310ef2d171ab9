package command

import (
	"fmt"
	"time"

	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/progressbar"
	"github.com/weft-gpu/weft/scheduler/bsp"
	"github.com/weft-gpu/weft/sim"
)

// runWatch shows on the bar how far a run is: iterations as they end, and what
// happens inside a simulated launch.
type runWatch struct {
	bar       *progressbar.Bar
	start     time.Time
	iteration int
	active    int    // vertices of the present iteration; 0: not known
	cycles    uint64 // of the iterations that ended
}

// ended is called after each iteration.
func (w *runWatch) ended(it bsp.Iteration) {
	w.iteration, w.active = it.N, it.Next
	w.cycles += it.Cycles
	w.show(0, "")
}

// inside is called now and then during a simulated launch.
func (w *runWatch) inside(p sim.Progress) {
	rate := ""
	if s := format.Since(w.start); s > 0 {
		rate = ", " + format.Scaled(float64(p.Instructions)/s) + " warp inst/s"
	}
	w.show(p.Cycles, fmt.Sprintf("%s, block %s of %s", rate, format.Thousands(p.Blocks), format.Thousands(p.Grid)))
}

func (w *runWatch) show(cycles uint64, more string) {
	text := "iteration " + format.Thousands(w.iteration+1)
	if c := w.cycles + cycles; c > 0 {
		text += fmt.Sprintf(", %s cycles", format.Thousands(c))
	}
	text += more
	if w.active > 0 {
		text += fmt.Sprintf(", %s active", format.Thousands(w.active))
	}
	w.bar.Update(0, 0, text)
}
