package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/slurm"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// sweepOptions holds the flags of `weft sweep`.
type sweepOptions struct {
	what                      string // SPEC or ALGORITHM
	out, plots                string
	jobs                      int
	dryRun, retry, json       bool
	timeout, progress, limit  time.Duration
	where                     []string
	folder                    string // of graph files
	on                        string // the device to which all points move; "" for none
	schedulers, devices       []string
	graphs, set, params, vary []string
	changed                   func(flag string) bool
	moved                     *sweep.Moved   // what on did; nil if it is ""
	altered                   *sweep.Changed // what set did to a specification; nil if it is ""
	cluster                   clusterFlags
}

func (a *app) sweepCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep SPEC.yaml|ALGORITHM,...|KERNEL [flags]",
		Short: "Run every point of a study, in parallel, and keep the results",
		Long: `Runs all points of a study and adds the results to a file, an SQLite database. Points
whose results are in the file do not run again: after Ctrl-C or a crash the same
command does the rest. A point that fails, hangs or gives a wrong answer is a result.

SPEC.yaml is a specification; docs/studies.md explains it. Instead of one, flags say
what to cross: each takes several values. A value may be a range, first:last:step, or
1:64:*2 for 1, 2, 4, ... 64. With --vary grid=... the argument is a kernel to launch.

On a real GPU points run one after the other; each runs once untimed and then as often as
repeat: of the specification says. --limit ends a sweep that the same command continues.

Exit codes:
` + exitHelp(),
		Example: `  weft sweep study.yaml --dry-run
  weft sweep study.yaml --out results.db -j 2
  weft sweep bfs --set l2.latency=66:528:66 --scheduler thread,warp,block
  weft sweep bfs,sssp --graph 'rmat:scale={8:12:2}' --param block=64,128,256 --vary seed=1:5:1
  weft sweep ./mydir.Scale --vary grid=1:64:*2 --vary block=64,256 --vary arg.x=random:4096 --device sim:h200
  weft sweep experiments/studies/peers.yaml --device hw --graphs graphs --limit 8m
  weft sweep experiments/papers/simdx.yaml --on hw
  weft sweep study.yaml --engine slurm --partition long --time 2:00:00 --mem 4G`,
		Args: between("SPEC.yaml or ALGORITHM", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.what, o.changed, o.devices = args[0], cmd.Flags().Changed, wholeDevices(o.devices)
			return a.sweep(cmd.Context(), o)
		},
	}
	flag(cmd, &o.out, option.Out)
	flag(cmd, &o.plots, option.Plots)
	flag(cmd, &o.jobs, option.Jobs)
	flag(cmd, &o.dryRun, option.DryRun)
	flag(cmd, &o.retry, option.Retry)
	flag(cmd, &o.timeout, option.Timeout)
	flag(cmd, &o.limit, option.TimeLimit)
	flag(cmd, &o.where, option.WherePoints)
	flag(cmd, &o.folder, option.GraphFolder)
	flag(cmd, &o.json, option.JSON)
	flag(cmd, &o.progress, option.ProgressInterval)
	flag(cmd, &o.schedulers, option.Schedulers)
	flag(cmd, &o.devices, option.Devices)
	flag(cmd, &o.on, option.On)
	flag(cmd, &o.graphs, option.Graphs)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.params, option.Param)
	flag(cmd, &o.vary, option.Vary)
	o.cluster.register(cmd)
	return cmd
}

