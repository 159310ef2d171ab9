package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/buildinfo"
	"github.com/weft-gpu/weft/internal/calibrate"
	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/progressbar"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/sim/monitor"
)

// maxDegree is the word for the source of largest degree.
const maxDegree = "max-degree"

// runOptions are the flags of `weft run`.
type runOptions struct {
	algorithm     string
	scheduler     string
	graph         graphFlags
	source        string
	device        string
	set           []string
	seed          uint64
	params        []string
	block         int
	maxIterations int
	json          bool
	noVerify      bool
	counters      bool
	answer        string
	detail        string
	page          watchPage
	check         bool
	deadline      time.Duration
	budget        uint64
	unwritten     bool
	pprof         string
	trace         string
	annotate      bool   // print where the time goes instead of counters
	top           int    // of the annotation: lines and addresses
	against       string // of the annotation: a scheduler to compare with
	changed       func(flag string) bool
	keep          *kept // where not nil: keep the annotation and print nothing
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run ALGORITHM|./dir.Type [flags]",
		Short: "Run an algorithm on a device, and check its answer",
		Long: `Runs a graph algorithm on a device, compares the answer with a reference computed
on the CPU, and prints cycles and counters.

An algorithm is one of ours ("weft list algorithms") or a type of your own:
./dir.Type compiles the Go package in ./dir and runs its type Type.

Exit codes:
` + exitHelp(),
		Example: `  weft run bfs
  weft run bfs --graph roads.gr.gz --source 1 --scheduler thread
  weft run sssp --graph rmat:scale=14,degree=16,seed=1 --device sim:v100 --counters
  weft run pagerank --device func --param damping=0.9 --json
  weft run bfs --device sim:h200 --set sm.count=16,l2.latency=200
  weft run bfs --pprof bfs.pb.gz --trace bfs.json   # go tool pprof -http : bfs.pb.gz; ui.perfetto.dev
  weft run ./mydir.MyAlgorithm --scheduler block`,
		Args: between("ALGORITHM or ./dir.Type", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.algorithm, o.changed = args[0], cmd.Flags().Changed
			return a.run(cmd.Context(), o)
		},
	}
	o.register(cmd)
	return cmd
}

// register adds the flags of a run.
func (o *runOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.scheduler, "scheduler", "warp", "how work is distributed; \"weft list schedulers\"")
	f.StringVar(&o.graph.spec, "graph", graph.DemoName, "file, generator or demo; \"weft graph --help\"")
	o.graph.register(cmd)
	f.StringVar(&o.source, "source", maxDegree, "vertex to start from, where the algorithm has one: its id in the graph's file, or max-degree")
	f.StringVar(&o.device, "device", "sim:h200", "func or sim:PRESET; \"weft list devices\"")
	f.StringArrayVar(&o.set, "set", nil, "parameters of the simulated machine: sm.count=16,l2.latency=200; \"weft list parameters\"")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the simulated machine's random choices")
	f.StringArrayVar(&o.params, "param", nil, "parameters of the algorithm: damping=0.9; \"weft list algorithms\"")
	f.IntVar(&o.block, "block", 0, "threads a block, a multiple of 32 (default the scheduler's)")
	f.IntVar(&o.maxIterations, "max-iterations", 0, "give up after as many (default 1000 more than there are vertices)")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVar(&o.detail, "detail", "", "simulate only these launches at cycle level, the others functionally: launches=10-20")
	f.IntVar(&o.page.port, "monitor", 0, "show the simulation in a browser at this port while it runs (Akita's monitor)")
	f.StringVar(&o.page.address, "monitor-address", monitor.Loopback, "address of this machine that --monitor listens at; 0.0.0.0 lets other machines in, who may pause it")
	f.BoolVar(&o.noVerify, "no-verify", false, "do not compare the answer with the CPU reference")
	f.BoolVar(&o.counters, "counters", false, "print all counters, not the key ones only")
	f.BoolVar(&o.check, "check", false, "on a real GPU: keep bounds and divisor checks (simulated devices always do)")
	f.DurationVar(&o.deadline, "deadline", 0, "on a real GPU: end a kernel that runs longer, and say where it was (such as 5s)")
	f.Uint64Var(&o.budget, "budget", 0, "end a launch that takes more cycles (on func: warp instructions) as undecided; 0 for no limit")
	f.BoolVar(&o.unwritten, "allow-unwritten", false, "on func: let kernels read memory that nobody has written, which is an error otherwise")
	f.StringVar(&o.answer, "answer", "", "write vertex and value, a line each, to this file")
	f.StringVar(&o.pprof, "pprof", "", "write simulated cycles by source line, for \"go tool pprof\", to this file")
	f.StringVar(&o.trace, "trace", "", "write launches, blocks and load over time, for Perfetto, to this file")
}

