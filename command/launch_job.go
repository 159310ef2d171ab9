package command

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/calibrate"
	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/scheduler"
)

// launchJob is a requested launch and the files that it writes.
type launchJob struct {
	app       *app
	prepared  *launch.Job
	options   launch.Options
	collected *collection
	notes     []string // on the command line
	print     []launch.Part
	save      []launch.Save
	files     []*outfile.File // of save
}

// launchJob checks the whole command line before anything is launched.
func (a *app) launchJob(ctx context.Context, o launchOptions) (*launchJob, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	q, err := launchRequest(o.kernel, o.grid, o.block, o.args, o.bind)
	if err != nil {
		return nil, err
	}
	q.Shared, q.Cluster, q.Cooperative, q.Registers, q.Repeat, q.Seed = o.shared, o.cluster, o.cooperative, o.registers, o.repeat, o.seed
	if o.control, err = o.order.control(ctx); err != nil {
		return nil, err
	}
	j := &launchJob{app: a, options: launch.Options{Tolerance: o.tolerance}}
	if j.options.Device, j.options.Against, err = o.specs(); err != nil {
		return nil, err
	}
	j.notes = o.unused(o.changed, j.options.Device)
	if err := o.page.check(j.options.Device); err != nil {
		return nil, err
	}
	annotated := ""
	if o.annotate {
		annotated = "--annotate"
		if err := j.options.Device.Need(annotated, device.Profile); err != nil {
			return nil, err
		}
	}
	kernels, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	q.Compiler = kernels
	found, err := launch.Find(ctx, kernels, o.kernel, "warp")
	switch {
	case err != nil:
		return nil, err
	case found.Algorithm:
		return nil, usage.Errorf("run it: weft run "+o.kernel, "%s is an algorithm, and weft launch launches kernels", o.kernel)
	}
	q.Kernel = found.Entry
	if j.prepared, err = launch.Prepare(ctx, q); err != nil {
		if launch.IsInstance(o.kernel) && !isUsage(err) && !signals.Ended(err) {
			err = launch.InstanceError(o.kernel, err)
		}
		return nil, err
	}
	if o.deviceFlags.check && j.prepared.FromPTX() {
		return nil, usage.Errorf("func and simulated machines check every access", "--check compiles checks into a kernel, and one of PTX runs on a GPU as it stands")
	}
	a.warn(j.prepared.Compiled())
	files := a.outputs(nil, []string{o.kernel, o.against}).reads(j.options.Device)
	for _, path := range j.prepared.Files() {
		files.plan.Reads("an argument that is read", path)
	}
	if o.compareWith != "" && !j.prepared.HasBuffers() {
		return nil, usage.Errorf("", "--compare-with: %s has no buffers to compare", o.kernel)
	}
	if j.options.Answer, err = j.prepared.Answer(o.answer); err != nil {
		return nil, err
	}
	for _, text := range o.print {
		part, err := j.prepared.Part(text)
		if err != nil {
			return nil, err
		}
		j.print = append(j.print, part)
	}
	for _, text := range o.save {
		s, err := j.prepared.Save(text)
		if err != nil {
			return nil, err
		}
		f, err := files.file("--save", s.Path)
		if err != nil {
			return nil, err
		}
		j.save, j.files = append(j.save, s), append(j.files, f)
	}
	if j.collected, err = collect(o.deviceFlags, annotated, j.options.Device, files); err != nil {
		return nil, err
	}
	j.options.Watch = devices.Watch{Profile: j.collected.profile, Trace: j.collected.trace, Page: o.page.served(a.stderr)}
	return j, nil
}

// run runs the launches, with a progress bar. The result is nil if nothing was
// launched. The error determines the exit code, after the result has been
// printed.
func (j *launchJob) run(ctx context.Context) (*launch.Result, error) {
	w := &runWatch{bar: progressbar.New(j.app.stderr, j.prepared.Shown+" on "+j.options.Device.Name), start: time.Now()}
	j.options.Watch.Progress = w.inside
	j.options.Progress = func(r *device.Report) { w.ended(scheduler.Step{Cycles: r.Cycles}) }
	r, err := j.prepared.Run(ctx, j.options)
	w.bar.Finish()
	if signals.Ended(err) {
		err = interrupted(err, signals.Interrupted)
	}
	if r == nil {
		return nil, err
	}
	cured := j.options.Device
	if !cured.Options.Race && j.options.Against != nil { // it cannot look for races
		cured = j.options.Against
	}
	j.prepared.Cure(ctx, cured, r.Races)
	if !j.prepared.Random() {
		r.Notes = append(r.Notes, j.notes...)
	}
	r.Command = "weft " + strings.Join(j.app.args, " ")
	r.Calibration = calibrate.Measured{What: calibrate.Name, Rate: j.app.calibrate()}
	if r.Left() {
		for _, p := range j.print {
			r.Keep(p)
		}
	}
	if err == nil {
		for i, f := range j.files {
			err = errors.Join(err, f.Write(ctx, r.Content(j.save[i])))
		}
	}
	return r, errors.Join(j.collected.hang.write(ctx, cmp.Or(err, differ(r))), r.RaceErr())
}

// differ returns the error for buffers that differ, with a hint what to try.
func differ(r *launch.Result) error {
	err := r.Err()
	if err != nil && r.Comparison.Tolerance == 0 && r.Comparison.Largest > 0 {
		return usage.WithHint(err, "atomics add floats in a different order on each device: with --tolerance 1e-5, floats with at most this difference are equal")
	}
	return err
}

// write writes the files with the recordings of the launch.
func (j *launchJob) write(ctx context.Context, r *launch.Result) error {
	return j.collected.write(ctx, &r.Work, r.Error, map[string]string{
		"command": r.Command, "device": r.Device, "kernel": r.Kernel, "weft": cmp.Or(r.Build.Commit, r.Build.Version),
	})
}