// isSpec reports whether the argument of weft sweep is a file.
func isSpec(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

// crossFlags are the flags that a specification replaces.
var crossFlags = []string{"scheduler", "graph", "param", "vary"}

// spec returns the specification that the arguments name or are.
func (o *sweepOptions) spec(ctx context.Context) (*spec.Spec, error) {
	if isSpec(o.what) {
		for _, flag := range crossFlags {
			if o.changed(flag) {
				return nil, usage.Errorf("write it into the file, or leave the file out", "--%s goes with an algorithm, not with the specification %s", flag, o.what)
			}
		}
		s, err := spec.Load(ctx, o.what, sweep.Check)
		var mistakes spec.Errors
		if errors.As(err, &mistakes) {
			return nil, usage.Errorf("docs/studies.md explains specifications", "%v", mistakes)
		}
		if err != nil {
			return nil, err
		}
		return s, o.fit(s)
	}
	var list []spec.Setting
	add := func(name, flag string, values ...string) {
		for _, v := range values {
			list = append(list, spec.Setting{Name: name, Value: v, Place: flag})
		}
	}
	algorithms := strings.Split(o.what, ",")
	if slices.ContainsFunc(o.vary, func(v string) bool { return strings.HasPrefix(v, "grid=") }) { // only launches have a grid
		algorithms = []string{o.what} // whose type arguments may have commas
		add("kernel", "KERNEL", o.what)
	} else {
		add("algorithm", "ALGORITHM", algorithms...)
	}
	add("scheduler", "--scheduler", o.schedulers...)
	add("device", "--device", o.devices...)
	add("graph", "--graph", o.graphs...)
	for _, c := range []struct {
		flag, prefix, example string
		texts                 []string
	}{{"set", "", "l2.latency=66:528:66", o.set}, {"param", "param.", "block=64,128", o.params}, {"vary", "", "seed=1:5:1", o.vary}} {
		settings, err := valueLists(c.flag, c.example, c.texts)
		if err != nil {
			return nil, err
		}
		for _, s := range settings {
			add(c.prefix+s.Name, "--"+c.flag, s.Value)
		}
	}
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.Join(algorithms, "-")), "-")
	s, err := spec.Cross(name, list, sweep.Check)
	var mistake *usage.Error
	if err != nil && !errors.As(err, &mistake) {
		err = usage.Errorf("", "%v", err)
	}
	if err != nil {
		return nil, err
	}
	return s, o.fit(s)
}

// fit takes over what the flags say of the points of a specification.
func (o *sweepOptions) fit(s *spec.Spec) error {
	s.GraphFolder = o.folder
	if o.on != "" {
		if !isSpec(o.what) || len(o.devices) > 0 {
			return usage.Errorf("with flags, --device alone says where all points run", "--on goes with a specification, and without --device")
		}
		if err := sweep.Check(option.Device.Key, o.on); err != nil {
			return err // with the names that are probably meant
		}
		var err error
		if o.moved, err = sweep.Move(s, o.on, option.On.String()); err != nil {
			return usage.Errorf("", "%s: %v", option.On, err)
		}
	}
	if len(o.set) > 0 && isSpec(o.what) {
		list, err := valueLists(option.Set.Name, "sm.count=16", o.set)
		if err != nil {
			return err
		}
		if o.altered, err = sweep.Change(s, list); err != nil {
			return usage.Errorf("", "%s: %v", option.Set, err)
		}
	}
	if len(o.devices) > 0 && isSpec(o.what) {
		if len(o.devices) > 1 {
			return usage.Errorf("write them into the file, under vary:", "--device: a specification runs on one device that the command line names, not on %d", len(o.devices))
		}
		if err := sweep.Check(option.Device.Key, o.devices[0]); err != nil {
			return err
		}
		if err := s.Set(spec.Setting{Name: option.Device.Key, Value: o.devices[0], Place: option.Device.String()}); err != nil {
			return usage.Errorf("leave one of them out", "%s: %v", option.Device, err)
		}
	}
	for _, c := range o.where {
		if err := s.Keep(c); err != nil {
			return usage.Errorf("", "%s: %v", option.WherePoints, err)
		}
	}
	return nil
}

// valueLists parses "l2.latency=66:528:66,sm.count=16,32": a part without = is another value
// of the name before it.
func valueLists(flag, example string, texts []string) (list []spec.Setting, err error) {
	for _, text := range texts {
		last := ""
		for part := range strings.SplitSeq(text, ",") {
			name, value, ok := strings.Cut(part, "=")
			if !ok {
				name, value = last, part
			}
			if name == "" || value == "" {
				return nil, usage.Errorf("such as --"+flag+" "+example, "--%s: %q is not NAME=VALUE,...", flag, text)
			}
			list, last = append(list, spec.Setting{Name: name, Value: value}), name
		}
	}
	return list, nil
}

