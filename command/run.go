package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/calibrate"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/view/report"
	"github.com/weft-gpu/weft/scheduler"
)

// runOptions holds the flags of `weft run`.
type runOptions struct {
	algorithm string
	scheduler string
	graph     graphs.Named
	source    string
	deviceFlags
	order         scheduleFlags
	explore       exploreFlags
	params        []string
	block         int
	maxIterations int
	cpu           bool
	noVerify      bool
	expect        string
	tolerance     float64
	answer        string
	detail        string
	annotate      string // what requests to record where the time is spent; "" for nothing
	trials        trialFlags
	changed       func(flag string) bool
	loaded        *loadedGraph // nil until it is loaded
	chosenGPUs    *choice.GPUs // of --gpus auto; nil without
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run ALGORITHM|./dir.Type [flags]",
		Short: "Run an algorithm on a device and check its answer",
		Long: `Runs a graph algorithm on a device, compares the answer with a reference computed
on the CPU or with a file (--expect), and prints cycles and counters.

An algorithm is one of ours ("weft list algorithms") or your own type: ./dir.Type
compiles the Go package in ./dir and runs its type Type.

Exit codes:
` + exitHelp(),
		Example: `  weft run bfs
  weft run bfs --graph roads.gr.gz --source 1 --scheduler thread
  weft run bfs --graph roads.gr.gz --scheduler auto
  weft run sssp --graph rmat:scale=14,degree=16,seed=1 --device sim:v100 --counters
  weft run pagerank --device func --param damping=0.9 --json
  weft run sssp --graph roads.gr.gz --cpu           # and the times of this machine's processor
  weft run bfs --graph roads.gr.gz --protocol gap   # from 64 start vertices
  weft run bfs --device sim:h200 --set sm.count=16,l2.latency=200
  weft run bfs --pprof bfs.pb.gz --trace bfs.json   # go tool pprof -http : bfs.pb.gz; ui.perfetto.dev
  weft run ./mydir.MyAlgorithm --scheduler block
  weft run ./mydir.MyAlgorithm --expect answers.txt --tolerance 1e-5`,
		Args: between("ALGORITHM or ./dir.Type", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.algorithm, o.changed = args[0], cmd.Flags().Changed
			if o.gpus == autoGPUs {
				if err := a.chooseGPUs(cmd.Context(), &o); err != nil {
					return err
				}
			}
			if o.changed("explore") || o.explore.keep {
				return a.exploreRun(cmd.Context(), o)
			}
			p, err := o.checkTrials()
			switch {
			case err != nil:
				return err
			case o.trials.asked():
				return a.trialsOf(cmd.Context(), o, p)
			}
			return a.run(cmd.Context(), o)
		},
	}
	o.register(cmd)
	o.trials.register(cmd)
	flag(cmd, &o.threads, option.HostThreads)
	flag(cmd, &o.sampled, option.Sample)
	return cmd
}

// register adds the flags of a run.
func (o *runOptions) register(cmd *cobra.Command) {
	o.deviceFlags.register(cmd)
	o.order.register(cmd)
	o.explore.register(cmd)
	flag(cmd, &o.scheduler, option.Scheduler)
	flag(cmd, &o.graph.Spec, option.Graph)
	registerGraph(cmd, &o.graph)
	flag(cmd, &o.source, option.Source)
	flag(cmd, &o.params, option.Param)
	flag(cmd, &o.block, option.BlockParam)
	flag(cmd, &o.maxIterations, option.MaxIterations)
	flag(cmd, &o.detail, option.Detail)
	flag(cmd, &o.cpu, option.CPU)
	flag(cmd, &o.noVerify, option.NoVerify)
	flag(cmd, &o.expect, option.Expect)
	flag(cmd, &o.tolerance, option.Tolerance)
	flag(cmd, &o.answer, option.Answer)
}

// run runs an algorithm as the flags say and prints the result.
func (a *app) run(ctx context.Context, o runOptions) error {
	j, err := a.job(ctx, o)
	if err != nil {
		return err
	}
	r, err := j.run(ctx)
	if r == nil {
		return err
	}
	if o.json {
		return errors.Join(format.JSON(a.stdout, r), j.write(ctx, r), err)
	}
	report.Run(a.stdout, r, o.counters)
	return errors.Join(j.write(ctx, r), err)
}

// job is a requested run and the files that it writes.
type job struct {
	app       *app
	request   run.Request
	answer    *outfile.File // nil if not requested
	path      string        // path of the answer, as given
	collected *collection
	notes     []string // on the command line
	// scheme is the scheduler, named or chosen, and schemeParams has all its
	// parameters.
	scheme       string
	schemeParams map[string]string
}

