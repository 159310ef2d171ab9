package comparison

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/ncu"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// Comparison is what `weft compare ALGORITHM --json` prints.
type Comparison struct {
	Command   string `json:"command"`
	Algorithm string `json:"algorithm"`
	Scheduler string `json:"scheduler"`
	// Chosen says why the scheduler was chosen, if the user asked for a choice.
	Chosen *choice.Choice `json:"chosen_by,omitempty"`
	// Params are the parameters of both that were given or chosen.
	Params map[string]string `json:"parameters,omitempty"`
	Graph  string            `json:"graph"`
	// Record is the recorded run that is compared with, and OtherRecords are those of the same point in other records.
	Record       *Point       `json:"record,omitempty"`
	OtherRecords []Point      `json:"other_records,omitempty"`
	Notes        []string     `json:"notes,omitempty"`
	A            compare.Side `json:"a"`
	B            compare.Side `json:"b"`
	// Answers says how the values differ; null if a side (a record) has none.
	Answers *compare.Difference `json:"answers"`
	// Measure says what Error and the errors of Counters mean: the error of a
	// model against a GPU, or the difference between two models.
	Measure string       `json:"measure"`
	Error   compare.Part `json:"error"` // of a's seconds against b's; null if a side has no clock
	// ActiveError is Error for the times without launch overhead.
	ActiveError compare.Part      `json:"active_error"`
	Counters    []compare.Counter `json:"counters"`
}

// Request asks for a comparison of a device with another one or with a record.
type Request struct {
	Device  *devices.Spec    // the device whose error is measured
	With    *devices.Spec    // the other device; nil for the record
	Records *results.Records // those in which the GPU is
	GPU     string           // GPU of the records
	Notes   []string         // what a reader must know about the two sides

	// For one algorithm:
	Algorithm, Scheduler string
	Params               map[string]string // of both, by name; those that are not given have their defaults
	Graph                graphs.Named
	Source               run.Source
	SourceArg            string // the source vertex if the user chose one, as an argument for a run under ncu
	NCU                  string // a file with the counters of the other side; "" for none

	// For all recorded runs:
	Folder  string // folder of graphs to use besides the demo graph
	MaxArcs int    // maximum number of arcs of a graph
	Light   bool   // leave out the rows of large footprints
	Micro   string // a file with the other side's table of micro-kernels; "" for the record

	Times string // the record whose rows to run
	Only  string // a regular expression that these rows match
	Jobs  int    // how many of them run at the same time

	Stderr io.Writer // for progress bars, and for counters that could not be measured
}

// One compares one algorithm on one graph. If the answers differ, it returns an
// error together with the comparison.
func One(ctx context.Context, q Request) (*Comparison, error) {
	g, _, err := q.Graph.Load(ctx, q.Stderr)
	if err != nil {
		return nil, err
	}
	entry, err := catalog.Resolve(ctx, q.Algorithm, q.Scheduler, g, q.Device.GPUs)
	if err != nil {
		return nil, run.Refused(err)
	}
	params, err := entry.Parameters(q.Params)
	if err != nil {
		return nil, run.Refused(err)
	}
	source, err := q.Source.In(g)
	if err != nil {
		return nil, err
	}
	if entry.Chosen != nil { // from here on as if the user had named it
		q.Scheduler, q.Params = entry.Scheduler.Name, entry.Chosen.Merge(q.Params)
	}
	c := &Comparison{Algorithm: q.Algorithm, Scheduler: q.Scheduler, Chosen: entry.Chosen, Params: q.Params, Graph: g.Name, Notes: q.Notes}
	// Reject invalid input before hours of simulation.
	var imported map[string]float64
	var importedFrom string
	if q.NCU != "" {
		if imported, importedFrom, err = importCounters(ctx, q.NCU); err != nil {
			return nil, err
		}
	}
	if q.With == nil {
		if c.B, err = recordSide(q, c, entry, params, g, source); err != nil {
			return nil, err
		}
	}
	if c.A, err = side(ctx, q.Device, q, g, source); err != nil {
		return nil, err
	}
	if q.With == nil {
		c.B.LaunchesAs(c.A)
		c.B.WithoutLaunches(recordedLaunchCost(q.GPU))
	}
	if q.With != nil {
		if c.B, err = side(ctx, q.With, q, g, source); err != nil {
			return nil, err
		}
		if q.NCU == "" && !q.With.Can().Has(device.Counters) {
			profile(ctx, &c.B, q)
		}
	}
	if q.NCU != "" {
		c.B.Counters, c.B.CountersFrom = imported, importedFrom
	}
	c.A.Values, c.B.Values = run.FileIDs(entry.Algorithm, g, c.A.Values), run.FileIDs(entry.Algorithm, g, c.B.Values)
	c.Answers = compare.Differ(c.A, c.B)
	if d := c.Answers; d != nil && !d.Same() {
		d.First, d.At = int(g.FileID(uint32(d.First))), int(g.FileID(uint32(d.At)))
	}
	c.Measure, c.Counters = compare.Measure(c.A.Kind, c.B.Kind), compare.Counters(c.A, c.B)
	c.Error, c.ActiveError = compare.TimeError(c.A.Seconds, c.B.Seconds), compare.TimeError(c.A.Active, c.B.Active)
	if compare.Judge(c.A, c.B, c.Answers) {
		return c, fmt.Errorf("the answers differ at %s of %s vertices, and not both were verified", format.Thousands(c.Answers.Vertices), format.Thousands(c.Answers.Of))
	}
	return c, nil
}

