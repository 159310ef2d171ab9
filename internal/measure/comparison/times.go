package comparison

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
)

// demoFile is the name of the graph that is built in, as records call it.
const demoFile = "wiki-Vote"

// maxRecord is the maximum length of a record; the longest has 8 MB.
const maxRecord = 1 << 28

// TimeTable is what `weft compare --times` prints as JSON: rows of a record, run again on another device.
type TimeTable struct {
	Command string   `json:"command"`
	Device  string   `json:"device"`
	Machine string   `json:"machine_hash,omitempty"` // of a simulated device
	With    string   `json:"with"`
	Notes   []string `json:"notes,omitempty"`
	// Host is the host of a simulated device.
	Host *HostUse `json:"host,omitempty"`
	// Partial says why rows are missing: what ended the comparison early. "" if it is complete.
	Partial string             `json:"partial,omitempty"`
	Rows    []compare.TimeRow  `json:"rows"`
	Summary compare.Summary    `json:"summary"`
	Kernels compare.Summary    `json:"summary_of_kernels"`
	Parts   []compare.TimePart `json:"parts"`
}

// Times runs rows of a record (Request.Times) on a device, each on one of its own, and compares the time
// from the first launch until the host knows that the answer is complete with the median of the recorded ones. Rows whose
// graph is neither the demo graph nor in Request.Folder are left out, and so are those of graphs with more than
// Request.MaxArcs arcs and those that Request.Only does not match. The answers are checked. A simulated machine has the host of the record
// instead of its own, if the record says what that took (see Repeated.Host), and runs launches that are made together one after another, as
// a real GPU does here.
func Times(ctx context.Context, q Request) (*TimeTable, error) {
	record, err := readTimes(ctx, q.Times)
	if err != nil {
		return nil, err
	}
	rows, err := chosen(record, q.Only)
	if err != nil {
		return nil, err
	}
	if err := sameGroup(q.Device, q.Times, rows); err != nil {
		return nil, err
	}
	files, err := filesOf(q.Folder)
	if err != nil {
		return nil, err
	}
	t := &TimeTable{Device: q.Device.Name, With: q.Times, Notes: q.Notes}
	_, t.Machine = q.Device.Machine()
	left := map[string]int{}
	rows = slices.DeleteFunc(rows, func(r results.Row) bool {
		why := ""
		switch _, there := files[r.Graph]; {
		case !there:
			why = "whose graph is not there"
		case r.Arcs > q.MaxArcs:
			why = fmt.Sprintf("of graphs with more than %s arcs", format.Thousands(q.MaxArcs))
		case len(r.Seconds) == 0:
			why = "without a recorded time"
		default:
			return false
		}
		left[why]++
		return true
	})
	for _, why := range slices.Sorted(maps.Keys(left)) {
		t.Notes = append(t.Notes, fmt.Sprintf("left out: %d rows %s", left[why], why))
	}
	if len(rows) == 0 {
		return nil, usage.Errorf(usage.Say("%s names a folder, %s the size of the largest graph to use", option.GraphFolder, option.MaxArcs), "%s: no row is left: %s", q.Times, strings.Join(t.Notes, "; "))
	}
	if q.Device, err = q.hosted(); err != nil {
		return nil, err
	}
	p := progressbar.New(q.Stderr, "compare on "+t.Device)
	failed := t.run(ctx, q, files, rows, p)
	p.Finish()
	failed = ended(ctx, failed)
	if len(t.Rows) == 0 {
		return nil, failed
	}
	t.Partial = partial(failed, len(t.Rows), "row")
	if err := t.host(record, q.Device); err != nil {
		return nil, err
	}
	if t.Host != nil {
		t.Notes = append(t.Notes, t.Host.String())
	}
	t.summarize()
	return t, failed
}

// readTimes reads a record.
func readTimes(ctx context.Context, file string) (*results.Repeated, error) {
	text, err := infile.ReadAll(ctx, file, maxRecord)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", option.Times, file, err)
	}
	f, err := results.ReadRepeated(text)
	if err != nil || len(f.Rows) == 0 {
		return nil, usage.Errorf("", "%s: %s is no record of repeated runs", option.Times, file)
	}
	return f, nil
}

