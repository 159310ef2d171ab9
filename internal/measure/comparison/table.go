package comparison

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
)

// Table is what `weft compare --all` and `--micro` print as JSON.
type Table struct {
	Command string             `json:"command"`
	Device  string             `json:"device"`
	With    string             `json:"with"`
	Notes   []string           `json:"notes,omitempty"`
	Runs    []compare.Row      `json:"runs,omitempty"`
	Micro   []compare.MicroRow `json:"micro,omitempty"`
	// LeftOut names the micro-rows that were not measured because of --light.
	// Constants gives for each machine parameter how many rows depend only on
	// it; they count as one.
	LeftOut   []string        `json:"left_out,omitempty"`
	Constants map[string]int  `json:"constants,omitempty"`
	Summary   compare.Summary `json:"summary"`
	// Active is the summary of kernel times without launch overhead.
	Active *compare.Summary `json:"summary_without_launches,omitempty"`
	// Orders counts the pairs of schemes of one algorithm and graph whose
	// recorded times differ by more than 20%, and how many of them the device
	// puts in the same order.
	Orders *compare.Order `json:"orders,omitempty"`
}

// All runs every recorded pair on the available graphs.
func All(ctx context.Context, q Request) (*Table, error) {
	spec, h := q.Device, q.Record
	t := &Table{Device: spec.Name, With: "record of " + q.GPU, Notes: q.Notes}
	p := progressbar.New(q.Stderr, "compare on "+spec.Name)
	failed := eachGraph(ctx, q, func(i, n int, g *graph.CSR) error {
		p.Update(int64(i), int64(n), g.Name)
		rows, err := compareGraph(ctx, spec, h, q.GPU, g)
		t.Runs = append(t.Runs, rows...)
		return err
	})
	p.Finish()
	if ctx.Err() != nil {
		failed = signals.Interrupted
	}
	if len(t.Runs) == 0 {
		return nil, cmp.Or(failed, usage.Errorf(usage.Say("%s names a folder, %s the size of the largest graph to use", option.GraphFolder, option.MaxArcs), "no recorded graph has at most %d arcs", q.MaxArcs))
	}
	all, active := compare.SummarizeRows(t.Runs)
	order := compare.Orders(t.Runs, 0.2)
	t.Summary, t.Active, t.Orders = all, &active, &order
	return t, failed
}

// eachGraph calls do once for each available graph, with its number i of n: the
// demo graph and those of --graphs that are small enough.
func eachGraph(ctx context.Context, q Request, do func(i, n int, g *graph.CSR) error) error {
	specs := []string{graph.DemoName}
	if q.Folder != "" {
		files, err := graphs.Files(q.Folder)
		if err != nil {
			return err
		}
		specs = append(specs, files...)
	}
	seen := map[string]bool{}
	for i, name := range specs {
		g, _, err := graphs.Open(ctx, name, graph.LoadOptions{})
		if err != nil {
			return err
		}
		key := fmt.Sprint(g.Name, g.Vertices(), g.Arcs())
		if g.Arcs() > q.MaxArcs || seen[key] {
			continue
		}
		seen[key] = true
		if err := do(i, len(specs), g); err != nil {
			return err
		}
	}
	return nil
}

// compareGraph runs the pairs that were recorded on g.
func compareGraph(ctx context.Context, spec *devices.Spec, h *results.Hardware, gpu string, g *graph.CSR) ([]compare.Row, error) {
	var rows []compare.Row
	source, _ := g.MaxDegreeVertex()
	for _, e := range catalog.Entries() {
		run := h.Find(e.Algorithm.Name, e.Scheduler.Name, g.Vertices(), g.Arcs(), source)
		if run == nil || run.Error != "" {
			continue
		}
		dev, err := spec.Open(ctx, devices.Watch{})
		if err != nil {
			return rows, err
		}
		s, err := runSide(ctx, dev, spec, catalog.Request{Algorithm: run.Algorithm, Scheduler: run.Scheduler, Graph: g, Source: source, Verify: true})
		if err = errors.Join(err, dev.Close()); err != nil {
			return rows, err
		}
		rows = append(rows, compare.RowOf(run.Algorithm, run.Scheduler, run.Graph, s, fromRecord(gpu, run)))
	}
	return rows, nil
}

// Of records the command line that asked for the table.
func (t *Table) Of(command string) { t.Command = command }

// Text prints the table and its summaries.
func (t *Table) Text(w io.Writer) {
	printNotes(w, t.Notes)
	t.printMicro(w)
	if len(t.Runs) > 0 {
		rows := [][]string{{"algorithm", "scheduler", "graph", t.Device + ", ms", t.With + ", ms", "error", "without launches: " + t.Device, t.With, "error"}}
		for _, r := range t.Runs {
			rows = append(rows, []string{r.Algorithm, r.Scheduler, r.Graph, format.Significant(r.A * 1e3), format.Significant(r.B * 1e3), percentOf(r.Error),
				milliseconds(r.ActiveA), milliseconds(r.ActiveB), percentOf(r.ActiveError)})
		}
		format.Table(w, "", "lllrrrrrr", rows)
	}
	fmt.Fprintf(w, "\n%s\n", summed(t.Summary))
	if t.Active != nil {
		fmt.Fprintf(w, "without launches, the time in which SMs are active: %s\n", summed(*t.Active))
		if n := len(t.Runs) - t.Active.N; n > 0 {
			fmt.Fprintf(w, "%d of %d took no longer than their launches on one side and do not count there\n", n, len(t.Runs))
		}
	}
	if o := t.Orders; o != nil && o.Agree+o.Disagree > 0 {
		fmt.Fprintf(w, "two schedulers that differ by more than 20%% there are ordered the same way here: %d of %d\n", o.Agree, o.Agree+o.Disagree)
	}
}

// summed returns a summary as text.
func summed(s compare.Summary) string {
	return fmt.Sprintf("%d compared: error %.1f%% in the mean, %.1f%% the median; worst a factor of %.2f", s.N, 100*s.Mean, 100*s.Median, s.Worst)
}

// printNotes prints above a table what a reader must know about both sides.
func printNotes(w io.Writer, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(w, "note: "+printable.Line(n))
	}
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
}
