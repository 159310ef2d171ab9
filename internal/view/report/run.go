package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/cpu"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Run prints the result of a run, with the key counters or with all. For a run
// that failed before its first launch it prints nothing.
func Run(w io.Writer, r *run.Result, all bool) {
	if r.Error != nil && r.Launches == 0 {
		return
	}
	Head(w, r)
	Measures(w, &r.Work, r.Iterations)
	CPU(w, r)
	Group(w, r.Group)
	Counters(w, &r.Work, all)
	Races(w, &r.Work)
}

// setting returns rows that say what was run.
func setting(r *run.Result) [][]string {
	kind := "directed"
	if r.Graph.Symmetric {
		kind = "symmetric"
	}
	if r.Graph.Weighted {
		kind += ", weighted"
	}
	rows := [][]string{
		{"run", fmt.Sprintf("%s by %s on %s", r.Algorithm, r.Scheduler, r.Device)},
		{"graph", fmt.Sprintf("%s: %s vertices, %s arcs, %s", r.Graph.Name, format.Thousands(r.Graph.Vertices), format.Thousands(r.Graph.Arcs), kind)},
	}
	for _, n := range r.Graph.Notes {
		rows = append(rows, []string{"", "note: " + n.String()})
	}
	for _, n := range r.Notes {
		rows = append(rows, []string{"", "note: " + n})
	}
	if r.Source != nil {
		text := fmt.Sprint(*r.Source)
		if *r.Source == r.Graph.MaxDegreeVertex {
			text += fmt.Sprintf(" (the largest degree: %s)", format.Thousands(r.Graph.MaxDegree))
		}
		rows = append(rows, []string{"source", text})
	}
	if r.ChosenGPUs != nil {
		rows = append(rows, []string{"GPUs", r.ChosenGPUs.String()})
	}
	if r.Chosen != nil {
		rows = append(rows, []string{"chosen", r.Chosen.String()})
	}
	if len(r.Parameters) > 0 {
		rows = append(rows, []string{"set", format.Assignments(r.Parameters)})
	}
	if r.OwnMachine() {
		rows = append(rows, []string{"machine", "hash " + r.MachineHash})
	}
	if len(r.AlgParams) > 0 {
		rows = append(rows, []string{"parameters", format.Assignments(r.AlgParams)})
	}
	if set := r.SchedulerSet; len(set) > 0 {
		rows = append(rows, []string{"scheduler", format.Assignments(set)})
	}
	if r.Detail != nil {
		rows = append(rows, []string{"detail", r.Detail.String()})
	}
	if r.Sampled != nil {
		rows = append(rows, []string{"sample", r.Sampled.String()})
	}
	return rows
}

// Head prints what was run and whether the answer is correct.
func Head(w io.Writer, r *run.Result) {
	rows := setting(r)
	answer := r.Answer
	switch r.Answer {
	case run.AnswerVerified:
		answer += " against " + cmp.Or(r.Against, "the CPU reference")
		if r.Tolerance != nil {
			answer += ": " + r.Tolerance.String()
		}
	case run.AnswerIncomplete:
		answer += ": the run ended early (" + r.Error.Kind + ")"
	default:
		answer += ": " + r.Why
	}
	rows = append(rows, []string{"answer", answer})
	if r.Found != "" {
		rows = append(rows, []string{"found", r.Found})
	}
	if r.Summary != "" {
		rows = append(rows, []string{"values", r.Summary})
	}
	format.Table(w, "", "ll", rows)
}

// Measures prints how long it took, on the machine and on the host; iterations
// is 0 for runs without iterations. docs/counters.md defines each time.
func Measures(w io.Writer, r *run.Work, iterations int) {
	fmt.Fprintln(w)
	rows := [][]string{}
	add := func(name, quantity, more string) {
		value, unit, _ := strings.Cut(quantity, " ")
		if more != "" {
			unit = strings.TrimSpace(unit + " (" + more + ")")
		}
		rows = append(rows, []string{name, value, unit})
	}
	if r.Cycles > 0 {
		add("cycles", format.Thousands(r.Cycles), "of the SMs' clock, of all launches on the GPU")
		add("simulated time", format.Seconds(r.SimulatedSeconds), "launches, copies and waiting included")
	}
	if r.KernelSeconds > 0 {
		add("kernel time", format.Seconds(r.KernelSeconds), "launches, from when the host launches each; without those that prepare")
	}
	if r.AlgorithmSeconds > 0 {
		add("algorithm time", format.Seconds(r.AlgorithmSeconds), "from the first launch until the host has the answer; "+format.Seconds(r.SolveSeconds)+" without its copy: the solve time")
	}
	if iterations > 0 {
		add("iterations", format.Thousands(iterations), format.Thousands(r.Launches)+" launches")
	} else {
		add("launches", format.Thousands(r.Launches), "")
	}
	add("wall time", format.Seconds(r.WallSeconds), format.Seconds(r.LaunchWallSeconds)+" of it in launches")
	if r.Rate > 0 {
		add("speed", format.Scaled(r.Rate)+" warp inst/s", "")
	}
	if r.PeakMemory > 0 {
		add("peak memory", format.Thousands(r.PeakMemory>>20)+" MiB", "")
	}
	format.Table(w, "", "lrl", rows)
	Kernels(w, r)
}

