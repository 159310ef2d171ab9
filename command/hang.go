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
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/hangs"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
)

// hangOptions holds the flags of `weft hang`.
type hangOptions struct {
	scenario                string
	device                  string
	set                     []string
	grid                    string
	block, registers        int
	seed, budget            uint64
	deadline                time.Duration
	all, largest, describe  bool
	json                    bool
	files                   hangFlags
	order                   scheduleFlags
	explore                 exploreFlags
	deadlineSet, deviceName bool // whether the flag was given
}

func (a *app) hangCommand() *cobra.Command {
	var o hangOptions
	cmd := &cobra.Command{
		Use:   "hang [SCENARIO]",
		Short: "Run a kernel that may hang, and say whether it does, why, and what to change",
		Long: `Without a scenario it lists all of them: barriers of a grid, locks, flags, queues, and
barriers of a block. A scenario says what it is about, and which machines it hangs on
and why; --describe prints that and its parameters.

A run prints how the launch ended, what was expected of that device and, if it hangs,
the report that "weft launch" prints for such a kernel. --set has the parameters of
the scenario (blocks=61) and those of a simulated machine (sm.count=4). The number of
blocks may depend on the device: fit for as many as are resident, eq1 for what
equation 1 of SIMD-X says, fit+1, 2*fit.

--all runs every scenario in several settings, and says which of them end otherwise than
expected. --largest finds the largest grid with which a scenario ends, by bisection, next
to what occupancy and equation 1 say.

A real GPU is stopped at a deadline: threads that loop look at its clock, and the
process that holds the GPU is ended a second later.

Exit codes:
` + exitHelp(),
		Example: `  weft hang
  weft hang barrier-simdx --device sim:k40 --grid 61
  weft hang barrier-simdx --device sim:k40 --set registers=24,blocks=eq1
  weft hang barrier-simdx --device sim:h200 --largest
  weft hang --all --device sim:v100
  weft hang --all --device hw --json`,
		Args: between("SCENARIO", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.scenario = args[0]
			}
			if err := o.oneSchedule(cmd.Flags().Changed); err != nil {
				return err
			}
			o.deadlineSet, o.deviceName = cmd.Flags().Changed("deadline"), cmd.Flags().Changed("device")
			return a.hang(cmd.Context(), o)
		},
	}
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.grid, option.Grid)
	flag(cmd, &o.block, option.BlockOfScenario)
	flag(cmd, &o.registers, option.Registers)
	flag(cmd, &o.seed, option.Seed)
	flag(cmd, &o.budget, option.Budget)
	flag(cmd, &o.deadline, option.Deadline)
	flag(cmd, &o.all, option.All)
	flag(cmd, &o.largest, option.Largest)
	flag(cmd, &o.describe, option.Describe)
	flag(cmd, &o.json, option.JSON)
	o.files.register(cmd)
	o.order.register(cmd)
	o.explore.register(cmd)
	return cmd
}

// hang lists, describes or runs scenarios.
func (a *app) hang(ctx context.Context, o hangOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	scenario := hangs.Find(o.scenario)
	if o.scenario != "" && scenario == nil {
		return usage.Unknown("scenario", o.scenario, hangs.Names(), "weft hang")
	}
	if o.describe {
		return a.describeScenarios([]*hangs.Scenario{scenario}, o.json, true)
	}
	params, machine, err := o.settings(scenario)
	if err != nil {
		return err
	}
	if scenario == nil && !o.all {
		return a.describeScenarios(hangs.Scenarios(), o.json, false)
	}
	if o.explore.seeds > 0 {
		return a.hangExplore(ctx, o, scenario, params, machine)
	}
	runner, spec, err := o.runner(ctx, machine)
	if err != nil {
		return err
	}
	var runErr error
	switch {
	case o.all:
		runErr = a.hangAll(ctx, o, runner, spec)
	case o.largest:
		runErr = a.hangLargest(ctx, o, runner, scenario, params)
	default:
		runErr = a.hangOne(ctx, o, runner, spec, scenario, params)
	}
	if ctx.Err() != nil {
		return signals.Interrupted
	}
	return runErr
}

