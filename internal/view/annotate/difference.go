package annotate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim/profile"
)

// Comparison says in what two runs differ: of one algorithm by two schedulers, or of two kernels.
type Comparison struct {
	Runs       [2]any       `json:"runs"`       // what was run: two of Run.Run
	Quantities []Difference `json:"quantities"` // of the whole runs
	Atomics    []Meeting    `json:"atomics"`    // one for each memory space with atomics
	Lines      []LineCosts  `json:"lines"`      // those that differ most first

	runs [2]*Run
}

// Difference is a quantity of two runs.
type Difference struct {
	Name   string     `json:"name"`
	Unit   string     `json:"unit"`
	Values [2]float64 `json:"values"`

	text [2]string
	bare bool // a mean, of which no ratio is printed
}

// Meeting says how atomics met in a memory space: how many there were, and the address with most of them, nil if there is none.
type Meeting struct {
	Space      string      `json:"space"`
	Operations [2]uint64   `json:"operations"`
	Hottest    [2]*Address `json:"hottest"`
}

// LineCosts are the warp cycles of a source line.
type LineCosts struct {
	File       string    `json:"file"`
	Line       int       `json:"line"`
	Text       string    `json:"text"`
	Cycles     [2]uint64 `json:"warp_cycles"`
	Difference int64     `json:"difference"` // the second less the first
}

// Compare compares two runs.
func Compare(one, two *Run) *Comparison {
	c := &Comparison{Runs: [2]any{one.Run, two.Run}, Quantities: []Difference{}, Atomics: []Meeting{}, Lines: lineCosts(one, two), runs: [2]*Run{one, two}}
	add := func(what, unit string, x, y uint64) {
		if x != 0 || y != 0 {
			c.Quantities = append(c.Quantities, Difference{Name: what, Unit: unit, Values: [2]float64{float64(x), float64(y)}, text: [2]string{format.Thousands(x), format.Thousands(y)}})
		}
	}
	add("cycles", "cycle", one.Work.Cycles, two.Work.Cycles)
	add("launches", "launch", uint64(one.Work.Launches), uint64(two.Work.Launches))
	add("time in all, us", "us", uint64(one.Work.SimulatedSeconds*1e6+0.5), uint64(two.Work.SimulatedSeconds*1e6+0.5))
	add("warp instructions", "inst", uint64(one.Work.WarpInstructions), uint64(two.Work.WarpInstructions))
	t1, t2 := totalOf(one.Annotation), totalOf(two.Annotation)
	lanes := [2]float64{ratio(t1.Lanes, t1.Issues), ratio(t2.Lanes, t2.Issues)}
	c.Quantities = append(c.Quantities, Difference{Name: "  lanes of 32, mean", Unit: "lane", Values: lanes, text: [2]string{fmt.Sprintf("%.1f", lanes[0]), fmt.Sprintf("%.1f", lanes[1])}, bare: true})
	add("warp cycles", "cycle", one.Annotation.Cycles, two.Annotation.Cycles)
	for i, name := range counter.StallNames() {
		if max(t1.Stalls[i], t2.Stalls[i])*leastKernel >= max(one.Annotation.Stalled, two.Annotation.Stalled) {
			add("  waiting: "+name, "cycle", t1.Stalls[i], t2.Stalls[i])
		}
	}
	for _, space := range []profile.Space{profile.Global, profile.Shared} {
		o1, o2 := operationsIn(one.Annotation, space), operationsIn(two.Annotation, space)
		if o1 != 0 || o2 != 0 {
			c.Atomics = append(c.Atomics, Meeting{space.String(), [2]uint64{o1, o2}, [2]*Address{hottest(one.Annotation, nil, "", space), hottest(two.Annotation, nil, "", space)}})
		}
	}
	return c
}

// MarshalJSON writes names without the indentation of the text.
func (d Difference) MarshalJSON() ([]byte, error) {
	type plain Difference
	d.Name = strings.TrimSpace(d.Name)
	return json.Marshal(plain(d))
}

