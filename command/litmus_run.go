package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus"
	"github.com/weft-gpu/weft/internal/proof/ptxlitmus/run"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
)

// litmusRunOptions holds the flags of `weft litmus` for tests that run on a device.
type litmusRunOptions struct {
	device    string
	set       []string
	seed      uint64
	seeds     int
	instances int
	deadline  time.Duration
	budget    uint64
}

func (o *litmusRunOptions) register(cmd *cobra.Command) {
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.set, option.Set, lateMessages)
	flag(cmd, &o.instances, option.Instances)
	flag(cmd, &o.seeds, option.Seeds)
	flag(cmd, &o.seed, option.Seed)
	flag(cmd, &o.deadline, option.Deadline)
	flag(cmd, &o.budget, option.Budget)
}

// onlyFor rejects flags that mean nothing: those of a run under --model, and those of the model without it.
func onlyFor(cmd *cobra.Command, model bool) error {
	runs := &cobra.Command{}
	new(litmusRunOptions).register(runs)
	var wrong *pflag.Flag
	cmd.Flags().Visit(func(f *pflag.Flag) {
		ofRun, both := runs.Flags().Lookup(f.Name) != nil, f.Name == "json" || f.Name == "model"
		if !both && ofRun == model && wrong == nil {
			wrong = f
		}
	})
	switch {
	case wrong == nil:
		return nil
	case model:
		return usage.Errorf("without --model the tests run on the device", "--%s means nothing under --model", wrong.Name)
	}
	return usage.Errorf("write --model ptx to decide the tests instead of running them", "--%s needs --model", wrong.Name)
}

// litmusDeadline ends loops on devices that cannot decide that they never end. A launch takes less than a millisecond.
const litmusDeadline = 30 * time.Millisecond

// check checks the flags and returns the device.
func (o *litmusRunOptions) check() (*devices.Spec, error) {
	options := devices.Options{Set: o.set, Seed: o.seed, Budget: o.budget, Deadline: o.deadline}
	spec, err := devices.New(o.device, options)
	if err != nil || !spec.Can().Has(device.Deadline) || o.deadline != 0 {
		return spec, err
	}
	options.Deadline = litmusDeadline
	return devices.New(o.device, options)
}

// lateMessages lets requests of a simulated machine be up to 3,000 cycles late. An H200 shows load buffering between
// words of one L2 half in a few of a million instances, and a simulated one only if requests may be that late.
const lateMessages = "jitter.message=3000"

// late opens the simulated machine on which requests may be late.
func (o *litmusRunOptions) late(ctx context.Context) (device.Device, error) {
	spec, err := devices.New(o.device, devices.Options{Set: []string{lateMessages}, Seed: o.seed, Budget: o.budget})
	if err != nil {
		return nil, err
	}
	return spec.Open(ctx, devices.Watch{})
}

// litmusRun runs tests on a device and prints what they show. A test that cannot be read or run does not keep the
// others from it. An outcome that the PTX model forbids is an error.
func (a *app) litmusRun(ctx context.Context, paths []string, o *litmusRunOptions, asJSON bool) error {
	files, err := litmusFiles(paths)
	if err != nil {
		return err
	}
	spec, err := o.check()
	if err != nil {
		return err
	}
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return err
	}
	defer dev.Close()
	r := run.On(dev, o.instances, o.seeds, o.seed)
	if dev.Capabilities().Has(device.CycleLevel) && len(o.set) == 0 {
		if r.Late, err = o.late(ctx); err != nil {
			return err
		}
		defer r.Late.Close()
	}
	var reports []*run.Report
	var failed error
	for i, file := range files {
		x, err := a.litmusRunTest(ctx, r, file, fmt.Sprintf("test %d of %d", i+1, len(files)))
		if x != nil {
			reports = append(reports, x)
			if asJSON {
				err = errors.Join(err, format.JSONLine(a.stdout, x))
			}
		}
		failed = errors.Join(failed, err)
		if signals.Ended(err) {
			break
		}
	}
	switch {
	case asJSON:
	case len(files) == 1 && len(reports) == 1:
		reports[0].Text(a.stdout)
	case len(reports) > 0:
		run.Table(a.stdout, reports)
	}
	return failed
}

// litmusRunTest runs a test and compares its outcomes with those that the PTX model allows. The report is nil if there
// is nothing to report.
func (a *app) litmusRunTest(ctx context.Context, r *run.Runner, file, which string) (*run.Report, error) {
	t, err := ptxlitmus.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	bar := progressbar.New(a.stderr, which)
	r.Progress = func(done, of int) { bar.Update(int64(done), int64(of), t.Name) }
	res, err := r.Run(ctx, t)
	bar.Finish()
	var lacks *run.Unsupported
	switch {
	case errors.As(err, &lacks):
		return run.NotRun(t.Name, r.Device.Name(), lacks.Why), nil
	case err != nil && !signals.Ended(err):
		err = fmt.Errorf("%s: %w", t.Name, err)
	}
	if res == nil || res.Launches == 0 {
		return nil, err
	}
	judged, wrong := res.Check(context.WithoutCancel(ctx))
	x := res.Report(r.Device.Name())
	x.Judged, x.Partial = judged, err != nil
	if m, ok := r.Device.(device.Model); ok {
		x.GPU = m.Model()
	}
	return x, errors.Join(err, wrong)
}