// job checks the whole command line before it starts anything that takes time,
// and loads the graph.
func (a *app) job(ctx context.Context, o runOptions) (*job, error) {
	entry, err := catalog.Named(o.algorithm, o.scheduler)
	if err != nil {
		return nil, cmp.Or(isKernelError(o.algorithm, o.annotate), run.Refused(err))
	}
	if o.cpu {
		if err := run.CheckCPU(o.algorithm); err != nil {
			return nil, err
		}
	}
	if o.control, err = o.order.control(ctx); err != nil {
		return nil, err
	}
	spec, err := o.spec()
	if err != nil {
		return nil, err
	}
	detail, err := devices.ParseDetail(o.detail, spec)
	if err != nil {
		return nil, err
	}
	if err := o.page.check(spec); err != nil {
		return nil, err
	}
	given, err := o.parameters(entry)
	if err != nil {
		return nil, err
	}
	from, err := run.ParseSource(o.source)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(o.graph.Check(), fitsAlgorithm(entry, o.changed)); err != nil {
		return nil, err
	}
	if err := o.checkExpect(entry); err != nil {
		return nil, err
	}
	files := a.outputs([]string{o.graph.Spec}, []string{o.algorithm}).reads(spec)
	if o.expect != "" {
		files.plan.Reads("the answer that is read", o.expect)
	}
	j := &job{app: a, path: o.answer, notes: o.unused(o.changed, spec)}
	if j.answer, err = files.file("--answer", o.answer); err != nil {
		return nil, err
	}
	if j.collected, err = collect(o.deviceFlags, o.annotate, spec, files); err != nil {
		return nil, err
	}
	if o.loaded == nil {
		o.loaded = &loadedGraph{}
		if o.loaded.graph, o.loaded.notes, err = o.graph.Load(ctx, a.stderr); err != nil {
			return nil, err
		}
	}
	g, notes := o.loaded.graph, o.loaded.notes
	if o.scheduler == catalog.Auto { // its parameters could not be checked before
		if entry, err = catalog.Resolve(ctx, o.algorithm, o.scheduler, g, spec.GPUs); err != nil {
			return nil, run.Refused(err)
		}
		if given, err = o.parameters(entry); err != nil {
			return nil, err
		}
	}
	params, err := entry.Parameters(given)
	if err != nil {
		return nil, o.parameterError(err)
	}
	j.scheme, j.schemeParams = entry.Scheduler.Name, params.Scheduler
	j.request = run.Request{
		Algorithm: o.algorithm, Scheduler: o.scheduler, Params: given, Graph: g, Notes: notes, Source: from, Device: spec, ChosenGPUs: o.chosenGPUs,
		Watch:    devices.Watch{Profile: j.collected.profile, Trace: j.collected.trace, Detail: detail, Page: o.page.served(a.stderr)},
		NoVerify: o.noVerify, CPU: o.cpu,
	}
	j.request.Expected, err = o.expected(ctx, entry, g)
	return j, err
}

// checkExpect rejects invalid combinations of the flags for comparing with a
// file.
func (o runOptions) checkExpect(e catalog.Entry) error {
	switch {
	case o.expect == "" && o.changed("expect"):
		return usage.Errorf("write --expect FILE", "--expect: no file given")
	case o.expect != "" && o.noVerify:
		return usage.Errorf("leave one out", "--expect compares the answer, --no-verify does not")
	case o.expect == "" && o.changed("tolerance"):
		return usage.Errorf("write --expect FILE with it", "--tolerance: there is no file to compare the answer with")
	case !(o.tolerance >= 0 && o.tolerance < 1):
		return usage.Errorf("write a part of the expected value, such as --tolerance 1e-5", "--tolerance: %v is not a number from 0 to below 1", o.tolerance)
	case o.tolerance > 0 && !run.Rounds(e):
		return usage.Errorf("leave it out", "--tolerance: the values of %s are whole numbers, which must be equal", e.Algorithm.Name)
	}
	return nil
}

// expected reads the file of --expect; it returns nil if there is none.
func (o runOptions) expected(ctx context.Context, e catalog.Entry, g *graph.CSR) (*run.Expected, error) {
	if o.expect == "" {
		return nil, nil
	}
	f, _, err := infile.Open(ctx, o.expect)
	if err != nil {
		return nil, fmt.Errorf("--expect: %s: %w", o.expect, err)
	}
	defer func() { _ = f.Close() }() // only read, so closing cannot lose data
	x, err := run.ReadExpected(ctx, f, o.expect, e, g)
	if err != nil {
		return nil, fmt.Errorf("--expect: %w", err)
	}
	x.Tolerance = o.tolerance
	return x, nil
}

