package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/proof/explore"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/sim/policy"
)

// exploreFlags are the flags for running a program under many schedules.
type exploreFlags struct {
	seeds int
	keep  bool
}

func (o *exploreFlags) register(cmd *cobra.Command) {
	flag(cmd, &o.seeds, option.Explore)
	flag(cmd, &o.keep, option.KeepGoing)
}

// check rejects invalid values, and flags for one run; given has the latter that are set.
func (o *exploreFlags) check(changed func(flag string) bool, schedule string, given []string) error {
	switch {
	case !changed("explore") && o.keep:
		return usage.Errorf("such as --explore 100", "--keep-going goes with --explore only")
	case !changed("explore"):
		return nil
	case schedule != "":
		return usage.Errorf("leave one out", "--explore draws schedules, and --schedule gives one")
	case len(given) > 0:
		return usage.Errorf("replay the schedule that --explore finds with it", "--%s is for one run, but --explore runs many", given[0])
	}
	return nil
}

// oneRun lists those of the flags that are set that are for one run.
func (o *deviceFlags) oneRun(changed func(flag string) bool, more ...string) (given []string) {
	for _, flag := range append([]string{"pprof", "trace", "monitor", "counters"}, more...) {
		if changed(flag) {
			given = append(given, flag)
		}
	}
	return given
}

// exploration is a program that runs under many schedules.
type exploration struct {
	app   *app
	what  string // the program
	flags deviceFlags
	order scheduleFlags
	seeds exploreFlags
	// args is whether --seed also determines the program's input.
	args bool
	// try runs the program once; base is as of explore.Trial.
	try func(ctx context.Context, spec *devices.Spec, base *explore.Outcome) (explore.Outcome, error)
	// answers says which answers fail, or why none do. It is known when the program has run under the default schedule.
	answers string
	hang    hangFiles // of the schedule that fails
	// cure looks for what orders races; nil if the program cannot look for any.
	cure func(ctx context.Context, spec *devices.Spec, races []device.Race)
}

// looks says what makes a schedule fail.
func (x *exploration) looks() []string {
	list := []string{"a hang, a livelock, a fault"}
	if x.flags.race {
		list = append(list, "data races")
	}
	if x.answers != "" {
		list = append(list, x.answers)
	}
	return list
}

// run explores and prints what was found. The error is that of the first failure.
func (x *exploration) run(ctx context.Context) error {
	spec, err := devices.New(x.flags.device, devices.Options{GPUs: int(x.flags.gpus), Seed: x.flags.seed})
	if err == nil {
		err = spec.Need("--explore", device.Schedules)
	}
	if err != nil {
		return err
	}
	bar := progressbar.New(x.app.stderr, "exploring "+x.what)
	c := explore.Config{Seeds: x.seeds.seeds, First: x.flags.seed, Keep: x.seeds.keep, Fixed: x.order.model != "", Set: x.flags.set}
	c.Progress = func(done, failed int, shrinking bool) {
		text := "reducing the schedule that fails"
		if !shrinking {
			text = fmt.Sprintf("%s of %s schedules, %s failed", format.Thousands(done), format.Thousands(c.Seeds), format.Thousands(failed))
		}
		bar.Update(int64(done), int64(c.Seeds), text)
	}
	r, err := explore.Run(ctx, c, func(ctx context.Context, s explore.Setting, record policy.Control, base *explore.Outcome) (explore.Outcome, error) {
		spec, err := x.spec(ctx, &s, record, base)
		if err != nil {
			return explore.Outcome{}, err
		}
		return x.try(ctx, spec, base)
	})
	bar.Finish()
	early := ""
	if signals.Ended(err) {
		early, err = signals.Interrupted.Error(), interrupted(err, signals.Interrupted)
		if r == nil { // the default schedule has not ended
			r = &explore.Result{Base: explore.Outcome{Kind: explore.Unknown}}
		}
	}
	if r == nil {
		return err
	}
	if f := r.Failure; f != nil && x.cure != nil {
		if spec, e := x.spec(ctx, &f.Setting, nil, &r.Base); e == nil {
			x.cure(ctx, spec, f.Races)
		}
	}
	p := r.Report(&c, x.replay)
	p.Command, p.What, p.Device, p.Looks = "weft "+strings.Join(x.app.args, " "), x.what, x.flags.device, x.looks()
	p.Early = early
	if x.flags.json {
		if e := format.JSON(x.app.stdout, p); e != nil {
			return e
		}
	} else {
		p.Text(x.app.stdout)
	}
	if err != nil {
		return err
	}
	return x.hang.write(ctx, r.Err())
}

// spec returns the device for a schedule.
func (x *exploration) spec(ctx context.Context, s *explore.Setting, record policy.Control, base *explore.Outcome) (*devices.Spec, error) {
	o, err := x.flags.options()
	if err != nil {
		return nil, err
	}
	o.Seed = s.Seed
	o.Set = append(o.Set[:len(o.Set):len(o.Set)], assignments(s)...)
	if o.Budget == 0 && base != nil {
		o.Budget = explore.Budget(base.Cycles)
	}
	switch {
	case record != nil:
		o.Control = record
	case s.Schedule != nil:
		o.Control = s.Schedule
	default:
		o.Control, err = x.order.control(ctx)
	}
	if err != nil {
		return nil, err
	}
	return devices.New(x.flags.device, o)
}