// chosen returns the rows that a regular expression matches.
func chosen(f *results.Repeated, only string) ([]results.Row, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, usage.Errorf("", "%s: %v", option.Only, err)
	}
	rows := slices.DeleteFunc(slices.Clone(f.Rows), func(r results.Row) bool { return !match.MatchString(r.Key.String()) })
	if len(rows) == 0 {
		return nil, usage.Errorf("a row is \"GRAPH ALGORITHM SCHEDULER PARAMETERS\", such as: "+f.Rows[0].Key.String(), "%s: no row matches %q", option.Only, only)
	}
	return rows, nil
}

// sameGroup returns an error if a row was recorded on another number of GPUs than the device has.
func sameGroup(d *devices.Spec, file string, rows []results.Row) error {
	for _, r := range rows {
		gpus := 1
		if r.Communication != nil {
			for _, p := range r.Communication.Pairs {
				gpus = max(gpus, p.From+1, p.To+1)
			}
		}
		if have := max(d.GPUs, 1); gpus != have {
			hint := usage.Plain("choose a single device")
			if gpus > 1 {
				hint = usage.Say("choose a group, such as %s", option.Device.With(fmt.Sprintf("sim:h200x%d", gpus)))
			}
			return usage.Errorf(hint, "%s has times of %d GPUs, device %s has %d", file, gpus, d.Name, have)
		}
	}
	return nil
}

// filesOf returns the graphs that there are, by the name that records give them: that of the file up to its extension.
func filesOf(folder string) (map[string]string, error) {
	files := map[string]string{demoFile: graph.DemoName}
	if folder == "" {
		return files, nil
	}
	list, err := graphs.Files(folder)
	if err != nil {
		return nil, err
	}
	for _, file := range list {
		name := strings.TrimSuffix(filepath.Base(file), ".gz")
		files[strings.TrimSuffix(name, filepath.Ext(name))] = file
	}
	return files, nil
}

// run runs rows, each on a device of its own, Request.Jobs at the same time, and adds them to the table in their order. It ends with
// the first one that fails.
func (t *TimeTable) run(ctx context.Context, q Request, files map[string]string, rows []results.Row, p *progressbar.Bar) error {
	plan, err := sweep.NewPlanOn(ctx, specOf(rows, files), q.Device)
	if err != nil {
		return err
	}
	byTask := map[*sweep.Task]int{}
	for i, task := range plan.Tasks {
		byTask[task] = i
	}
	ran := &memory{runs: map[store.Key]*store.Run{}}
	todo, err := plan.Missing(ctx, nil, false)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	_, err = plan.Run(ctx, ran, todo, sweep.Running{Jobs: q.Jobs, Progress: func(now sweep.Progress) {
		switch {
		case now.Began != nil:
			r := rows[byTask[now.Began]]
			p.Update(int64(now.Done), int64(now.Tasks), r.Graph+" "+r.Algorithm)
		case now.Run.Status == store.Wrong:
			cancel(fmt.Errorf("%s: %w on %s: %s", rows[byTask[now.Ended]].Key, run.ErrWrong, q.Device.Name, strings.TrimPrefix(now.Run.Error, run.ErrWrong.Error()+": ")))
		case now.Err != nil:
			cancel(fmt.Errorf("%s: %w", rows[byTask[now.Ended]].Key, now.Err))
		}
	}})
	for i, r := range rows {
		if x := ran.runs[plan.Tasks[i].Key]; x != nil && x.Status == store.OK {
			t.Rows = append(t.Rows, timeRow(r, x))
		}
	}
	return err
}

// specOf returns the specification whose points are rows of a record.
func specOf(rows []results.Row, files map[string]string) *spec.Spec {
	s := &spec.Spec{Name: "times", Repeat: 1}
	for _, r := range rows {
		if s.Graph(r.Graph) == nil {
			s.Graphs = append(s.Graphs, spec.Graph{Name: r.Graph, Settings: []spec.Setting{{Name: option.Graph.Key, Value: files[r.Graph]}}, Vertices: r.Vertices, Arcs: r.Arcs})
		}
		settings := []spec.Setting{{Name: "algorithm", Value: r.Algorithm}, {Name: option.Scheduler.Key, Value: r.Scheduler}, {Name: option.Graph.Key, Value: r.Graph}}
		params := r.Values()
		for _, name := range slices.Sorted(maps.Keys(params)) {
			settings = append(settings, spec.Setting{Name: option.Param.Key + name, Value: params[name]})
		}
		for i := range settings {
			settings[i].Place = r.Key.String()
		}
		s.Points = append(s.Points, spec.Point{Settings: settings})
	}
	return s
}

