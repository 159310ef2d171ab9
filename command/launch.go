package command

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/view/annotate"
	"github.com/weft-gpu/weft/internal/view/report"
)

// launchOptions holds the flags of `weft launch`.
type launchOptions struct {
	kernel string
	deviceFlags
	order       scheduleFlags
	explore     exploreFlags
	grid, block string
	shared      int
	cluster     int
	cooperative bool
	registers   int
	repeat      int
	args, bind  []string
	print, save []string
	compareWith string
	answer      []string
	tolerance   float64
	annotate    bool
	against     string
	top         int
	changed     func(flag string) bool
}

func (a *app) launchCommand() *cobra.Command {
	var o launchOptions
	cmd := &cobra.Command{
		Use:   "launch KERNEL|./dir.Kernel|FILE.ptx:KERNEL --grid BLOCKS --block THREADS [--arg NAME=VALUE]...",
		Short: "Launch a kernel on a device, with arguments from the command line",
		Long: `Launches one kernel: ./dir.Kernel of your own Go package, with its type arguments if
it is generic ('./dir.Kernel[uint32]'), one of the program's kernels ("weft list
kernels"), or one of a file of PTX, as clang and nvcc make them of CUDA: prog.ptx:add,
whose parameters are p0, p1, ... It prints what the device did and, for each buffer
that the kernel wrote, how many elements changed and a summary of its content.

` + launch.Grammar + `

--bind NAME=VALUE makes a parameter a constant of the compiled kernel instead.
Buffers are allocated and filled once: with --repeat, each launch starts with the
content that the previous one left. --compare-with DEVICE runs the same launches there
and compares all buffers, number by number; floats may differ by --tolerance times the
maximum of 1 and both magnitudes. --annotate shows the kernel's source with the cost
of each line ("weft annotate --help" explains it); --against compares it with a second
kernel that is launched with the same arguments.

Exit codes:
` + exitHelp(),
		Example: `  weft launch ./mydir.Add --grid 4 --block 256 --arg n=1024 --arg x=random:n --arg y=iota:n --arg out=zeros:n
  weft launch ./mydir.Add --grid 4 --block 256 ... --device func --print out[0:16] --save out=out.bin
  weft launch ./mydir.Add --grid 4 --block 256 ... --compare-with func --tolerance 1e-5
  weft launch './mydir.Sum[uint32]' --grid 64 --block 256 --arg x=file:x.bin --arg n='len(x)' --arg total=0
  weft launch ./mydir.Transpose --grid 32x32 --block 32x8 --arg n=1024 --arg in='random:n*n' --arg out='zeros:n*n' --annotate
  weft launch ./mydir.V1 --grid 64 --block 256 ... --annotate --against ./mydir.V2`,
		Args: between("KERNEL", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.kernel, o.changed = args[0], cmd.Flags().Changed
			if o.changed("explore") || o.explore.keep {
				return a.exploreLaunch(cmd.Context(), o)
			}
			return a.launch(cmd.Context(), o)
		},
	}
	o.register(cmd)
	flag(cmd, &o.threads, option.HostThreads)
	flag(cmd, &o.sampled, option.Sample)
	return cmd
}

func (o *launchOptions) register(cmd *cobra.Command) {
	o.deviceFlags.register(cmd)
	o.order.register(cmd)
	o.explore.register(cmd)
	flag(cmd, &o.grid, option.Grid)
	flag(cmd, &o.block, option.Block)
	flag(cmd, &o.shared, option.Shared)
	flag(cmd, &o.cluster, option.Cluster)
	flag(cmd, &o.cooperative, option.Cooperative)
	flag(cmd, &o.registers, option.Registers)
	flag(cmd, &o.repeat, option.Repeat)
	flag(cmd, &o.args, option.Arg)
	flag(cmd, &o.bind, option.Bind)
	flag(cmd, &o.print, option.Print)
	flag(cmd, &o.save, option.Save)
	flag(cmd, &o.compareWith, option.CompareWith)
	flag(cmd, &o.tolerance, option.Tolerance)
	flag(cmd, &o.answer, option.AnswerBuffers)
	flag(cmd, &o.annotate, option.AnnotateLines)
	flag(cmd, &o.against, option.Against)
	flag(cmd, &o.top, option.Top)
}

// check rejects flags that are invalid by themselves.
func (o *launchOptions) check() error {
	switch {
	case o.grid == "" || o.block == "":
		return usage.Errorf("such as --grid 64 --block 256", "weft launch needs --grid and --block")
	case !o.annotate && (o.against != "" || o.changed("top")):
		flag := "against"
		if o.against == "" {
			flag = "top"
		}
		return usage.Errorf("", "--%s goes with --annotate only", flag)
	case o.compareWith == "" && o.explore.seeds == 0 && o.changed("answer"):
		return usage.Errorf("such as --compare-with func", "--answer goes with --compare-with or --explore only")
	case o.compareWith == "" && o.explore.seeds == 0 && o.changed("tolerance"):
		return usage.Errorf("such as --compare-with func", "--tolerance goes with --compare-with or --explore only")
	}
	return launch.CheckTolerance(o.tolerance)
}

// extents parses the value of --grid or --block.
func extents(flag, text string) (dim [3]int, err error) {
	if dim, err = launch.Extents(text); err != nil {
		err = usage.Errorf("such as --"+flag+" 64, 64x32 or 64x32x2", "--%s: %v", flag, err)
	}
	return dim, err
}

