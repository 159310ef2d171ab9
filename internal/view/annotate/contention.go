package annotate

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim/profile"
)

// printContention shows where atomics collided: by address, by buffer, by
// launch.
func printContention(w io.Writer, an *Annotation, p *profile.Profile, top int) {
	if len(an.Addresses) == 0 {
		fmt.Fprintf(w, "\nno atomics\n")
		return
	}
	fmt.Fprintf(w, "\natomics by address: those that kept an atomic unit (or shared memory) busy longest, an operation after the other\n")
	rows := [][]string{{"address", "in", "operations", "longest queue", "wait of one", "serial cycles", "of the run", "where it was longest"}}
	run := 0.0
	for i := range an.Kernels {
		run += float64(an.Kernels[i].Cycles)
	}
	for _, x := range an.Addresses {
		of := "" // each SM has its own shared memory
		if x.Space == profile.Global.String() && run > 0 {
			of = fmt.Sprintf("%.1f%%", 100*x.Serial/run)
		}
		rows = append(rows, append(addressRow(&x), of, place(x.File, x.Line)+" in "+x.Kernel))
	}
	cols := "llrrrrrl"
	format.Table(w, "  ", cols, rows)
	if all := len(p.Addresses(0)); all > len(an.Addresses) {
		fmt.Fprintf(w, "  %s more addresses: %s, %s\n", format.Thousands(all-len(an.Addresses)), option.Top, option.JSON)
	}
	fmt.Fprintf(w, "\natomics by buffer\n")
	rows = [][]string{{"buffer", "in", "operations", "longest queue", "wait of one", "serial cycles"}}
	for _, x := range an.Buffers {
		rows = append(rows, addressRow(&x))
	}
	format.Table(w, "  ", cols[:6], rows)
	printLaunches(w, an, top)
}

// leastWait: sectors are shown if the waits at one of them amount to at least
// 1/leastWait of all stalls. A warp waits for several requests at the same
// time, so this can overstate the time lost.
const leastWait = 1000

// printSectors shows where requests waited for an L2 slice.
func printSectors(w io.Writer, an *Annotation) {
	rows := [][]string{{"sector", "requests that waited", "longest queue", "wait of one", "waits, cycles", "where it was longest"}}
	for _, x := range an.Sectors {
		if x.Waited*leastWait < float64(an.Stalled) {
			continue
		}
		rows = append(rows, []string{x.name(), x.operations(), format.Thousands(x.Queue), fmt.Sprintf("%.1f", x.Waited/float64(max(x.Ops, 1))),
			format.Thousands(uint64(x.Waited + 0.5)), place(x.File, x.Line) + " in " + x.Kernel})
	}
	if len(rows) > 1 {
		fmt.Fprintf(w, "\nloads, stores and atomics by sector of 32 bytes, from the element named on: those that waited longest for an L2 slice, which takes one at a time\n")
		format.Table(w, "  ", "lrrrrl", rows)
	}
}

// name returns "queue.Count[0]", or "q.found" for a variable that is not an
// array.
func (x *Address) name() string {
	name := x.Buffer
	if x.Index != nil {
		name += fmt.Sprintf("[%d]", *x.Index)
	}
	if x.Byte > 0 {
		name += fmt.Sprintf("+%d", x.Byte)
	}
	return name
}

// operations returns the number of operations, or a lower bound.
func (x *Address) operations() string {
	if x.Missed > 0 {
		return ">= " + format.Thousands(x.Ops)
	}
	return format.Thousands(x.Ops)
}

// addressRow returns the name and the numbers of an address or buffer.
func addressRow(x *Address) []string {
	return []string{x.name(), x.Space, x.operations(), format.Thousands(x.Queue), fmt.Sprintf("%.1f", x.Waited/float64(max(x.Ops, 1))), format.Thousands(uint64(x.Serial + 0.5))}
}

// printLaunches shows the launches with the most atomics, in chronological
// order.
func printLaunches(w io.Writer, an *Annotation, top int) {
	shown := slices.Clone(an.Launches)
	slices.SortStableFunc(shown, func(x, y Launch) int {
		return cmp.Compare(y.Global.Ops+y.Shared.Ops, x.Global.Ops+x.Shared.Ops)
	})
	shown = shown[:min(top, len(shown))]
	slices.SortFunc(shown, func(x, y Launch) int { return cmp.Compare(x.Launch, y.Launch) })
	fmt.Fprintf(w, "\natomics by launch: groups of as many lanes of a warp on one address; most threads of a block on one word of shared memory\n")
	rows := [][]string{append(append([]string{"launch", "kernel", "in", "operations"}, degreeNames...), "most", "of a block")}
	cols := "rllr"
	for len(cols) < len(rows[0]) {
		cols = cols + "r"
	}
	for _, l := range shown {
		for _, m := range []struct {
			space profile.Space
			*Meet
			block uint32
		}{{profile.Global, &l.Global, 0}, {profile.Shared, &l.Shared, l.BlockDegree}} {
			if m.Ops == 0 {
				continue
			}
			row := append([]string{fmt.Sprint(l.Launch), l.Kernel, m.space.String(), format.Thousands(m.Ops)}, degreeRow(m.Degrees)...)
			row = append(row, format.Thousands(m.Highest), "")
			if m.block > 0 {
				row[len(row)-1] = format.Thousands(m.block)
			}
			rows = append(rows, row)
		}
	}
	format.Table(w, "  ", cols, rows)
	if more := len(an.Launches) - len(shown); more > 0 {
		fmt.Fprintf(w, "  %s more launches: %s, %s\n", format.Thousands(more), option.Top, option.JSON)
	}
}

// degreeNames are the names of degreeRow's classes: lanes on one address.
var degreeNames = []string{"1 lane", "2", "3-4", "5-8", "9-16", "17-32"}

// degreeRow returns a histogram of degrees, with classes that double in size.
func degreeRow(count []uint64) (row []string) {
	classes := make([]uint64, len(degreeNames))
	for n, c := range count {
		if n > 0 {
			classes[min(bits.Len(uint(n-1)), len(classes)-1)] += c
		}
	}
	for _, c := range classes {
		text := ""
		if c > 0 {
			text = format.Thousands(c)
		}
		row = append(row, text)
	}
	return row
}