// CPU prints the times of this machine's processor beside that of the device; nothing if nobody measured them.
func CPU(w io.Writer, r *run.Result) {
	c := r.CPU
	if c == nil {
		return
	}
	beside := func(t cpu.Time) string {
		if r.AlgorithmSeconds == 0 {
			return ""
		}
		return fmt.Sprintf("%.3g times the algorithm time", t.Seconds/r.AlgorithmSeconds)
	}
	row := func(what string, t cpu.Time) []string {
		return []string{what, format.Seconds(t.Seconds), t.Code, fmt.Sprintf("median of %s runs", format.Thousands(t.Runs)), beside(t)}
	}
	rows := [][]string{{"CPU", "wall time", "code", "", ""}, row("one core", c.Sequential)}
	if c.Parallel != nil {
		rows = append(rows, row(fmt.Sprintf("%d cores", c.Cores), *c.Parallel))
	} else {
		rows = append(rows, []string{fmt.Sprintf("%d cores", c.Cores), "", "there is no parallel code", "", ""})
	}
	fmt.Fprintln(w)
	format.Table(w, "", "lrlll", rows)
	if c.Processor != "" {
		fmt.Fprintf(w, "on this machine: %s\n", c.Processor)
	}
}

// recordedError returns what a record knows of the error of a simulated counter: "off by 9.8%", or "" if it knows nothing.
func recordedError(name string, simulated bool) string {
	if reason, ok := counter.StallOf(name); ok && counter.Untrusted(reason) {
		return "not trusted"
	}
	if e, ok := counter.ErrorOf(name); ok && simulated {
		return fmt.Sprintf("off by %.1f%%", 100*e.Mean)
	}
	return ""
}

// Counters prints the key counters with their values, or all counters and the most contended words; beside the counters
// of a simulated machine what a record knows of their errors.
func Counters(w io.Writer, r *run.Work, all bool) {
	counters := r.All
	shown := []device.Counter{}
	for _, key := range counter.Keys() {
		for _, c := range counters {
			if c.Name == key.Name {
				shown = append(shown, c)
			}
		}
	}
	if all {
		for _, c := range counters {
			if !slices.ContainsFunc(shown, func(key device.Counter) bool { return key.Name == c.Name }) {
				shown = append(shown, c)
			}
		}
	}
	if len(shown) == 0 {
		return
	}
	simulated := slices.ContainsFunc(counters, func(c device.Counter) bool { return c.Name == counter.Elapsed })
	fmt.Fprintln(w)
	rows := [][]string{{"counter", "value", "unit", "on an H200", "meaning"}}
	for _, c := range shown {
		rows = append(rows, []string{c.Name, format.Number(c.Value), c.Unit, recordedError(c.Name, simulated), c.Desc})
	}
	if !simulated {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 3, 4)
		}
	}
	align := "lrlll"[:len(rows[0])]
	if r.Sampled != nil {
		rows[0] = slices.Insert(rows[0], 2, "within")
		for i, c := range shown {
			rows[i+1] = slices.Insert(rows[i+1], 2, "±"+format.Number(r.Sampled.Intervals[c.Name]))
		}
		align = "lr" + align[1:]
	}
	format.Table(w, "", align, rows)
	if len(shown) < len(counters) {
		fmt.Fprintf(w, "more counters: %s\n", option.Counters)
	}
	if all {
		contended(w, r.Contended)
	}
}

// contended prints the words for which atomics waited longest.
func contended(w io.Writer, words []device.ContendedWord) {
	if len(words) == 0 {
		return
	}
	fmt.Fprintln(w)
	rows := [][]string{{"contended word", "operations", "wait cycles", "wait of one", "longest queue"}}
	for _, x := range words {
		rows = append(rows, []string{x.String(), format.Thousands(x.Operations), format.Thousands(uint64(x.WaitCycles + 0.5)), fmt.Sprintf("%.1f", x.WaitCycles/float64(x.Operations)),
			format.Thousands(x.Queue)})
	}
	format.Table(w, "", "lrrrr", rows)
}