// run checks the whole command line before it starts anything that takes time.
func (a *app) run(ctx context.Context, o runOptions) error {
	entry, err := catalog.Lookup(o.algorithm, o.scheduler)
	if err != nil {
		return nameError(err)
	}
	spec, err := devices.New(o.device, devices.Options{Set: o.set, Seed: o.seed, Budget: o.budget, Unwritten: o.unwritten, Check: o.check, Deadline: o.deadline})
	if err != nil {
		return err
	}
	detail, err := devices.ParseDetail(o.detail, spec)
	if err != nil {
		return err
	}
	if err := o.page.check(spec); err != nil {
		return err
	}
	params, err := a.parseParams(entry.Algorithm, o.params)
	if err != nil {
		return err
	}
	from, err := parseSource(o.source)
	if err != nil {
		return err
	}
	if err := cmp.Or(checkNumbers(o), o.graph.check(), fitsAlgorithm(entry.Algorithm, o.changed)); err != nil {
		return err
	}
	files := a.outputs([]string{o.graph.spec}, []string{o.algorithm})
	out, err := files.file("--answer", o.answer)
	if err != nil {
		return err
	}
	col, err := collect(o, spec, files)
	if err != nil {
		return err
	}
	g, notes, err := a.load(ctx, o.graph)
	if err != nil {
		return err
	}
	start, err := from.in(g)
	if err != nil {
		return err
	}
	facts, err := g.Facts(ctx)
	if err != nil {
		return err
	}
	w := &runWatch{bar: progressbar.New(a.stderr, o.algorithm+" on "+o.device), start: time.Now()}
	defer w.bar.Finish()
	dev, err := spec.Open(ctx, devices.Watch{Progress: w.inside, Profile: col.profile, Trace: col.trace, Detail: detail, Page: o.page.served(a.stderr)})
	if err != nil {
		return err
	}
	r := &runResult{
		Command: "weft " + strings.Join(a.args, " "), Build: buildinfo.This(),
		Algorithm: o.algorithm, Scheduler: o.scheduler, Kernel: entry.Kernel,
		Device: o.device, Parameters: spec.Overrides(), Seed: o.seed, Detail: detail,
		Graph: graphFacts{facts, notes}, AlgParams: params,
		Counters: map[string]float64{},
	}
	if id := g.FileID(start); entry.Algorithm.HasSource() {
		r.Source = &id
	}
	clock := &timed{Device: dev}
	began := time.Now()
	res, err := catalog.Run(ctx, clock, catalog.Request{
		Algorithm: o.algorithm, Scheduler: o.scheduler, Graph: g, Source: start, Params: given(o.params),
		Verify: !o.noVerify, Block: o.block, MaxIterations: o.maxIterations, Progress: w.ended,
	})
	w.bar.Finish()
	err = errors.Join(err, dev.Close())
	if res == nil {
		return nameError(err)
	}
	res.Values = fileIDs(entry.Algorithm, g, res.Values)
	r.WallSeconds, r.LaunchWallSeconds = format.Since(began), clock.inside.Seconds()
	r.PeakMemory = peakMemory()
	r.fill(res, err)
	r.Calibration = calibration{calibrate.Name, a.calibrate()}
	if err == nil && r.Answer != answerWrong { // a wrong one takes no right one's place
		err = out.Write(ctx, func(w io.Writer) error { return writeAnswer(w, g, res.Values) })
	}
	show := a.print
	if o.annotate {
		show = func(r *runResult, o runOptions) error { return a.showAnnotation(r, col.profile, o) }
	}
	return errors.Join(show(r, o), col.write(ctx, r), a.verdict(r, o, err))
}

// verdict is the error that the exit code comes from, after the result was printed.
func (a *app) verdict(r *runResult, o runOptions, err error) error {
	switch {
	case hasEnded(err):
		return errInterrupted
	case err != nil:
		return err
	case r.Answer == answerWrong:
		err = fmt.Errorf("%w: %s", errWrong, r.Why)
		if o.answer != "" {
			return usage.WithHint(err, "--answer: "+o.answer+" was not written; with --no-verify it is")
		}
		return err
	}
	return nil
}

// checkNumbers refuses sizes that no run can have.
func checkNumbers(o runOptions) error {
	if o.block != 0 && (o.block < 32 || o.block > 1024 || o.block%32 != 0) {
		return usage.Errorf("", "--block: %d is not a multiple of 32 from 32 to 1024", o.block)
	}
	if o.maxIterations < 0 {
		return usage.Errorf("", "--max-iterations: %d is negative", o.maxIterations)
	}
	return nil
}

// given splits the --param assignments, which parseParams has checked.
func given(texts []string) map[string]string {
	m := map[string]string{}
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(part, "=")
			m[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return m
}

// parseParams checks --param against the algorithm and returns the value of
// each parameter, defaults included; nil where there is none.
func (a *app) parseParams(alg catalog.Algorithm, texts []string) (map[string]string, error) {
	all, err := catalog.Params(alg)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(all))
	var given []string
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok || name == "" || value == "" {
				return nil, usage.Errorf("write --param NAME=VALUE,..., such as --param damping=0.9", "--param: %q is not NAME=VALUE", part)
			}
			if _, known := all[name]; !known {
				if len(names) == 0 {
					return nil, usage.Errorf("", "--param: %s has no parameters", alg.Name)
				}
				return nil, usage.Unknown("parameter of "+alg.Name, name, names, "")
			}
			all[name], given = value, append(given, name)
		}
	}
	if err := usage.Once("param", given); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// nameError is the usage error for a request that the catalog refuses before it
// runs anything: a wrong name gets its nearest neighbour. What is wrong in a
// user's source is no usage error, and neither is what a run ended by.
func nameError(err error) error {
	var source compile.Errors
	var u *catalog.UnknownError
	switch {
	case errors.As(err, &source), hasEnded(err):
		return err
	case errors.Is(err, graph.ErrWeights):
		return usage.WithHint(err, weightsHint)
	case !errors.As(err, &u):
		return usage.Errorf("", "%v", err)
	}
	e := usage.Unknown(u.What, u.Name, u.Have, "").(*usage.Error)
	if u.Hint != "" {
		e.Hint += "\n" + u.Hint
	}
	return e
}
