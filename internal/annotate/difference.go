package annotate

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/printable"
	"github.com/weft-gpu/weft/sim/profile"
)

// Difference prints two runs side by side: of one algorithm, or of two kernels.
func Difference(w io.Writer, one, two *Run, top int) {
	one.Head(w)
	fmt.Fprintf(w, "against %s\n", printable.Line(two.Against))
	rows := [][]string{{"", one.Name, two.Name, ""}}
	cols := "lrrr"
	add := func(what string, x, y uint64) {
		if x != 0 || y != 0 {
			rows = append(rows, []string{what, format.Thousands(x), format.Thousands(y), times(x, y)})
		}
	}
	add("cycles", one.Work.Cycles, two.Work.Cycles)
	add("launches", uint64(one.Work.Launches), uint64(two.Work.Launches))
	add("time in all, us", uint64(one.Work.SimulatedSeconds*1e6+0.5), uint64(two.Work.SimulatedSeconds*1e6+0.5))
	add("warp instructions", uint64(one.Work.WarpInstructions), uint64(two.Work.WarpInstructions))
	t1, t2 := totalOf(one.Annotation), totalOf(two.Annotation)
	rows = append(rows, []string{"  lanes of 32, mean", fmt.Sprintf("%.1f", ratio(t1.Lanes, t1.Issues)), fmt.Sprintf("%.1f", ratio(t2.Lanes, t2.Issues)), ""})
	add("warp cycles", one.Annotation.Cycles, two.Annotation.Cycles)
	for i, name := range counter.StallNames() {
		if max(t1.Stalls[i], t2.Stalls[i])*leastKernel >= max(one.Annotation.Stalled, two.Annotation.Stalled) {
			add("  waiting: "+name, t1.Stalls[i], t2.Stalls[i])
		}
	}
	fmt.Fprintln(w)
	format.Table(w, "", cols, rows)
	printAtomicsAgainst(w, one, two)
	printLinesAgainst(w, one, two, top)
}

// printAtomicsAgainst compares where atomics collided.
func printAtomicsAgainst(w io.Writer, one, two *Run) {
	rows := [][]string{{"", one.Name, two.Name, ""}}
	for _, space := range []profile.Space{profile.Global, profile.Shared} {
		o1, o2 := operationsIn(one.Annotation, space), operationsIn(two.Annotation, space)
		if o1 == 0 && o2 == 0 {
			continue
		}
		rows = append(rows, []string{fmt.Sprintf("atomics on %s memory", space), format.Thousands(o1), format.Thousands(o2), times(o1, o2)})
		x, y := hottest(one.Annotation, nil, "", space), hottest(two.Annotation, nil, "", space)
		row := func(what string, f func(*Run, *Address) string) {
			r := []string{"  " + what, "", "", ""}
			for i, h := range []*Address{x, y} {
				if h != nil {
					r[1+i] = f([]*Run{one, two}[i], h)
				}
			}
			rows = append(rows, r)
		}
		if x == nil && y == nil {
			continue
		}
		row("most at one address", func(_ *Run, h *Address) string { return h.name() })
		row("operations there", func(_ *Run, h *Address) string { return h.operations() })
		row("at once, most", func(_ *Run, h *Address) string { return format.Thousands(h.Queue) })
		row("wait of one, cycles", func(_ *Run, h *Address) string { return fmt.Sprintf("%.1f", h.Waited/float64(max(h.Ops, 1))) })
		if space == profile.Global {
			row("its unit is busy, cycles", func(_ *Run, h *Address) string { return format.Thousands(uint64(h.Serial + 0.5)) })
			row("of the run", func(k *Run, h *Address) string {
				return fmt.Sprintf("%.1f%%", 100*h.Serial/float64(max(cyclesOf(k.Annotation), 1)))
			})
		} else {
			row("busy, cycles, over all SMs", func(_ *Run, h *Address) string { return format.Thousands(uint64(h.Serial + 0.5)) })
		}
	}
	if len(rows) > 1 {
		fmt.Fprintln(w)
		format.Table(w, "", "lrrr", rows)
	}
}

// printLinesAgainst shows the lines whose costs differ most.
func printLinesAgainst(w io.Writer, one, two *Run, top int) {
	compiler, err := catalog.Kernels()
	src := sources{compiler, map[string]*sourceFile{}}
	type key struct {
		file string
		line int
	}
	cost := map[key]*[2]uint64{}
	for i, k := range []*Run{one, two} {
		for j := range k.Annotation.Kernels {
			for _, l := range k.Annotation.Kernels[j].Lines {
				at := key{l.File, l.Line}
				if cost[at] == nil {
					cost[at] = &[2]uint64{}
				}
				cost[at][i] += l.Cycles
			}
		}
	}
	var lines []key
	for at := range cost {
		lines = append(lines, at)
	}
	gap := func(at key) int64 { return int64(cost[at][1]) - int64(cost[at][0]) }
	slices.SortFunc(lines, func(x, y key) int {
		return cmp.Or(cmp.Compare(max(gap(y), -gap(y)), max(gap(x), -gap(x))), cmp.Compare(x.file, y.file), cmp.Compare(x.line, y.line))
	})
	fmt.Fprintf(w, "\nwarp cycles of the lines that differ most\n")
	rows := [][]string{{one.Name, two.Name, "difference", "line", ""}}
	for _, at := range lines[:min(top, len(lines))] {
		text := ""
		if err == nil {
			text = src.line(at.file, at.line)
		}
		d := format.Thousands(gap(at))
		if gap(at) > 0 {
			d = "+" + d
		}
		rows = append(rows, []string{format.Thousands(cost[at][0]), format.Thousands(cost[at][1]), d, place(at.file, at.line), text})
	}
	format.Table(w, "  ", "rrrll", rows)
}

// totalOf returns the sum over all kernels.
func totalOf(an *Annotation) (t profile.Inst) {
	for i := range an.Kernels {
		t.Add(&an.Kernels[i].total)
	}
	return t
}

// operationsIn returns the number of atomics in a memory space.
func operationsIn(an *Annotation, space profile.Space) (n uint64) {
	for _, b := range an.Buffers {
		if b.Space == space.String() {
			n += b.Ops
		}
	}
	return n
}

// times returns y/x as text: "0.50 x"; "" if x is 0.
func times(x, y uint64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f x", float64(y)/float64(x))
}
