package annotate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/view/report"
	"github.com/weft-gpu/weft/sim/profile"
)

// Run is a run and where it spent its time: `weft annotate --json` prints it.
type Run struct {
	Run        any         `json:"run"` // *run.Result, or another description of the run
	Annotation *Annotation `json:"annotation"`

	Work *run.Work       `json:"-"` // of Run
	Head func(io.Writer) `json:"-"` // prints what was run
	Name string          `json:"-"` // heading of its column in a Comparison: the scheduler
	// Against describes the run in the words that follow "against" in a
	// Comparison.
	Against string `json:"-"`
}

// Of returns the annotation of a run of an algorithm.
func Of(r *run.Result, p *profile.Profile) *Run {
	an := Sum(p, 0)
	locate(&r.Work, an)
	name := r.Scheduler
	if r.Chosen != nil {
		name += " (" + r.Chosen.By + ")"
	}
	return &Run{
		Run: r, Annotation: an, Work: &r.Work,
		Head: func(w io.Writer) { report.Head(w, r) }, Name: name,
		Against: fmt.Sprintf("%s by %s, answer %s", r.Algorithm, name, r.Answer),
	}
}

// Text prints where a run spent its time, with up to top lines and addresses in
// the summaries, and all counters if requested. head prints what was run. For a
// run that failed before its first launch it prints nothing.
func Text(w io.Writer, head func(io.Writer), r *run.Work, p *profile.Profile, top int, counters bool) error {
	if r.Launches == 0 {
		return nil
	}
	an := Sum(p, top)
	locate(r, an)
	head(w)
	rows := [][]string{{"cycles", format.Thousands(r.Cycles), launches(r.Launches)}}
	fmt.Fprintln(w)
	format.Table(w, "", "lrl", append(rows,
		[]string{"warp cycles", format.Thousands(an.Cycles), fmt.Sprintf("of resident warps; %s of them stalled", share(an.Stalled, an.Cycles))}))
	if counters {
		report.Counters(w, r, true)
	}
	compiler, err := catalog.Kernels()
	if err != nil {
		return err
	}
	src := sources{compiler, map[string]*sourceFile{}}
	printSummary(w, r, an, p, src)
	printUntrusted(w, an)
	printTop(w, an, top, src)
	for i := range an.Kernels {
		printKernel(w, an, &an.Kernels[i], src)
	}
	printContention(w, an, p, top)
	printSectors(w, an)
	report.Races(w, r)
	return nil
}

// printTop shows the most expensive lines of all kernels.
func printTop(w io.Writer, an *Annotation, top int, src sources) {
	type line struct {
		*Line
		kernel string
	}
	var all []line
	for i := range an.Kernels {
		for j := range an.Kernels[i].Lines {
			all = append(all, line{&an.Kernels[i].Lines[j], an.Kernels[i].Name})
		}
	}
	slices.SortStableFunc(all, func(x, y line) int { return cmp.Compare(y.Stalled, x.Stalled) })
	fmt.Fprintf(w, "\nlines that warps wait at most\n")
	rows := [][]string{{"stalls", "inst", "line", "kernel", "waits for", ""}}
	for _, l := range all[:min(top, len(all))] {
		rows = append(rows, []string{share(l.Stalled, an.Stalled), format.Thousands(l.Instructions), place(l.File, l.Line.Line), l.kernel, reasons(&l.inst, 3), src.line(l.File, l.Line.Line)})
	}
	format.Table(w, "  ", "rrllll", rows)
}

// printKernel shows the source of a kernel, file by file, and its calls.
func printKernel(w io.Writer, an *Annotation, k *Kernel, src sources) {
	fmt.Fprintf(w, "\n%s: %s, %s cycles, %s of all stalls\n", k.Name, launches(k.Launches), format.Thousands(k.Cycles), share(k.total.Stalled(), an.Stalled))
	for i := 0; i < len(k.Lines); {
		j := i
		for j < len(k.Lines) && k.Lines[j].File == k.Lines[i].File {
			j++
		}
		printFile(w, an, k.Lines[i:j], src)
		i = j
	}
	fmt.Fprintf(w, "\n  by chain of calls, inlined code in its caller\n")
	rows := [][]string{{"stalls", "inst", "", ""}}
	rows = callRows(rows, an, k.Calls, 0)
	format.Table(w, "  ", "rrll", rows)
}

// leastShown: a call is shown if it has at least 1/leastShown of all stalls.
const leastShown = 200

func callRows(rows [][]string, an *Annotation, calls []Call, depth int) [][]string {
	for i := range calls {
		c := &calls[i]
		if c.Stalled*leastShown < an.Stalled {
			continue
		}
		rows = append(rows, []string{share(c.Stalled, an.Stalled), format.Thousands(c.Instructions),
			strings.Repeat("  ", depth) + c.Func + "  " + place(c.File, c.Line), reasons(&c.inst, 2)})
		rows = callRows(rows, an, c.Calls, depth+1)
	}
	return rows
}