// check rejects flags that do not go together.
func (o *hangOptions) check() error {
	given := map[string]bool{"all": o.all, "largest": o.largest, "describe": o.describe}
	for _, pair := range [][2]string{{"all", "largest"}, {"all", "describe"}, {"largest", "describe"}} {
		if given[pair[0]] && given[pair[1]] {
			return usage.Errorf("", "--%s and --%s exclude each other", pair[0], pair[1])
		}
	}
	sized := o.grid != "" || o.block != 0 || o.registers != 0
	switch {
	case o.all && o.scenario != "":
		return usage.Errorf("", "--all runs all scenarios, not %s alone", o.scenario)
	case o.files != (hangFlags{}) && (o.scenario == "" || o.largest || o.describe):
		return usage.Errorf("run one scenario with them", "--hang-dot and --hang-json are for one run of one scenario")
	case o.all && sized:
		return usage.Errorf("run one scenario with them", "--all takes the sizes of each scenario, and no --grid, --block or --registers")
	case !o.all && o.scenario == "" && (o.largest || o.describe || sized || len(o.set) > 0 || o.deviceName):
		return usage.Errorf("\"weft hang\" lists them; --all runs all", "weft hang needs the name of a scenario for these flags")
	case o.largest && o.grid != "":
		return usage.Errorf("", "--largest searches for the grid, and --grid sets it")
	}
	return nil
}