// sweepReport is the object that --json prints.
type sweepReport struct {
	Name    string               `json:"name"`
	Moved   *sweep.Moved         `json:"moved,omitempty"`   // what --on did
	Changed *sweep.Changed       `json:"changed,omitempty"` // what --set did to a specification
	Out     string               `json:"out"`
	Points  int                  `json:"points"`
	Runs    int                  `json:"runs"`           // points with their repetitions
	Same    int                  `json:"same,omitempty"` // of these, those that depend on nothing in which they differ from another one
	Missing int                  `json:"missing"`
	Refused []refusedPoint       `json:"refused,omitempty"`
	Tasks   []map[string]string  `json:"tasks,omitempty"` // what is missing, in a dry run
	Ran     int                  `json:"ran"`
	Status  map[store.Status]int `json:"status,omitempty"`
	Reasons []reason             `json:"reasons,omitempty"`  // why runs did not end well, the most frequent first
	Outlook *sweep.Outlook       `json:"forecast,omitempty"` // in a dry run
	Wall    float64              `json:"wall_seconds,omitempty"`
	Busy    float64              `json:"busy_seconds,omitempty"` // sum over the points
	// Launches is the part of Busy inside launches: the simulation itself. Plan is the time until the
	// first point began, and Outside all else that the jobs did.
	Launches float64 `json:"launch_seconds,omitempty"`
	Plan     float64 `json:"plan_seconds,omitempty"`
	Outside  float64 `json:"outside_seconds,omitempty"`
	Retried  int     `json:"retried,omitempty"` // tasks of a cluster that were submitted again
	// Cancelled are tasks of a cluster that were ended.
	Cancelled int `json:"cancelled,omitempty"`
}

// refusedPoint is a point whose algorithm and scheduler do not go together.
type refusedPoint struct {
	Point string `json:"point"`
	Why   string `json:"why"`
}

func (a *app) sweep(ctx context.Context, o sweepOptions) error {
	if o.timeout < 0 {
		return usage.Errorf("such as --timeout 10m", "--timeout: %v is negative", o.timeout)
	}
	if o.limit < 0 {
		return usage.Errorf("such as --limit 8m", "--limit: %v is negative", o.limit)
	}
	if o.progress < 0 {
		return usage.Errorf("such as --progress 1m, or 0 for none", "--progress: %v is negative", o.progress)
	}
	if err := o.cluster.check(&o); err != nil {
		return err
	}
	began := time.Now()
	s, err := o.spec(ctx)
	if err != nil {
		return err
	}
	plots, err := plotsOf(s) // with its mistakes before hours of simulation
	if err != nil {
		return err
	}
	if o.cluster.worker == "" {
		if err := a.doubtPlots(s, plots); err != nil {
			return err
		}
	}
	if o.plots != "" && len(plots) == 0 {
		return usage.Errorf("docs/plots.md explains them", "--plots: %s has no plots:", o.what)
	}
	plan, err := o.plan(ctx, s)
	if signals.Ended(err) {
		return err
	}
	if err != nil {
		return planError(err)
	}
	if o.out == "" {
		o.out = s.Name + ".db"
	}
	r := &sweepReport{Name: s.Name, Moved: o.moved, Changed: o.altered, Out: o.out, Points: len(s.Points), Runs: len(plan.Tasks), Same: plan.Same()}
	refused, why := plan.Refused()
	for i, t := range refused {
		r.Refused = append(r.Refused, refusedPoint{t.Name(), why[i].Error()})
	}
	switch {
	case o.cluster.worker != "":
		return a.sweepWorker(ctx, o, plan)
	case o.dryRun:
		return a.dryRun(ctx, o, plan, r)
	case o.cluster.engine == engineSlurm:
		if err := a.sweepSlurm(ctx, o, plan, r); err != nil || o.plots == "" || o.cluster.cancel {
			return err
		}
		return a.drawSwept(ctx, o, plots)
	}
	st, release, err := reserve(ctx, o.out)
	if err != nil {
		return err
	}
	defer release()
	todo, err := plan.Missing(ctx, st, o.retry)
	if err != nil {
		return err
	}
	if err := st.Spell(ctx, plan.Spelled()); err != nil {
		return err
	}
	r.Missing, r.Plan = len(todo), time.Since(began).Seconds()
	bar := o.bar(a.stderr, s.Name)
	bad := 0
	limited, cancel := o.limited(ctx)
	defer cancel()
	sum, err := plan.Run(limited, st, todo, sweep.Running{Command: a.line(), Jobs: o.jobs, Timeout: o.timeout, Progress: func(p sweep.Progress) {
		if p.Ended != nil && p.Run != nil && p.Run.Status != store.OK {
			bad++
		}
		bar.Update(int64(p.Done), int64(p.Tasks), progressText(bad, p.Left))
	}})
	bar.Finish()
	if sum != nil {
		r.Ran, r.Status, r.Wall, r.Busy = sum.Ran, sum.ByStatus, sum.Wall.Seconds(), sum.Busy.Seconds()
		r.Reasons = reasonsOf(sum.Reasons)
		r.Launches, r.Outside = sum.Launches.Seconds(), sum.Outside.Seconds()
	}
	late := errors.Is(err, errLimit)
	switch {
	case late:
		err = nil
	case signals.Ended(err):
		err = signals.Interrupted
	}
	if o.json {
		err = errors.Join(format.JSON(a.stdout, r), err)
	} else {
		r.text(a.stdout, a.again(err))
		if late {
			fmt.Fprintf(a.stdout, "the time was over, and %s runs are missing; the same command does them: %s\n", format.Thousands(r.Missing-r.Ran), a.line())
		}
	}
	if o.plots != "" && err == nil {
		err = a.drawSwept(ctx, o, plots)
	}
	return err
}

