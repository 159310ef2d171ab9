package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/experiments/compare"
	"github.com/weft-gpu/weft/experiments/ncu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/hw/worker"
	"github.com/weft-gpu/weft/results"
)

// recordName is the word for what was recorded, where a device is expected.
const recordName = "record"

// compareOptions are the flags of `weft compare`.
type compareOptions struct {
	algorithm, scheduler string
	graph                graphFlags
	source               string
	device, with         string
	set                  []string
	seed                 uint64
	ncu                  string
	gpu                  string
	all, micro, counters bool
	graphs               string
	maxArcs              int
	json                 bool
}

func (a *app) compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare [ALGORITHM] [flags]",
		Short: "What one device did beside what another did, or what was recorded of a GPU",
		Long: `Runs an algorithm on two devices, or on one beside the record of a real GPU, and
prints whether the answers agree, the times of the kernels and the error, and
the counters that both sides have. On a real GPU counters come from Nsight
Compute (ncu), where it is installed, or from a CSV file that it wrote (--ncu).

--all runs every pair of algorithm and scheduler that was recorded on the graphs
of a folder (and the demo graph) and sums the errors up; --micro does so for the
micro-kernels. --counters sets what the device counts of each kernel beside what
Nsight Compute counted: the error of each, and summed up by counter.`,
		Example: `  weft compare bfs
  weft compare bfs --scheduler thread --graph roads.gr.gz --with hw
  weft compare sssp --device sim:v100 --with func
  weft compare --micro
  weft compare --all --graphs graphs --max-arcs 1000000 --json
  weft compare --counters --graphs graphs`,
		Args: between("ALGORITHM", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.algorithm = args[0]
			}
			if err := o.fits(cmd.Flags().Changed); err != nil {
				return err
			}
			return a.compare(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.scheduler, "scheduler", "warp", "how work is distributed; \"weft list schedulers\"")
	f.StringVar(&o.graph.spec, "graph", graph.DemoName, "file, generator or demo; \"weft graph --help\"")
	o.graph.register(cmd)
	f.StringVar(&o.source, "source", maxDegree, "vertex to start from: a number, or max-degree")
	f.StringVar(&o.device, "device", "sim:h200", "the device whose error is of interest")
	f.StringVar(&o.with, "with", recordName, "what to compare with: a device, or record")
	f.StringArrayVar(&o.set, "set", nil, "parameters of the first device: sm.count=16,l2.latency=200")
	f.Uint64Var(&o.seed, "seed", 1, "seed of simulated machines")
	f.StringVar(&o.ncu, "ncu", "", "counters of the second side: CSV that ncu --csv wrote")
	f.StringVar(&o.gpu, "gpu", "h200", "the GPU whose record is meant")
	f.BoolVar(&o.all, "all", false, "every recorded pair")
	f.BoolVar(&o.micro, "micro", false, "the micro-kernels")
	f.BoolVar(&o.counters, "counters", false, "the counters of every kernel whose counters were recorded")
	f.StringVar(&o.graphs, "graphs", "", "with --all and --counters: a folder of graph files")
	f.IntVar(&o.maxArcs, "max-arcs", 1_000_000, "with --all and --counters: leave out graphs with more arcs")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// fits refuses flags that have no meaning for what is compared.
func (o *compareOptions) fits(changed func(flag string) bool) error {
	for _, x := range []struct {
		when  bool
		what  string
		flags []string
	}{
		{o.all || o.micro || o.counters, "one algorithm", []string{"scheduler", "graph", "format", "symmetrize", "source", "with", "ncu"}},
		{o.algorithm != "" || o.micro, "--all and --counters", []string{"graphs", "max-arcs"}},
	} {
		for _, name := range x.flags {
			if x.when && changed(name) {
				return usagef("", "--%s goes with %s only", name, x.what)
			}
		}
	}
	if o.maxArcs < 1 {
		return usagef("", "--max-arcs: %d is not 1 or more", o.maxArcs)
	}
	return o.graph.check()
}

