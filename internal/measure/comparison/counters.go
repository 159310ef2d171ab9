package comparison

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/microbench"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
)

// CounterTable is what `weft compare --counters` prints as JSON.
type CounterTable struct {
	Command  string                   `json:"command"`
	Device   string                   `json:"device"`
	With     string                   `json:"with"`
	Kernels  []compare.KernelRow      `json:"kernels"`         // of the algorithms
	Micro    []compare.KernelRow      `json:"micro,omitempty"` // of the micro-kernels
	Counters []compare.CounterSummary `json:"counters"`        // over the algorithms
	OfMicro  []compare.CounterSummary `json:"counters_of_micro,omitempty"`
	Waits    []compare.WaitSummary    `json:"waits,omitempty"`
	Notes    []string                 `json:"notes,omitempty"`
	// Partial says why rows are missing: what ended the comparison early. "" if it is complete.
	Partial string `json:"partial,omitempty"`
}

// Counters compares the counters of every recorded kernel with the device's.
func Counters(ctx context.Context, q Request) (*CounterTable, error) {
	h, err := q.Records.Load(q.GPU)
	if err != nil {
		return nil, err
	}
	return countersOf(ctx, q, h)
}

// countersOf compares the counters of the kernels in a record with the device's.
func countersOf(ctx context.Context, q Request, h *results.Hardware) (*CounterTable, error) {
	spec := q.Device
	t := &CounterTable{Device: spec.Name, With: "record of " + q.GPU, Notes: q.Notes, Kernels: []compare.KernelRow{}}
	p := progressbar.New(q.Stderr, "counters on "+spec.Name)
	failed := eachGraph(ctx, q, func(i, n int, g *graph.CSR) error {
		source, _ := g.MaxDegreeVertex()
		entries := catalog.Entries()
		for k, e := range entries {
			run := h.Find(e.Algorithm.Name, e.Scheduler.Name, g.Vertices(), g.Arcs(), source)
			if run == nil || run.Total() == nil {
				continue
			}
			what := fmt.Sprintf("%s by %s on %s", run.Algorithm, run.Scheduler, run.Graph)
			p.Update(int64(i*len(entries)+k), int64(n*len(entries)), what)
			rows, notes, err := countRun(ctx, spec, what, run, g)
			t.Notes = append(t.Notes, notes...)
			if err != nil {
				return err
			}
			t.Kernels = append(t.Kernels, rows...)
		}
		return nil
	})
	if failed == nil {
		failed = countMicro(ctx, spec, h, t, p)
	}
	p.Finish()
	failed = ended(ctx, failed)
	if len(t.Kernels)+len(t.Micro) == 0 {
		if failed != nil {
			return nil, failed
		}
		return nil, usage.Errorf(usage.Say("weft compare %s shows which graphs were recorded; %s names a folder that has them", option.All, option.GraphFolder),
			"%s: no counters of the graphs at hand were recorded of the %s", option.CompareCounters, q.GPU)
	}
	t.Partial = partial(failed, len(t.Kernels)+len(t.Micro), "kernel")
	t.Counters, t.OfMicro, t.Waits = compare.SummarizeCounters(t.Kernels), compare.SummarizeCounters(t.Micro), compare.SummarizeWaits(t.Kernels)
	return t, failed
}

// countRun runs a recorded pair and compares its kernels with the recorded
// ones; notes names those that only one side has.
func countRun(ctx context.Context, spec *devices.Spec, what string, run *results.Run, g *graph.CSR) (rows []compare.KernelRow, notes []string, err error) {
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return nil, nil, err
	}
	c := &compare.Counting{Device: dev, Entry: ir.Symbol}
	s, err := runSide(ctx, c, spec, catalog.Request{Algorithm: run.Algorithm, Scheduler: run.Scheduler, Graph: g, Source: run.Source, Verify: true})
	if err = errors.Join(err, dev.Close()); err != nil {
		return nil, nil, err
	}
	if len(run.ByKernel) == 0 {
		return []compare.KernelRow{compare.TotalRow(what, s.Counters, run.Total())}, nil, nil
	}
	mine := c.ByKernel()
	for _, k := range compare.Lone(run.ByKernel, mine) {
		notes = append(notes, fmt.Sprintf("left out: %s in %s, which was recorded and did not run here", k, what))
	}
	for _, k := range compare.Lone(mine, run.ByKernel) {
		notes = append(notes, fmt.Sprintf("left out: %s in %s, which was not recorded", k, what))
	}
	return compare.KernelRows(what, mine, run.ByKernel), notes, nil
}