// run runs the job, with a progress bar, and writes the answer. The result is
// nil if nothing was run. The error determines the exit code, after the result
// has been printed.
func (j *job) run(ctx context.Context) (*run.Result, error) {
	w := &runWatch{bar: progressbar.New(j.app.stderr, j.request.Algorithm+" on "+j.request.Device.Name), start: time.Now()}
	j.request.Watch.Progress, j.request.Progress = w.inside, w.ended
	r, err := run.Run(ctx, j.request)
	w.bar.Finish()
	if r == nil {
		return nil, err
	}
	run.CureOf(ctx, j.request, r.Races)
	j.warn(ctx, r)
	r.Notes = append(r.Notes, j.notes...)
	r.Command = "weft " + strings.Join(j.app.args, " ")
	r.Calibration = calibrate.Measured{What: calibrate.Name, Rate: j.app.calibrate()}
	if err == nil && r.Err() == nil { // a wrong answer must not replace a correct one
		err = j.answer.Write(ctx, func(w io.Writer) error { return run.WriteAnswer(w, j.request.Graph, r.Values) })
	}
	return r, errors.Join(j.collected.hang.write(ctx, j.verdict(r, err)), r.RaceErr())
}

// write writes the files with the recordings of the run.
func (j *job) write(ctx context.Context, r *run.Result) error {
	return j.collected.write(ctx, &r.Work, r.Error, map[string]string{
		"command": r.Command, "device": r.Device, "graph": r.Graph.Name, "weft": cmp.Or(r.Build.Commit, r.Build.Version),
	})
}

// verdict returns the error of a run that ended with err.
func (j *job) verdict(r *run.Result, err error) error {
	switch wrong := r.Err(); {
	case signals.Ended(err):
		return interrupted(err, signals.Interrupted)
	case err != nil || wrong == nil:
		return err
	case j.answer != nil:
		return usage.WithHint(wrong, "--answer: "+j.path+" was not written; with --no-verify it is")
	default:
		return wrong
	}
}

// shortForms are the flags that stand for parameters of a scheme.
var shortForms = []string{"block", "max-iterations"}

// parameters returns the values that --param and its short forms set, by name. It
// rejects those that the algorithm and the scheme do not take, unless the scheme is
// still to be chosen.
func (o runOptions) parameters(e catalog.Entry) (map[string]string, error) {
	if e.Scheduler.Name == "" {
		return parseParams(o.params)
	}
	given, err := o.given(e.Scheduler)
	if err != nil {
		return nil, err
	}
	if _, err := e.Parameters(given); err != nil {
		return nil, o.parameterError(err)
	}
	return given, nil
}

// given returns the values that --param and its short forms set, by name.
func (o runOptions) given(s scheduler.Scheme) (map[string]string, error) {
	given, err := parseParams(o.params)
	if err != nil {
		return nil, err
	}
	for i, value := range []int{o.block, o.maxIterations} {
		flag := shortForms[i]
		if !o.changed(flag) {
			continue
		}
		if !slices.Contains(s.ParamNames(), flag) {
			return nil, usage.Errorf("\"weft list schedulers\" has the parameters of each", "--%s: scheduler %s has no such parameter", flag, s.Name)
		}
		full := s.Name + "." + flag
		if _, twice := given[full]; twice {
			return nil, usage.Errorf("", "--%s: --param %s sets it, too", flag, full)
		}
		given[full] = strconv.Itoa(value)
	}
	return given, nil
}

// parseParams returns the values that --param sets, by name.
func parseParams(texts []string) (map[string]string, error) {
	given := map[string]string{}
	var names []string
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if !ok || name == "" || value == "" {
				return nil, usage.Errorf("write --param NAME=VALUE,..., such as --param damping=0.9", "--param: %q is not NAME=VALUE", part)
			}
			given[name], names = value, append(names, name)
		}
	}
	return given, usage.Once(option.Param, names)
}

// parameterError returns the usage error for parameters that the catalog
// rejects. For a parameter that was given in its short form, it names the short
// form.
func (o runOptions) parameterError(err error) error {
	var p *scheduler.ParamError
	if errors.As(err, &p) && slices.Contains(shortForms, p.Param) && o.changed(p.Param) {
		return usage.Errorf("", "--%s: %v", p.Param, p.Err)
	}
	return run.Refused(err)
}

// fitsAlgorithm rejects flags that have no meaning for an algorithm.
func fitsAlgorithm(e catalog.Entry, changed func(flag string) bool) error {
	if changed("weights") && !e.Type.Weighted {
		return usage.Errorf("leave it out", "--weights: %s does not use weights", e.Algorithm.Name)
	}
	return fitsSources(e, changed)
}

// warn prints what may be wrong with the kernels that ran an algorithm of the
// user's own.
func (j *job) warn(ctx context.Context, r *run.Result) {
	if !strings.HasPrefix(r.Algorithm, ".") && !strings.HasPrefix(r.Algorithm, "/") {
		return
	}
	c, err := catalog.Kernels()
	if err != nil {
		return
	}
	var list []*device.Kernel
	for _, k := range r.Kernels {
		if compiled, err := c.Kernel(ctx, k.Name, nil); err == nil { // otherwise it needs constants
			list = append(list, compiled)
		}
	}
	j.app.warn(list...)
}