// assignments returns the parameters of a setting as for --set.
func assignments(s *explore.Setting) (list []string) {
	for _, a := range s.Set {
		list = append(list, a.Path+"="+a.Value)
	}
	return list
}

// replay returns the command line that runs the program under a setting.
func (x *exploration) replay(s *explore.Setting) string {
	o := policy.Schedule{}
	if s.Schedule != nil {
		o = *s.Schedule
	}
	args := without(x.app.args, "--explore", true)
	args = without(args, "--keep-going", false)
	if s.Seed != x.flags.seed {
		if x.args {
			o.Seed = &s.Seed
		} else {
			args = append(without(args, "--seed", true), "--seed", strconv.FormatUint(s.Seed, 10))
		}
	}
	if len(s.Set) > 0 {
		args = append(args, "--set", strings.Join(assignments(s), ","))
	}
	if o.Shuffle || len(o.Pauses) > 0 || o.Seed != nil {
		if text, err := json.Marshal(&o); err == nil {
			args = append(args, "--schedule", string(text))
		}
	}
	words := []string{"weft"}
	for _, a := range args {
		words = append(words, format.Word(a))
	}
	return strings.Join(words, " ")
}

// without returns a command line without a flag and, if it takes one, its value.
func without(args []string, flag string, value bool) (rest []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == flag {
			if value {
				i++
			}
			continue
		}
		if !strings.HasPrefix(args[i], flag+"=") {
			rest = append(rest, args[i])
		}
	}
	return rest
}

// exploreRun runs an algorithm under many schedules.
func (a *app) exploreRun(ctx context.Context, o runOptions) error {
	if err := o.explore.check(o.changed, o.order.schedule, o.oneRun(o.changed, "answer", "detail", "cpu")); err != nil {
		return err
	}
	j, err := a.job(ctx, o)
	if err != nil {
		return err
	}
	x := &exploration{app: a, what: o.algorithm + " by " + j.scheme, flags: o.deviceFlags, order: o.order, seeds: o.explore, hang: j.collected.hang}
	x.cure = func(ctx context.Context, spec *devices.Spec, races []device.Race) {
		q := j.request
		q.Device = spec
		run.CureOf(ctx, q, races)
	}
	x.try = func(ctx context.Context, spec *devices.Spec, base *explore.Outcome) (explore.Outcome, error) {
		q := j.request
		q.Device, q.Watch = spec, devices.Watch{}
		r, err := run.Run(ctx, q)
		switch {
		case r == nil || signals.Ended(err):
			return explore.Outcome{}, err
		case base == nil && r.Verified != nil:
			x.answers = "answers other than those of " + cmp.Or(r.Against, "the CPU reference")
		case base == nil:
			x.answers = "no answers, which are not compared: " + cmp.Or(r.Why, "the default schedule gave none")
		}
		if err == nil && r.RaceErr() == nil && r.Err() != nil {
			return explore.Outcome{Kind: explore.Wrong, Err: r.Err(), Cycles: r.Cycles}, nil
		}
		return explore.Judged(err, r.Races, r.Cycles), nil
	}
	return x.run(ctx)
}

// exploreLaunch launches a kernel under many schedules.
func (a *app) exploreLaunch(ctx context.Context, o launchOptions) error {
	if err := o.explore.check(o.changed, o.order.schedule, o.oneRun(o.changed, "print", "save", "annotate", "against")); err != nil {
		return err
	}
	j, err := a.launchJob(ctx, o)
	if err != nil {
		return err
	}
	x := &exploration{app: a, what: j.prepared.Shown, flags: o.deviceFlags, order: o.order, seeds: o.explore, args: j.prepared.Random(), hang: j.collected.hang}
	x.answers, x.cure = j.comparedWith(o.answer), j.prepared.Cure
	x.try = func(ctx context.Context, spec *devices.Spec, base *explore.Outcome) (explore.Outcome, error) {
		q := launch.Options{Device: spec, Tolerance: o.tolerance, Answer: j.options.Answer}
		if base == nil {
			q.Against = j.options.Against
		}
		r, err := j.prepared.Run(ctx, q)
		if r == nil || signals.Ended(err) {
			return explore.Outcome{}, err
		}
		out := explore.Judged(err, r.Races, r.Cycles)
		switch {
		case out.Kind != explore.Ended:
			return out, nil
		case base == nil && r.Err() != nil:
			return explore.Outcome{Kind: explore.Wrong, Err: r.Err(), Cycles: r.Cycles}, nil
		case base == nil:
			out.Result = r
			return out, nil
		}
		before, ok := base.Result.(*launch.Result)
		if !ok { // a budget ended it
			return out, nil
		}
		if err := r.SameAs(before, j.options); err != nil {
			kind := explore.Differs
			if j.options.Against != nil {
				kind = explore.Wrong
			}
			return explore.Outcome{Kind: kind, Err: err, Cycles: r.Cycles}, nil
		}
		return out, nil
	}
	return x.run(ctx)
}

// comparedWith says which answers of a launch fail in an exploration.
func (j *launchJob) comparedWith(answer []string) string {
	if !j.prepared.HasBuffers() {
		return "no answers: the kernel has no buffers"
	}
	text := "buffers other than under the default schedule"
	if other := j.options.Against; other != nil {
		text = "buffers other than on " + other.Name
	}
	if len(answer) > 0 {
		return text + ": " + strings.Join(answer, ", ")
	}
	return text + ": all; --answer names those that are the answer"
}