var columns = "rrrlrrrrrrl"

// printFile shows the functions of a file that contain one of the lines.
func printFile(w io.Writer, an *Annotation, lines []Line, texts sources) {
	file := lines[0].File
	fmt.Fprintf(w, "\n  %s\n", cmp.Or(printable.Line(file), "the kernel's end, and what has no position in a file"))
	at := map[int]*Line{}
	var wanted []int
	for i := range lines {
		at[lines[i].Line] = &lines[i]
		wanted = append(wanted, lines[i].Line)
	}
	rows := [][]string{{"stalls", "inst", "lanes", "waits for", "sectors", "ways", "atomics", "queue", "serial", "line", ""}}
	src := texts.file(file)
	spans := src.shown(wanted)
	if len(spans) == 0 { // the file no longer exists: print only the numbers
		for _, n := range wanted {
			rows = append(rows, lineRow(an, at[n], n, ""))
		}
	}
	for i, span := range spans {
		if i > 0 {
			rows = append(rows, make([]string, len(columns)))
		}
		for n := span[0]; n <= span[1]; n++ {
			rows = append(rows, lineRow(an, at[n], n, strings.ReplaceAll(src.lines[n-1], "\t", "    ")))
		}
	}
	format.Table(w, "  ", columns, rows)
}

// lineRow returns a source line with its cost; l is nil if it has none.
func lineRow(an *Annotation, l *Line, n int, source string) []string {
	row := make([]string, len(columns))
	if n > 0 {
		row[9], row[10] = fmt.Sprint(n), source
	}
	if l == nil {
		return row
	}
	row[0], row[1], row[2], row[3] = share(l.Stalled, an.Stalled), format.Thousands(l.Instructions), fmt.Sprintf("%.1f", l.Lanes), reasons(&l.inst, 2)
	if l.Requests > 0 {
		row[4] = fmt.Sprintf("%.2f", ratio(l.Sectors, l.Requests))
	}
	row[5] = ways(l)
	if l.Atomics > 0 {
		row[6], row[7], row[8] = format.Thousands(l.Atomics), format.Thousands(l.Queue), format.Thousands(uint64(l.Serial+0.5))
	}
	return row
}

// ways returns the mean and the maximum number of passes of accesses to shared
// memory.
func ways(l *Line) string {
	if len(l.Ways) == 0 {
		if l.Degree > 0 {
			return fmt.Sprintf("max %d", l.Degree)
		}
		return ""
	}
	n, sum := uint64(0), uint64(0)
	for w, c := range l.Ways {
		n += c
		sum += uint64(w) * c
	}
	return fmt.Sprintf("%.1f max %d", ratio(sum, n), len(l.Ways)-1)
}

// printUntrusted names the stall reasons whose shares a record contradicts, of those with a part of the run's stalls.
func printUntrusted(w io.Writer, an *Annotation) {
	var rows [][]string
	for i, name := range counter.StallNames() {
		var n uint64
		for k := range an.Kernels {
			n += an.Kernels[k].total.Stalls[i]
		}
		if known, ok := counter.StallErrorOf(name); ok && !known.Trusted() && n*leastShown >= an.Stalled && n > 0 {
			rows = append(rows, []string{name, share(n, an.Stalled), known.String()})
		}
	}
	if len(rows) > 0 {
		fmt.Fprintf(w, "\nstalls that a record contradicts, with their share of the run's\n")
		format.Table(w, "  ", "lrl", rows)
	}
}

// reasons returns the main stall reasons with their shares of the stalls at
// this place.
func reasons(in *profile.Inst, most int) string {
	names := counter.StallNames()
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(in.Stalls[y], in.Stalls[x]) })
	all := in.Stalled()
	var out []string
	for _, i := range order[:min(most, len(order))] {
		if in.Stalls[i]*20 >= all && in.Stalls[i] > 0 { // smaller shares say little
			out = append(out, fmt.Sprintf("%s %s", names[i], wholeShare(in.Stalls[i], all)))
		}
	}
	return strings.Join(out, ", ")
}

// launches returns "1 launch", "2 launches".
func launches(n int) string {
	if n == 1 {
		return "1 launch"
	}
	return format.Thousands(n) + " launches"
}

// place returns "kernels/bfs.go:12".
func place(file string, line int) string {
	if file == "" {
		return "(end of the kernel)"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func share(a, b uint64) string { return fmt.Sprintf("%.1f%%", 100*ratio(a, b)) }

func wholeShare(a, b uint64) string { return fmt.Sprintf("%.0f%%", 100*ratio(a, b)) }
