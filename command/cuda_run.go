package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/cuda"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/view/report"
	"github.com/weft-gpu/weft/scheduler"
)

// cudaOptions holds the flags of `weft cuda run`.
type cudaOptions struct {
	deviceFlags
	order   scheduleFlags
	quiet   bool
	out     string
	cost    bool
	changed func(flag string) bool
}

func (a *app) cudaRunCommand() *cobra.Command {
	var o cudaOptions
	cmd := &cobra.Command{
		Use:   "run [--device DEVICE] PROGRAM [ARGUMENT]...",
		Short: "Run a CUDA program on a simulated GPU, on func or on a real GPU",
		Long: `Runs a program of "weft cuda build", or one that nvcc -cudart shared linked and that has
PTX in it. The program is a process of its own with its files and its output; its CUDA
calls are answered by the device. Times of events are simulated times.

On func every access is checked: bounds of each allocation, memory that nobody has
written, alignment. A fault gives the program cudaErrorIllegalAddress, and the report is
printed at once. If a kernel hangs, the program ends with exit code 3 and the report says
which threads wait for what; --race looks for data races.

On a real GPU (hw) NVIDIA's driver takes the PTX as it stands, and nothing is checked: a
fault gives the program the driver's error, and --deadline ends a kernel that hangs.

At the end a table of the kernels is printed to standard error, unless --quiet is given.
The exit code is that of the program, unless that is 0 and a kernel failed or raced.

Exit codes of weft:
` + exitHelp(),
		Example: `  weft cuda run ./prog 1024
  weft cuda run --device func ./prog
  weft cuda run --device sim:v100 --race --out report.json ./prog`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage.Errorf(fmt.Sprintf("usage: %s", cmd.UseLine()), "%s needs PROGRAM", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.changed = cmd.Flags().Changed
			return a.cudaRun(cmd.Context(), o, args)
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the program is the program's
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.gpus, option.GPUs)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.seed, option.Seed)
	flag(cmd, &o.counters, option.Counters)
	flag(cmd, &o.budget, option.Budget)
	flag(cmd, &o.deadline, option.Deadline)
	flag(cmd, &o.unwritten, option.Unwritten)
	flag(cmd, &o.strict, option.Strict)
	flag(cmd, &o.race, option.Race)
	flag(cmd, &o.threads, option.HostThreads)
	flag(cmd, &o.sampled, option.Sample)
	flag(cmd, &o.quiet, option.Quiet)
	flag(cmd, &o.out, option.CUDAReport)
	flag(cmd, &o.cost, option.LaunchCost)
	o.hang.register(cmd)
	o.order.register(cmd)
	return cmd
}

// programError is the exit code of a CUDA program. What there was to say has been said.
type programError struct {
	status int
	err    error // nil if the program ended so by itself
}

func (e *programError) Error() string {
	return fmt.Sprintf("the program ended with exit code %d", e.status)
}

// cudaRun runs a program.
func (a *app) cudaRun(ctx context.Context, o cudaOptions, args []string) error {
	var err error
	if o.control, err = o.order.control(ctx); err != nil {
		return err
	}
	spec, err := o.spec()
	if err != nil {
		return err
	}
	if o.cost {
		if o.out == "" {
			return usage.Errorf("such as --out times.json", "--%s needs --out, where its times are written", option.LaunchCost.Name)
		}
		if err := spec.Need("--"+option.LaunchCost.Name, device.Clock); err != nil {
			return err
		}
	}
	files := a.outputs(nil, nil).reads(spec)
	files.plan.Reads("the program", args[0])
	hang, err := o.hang.open(files)
	if err != nil {
		return err
	}
	out, err := files.file("--out", o.out)
	if err != nil {
		return err
	}
	bar := progressbar.New(a.stderr, args[0]+" on "+spec.Name)
	w := &runWatch{bar: bar, start: time.Now()}
	watch := devices.Watch{Progress: w.inside}
	if o.race {
		watch.Races = device.NewRaces()
	}
	p := &cuda.Program{
		Path: args[0], Args: args[1:], Device: spec, Watch: watch, Stdin: os.Stdin, Stdout: raw(a.out.w, a.stdout), Stderr: raw(a.rawErr, a.stderr), LaunchCost: o.cost,
		Warn: func(text string) {
			bar.Finish()
			fmt.Fprintf(a.stderr, "weft: %s\n", text)
		},
		Fail: func(err error) {
			bar.Finish()
			if !signals.Ended(err) {
				printError(a.stderr, err)
			}
		},
		Launched: func(int) { w.ended(scheduler.Step{}) },
	}
	r, err := p.Run(ctx)
	bar.Finish()
	if r == nil {
		return err
	}
	if signals.Ended(err) || ctx.Err() != nil {
		return interrupted(cmp.Or(err, ctx.Err()), cmp.Or(context.Cause(ctx), signals.Interrupted))
	}
	switch {
	case !r.Called && err == nil:
		fmt.Fprintf(a.stderr, "note: %s has called nothing of CUDA, so that %s has run nothing\n", r.Program, r.Device)
	case !r.Called:
	case !o.quiet:
		report.Program(a.stderr, r, o.counters)
	case r.RaceErr() != nil: // which no error has told
		report.Races(a.stderr, &r.Work)
	}
	if err != nil {
		err = hang.write(ctx, err)
	}
	if o.out != "" {
		err = errors.Join(err, out.Write(ctx, func(to io.Writer) error { return format.JSON(to, r) }))
	}
	err = cmp.Or(err, r.RaceErr())
	switch {
	case r.Status != exitRight:
		return &programError{r.Status, err}
	case err != nil:
		return &programError{exitCode(err), err}
	}
	return nil
}

// raw returns an output as a program writes to it: the file itself, if it is one.
func raw(inner, outer io.Writer) io.Writer {
	if f, ok := inner.(*os.File); ok {
		return f
	}
	return outer
}