// memory keeps runs without a file.
type memory struct {
	mu   sync.Mutex
	runs map[store.Key]*store.Run
}

// Number, AddSpec and AddMachine do nothing: nobody asks for what they keep.
func (*memory) Number(context.Context, []store.Key) error               { return nil }
func (*memory) AddSpec(context.Context, string, string) (string, error) { return "", nil }
func (*memory) AddMachine(context.Context, string, []byte) error        { return nil }

// Replace keeps a run.
func (m *memory) Replace(_ context.Context, r *store.Run) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[store.Key{Point: r.Point, Repeat: r.Repeat}] = r
	return nil
}

// timeRow compares a run with the row of the record.
func timeRow(r results.Row, x *store.Run) compare.TimeRow {
	number := func(metric string) float64 {
		value, _ := x.Metric(metric)
		return value
	}
	row := compare.TimeRow{Graph: r.Graph, Algorithm: r.Algorithm, Scheduler: r.Scheduler, Params: r.Values(),
		A: number("solve_seconds"), KernelsA: number("kernel_seconds"), Iterations: int(number("iterations")),
		Host: work(number), B: results.SpreadOf(r.Seconds).Median, KernelsB: results.SpreadOf(r.KernelSeconds).Median, IterationsB: r.Iterations}
	row.Error, row.KernelsError = compare.TimeError(row.A, row.B), compare.TimeError(row.KernelsA, row.KernelsB)
	return row
}

// summarize computes the errors of all rows and of parts of them.
func (t *TimeTable) summarize() {
	t.Summary, t.Kernels = compare.SummarizeTimes(t.Rows)
	t.Parts = compare.TimeParts(t.Rows)
}

// Of records the command line that asked for the table.
func (t *TimeTable) Of(command string) { t.Command = command }

// Text prints the table and its summaries.
func (t *TimeTable) Text(w io.Writer) {
	printNotes(w, t.Notes)
	same, differ := compare.SharedParams(t.Rows)
	if len(same) > 0 {
		fmt.Fprintf(w, "all rows with %s\n\n", format.Assignments(same))
	}
	rows := [][]string{{"graph", "algorithm", "scheduler", "parameters", t.Device + ", ms", "recorded, ms", "error", "kernels: " + t.Device, "recorded", "error"}}
	for i, r := range t.Rows {
		rows = append(rows, []string{r.Graph, r.Algorithm, r.Scheduler, format.Assignments(differ[i]), format.Significant(r.A * 1e3), format.Significant(r.B * 1e3), percentOf(r.Error),
			milliseconds(r.KernelsA), milliseconds(r.KernelsB), percentOf(r.KernelsError)})
	}
	format.Table(w, "", "llllrrrrrr", rows)
	printPartial(w, t.Partial)
	fmt.Fprintf(w, "\n%s\nkernels alone: %s\n", summed(t.Summary), summed(t.Kernels))
	if len(t.Parts) > 1 {
		fmt.Fprintln(w)
		t.PrintParts(w)
	}
}

// PrintParts prints the errors of parts of the rows.
func (t *TimeTable) PrintParts(w io.Writer) {
	rows := [][]string{{"rows with", "", "compared", "mean error", "median", "worst factor", "mean error of kernels"}}
	last := ""
	for _, p := range t.Parts {
		what := p.What
		if what == last {
			what = ""
		}
		last = p.What
		rows = append(rows, []string{what, cmp.Or(p.Value, "-"), fmt.Sprint(p.N), partOf(p.Mean), partOf(p.Median), fmt.Sprintf("%.2f", p.Worst), partOf(p.Kernels)})
	}
	format.Table(w, "", "llrrrrr", rows)
}