// settings divides --set into the parameters of the scenario and those of the simulated machine,
// whose names have a dot, and adds the flags that stand for parameters.
func (o *hangOptions) settings(s *hangs.Scenario) (params map[string]string, machine []string, err error) {
	params = map[string]string{}
	add := func(name, value string) error {
		if _, twice := params[name]; twice {
			return usage.Errorf("", "parameter %s is set twice", name)
		}
		params[name] = value
		return nil
	}
	for _, text := range o.set {
		for part := range strings.SplitSeq(text, ",") {
			name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok || strings.Contains(name, ".") || name == "" || value == "" {
				machine = append(machine, part)
				continue
			}
			if err := add(name, value); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, f := range []struct {
		name, value string
		set         bool
	}{
		{hangs.Blocks, o.grid, o.grid != ""},
		{hangs.Threads, fmt.Sprint(o.block), o.block != 0},
		{hangs.Registers, fmt.Sprint(o.registers), o.registers != 0},
	} {
		if f.set {
			if err := add(f.name, f.value); err != nil {
				return nil, nil, err
			}
		}
	}
	if o.all && len(params) > 0 {
		return nil, nil, usage.Errorf("run one scenario with them", "--set: --all takes parameters of a machine, and none of a scenario")
	}
	if s != nil {
		if o.largest && params[hangs.Blocks] != "" {
			return nil, nil, usage.Errorf("", "--largest searches for the grid, and --set sets it")
		}
		if _, err := s.Values(params); err != nil {
			return nil, nil, usage.Errorf(fmt.Sprintf("%q explains them", "weft hang "+s.Name+" --describe"), "%s", err)
		}
	}
	return params, machine, nil
}

// runner returns what runs scenarios on the device.
func (o *hangOptions) runner(ctx context.Context, set []string) (*hangs.Runner, *devices.Spec, error) {
	options := devices.Options{Set: set, Seed: o.seed, Budget: o.budget}
	var err error
	if options.Control, err = o.order.control(ctx); err != nil {
		return nil, nil, err
	}
	if o.deadlineSet {
		options.Deadline = o.deadline
	}
	spec, err := devices.New(o.device, options)
	if err != nil {
		return nil, nil, err
	}
	if spec.Can().Has(device.Deadline) { // a hang there ends by nothing else
		if o.deadline <= 0 {
			return nil, nil, usage.Errorf("", "--deadline: %v is not positive", o.deadline)
		}
		options.Deadline = o.deadline
		if spec, err = devices.New(o.device, options); err != nil {
			return nil, nil, err
		}
	}
	r, err := runnerOn(spec)
	return r, spec, err
}

// runnerOn returns what runs scenarios on a device.
func runnerOn(spec *devices.Spec) (*hangs.Runner, error) {
	kernels, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	values, _ := spec.Machine()
	return &hangs.Runner{
		Kernels: kernels,
		Open:    func(ctx context.Context) (device.Device, error) { return spec.Open(ctx, devices.Watch{}) },
		Machine: hangs.MachineOf(spec.Can(), values),
	}, nil
}

// hangOne runs one scenario. The error says how it ended.
func (a *app) hangOne(ctx context.Context, o hangOptions, r *hangs.Runner, spec *devices.Spec, s *hangs.Scenario, params map[string]string) error {
	files, err := o.files.open(a.outputs(nil, nil).reads(spec))
	if err != nil {
		return err
	}
	w := &runWatch{bar: progressbar.New(a.stderr, "hang "+s.Name+" on "+spec.Name), start: time.Now()}
	r.Open = func(ctx context.Context) (device.Device, error) {
		return spec.Open(ctx, devices.Watch{Progress: w.inside})
	}
	res, err := r.Run(ctx, s, params)
	w.bar.Finish()
	if err != nil {
		return err
	}
	res.Err = spec.Advise(files.write(ctx, res.Err), true)
	if o.json {
		return errors.Join(format.JSON(a.stdout, hangReport{a.hangHead(spec), hangRowOf(res)}), res.Err)
	}
	a.hangText(spec, s, res)
	return res.Err
}

// hangAll runs all scenarios in all of their cases.
func (a *app) hangAll(ctx context.Context, o hangOptions, r *hangs.Runner, spec *devices.Spec) error {
	report := hangsReport{hangHead: a.hangHead(spec), Rows: []hangRow{}}
	total := int64(0)
	for _, s := range hangs.Scenarios() {
		total += int64(len(s.Cases))
	}
	bar := progressbar.New(a.stderr, "hang on "+spec.Name)
	var failed error
	for _, s := range hangs.Scenarios() {
		for _, set := range s.Cases {
			bar.Update(int64(len(report.Rows)), total, s.Name)
			res, err := r.Run(ctx, s, set)
			if err != nil {
				if ctx.Err() != nil || len(report.Rows) == 0 { // there is no such device
					bar.Finish()
					return err
				}
				res = &hangs.Result{Scenario: s.Name, Outcome: hangs.Fails, Err: err}
			}
			row := hangRowOf(res)
			row.Set = set
			report.Rows = append(report.Rows, row)
			if !res.AsExpected {
				report.Differ++
			}
		}
	}
	bar.Finish()
	if report.Differ > 0 {
		failed = fmt.Errorf("%d of %d launches ended otherwise than expected on %s", report.Differ, len(report.Rows), spec.Name)
	}
	if o.json {
		return cmp.Or(format.JSON(a.stdout, report), failed)
	}
	a.hangTable(report)
	return failed
}

// hangLargest searches for the largest grid of a scenario.
func (a *app) hangLargest(ctx context.Context, o hangOptions, r *hangs.Runner, s *hangs.Scenario, params map[string]string) error {
	out, err := r.Largest(ctx, s, params)
	if err != nil {
		if !s.Has(hangs.Blocks) {
			return usage.Errorf("", "--largest: %s", err)
		}
		return err
	}
	if o.json {
		return format.JSON(a.stdout, struct {
			Command string         `json:"command"`
			Build   buildinfo.Info `json:"build"`
			Device  string         `json:"device"`
			*hangs.Largest
		}{"weft " + strings.Join(a.args, " "), buildinfo.This(), o.device, out})
	}
	a.largestText(o.device, s, out)
	return nil
}