// Print prints the comparison side by side, with the top lines.
func (c *Comparison) Print(w io.Writer, top int) {
	one, two := c.runs[0], c.runs[1]
	one.Head(w)
	fmt.Fprintf(w, "against %s\n", printable.Line(two.Against))
	rows := [][]string{{"", one.Name, two.Name, ""}}
	for _, q := range c.Quantities {
		factor := ""
		if !q.bare && q.Values[0] != 0 {
			factor = fmt.Sprintf("%.2f x", q.Values[1]/q.Values[0])
		}
		rows = append(rows, []string{q.Name, q.text[0], q.text[1], factor})
	}
	fmt.Fprintln(w)
	format.Table(w, "", "lrrr", rows)
	c.printAtomics(w)
	c.printLines(w, top)
}

// printAtomics compares where atomics collided.
func (c *Comparison) printAtomics(w io.Writer) {
	rows := [][]string{{"", c.runs[0].Name, c.runs[1].Name, ""}}
	for _, m := range c.Atomics {
		rows = append(rows, []string{fmt.Sprintf("atomics on %s memory", m.Space), format.Thousands(m.Operations[0]), format.Thousands(m.Operations[1]), times(m.Operations[0], m.Operations[1])})
		row := func(what string, f func(*Run, *Address) string) {
			r := []string{"  " + what, "", "", ""}
			for i, h := range m.Hottest {
				if h != nil {
					r[1+i] = f(c.runs[i], h)
				}
			}
			rows = append(rows, r)
		}
		if m.Hottest[0] == nil && m.Hottest[1] == nil {
			continue
		}
		row("most at one address", func(_ *Run, h *Address) string { return h.name() })
		row("operations there", func(_ *Run, h *Address) string { return h.operations() })
		row("at once, most", func(_ *Run, h *Address) string { return format.Thousands(h.Queue) })
		row("wait of one, cycles", func(_ *Run, h *Address) string { return fmt.Sprintf("%.1f", h.Waited/float64(max(h.Ops, 1))) })
		if m.Space == profile.Global.String() {
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

// printLines shows the lines whose costs differ most.
func (c *Comparison) printLines(w io.Writer, top int) {
	fmt.Fprintf(w, "\nwarp cycles of the lines that differ most\n")
	rows := [][]string{{c.runs[0].Name, c.runs[1].Name, "difference", "line", ""}}
	for _, l := range c.Lines[:min(top, len(c.Lines))] {
		d := format.Thousands(l.Difference)
		if l.Difference > 0 {
			d = "+" + d
		}
		rows = append(rows, []string{format.Thousands(l.Cycles[0]), format.Thousands(l.Cycles[1]), d, place(l.File, l.Line), l.Text})
	}
	format.Table(w, "  ", "rrrll", rows)
}

// lineCosts returns the lines of two runs, those whose costs differ most first.
func lineCosts(runs ...*Run) []LineCosts {
	compiler, err := catalog.Kernels()
	src := sources{compiler, map[string]*sourceFile{}}
	type key struct {
		file string
		line int
	}
	at := map[key]int{}
	lines := []LineCosts{}
	for i, r := range runs {
		for j := range r.Annotation.Kernels {
			for _, l := range r.Annotation.Kernels[j].Lines {
				k, ok := at[key{l.File, l.Line}]
				if !ok {
					k = len(lines)
					at[key{l.File, l.Line}] = k
					lines = append(lines, LineCosts{File: l.File, Line: l.Line})
				}
				lines[k].Cycles[i] += l.Cycles
			}
		}
	}
	for i := range lines {
		l := &lines[i]
		l.Difference = int64(l.Cycles[1]) - int64(l.Cycles[0])
		if err == nil {
			l.Text = src.line(l.File, l.Line)
		}
	}
	slices.SortFunc(lines, func(x, y LineCosts) int {
		return cmp.Or(cmp.Compare(max(y.Difference, -y.Difference), max(x.Difference, -x.Difference)), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	return lines
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
