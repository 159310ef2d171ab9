package comparison

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
)

// Table is what `weft compare --all` and `--micro` print as JSON.
type Table struct {
	Command string   `json:"command"`
	Device  string   `json:"device"`
	With    string   `json:"with"`
	Notes   []string `json:"notes,omitempty"`
	// Partial says why rows are missing: what ended the comparison early. "" if it is complete.
	Partial string             `json:"partial,omitempty"`
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
	// NoActive says why Active has no rows; "" if it has some.
	NoActive string `json:"no_summary_without_launches,omitempty"`
	// Orders counts the pairs of schemes of one algorithm and graph whose
	// recorded times differ by more than 20%, and how many of them the device
	// puts in the same order.
	Orders *compare.Order `json:"orders,omitempty"`
}

// All runs every recorded pair with its default parameters on the available graphs. If it ends early, the table has the rows so far.
func All(ctx context.Context, q Request) (*Table, error) {
	t := &Table{Device: q.Device.Name, With: "record of " + q.GPU, Notes: q.Notes}
	all, err := readRecorded(q.Records, q.GPU)
	if err != nil {
		return nil, err
	}
	p := progressbar.New(q.Stderr, "compare on "+t.Device)
	failed := eachGraph(ctx, q, func(i, n int, g *graph.CSR) error {
		return t.compareGraph(ctx, q, all, g, func(done, of int, what string) { p.Update(int64(i*of+done), int64(n*of), what) })
	})
	p.Finish()
	failed = ended(ctx, failed)
	if len(t.Runs) == 0 {
		return nil, cmp.Or(failed, usage.Errorf(usage.Say("%s names a folder, %s the size of the largest graph to use", option.GraphFolder, option.MaxArcs), "no recorded graph has at most %d arcs", q.MaxArcs))
	}
	t.Partial = partial(failed, len(t.Runs), "row")
	var from grouped
	rows := map[string]int{}
	for _, r := range t.Runs {
		rows[r.Record]++
		from.add(r.Record, r.Record)
	}
	for i, name := range from.names {
		from.names[i] = fmt.Sprintf("%s (%d)", name, rows[name])
	}
	t.Notes = append(t.Notes, "records, with the number of rows from each: "+strings.Join(from.names, ", "))
	sum, active := compare.SummarizeRows(t.Runs)
	order := compare.Orders(t.Runs, 0.2)
	t.Summary, t.Active, t.Orders = sum, &active, &order
	t.NoActive = t.noActive(recordedLaunchCost(q.GPU))
	return t, failed
}

// ErrLimit is why a comparison ends after its time limit.
var ErrLimit = errors.New("the time limit is over")

// ended returns the error of a comparison whose context may have ended.
func ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return err
	case errors.Is(context.Cause(ctx), ErrLimit):
		return ErrLimit
	}
	return signals.Interrupted
}

// partial says that a comparison ended early with n rows, and why; "" if it did not.
func partial(err error, n int, what string) string {
	if err == nil {
		return ""
	}
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("the comparison ended after %d %s (%v); the summary is of these", n, what, err)
}

// noActive says why no time without launches is known; "" if one is.
func (t *Table) noActive(launch float64) string {
	switch {
	case t.Active.N > 0:
		return ""
	case launch == 0:
		return "no machine has the name of the GPU, and so the time of a launch is not known"
	case !slices.ContainsFunc(t.Runs, func(r compare.Row) bool { return r.LaunchesKnown }):
		return "the record does not say how many launches there were"
	}
	return "no run took longer than its launches on both sides"
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

// compareGraph runs the pairs that were recorded on g, and adds them to the table.
func (t *Table) compareGraph(ctx context.Context, q Request, all recorded, g *graph.CSR, progress func(done, of int, what string)) error {
	source, _ := g.MaxDegreeVertex()
	entries := catalog.Entries()
	for i, e := range entries {
		params, err := e.Parameters(nil)
		if err != nil {
			return err
		}
		found := all.find(e, params, g, source)
		if len(found) == 0 || found[0].run.Error != "" {
			continue
		}
		r := found[0].run
		progress(i, len(entries), fmt.Sprintf("%s by %s on %s", r.Algorithm, r.Scheduler, g.Name))
		dev, err := q.Device.Open(ctx, devices.Watch{})
		if err != nil {
			return err
		}
		a, err := runSide(ctx, dev, q.Device, catalog.Request{Algorithm: r.Algorithm, Scheduler: r.Scheduler, Graph: g, Source: source, Verify: true})
		if err = errors.Join(err, dev.Close()); err != nil {
			return err
		}
		b := compare.FromRecord(q.GPU, r)
		b.LaunchesAs(a)
		b.WithoutLaunches(recordedLaunchCost(q.GPU))
		row := compare.RowOf(r.Algorithm, r.Scheduler, r.Graph, a, b)
		row.Record = found[0].Record
		t.Runs = append(t.Runs, row)
	}
	return nil
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
	printPartial(w, t.Partial)
	fmt.Fprintf(w, "\n%s\n", summed(t.Summary))
	if t.NoActive != "" {
		fmt.Fprintf(w, "without launches, the time in which SMs are active: not compared, %s\n", t.NoActive)
	} else if t.Active != nil {
		fmt.Fprintf(w, "without launches, the time in which SMs are active: %s\n", summed(*t.Active))
		unknown := 0
		for _, r := range t.Runs {
			if !r.LaunchesKnown {
				unknown++
			}
		}
		if unknown > 0 {
			fmt.Fprintf(w, "%d of %d do not count there, because the record does not say how many launches there were\n", unknown, len(t.Runs))
		}
		if n := len(t.Runs) - t.Active.N - unknown; n > 0 {
			fmt.Fprintf(w, "%d of %d took no longer than their launches on one side and do not count there\n", n, len(t.Runs))
		}
	}
	if o := t.Orders; o != nil && o.Agree+o.Disagree > 0 {
		fmt.Fprintf(w, "two schedulers that differ by more than 20%% there are ordered the same way here: %d of %d\n", o.Agree, o.Agree+o.Disagree)
	}
}

// printPartial says below the rows of a table that it is not complete.
func printPartial(w io.Writer, why string) {
	if why != "" {
		fmt.Fprintf(w, "\npartial: %s\n", printable.Line(why))
	}
}

// summed returns a summary as text.
func summed(s compare.Summary) string {
	if s.N == 0 {
		return "none compared"
	}
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