// launchCost returns the launch overhead in seconds on a simulated machine, or
// on a GPU with a record; 0 if unknown.
func launchCost(ctx context.Context, d *devices.Spec) float64 {
	if us, ok := d.Number("launch.kernel"); ok {
		return us * 1e-6
	}
	if gpu, err := d.Record(ctx); err == nil {
		return recordedLaunchCost(gpu)
	}
	return 0
}

// recordedLaunchCost returns the launch overhead in a GPU's preset, which was
// fitted to its record.
func recordedLaunchCost(gpu string) float64 {
	m, err := config.Load(gpu)
	if err != nil {
		return 0
	}
	return m.Launch.Kernel * 1e-6
}

// comparedKind returns the kind of a device for comparisons.
func comparedKind(spec *devices.Spec) compare.Kind {
	switch can := spec.Can(); {
	case can.Has(device.Silicon):
		return compare.GPU
	case can.Has(device.Clock):
		return compare.Simulated
	}
	return compare.Functional
}

// side runs the algorithm on a device.
func side(ctx context.Context, spec *devices.Spec, q Request, g *graph.CSR, source uint32) (compare.Side, error) {
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return compare.Side{}, err
	}
	defer dev.Close()
	p := progressbar.New(q.Stderr, q.Algorithm+" on "+spec.Name)
	defer p.Finish()
	return runSide(ctx, dev, spec, catalog.Request{Algorithm: q.Algorithm, Scheduler: q.Scheduler, Params: q.Params, Graph: g, Source: source, Verify: true})
}

// runSide runs a request on a device that spec opened, or on a wrapper of it.
func runSide(ctx context.Context, dev device.Device, spec *devices.Spec, req catalog.Request) (compare.Side, error) {
	res, err := catalog.Run(ctx, dev, req)
	switch {
	case res == nil: // nothing was run
		return compare.Side{}, run.Refused(err)
	case err != nil:
		return compare.Side{}, err
	}
	if res.Mismatch != nil {
		return compare.Side{}, fmt.Errorf("%w on %s: %v", run.ErrWrong, spec.Name, res.Mismatch)
	}
	s := compare.FromResult(spec.Name, comparedKind(spec), res)
	s.WithoutLaunches(launchCost(ctx, spec))
	s.Machine, s.MachineHash = spec.Machine()
	return s, nil
}

// profile adds the counters of a real GPU: it runs this program once more,
// under ncu.
func profile(ctx context.Context, s *compare.Side, q Request) {
	args := append([]string{"run", q.Algorithm, option.Scheduler.String(), q.Scheduler, option.Device.String(), s.Device, option.NoVerify.String()}, q.Graph.Args()...)
	if q.SourceArg != "" {
		args = append(args, option.Source.String(), q.SourceArg)
	}
	for _, name := range slices.Sorted(maps.Keys(q.Params)) {
		args = append(args, option.Param.String(), name+"="+q.Params[name])
	}
	launches, err := Profiled(ctx, args...)
	if err != nil {
		fmt.Fprintf(q.Stderr, "weft: no counters of %s: %s\n", s.Device, printable.Indent(err.Error()))
		return
	}
	s.Counters = ncu.Sum(launches)
}

// Profiled runs this program again under ncu.
func Profiled(ctx context.Context, args ...string) ([]ncu.Launch, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return ncu.Run(ctx, []string{hw.InProcess()}, exe, args...)
}

// importCounters reads counters from a file. It also returns a description of
// the launches that they belong to.
func importCounters(ctx context.Context, file string) (counters map[string]float64, from string, err error) {
	text, err := infile.ReadAll(ctx, file, ncu.MaxBytes)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %s: %w", option.NCU, file, err)
	}
	launches, err := ncu.Parse(file, bytes.NewReader(text))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", option.NCU, err)
	}
	var kernels []string
	for _, k := range ncu.ByKernel(launches) {
		kernels = append(kernels, fmt.Sprintf("%d of %s", k.Launches, k.Kernel))
	}
	return ncu.Sum(launches), file + ": launches " + strings.Join(kernels, ", "), nil
}

