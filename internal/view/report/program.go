package report

import (
	"fmt"
	"io"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/cuda"
)

// Program prints what a device did for a CUDA program: a line for each kernel, or all that is known of it, and the races.
func Program(w io.Writer, r *cuda.Result, all bool) {
	head := fmt.Sprintf("%s on %s: %s %s", r.Program, r.Device, format.Thousands(r.Launches), plural(r.Launches, "launch"))
	if r.SimulatedSeconds > 0 {
		head += ", " + format.Seconds(r.SimulatedSeconds) + " on the GPU"
	}
	fmt.Fprintln(w, head)
	if r.Sampled != nil {
		fmt.Fprintf(w, "sample: %s\n", r.Sampled)
	}
	if all {
		Kernels(w, &r.Work)
		Counters(w, &r.Work, true)
	} else if len(r.Kernels) > 0 {
		kernelTable(w, r.Kernels, r.Cycles > 0)
	}
	Races(w, &r.Work)
}

// kernelTable prints a line for each kernel, the one with the most time first.
func kernelTable(w io.Writer, kernels []bound.Kernel, clock bool) {
	share := "of instructions"
	if clock {
		share = "of time"
	}
	rows := [][]string{{"kernel", "launches", share, "launched", "bound by"}}
	for i := range kernels {
		k := &kernels[i]
		by := ""
		if k.Bound != nil {
			by = k.Bound.Text
		}
		rows = append(rows, []string{k.Name, format.Thousands(k.Launches), bound.Percent(k.Share), Configuration(k), by})
	}
	format.Table(w, "  ", "lrrll", rows)
}