// errLimit is why a sweep ends after --limit.
var errLimit = errors.New("the time of the sweep is over")

// limited returns the context of a sweep with the flag --limit.
func (o *sweepOptions) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.limit, errLimit)
}

// firstLine is when a sweep without a terminal writes its first line of progress, unless lines are more frequent.
const firstLine = 10 * time.Second

// bar starts the bar of a sweep.
func (o *sweepOptions) bar(w io.Writer, name string) *progressbar.Bar {
	return progressbar.Every(w, "sweep "+name, min(firstLine, o.progress), o.progress)
}

// progressText says how many points did not end well so far, and how long the others will take; 0 if that is not known.
func progressText(bad int, left time.Duration) string {
	var parts []string
	if bad > 0 {
		parts = append(parts, fmt.Sprintf("%d not ok", bad))
	}
	if left > 0 {
		parts = append(parts, "about "+left.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, ", ")
}

// reserve opens a store to which this process alone adds; release gives it back and closes it.
func reserve(ctx context.Context, file string) (st *store.Store, release func(), err error) {
	if st, err = store.Create(ctx, file); err != nil {
		return nil, nil, err
	}
	free, err := st.Reserve()
	if err != nil {
		_ = st.Close()
		var reserved *store.Reserved
		if errors.As(err, &reserved) {
			err = usage.WithHint(err, "wait for it, or name another file with --out; \"weft results merge\" joins files")
		}
		return nil, nil, err
	}
	return st, func() {
		free()
		_ = st.Close() // everything is committed
	}, nil
}

// plan returns the plan of a study; in a task of a cluster, of its points.
func (o *sweepOptions) plan(ctx context.Context, s *spec.Spec) (*sweep.Plan, error) {
	if file := o.cluster.worker; file != "" {
		return slurm.Plan(ctx, s, file)
	}
	return sweep.NewPlan(ctx, s)
}

// drawSwept draws the plots of a study after its sweep.
func (a *app) drawSwept(ctx context.Context, o sweepOptions, plots []*plot.Spec) error {
	st, err := store.Open(ctx, o.out)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }() // only read
	list := io.Writer(a.stdout)
	if o.json { // which prints one object
		list = io.Discard
	}
	return a.drawAll(ctx, st, plots, o.plots, nil, []string{o.out, o.what}, list)
}

// again returns the line that says how to go on after an interruption.
func (a *app) again(err error) string {
	if err == nil {
		return ""
	}
	return "the same command does the rest: " + a.line()
}

// line returns the command line.
func (a *app) line() string {
	words := []string{"weft"}
	for _, w := range a.args {
		words = append(words, format.Word(w))
	}
	return strings.Join(words, " ")
}

// dryRun says what a sweep would run.
func (a *app) dryRun(ctx context.Context, o sweepOptions, plan *sweep.Plan, r *sweepReport) error {
	var st *store.Store
	if _, err := os.Stat(o.out); err == nil {
		if st, err = store.Open(ctx, o.out); err != nil {
			return err
		}
		defer func() { _ = st.Close() }() // only read
	}
	todo, err := plan.Missing(ctx, st, o.retry)
	if err != nil {
		return err
	}
	r.Missing = len(todo)
	outlook, err := plan.Outlook(ctx, st, todo, o.jobs)
	if err != nil {
		return err
	}
	r.Outlook = &outlook
	if o.json {
		for _, t := range todo {
			r.Tasks = append(r.Tasks, t.Point.Map())
		}
		return format.JSON(a.stdout, r)
	}
	r.dryText(a.stdout, plan, outlookText(&outlook, len(todo)))
	return nil
}
