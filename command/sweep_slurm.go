package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/slurm"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/option"
)

// The values of --engine.
const engineLocal, engineSlurm = "local", "slurm"

// clusterFlags are the flags of `weft sweep` for a cluster.
type clusterFlags struct {
	engine                     string
	partition, time, mem       string
	tasks, arraySize, maxTasks int
	retries                    int
	poll                       time.Duration
	options                    []string
	cancel                     bool
	worker                     string // file of points, in a task of an array
}

func (c *clusterFlags) register(cmd *cobra.Command) {
	flag(cmd, &c.engine, option.Engine)
	flag(cmd, &c.partition, option.Partition)
	flag(cmd, &c.time, option.TaskTime)
	flag(cmd, &c.mem, option.TaskMemory)
	c.tasks = slurm.DefaultTasks
	flag(cmd, &c.tasks, option.Tasks)
	flag(cmd, &c.arraySize, option.ArraySize)
	flag(cmd, &c.maxTasks, option.MaxTasks)
	flag(cmd, &c.retries, option.Retries)
	flag(cmd, &c.poll, option.Poll)
	flag(cmd, &c.options, option.SbatchOption)
	flag(cmd, &c.cancel, option.Cancel)
	flag(cmd, &c.worker, option.Worker) // which the script of an array has
}

// slurmFlags need --engine slurm.
var slurmFlags = []string{"partition", "time", "mem", "tasks", "array-size", "max-tasks", "retries", "poll", "sbatch-option", "cancel"}

// reserved are options of sbatch that the engine sets.
var reserved = map[string]string{"array": "--tasks, --array-size", "a": "--tasks, --array-size", "cpus-per-task": "-j", "c": "-j", "time": "--time", "t": "--time", "mem": "--mem", "partition": "--partition", "p": "--partition"}

// engineOnly are options of sbatch that nobody else may set.
var engineOnly = []string{"job-name", "J", "output", "o", "open-mode", "requeue", "no-requeue", "parsable", "wait", "W", "wrap", "chdir", "D"}

// check checks the flags.
func (c *clusterFlags) check(o *sweepOptions) error {
	switch c.engine {
	case engineLocal:
		for _, flag := range slurmFlags {
			if o.changed(flag) {
				return usage.Errorf("add --engine slurm, or leave it out", "--%s goes with --engine slurm", flag)
			}
		}
		return nil
	case engineSlurm:
		if o.limit > 0 {
			return usage.Errorf("--time limits each task", "--limit ends a sweep on this machine, and --engine slurm runs it on others")
		}
	default:
		return usage.Unknown("engine", c.engine, []string{engineLocal, engineSlurm}, "")
	}
	if c.poll < 100*time.Millisecond {
		return usage.Errorf("such as --poll 10s", "--poll: %v is less than 100ms", c.poll)
	}
	for _, x := range c.options {
		name, _, _ := strings.Cut(strings.TrimLeft(x, "-"), "=")
		if !strings.HasPrefix(x, "-") || name == "" {
			return usage.Errorf("such as --sbatch-option --account=me", "--sbatch-option: %q is no option of sbatch", x)
		}
		if flag := reserved[name]; flag != "" {
			return usage.Errorf("write "+flag, "--sbatch-option: weft sets %s itself", x)
		}
		for _, n := range engineOnly {
			if n == name {
				return usage.Errorf("", "--sbatch-option: weft sets %s itself", x)
			}
		}
	}
	if !o.changed("jobs") {
		o.jobs = 1 // one processor for each task
	}
	if o.dryRun {
		return nil
	}
	return slurm.Installed()
}

// workerLine returns the command line of a worker, but for the file of its points.
func (o *sweepOptions) workerLine() []string {
	words := []string{"sweep", o.what, "--jobs", strconv.Itoa(o.jobs)}
	if o.timeout > 0 {
		words = append(words, "--timeout", o.timeout.String())
	}
	if o.folder != "" {
		words = append(words, option.GraphFolder.String(), o.folder)
	}
	if o.on != "" {
		words = append(words, option.On.String(), o.on)
	}
	for _, f := range []struct {
		flag   string
		values []string
	}{{"scheduler", o.schedulers}, {"device", o.devices}, {"graph", o.graphs}, {"set", o.set}, {"param", o.params}, {"vary", o.vary}, {"where", o.where}} {
		for _, v := range f.values {
			words = append(words, "--"+f.flag, v)
		}
	}
	return append(words, "--worker")
}

// sweepWorker runs the points of one task of an array.
func (a *app) sweepWorker(ctx context.Context, o sweepOptions, plan *sweep.Plan) error {
	ran, err := slurm.Work(ctx, plan, o.cluster.worker, sweep.Running{Jobs: o.jobs, Timeout: o.timeout})
	fmt.Fprintf(a.stdout, "ran %d points\n", ran)
	return err
}

// sweepSlurm runs a study on a cluster.
func (a *app) sweepSlurm(ctx context.Context, o sweepOptions, plan *sweep.Plan, r *sweepReport) error {
	c := &o.cluster
	st, release, err := reserve(ctx, o.out)
	if err != nil {
		return err
	}
	defer release()
	bar := o.bar(a.stderr, plan.Spec.Name)
	options := slurm.Options{Folder: o.out + ".slurm", Study: plan.Spec.Name, Worker: o.workerLine(), Jobs: o.jobs,
		Partition: c.partition, Time: c.time, Memory: c.mem, Extra: c.options, Tasks: c.tasks, ArraySize: c.arraySize, MaxTasks: c.maxTasks,
		Retries: c.retries, Poll: c.poll, Again: o.retry, Progress: func(p slurm.Progress) {
			text := fmt.Sprintf("%d running, %d waiting", p.Running, p.Waiting)
			if p.Left > 0 {
				text += ", about " + p.Left.Round(time.Second).String() + " left"
			}
			if p.Note != "" {
				text += ", " + p.Note
			}
			bar.Update(int64(p.Done), int64(p.Tasks), text)
		}}
	var sum *slurm.Summary
	if c.cancel {
		sum, r.Cancelled, err = slurm.Cancel(ctx, plan, st, options)
	} else {
		sum, err = slurm.Run(ctx, plan, st, options)
	}
	bar.Finish()
	if sum != nil {
		r.Missing, r.Ran, r.Status, r.Wall, r.Retried = sum.Missing, sum.Ran, sum.ByStatus, sum.Wall.Seconds(), sum.Retried
	}
	interrupted := ctx.Err() != nil
	if signals.Ended(err) {
		err = signals.Interrupted
	}
	if o.json {
		return errors.Join(format.JSON(a.stdout, r), err)
	}
	note := ""
	switch {
	case sum == nil:
		return err
	case interrupted:
		note = "the jobs go on; to follow them, the same command; to end them, with --cancel: " + a.line()
	case err != nil:
		note = a.again(err)
	}
	r.text(a.stdout, note)
	return err
}

// wholeDevices undoes what the commas of --device did to the name of a group of GPUs: hw:0,1 is
// one device.
func wholeDevices(list []string) (devices []string) {
	for _, name := range list {
		last := len(devices) - 1
		if _, err := strconv.ParseUint(name, 10, 16); err == nil && last >= 0 && strings.HasPrefix(devices[last], "hw:") {
			devices[last] += "," + name
			continue
		}
		devices = append(devices, name)
	}
	return devices
}
