package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
	"github.com/weft-gpu/weft/internal/proof/progress/trial"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
)

// progressRun holds the flags of `weft progress --run`.
type progressRun struct {
	run       bool
	as        string
	device    string
	set       []string
	seed      uint64
	launches  int
	instances int
	budget    uint64
	deadline  time.Duration
	schedule  string
	changed   func(flag string) bool
}

// register adds the flags, each with a name that says that it goes with --run.
func (o *progressRun) register(cmd *cobra.Command) {
	flag(cmd, &o.run, option.RunTests)
	flag(cmd, &o.as, option.ThreadsAs)
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.seed, option.Seed)
	flag(cmd, &o.launches, option.Launches)
	flag(cmd, &o.instances, option.Instances)
	flag(cmd, &o.budget, option.Budget)
	flag(cmd, &o.deadline, option.Deadline)
	flag(cmd, &o.schedule, option.Schedule)
	o.changed = cmd.Flags().Changed
}

// runFlags are those that go with --run only.
var runFlags = []string{"as", "device", "set", "seed", "launches", "instances", "budget", "deadline", "schedule"}

// check rejects flags that are invalid by themselves.
func (o *progressRun) check() error {
	if !o.run {
		for _, name := range runFlags {
			if o.changed(name) {
				return usage.Errorf("", "--%s goes with --run only", name)
			}
		}
		return nil
	}
	for _, name := range []string{"expect", "counterexample", "states", "write-schedule"} {
		if o.changed(name) {
			return usage.Errorf("", "--%s does not go with --run", name)
		}
	}
	switch {
	case o.as != string(trial.Blocks) && o.as != string(trial.Lanes):
		return usage.Unknown("value of --as", o.as, []string{string(trial.Blocks), string(trial.Lanes)}, "")
	case o.schedule != "" && (o.as != string(trial.Blocks) || o.instances != 1):
		return usage.Errorf("", "--schedule is for the blocks of one instance of a test")
	}
	return nil
}

// varied makes the schedules of a simulated machine vary with the seed; see
// config.GPU.VarySchedules.
var varied = []string{"launch.order=random", "issue.scheduler=random", "jitter.sm=300", "jitter.block=200", "jitter.message=150"}

// spec returns the device for launches with a seed.
func (o *progressRun) spec(ctx context.Context, seed uint64) (*devices.Spec, error) {
	opts := devices.Options{Seed: seed, Set: o.set}
	var err error
	if opts.Control, err = (&scheduleFlags{schedule: o.schedule}).control(ctx); err != nil {
		return nil, err
	}
	kind, err := devices.New(o.device, devices.Options{})
	if err != nil {
		return nil, err
	}
	if can := kind.Can(); can.Has(device.Parameters) && len(o.set) == 0 && o.schedule == "" {
		opts.Set = varied
	}
	if kind.Can().Has(device.Budget) || o.changed("budget") {
		opts.Budget = o.budget
	}
	if kind.Can().Has(device.Deadline) || o.changed("deadline") {
		opts.Deadline = o.deadline
	}
	return devices.New(o.device, opts)
}

// opened is the device that is open; simulated ones are opened anew for each
// seed.
type opened struct {
	flags *progressRun
	dev   device.Device
	seed  uint64
}

func (d *opened) open(ctx context.Context, seed uint64) (device.Device, error) {
	if d.dev != nil && (d.seed == seed || !d.dev.Capabilities().Has(device.Parameters)) {
		return d.dev, nil
	}
	if err := d.close(); err != nil {
		return nil, err
	}
	spec, err := d.flags.spec(ctx, seed)
	if err != nil {
		return nil, err
	}
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return nil, err
	}
	d.dev, d.seed = dev, seed
	return dev, nil
}

func (d *opened) close() error {
	if d.dev == nil {
		return nil
	}
	dev := d.dev
	d.dev = nil
	return dev.Close()
}

// runProgress runs the tests on a device and prints what happened.
func (a *app) runProgress(ctx context.Context, tests []*litmus.Test, o *progressRun, models []*progress.Model, asJSON bool) (err error) {
	as := trial.As(o.as)
	model, err := progress.Lookup(as.Model())
	if err != nil {
		return err
	}
	if len(models) == 1 {
		model = models[0]
	} else if o.changed("model") {
		return usage.Errorf("such as --model obe", "with --run, --model names one progress model: the one that the device is held against")
	}
	if o.schedule != "" && !o.changed("launches") {
		o.launches = 1 // each would be the same
	}
	if _, err := o.spec(ctx, o.seed); err != nil {
		return err
	}
	d := &opened{flags: o}
	defer func() { err = errors.Join(err, d.close()) }()
	runner, start := trial.New(), time.Now()
	bar := progressbar.New(a.stderr, "progress tests on "+o.device)
	var results []*trial.Result
	var broken error
	wrong := 0
	for i, t := range tests {
		bar.Update(int64(i), int64(len(tests)), t.Name)
		g, err := progress.Explore(ctx, t.System(), progress.Limits{States: defaultStates})
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		r, err := runner.Run(ctx, t, trial.Options{As: as, Instances: o.instances, Launches: o.launches, Seed: o.seed, Open: d.open})
		if err != nil {
			return err
		}
		r.Model = model.Name
		r.Verdict, _ = g.Decide(model)
		results = append(results, r)
		if asJSON {
			if err := format.JSONLine(a.stdout, r); err != nil {
				return err
			}
		}
		if r.Hangs > 0 && r.Guaranteed() {
			wrong++
			if broken == nil {
				broken = fmt.Errorf("%s guarantees that %s ends: %w", model.Name, t.Name, r.Err)
			}
		}
	}
	bar.Finish()
	if !asJSON {
		a.trialText(results, o, model, time.Since(start))
	}
	if wrong > 1 {
		broken = fmt.Errorf("%d tests hung that must end; the first: %w", wrong, broken)
	}
	return broken
}

// trialText prints a table of the tests that did not end, and a summary.
func (a *app) trialText(results []*trial.Result, o *progressRun, model *progress.Model, took time.Duration) {
	rows := [][]string{{"test", model.Name, "launches", "", "threads that wait"}}
	guaranteed, hung, undecided, wrong := 0, 0, 0, 0
	for _, r := range results {
		if r.Guaranteed() {
			guaranteed++
			wrong += r.Hangs
		}
		hung += r.Hangs
		undecided += r.Undecided
		what := "hung"
		if r.Undecided > 0 {
			what = "undecided"
		}
		if r.Why != "" {
			rows = append(rows, []string{r.Test, r.Verdict, fmt.Sprint(r.Launches), what, cmp.Or(r.Where(), r.Why)})
		}
	}
	if len(rows) > 1 {
		format.Table(a.stdout, "", "llrll", rows)
		fmt.Fprintln(a.stdout)
	}
	fmt.Fprintf(a.stdout, "%s as %s on %s, up to %s of %s each, in %s: %d hung, %d undecided\n",
		counted(len(results), "test"), o.as, o.device, counted(o.launches, "launch"), counted(o.instances, "instance"), format.Seconds(took.Seconds()), hung, undecided)
	fmt.Fprintf(a.stdout, "%s guarantees that %d of them end; of these, %d hung\n", model.Name, guaranteed, wrong)
}

// counted returns "1 launch" or "2 launches".
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if strings.HasSuffix(word, "ch") {
		word += "e"
	}
	return fmt.Sprintf("%s %ss", format.Thousands(n), word)
}