// Of records the command line that asked for the comparison.
func (c *Comparison) Of(command string) { c.Command = command }

// Text prints the comparison.
func (c *Comparison) Text(w io.Writer) {
	rows := [][]string{
		{"compare", fmt.Sprintf("%s by %s on %s", c.Algorithm, c.Scheduler, c.Graph)},
		{"answer of " + c.A.Device, c.A.Answer},
		{"answer of " + c.B.Device, c.B.Answer},
		{"both answers", bothAnswers(c)},
	}
	if c.Chosen != nil {
		rows = slices.Insert(rows, 1, []string{"chosen", c.Chosen.String()})
	}
	if len(c.Params) > 0 {
		rows = slices.Insert(rows, 1, []string{"parameters", format.Assignments(c.Params)})
	}
	if c.Record != nil {
		rows = append(rows, []string{"record", c.Record.String()})
	}
	for _, p := range c.OtherRecords {
		rows = append(rows, []string{"also recorded", p.String()})
	}
	if c.B.CountersFrom != "" {
		rows = append(rows, []string{"counters of " + c.B.Device, c.B.CountersFrom})
	}
	for _, n := range c.Notes {
		rows = append(rows, []string{"note", n})
	}
	if c.A.Kind == compare.Functional || c.B.Kind == compare.Functional {
		rows = append(rows, []string{"note", "func counts operations of the Program, where other devices count machine instructions (issue.lowering)"})
	}
	format.Table(w, "", "ll", rows)
	fmt.Fprintln(w)
	lines := [][]string{{"", c.A.Device, c.B.Device, c.Measure}, {"kernel time, ms", milliseconds(c.A.Seconds), milliseconds(c.B.Seconds), percentOf(c.Error)},
		{"  without launches", milliseconds(c.A.Active), milliseconds(c.B.Active), percentOf(c.ActiveError)},
		{"algorithm time, ms", milliseconds(c.A.Whole), milliseconds(c.B.Whole), percentOf(compare.TimeError(c.A.Whole, c.B.Whole))},
		{"launches", format.Number(float64(c.A.Launches)), launches(c.B), percent(float64(c.A.Launches), float64(c.B.Launches))}}
	var apart []compare.Counter
	for _, x := range c.Counters {
		if x.Apart != "" {
			apart = append(apart, x)
			continue
		}
		lines = append(lines, []string{x.Name, format.Number(x.A), format.Number(x.B), percentOf(x.Error)})
	}
	format.Table(w, "", "lrrr", lines)
	printApart(w, c.A.Device, c.B.Device, apart)
}

// launches returns the number of launches of a side; "-" if a record does not say.
func launches(s compare.Side) string {
	if s.Kind == compare.Record && s.Launches == 0 {
		return "-"
	}
	return format.Number(float64(s.Launches))
}

// bothAnswers describes how the answers of both sides differ.
func bothAnswers(c *Comparison) string {
	d := c.Answers
	switch {
	case d == nil && c.B.Kind == compare.Record:
		return "not compared: the record has no values"
	case d == nil:
		return "not compared: a side has no values of the other's kind"
	case d.Same():
		return "equal to the last bit"
	}
	text := fmt.Sprintf("differ at %s of %s vertices, first at %d: %v and %v", format.Thousands(d.Vertices), format.Thousands(d.Of), d.First, d.FirstA, d.FirstB)
	if d.Float {
		text += fmt.Sprintf("; most at %d, by %.2g of the value", d.At, d.Most)
	}
	switch {
	case c.A.Verified && c.B.Verified && d.Float:
		text += " (within the bound of the reference)"
	case c.A.Verified && c.B.Verified:
		text += " (the reference takes both)"
	}
	return text
}

// printApart prints counters that cannot be compared, with the reason.
func printApart(w io.Writer, nameA, nameB string, list []compare.Counter) {
	if len(list) == 0 {
		return
	}
	rows := [][]string{{"not comparable", nameA, nameB, "because"}}
	for _, x := range list {
		rows = append(rows, []string{x.Name, format.Number(x.A), format.Number(x.B), x.Apart})
	}
	fmt.Fprintln(w)
	format.Table(w, "", "lrrl", rows)
}

// milliseconds returns a time in ms; "-" if there is none.
func milliseconds(s float64) string {
	if s == 0 {
		return "-"
	}
	return format.Significant(s * 1e3)
}

// percent returns the error of a against b in percent.
func percent(a, b float64) string { return percentOf(compare.Part(compare.Error(a, b))) }

func percentOf(e compare.Part) string {
	if math.IsNaN(float64(e)) {
		return "-"
	}
	return fmt.Sprintf("%+.1f%%", 100*e)
}