// launchRequest returns the request for a kernel with the values of --grid,
// --block, --arg and --bind.
func launchRequest(kernel, grid, block string, args, bind []string) (q launch.Request, err error) {
	q = launch.Request{Kernel: kernel, Shown: kernel}
	if q.Grid, err = extents("grid", grid); err != nil {
		return q, err
	}
	if q.Block, err = extents("block", block); err != nil {
		return q, err
	}
	if q.Args, err = launch.ParseAssignments(option.Arg, args); err != nil {
		return q, err
	}
	q.Bind, err = launch.ParseAssignments(option.Bind, bind)
	return q, err
}

// isUsage reports whether err is a usage error.
func isUsage(err error) bool {
	var mistake *usage.Error
	return errors.As(err, &mistake)
}

// specs returns the device, and the one to compare it with, or nil. A flag that
// only one of the two accepts is used for that one.
func (o *launchOptions) specs() (one, other *devices.Spec, err error) {
	if o.compareWith == "" {
		if one, err = o.spec(); err == nil {
			err = one.Single("weft launch")
		}
		return one, nil, err
	}
	if o.compareWith == o.device {
		return nil, nil, usage.Errorf("\"weft list devices\"", "--compare-with: cannot compare %s with itself", o.device)
	}
	mine, err := o.options()
	if err != nil {
		return nil, nil, err
	}
	theirs := devices.Options{Seed: o.seed}
	if one, err = devices.New(o.device, devices.Options{Seed: o.seed}); err != nil {
		return nil, nil, err
	}
	if other, err = devices.New(o.compareWith, theirs); err != nil {
		return nil, nil, err
	}
	for _, needs := range []device.Capabilities{device.Deadline, device.Budget, device.Unwritten, device.Strict, device.RaceDetection, device.CycleLevel} {
		if !other.Can().Has(needs) {
			continue
		}
		keep := mine
		switch needs {
		case device.Deadline:
			theirs.Check, theirs.Deadline = mine.Check, mine.Deadline
			keep.Check, keep.Deadline = false, 0
		case device.Budget:
			theirs.Budget, keep.Budget = mine.Budget, 0
		case device.Unwritten:
			theirs.Unwritten, keep.Unwritten = mine.Unwritten, false
		case device.Strict:
			theirs.Strict, keep.Strict = mine.Strict, devices.DeviceDecides
		case device.RaceDetection:
			theirs.Race, keep.Race = mine.Race, false
		case device.CycleLevel:
			theirs.Sample, keep.Sample = mine.Sample, 0
		}
		if !one.Can().Has(needs) {
			mine = keep
		}
	}
	if one, err = devices.New(o.device, mine); err == nil {
		other, err = devices.New(o.compareWith, theirs)
	}
	return one, other, err
}

// launch launches a kernel as the flags say and prints the result.
func (a *app) launch(ctx context.Context, o launchOptions) error {
	if o.against != "" {
		return a.launchAgainst(ctx, o)
	}
	j, err := a.launchJob(ctx, o)
	if err != nil {
		return err
	}
	r, err := j.run(ctx)
	switch {
	case r == nil:
		return err
	case o.json && o.annotate:
		err = errors.Join(format.JSON(a.stdout, annotatedLaunch(r, j.collected)), err)
	case o.json:
		err = errors.Join(format.JSON(a.stdout, r), err)
	case o.annotate:
		head := func(w io.Writer) { report.LaunchHead(w, r) }
		err = errors.Join(annotate.Text(a.stdout, head, &r.Work, j.collected.profile, o.top, o.counters), err)
		report.Comparison(a.stdout, r, o.counters)
	default:
		report.Launch(a.stdout, r, o.counters)
	}
	if r.Left() && !o.json {
		for _, p := range j.print {
			report.Elements(a.stdout, r.Table(p))
		}
	}
	return errors.Join(j.write(ctx, r), err)
}

// annotatedLaunch returns a launch with its annotation.
func annotatedLaunch(r *launch.Result, c *collection) *annotate.Run {
	return &annotate.Run{
		Run: r, Annotation: annotate.Sum(c.profile, 0), Work: &r.Work,
		Head: func(w io.Writer) { report.LaunchHead(w, r) }, Name: r.Kernel, Against: r.Kernel,
	}
}

// launchAgainst launches two kernels and prints the differences.
func (a *app) launchAgainst(ctx context.Context, o launchOptions) error {
	for _, f := range []struct {
		flag string
		set  bool
	}{{"pprof", o.pprof != ""}, {"trace", o.trace != ""}, {"save", len(o.save) > 0}, {"print", len(o.print) > 0}, {"compare-with", o.compareWith != ""}} {
		if f.set {
			return usage.Errorf("launch one kernel at a time for that", "--%s is for one kernel, but --against launches two", f.flag)
		}
	}
	if o.against == o.kernel {
		return usage.Errorf("", "--against: cannot compare %s with itself", o.against)
	}
	var runs []*annotate.Run
	for _, kernel := range []string{o.kernel, o.against} {
		o.kernel = kernel
		j, err := a.launchJob(ctx, o)
		if err != nil {
			return err
		}
		r, err := j.run(ctx)
		if err != nil {
			return err
		}
		runs = append(runs, annotatedLaunch(r, j.collected))
	}
	c := annotate.Compare(runs[0], runs[1])
	if o.json {
		return format.JSON(a.stdout, c)
	}
	c.Print(a.stdout, o.top)
	return nil
}