// countMicro runs the micro-kernels whose counters were recorded.
func countMicro(ctx context.Context, spec *devices.Spec, h *results.Hardware, t *CounterTable, p *progressbar.Bar) error {
	if len(h.MicroCounters.Launches) == 0 {
		return nil
	}
	rows, err := microbench.Rows(h.MicroCounters.Only, h.MicroCounters.Heavy)
	if err != nil {
		return err
	}
	kernels, err := catalog.Kernels()
	if err != nil {
		return err
	}
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return err
	}
	c := &compare.Counting{Device: dev, Entry: ir.Symbol}
	r := micro.Runner{Device: c, Kernels: kernels, Progress: func(done, n int, row micro.Row) {
		p.Update(int64(done), int64(n), row.Name)
		c.Label = row.Group + ": " + row.Name
	}}
	values, err := r.Run(ctx, rows)
	if err = errors.Join(cmp.Or(err, microbench.Failed(values)), dev.Close()); err != nil {
		return err
	}
	var uneven []string
	t.Micro, uneven = compare.MicroRows(c.Launches, h.MicroCounters.Launches)
	for _, k := range uneven {
		t.Notes = append(t.Notes, k+" was launched another number of times when it was recorded: left out")
	}
	return nil
}

// counterColumns returns the counters whose errors the table of kernels shows.
func counterColumns() (list []*counter.Counter) {
	all := counter.All()
	for i := range all {
		if all[i].Column != "" {
			list = append(list, &all[i])
		}
	}
	return list
}

// Of records the command line that asked for the table.
func (t *CounterTable) Of(command string) { t.Command = command }

// Text prints the errors of each kernel and of each counter.
func (t *CounterTable) Text(w io.Writer) {
	printNotes(w, t.Notes)
	fmt.Fprintf(w, "%s against %s: errors; - where both count fewer than %d\n", t.Device, t.With, compare.Few)
	printKernelRows(w, t.Kernels)
	printKernelRows(w, t.Micro)
	fmt.Fprintln(w, "\ninst warp instructions, threads thread instructions, loads global load instructions; sectors at L1 of ld loads,\nst stores, atom and red atomics with and without result; L2 read and write sectors that SMs ask the L2 for; conflicts passes of shared memory beyond the first")
	printPartial(w, t.Partial)
	printCounterSummary(w, "over the algorithms' kernels", t.Device, t.With, t.Counters)
	printCounterSummary(w, "over the micro-kernels", t.Device, t.With, t.OfMicro)
	if len(t.Waits) > 0 {
		rows := [][]string{{"why warps wait, share of their time", t.Device, t.With, "difference"}}
		for _, x := range t.Waits {
			rows = append(rows, []string{x.Name, partOf(x.A), partOf(x.B), partOf(x.Mean)})
		}
		fmt.Fprintln(w)
		format.Table(w, "", "lrrr", rows)
	}
}

func printKernelRows(w io.Writer, list []compare.KernelRow) {
	if len(list) == 0 {
		return
	}
	columns := counterColumns()
	head, cols := []string{"kernel", "run"}, "ll"
	for _, c := range columns {
		head, cols = append(head, c.Column), cols+"r"
	}
	rows := [][]string{head}
	for _, r := range list {
		row := []string{r.Kernel, r.Run}
		for _, c := range columns {
			cell := "-"
			for _, x := range r.Counters {
				if x.Name == c.Name && x.Apart == "" {
					cell = counterError(x)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	format.Table(w, "", cols, rows)
}

// counterError returns the error of a counter, or both counts if one is 0.
func counterError(c compare.Counter) string {
	if c.A == 0 || c.B == 0 {
		return format.Significant(c.A) + ":" + format.Significant(c.B)
	}
	return fmt.Sprintf("%+.0f%%", 100*compare.Error(c.A, c.B))
}

func printCounterSummary(w io.Writer, what, nameA, nameB string, list []compare.CounterSummary) {
	if len(list) == 0 {
		return
	}
	rows := [][]string{{"counter, " + what, "n", "mean", "median", "worst", "in all", "lone", "worst in"}}
	var apart []compare.Counter
	for _, s := range list {
		if s.Apart != "" {
			apart = append(apart, compare.Counter{Name: s.Name, A: s.SumA, B: s.SumB, Apart: s.Apart})
			continue
		}
		row := []string{s.Name, fmt.Sprint(s.N), "-", "-", "-", "-", fmt.Sprint(s.Lone), s.Where}
		if s.N > 0 {
			copy(row[2:], []string{partOf(s.Mean), partOf(s.Median), "x" + format.Significant(math.Round(100*s.Worst)/100), fmt.Sprintf("%+.1f%%", 100*(s.Over-1))})
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	format.Table(w, "", "lrrrrrrl", rows)
	printApart(w, nameA, nameB, apart)
}

// partOf formats a fraction as a percentage.
func partOf(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