func (a *app) compare(ctx context.Context, o compareOptions) error {
	modes := 0
	for _, set := range []bool{o.algorithm != "", o.all, o.micro, o.counters} {
		if set {
			modes++
		}
	}
	if modes != 1 {
		return usagef("such as \"weft compare bfs\"", "weft compare takes one of ALGORITHM, --all, --micro and --counters")
	}
	spec, err := parseDevice(o.device, o.set, o.seed)
	if err != nil {
		return err
	}
	var record *results.Hardware
	if o.with == recordName || o.all || o.micro || o.counters {
		if record, err = results.Load(o.gpu); err != nil {
			return usagef("recorded are: "+strings.Join(results.GPUs(), ", "), "--gpu: %v", err)
		}
	}
	switch {
	case o.all:
		return a.compareAll(ctx, spec, record, o)
	case o.micro:
		return a.compareMicro(ctx, spec, record, o)
	case o.counters:
		return a.compareCounters(ctx, spec, record, o)
	}
	return a.compareOne(ctx, spec, record, o)
}

// comparison is what `weft compare ALGORITHM --json` prints.
type comparison struct {
	Command   string            `json:"command"`
	Algorithm string            `json:"algorithm"`
	Scheduler string            `json:"scheduler"`
	Graph     string            `json:"graph"`
	A         compare.Side      `json:"a"`
	B         compare.Side      `json:"b"`
	Same      *bool             `json:"same_values"` // null where a side has no values
	Error     float64           `json:"error"`       // of a's seconds against b's
	Counters  []compare.Counter `json:"counters"`
}

func (a *app) compareOne(ctx context.Context, spec *deviceSpec, record *results.Hardware, o compareOptions) error {
	if _, err := catalog.Lookup(o.algorithm, o.scheduler); err != nil {
		return nameError(err)
	}
	var other *deviceSpec
	var err error
	if o.with != recordName {
		if other, err = parseDevice(o.with, nil, o.seed); err != nil {
			return err
		}
	}
	from, err := parseSource(o.source)
	if err != nil {
		return err
	}
	g, _, err := a.load(ctx, o.graph, graph.WeightsAuto)
	if err != nil {
		return err
	}
	source, err := from.in(g)
	if err != nil {
		return err
	}
	c := comparison{Command: "weft " + strings.Join(a.args, " "), Algorithm: o.algorithm, Scheduler: o.scheduler, Graph: g.Name}
	if c.A, err = a.side(ctx, spec, o, g, source); err != nil {
		return err
	}
	if other != nil {
		if c.B, err = a.side(ctx, other, o, g, source); err == nil && other.real() {
			err = a.profile(ctx, &c.B, o)
		}
	} else {
		c.B, err = recordSide(record, o, g, source)
	}
	if err != nil {
		return err
	}
	if o.ncu != "" {
		if err := importCounters(&c.B, o.ncu); err != nil {
			return err
		}
	}
	if same, known := compare.SameValues(c.A, c.B); known {
		c.Same = &same
	}
	c.Error, c.Counters = finite(compare.Error(c.A.Seconds, c.B.Seconds)), compare.Counters(c.A, c.B)
	for i := range c.Counters {
		c.Counters[i].Error = finite(c.Counters[i].Error)
	}
	return a.printComparison(&c, o.json)
}

// finite replaces what JSON cannot hold.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// side runs the algorithm on a device.
func (a *app) side(ctx context.Context, spec *deviceSpec, o compareOptions, g *graph.CSR, source uint32) (compare.Side, error) {
	dev, err := spec.open(nil)
	if err != nil {
		return compare.Side{}, err
	}
	defer dev.Close()
	p := newProgress(a.stderr, o.algorithm+" on "+spec.name)
	defer p.finish()
	return runSide(ctx, dev, spec.name, catalog.Request{Algorithm: o.algorithm, Scheduler: o.scheduler, Graph: g, Source: source, Verify: true})
}

