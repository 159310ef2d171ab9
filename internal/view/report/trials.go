package report

import (
	"fmt"
	"io"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/protocol"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Trials prints the results of trials: what was run, how long the preparation took, a row for each trial, and a row for
// each kind of number over all of them.
func Trials(w io.Writer, t *protocol.Trials) {
	trialsHead(w, t)
	rows := [][]string{{"preparation", "wall time", "times"}}
	for _, l := range t.Preparation {
		rows = append(rows, []string{l.What, format.Seconds(l.Seconds), format.Thousands(l.Times)})
	}
	if len(rows) > 1 {
		fmt.Fprintln(w)
		format.Table(w, "", "lrr", rows)
	}
	fmt.Fprintln(w)
	trialRows(w, t)
	spreads(w, t)
}

func trialsHead(w io.Writer, t *protocol.Trials) {
	head := &run.Result{Algorithm: t.Algorithm, Scheduler: t.Scheduler, Chosen: t.Chosen, On: t.On, Graph: t.Graph, Notes: t.Notes, AlgParams: t.AlgParams, SchedulerSet: t.SchedulerSet}
	rows := setting(head)
	p := &t.Protocol
	if p.Name != "" {
		rows = append(rows, []string{"protocol", fmt.Sprintf("%s (%s)", p.Name, p.Cites)})
	}
	for _, d := range p.Differences {
		rows = append(rows, []string{"", "differs: " + d})
	}
	trials := fmt.Sprintf("%s of %s", format.Thousands(len(t.Trials)), format.Thousands(p.Trials))
	if p.Component != "" {
		trials += fmt.Sprintf(", each from another vertex of non-zero degree, of %s component, drawn with seed %d", map[string]string{protocol.AnyComponent: "any", protocol.LargestComponent: "the largest"}[p.Component], p.Seed)
	}
	if t.WarmUps > 0 {
		trials += fmt.Sprintf("; %d run before the first was not counted", t.WarmUps)
	}
	rows = append(rows, []string{"trials", trials})
	a := &t.Answers
	label := "answers"
	for _, x := range []struct {
		n    int
		what string
	}{{a.Verified, "verified against the CPU reference"}, {a.Wrong, "wrong"}, {a.Unchecked, "not verified"}, {a.Incomplete, "incomplete"}} {
		if x.n > 0 {
			rows = append(rows, []string{label, fmt.Sprintf("%s %s", format.Thousands(x.n), x.what)})
			label = ""
		}
	}
	format.Table(w, "", "ll", rows)
}

// column is a number of trials.
type column struct {
	name string
	of   func(t *protocol.Trial) string // "" if a trial lacks it
}

// seconds returns a time, or "" for none.
func seconds(s float64) string {
	if s == 0 {
		return ""
	}
	return format.Seconds(s)
}

var columns = []column{
	{"source", func(t *protocol.Trial) string {
		if t.Source == nil {
			return ""
		}
		return fmt.Sprint(*t.Source)
	}},
	{"reached", func(t *protocol.Trial) string {
		if t.Traversed == nil {
			return ""
		}
		return format.Thousands(t.Reached)
	}},
	{"edges", func(t *protocol.Trial) string {
		if t.Traversed == nil {
			return ""
		}
		return format.Thousands(t.Edges)
	}},
	{"iterations", func(t *protocol.Trial) string { return format.Thousands(t.Iterations) }},
	{"kernel time", func(t *protocol.Trial) string { return seconds(t.KernelSeconds) }},
	{"algorithm time", func(t *protocol.Trial) string { return seconds(t.AlgorithmSeconds) }},
	{"solve time", func(t *protocol.Trial) string { return seconds(t.SolveSeconds) }},
	{"edges/s", func(t *protocol.Trial) string {
		if t.TEPS == 0 {
			return ""
		}
		return format.Scaled(t.TEPS)
	}},
	{"answer", func(t *protocol.Trial) string { return t.Answer }},
}

// trialRows prints the trials, with the columns that some of them have.
func trialRows(w io.Writer, t *protocol.Trials) {
	rows := make([][]string, len(t.Trials)+1)
	rows[0] = []string{"trial"}
	for i := range t.Trials {
		rows[i+1] = []string{fmt.Sprint(i + 1)}
	}
	align := "r"
	for _, c := range columns {
		some, cells := false, make([]string, len(t.Trials))
		for i := range t.Trials {
			cells[i] = c.of(&t.Trials[i])
			some = some || cells[i] != ""
		}
		if !some {
			continue
		}
		rows[0], align = append(rows[0], c.name), align+"r"
		for i, cell := range cells {
			rows[i+1] = append(rows[i+1], cell)
		}
	}
	format.Table(w, "", align[:len(align)-1]+"l", rows)
}

// spreads prints a row for each kind of number.
func spreads(w io.Writer, t *protocol.Trials) {
	rows := [][]string{{"", "min", "quartile", "median", "quartile", "max", "mean", "deviation", "harmonic mean"}}
	add := func(name string, s *protocol.Spread, text func(float64) string) {
		if s == nil {
			return
		}
		row := []string{name}
		for _, x := range []float64{s.Min, s.FirstQuartile, s.Median, s.ThirdQuartile, s.Max, s.Mean, s.Deviation, s.HarmonicMean} {
			row = append(row, text(x))
		}
		if s.HarmonicMean == 0 {
			row[len(row)-1] = ""
		}
		rows = append(rows, row)
	}
	add("kernel time", t.KernelSeconds, format.Seconds)
	add("algorithm time", t.AlgorithmSeconds, format.Seconds)
	add("solve time", t.SolveSeconds, format.Seconds)
	add("edges/s", t.TEPS, format.Scaled)
	if len(rows) == 1 {
		return
	}
	fmt.Fprintln(w)
	format.Table(w, "", "lrrrrrrrr", rows)
	if t.TEPS == nil {
		return
	}
	edges := "the arcs that leave the vertices that were reached"
	if t.Graph.Symmetric {
		edges = "the edges of the source's component, each once"
	}
	fmt.Fprintf(w, "edges/s: %s, per second of the solve time\n", edges)
}