func runSide(ctx context.Context, dev device.Device, name string, req catalog.Request) (compare.Side, error) {
	res, err := catalog.Run(ctx, dev, req)
	switch {
	case res == nil: // nothing was run
		return compare.Side{}, nameError(err)
	case err != nil:
		return compare.Side{}, err
	}
	if res.Mismatch != nil {
		return compare.Side{}, fmt.Errorf("%w on %s: %v", errWrong, name, res.Mismatch)
	}
	return compare.FromResult(name, res), nil
}

// recordSide finds the record of the same run.
func recordSide(h *results.Hardware, o compareOptions, g *graph.CSR, source uint32) (compare.Side, error) {
	run := h.Find(o.algorithm, o.scheduler, g.Vertices(), g.Arcs(), source)
	if run == nil {
		var graphs []string
		for _, r := range h.Runs {
			if r.Algorithm == o.algorithm && r.Scheduler == o.scheduler && !slices.Contains(graphs, r.Graph) {
				graphs = append(graphs, r.Graph)
			}
		}
		return compare.Side{}, usagef(fmt.Sprintf("recorded on the %s: %s by %s on %s, from the source of largest degree", o.gpu, o.algorithm, o.scheduler, strings.Join(graphs, ", ")),
			"no record of %s by %s on %s from vertex %d", o.algorithm, o.scheduler, g.Name, source)
	}
	return compare.FromRecord(o.gpu, run), nil
}

// profile adds the counters of a real GPU: this program runs once more, under ncu.
func (a *app) profile(ctx context.Context, s *compare.Side, o compareOptions) error {
	if o.ncu != "" {
		return nil
	}
	args := append([]string{"run", o.algorithm, "--scheduler", o.scheduler, "--source", o.source, "--device", s.Device, "--no-verify"}, o.graph.args()...)
	launches, err := profiled(ctx, args...)
	if err != nil {
		fmt.Fprintf(a.stderr, "weft: no counters of %s: %v\n", s.Device, err)
		return nil
	}
	s.Counters = ncu.Sum(launches)
	return nil
}

// profiled runs this program again under ncu.
func profiled(ctx context.Context, args ...string) ([]ncu.Launch, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return ncu.Run(ctx, []string{worker.InProcess + "=1"}, exe, args...)
}

// importCounters reads them from a file.
func importCounters(s *compare.Side, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	launches, err := ncu.Parse(file, f)
	if err != nil {
		return err
	}
	s.Counters = ncu.Sum(launches)
	return nil
}

func (a *app) printComparison(c *comparison, asJSON bool) error {
	if asJSON {
		return a.printJSON(c)
	}
	answer := "both are right (the second is a record)"
	if c.Same != nil {
		answer = map[bool]string{true: "both are right, and equal to the last bit", false: "both are right, and differ in rounding"}[*c.Same]
	}
	rows := [][]string{
		{"compare", fmt.Sprintf("%s by %s on %s", c.Algorithm, c.Scheduler, c.Graph)},
		{"answer", answer},
	}
	table(a.stdout, "", []align{left, left}, rows)
	fmt.Fprintln(a.stdout)
	lines := [][]string{{"", c.A.Device, c.B.Device, "error"}, {"kernel time, ms", significant(c.A.Seconds * 1e3), significant(c.B.Seconds * 1e3), percent(c.A.Seconds, c.B.Seconds)}}
	for _, x := range c.Counters {
		lines = append(lines, []string{x.Name, number(x.A), number(x.B), percent(x.A, x.B)})
	}
	table(a.stdout, "", []align{left, right, right, right}, lines)
	return nil
}

// percent is the error of a against b.
func percent(a, b float64) string {
	e := compare.Error(a, b)
	if math.IsNaN(e) {
		return "-"
	}
	return fmt.Sprintf("%+.1f%%", 100*e)
}
