package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/bench"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

func (a *app) benchCommand() *cobra.Command {
	var asJSON bool
	var repeats int
	all := bench.Parts()
	var names []string
	var help strings.Builder
	for _, b := range all {
		names = append(names, b.Name)
		fmt.Fprintf(&help, "  %-8s %s\n", b.Name, b.What)
	}
	cmd := &cobra.Command{
		Use:   "bench [" + strings.Join(names, "|") + "]",
		Short: "Measure the compiler, the graph reader and the devices on this machine",
		Long: `Measures rates on this machine, each as the median of several repeats on one core,
and the rate of a calibration loop that never changes. Divided by the calibration
rate, rates can be compared across machines.

` + strings.TrimRight(help.String(), "\n"),
		Example:   "  weft bench\n  weft bench func --repeat 5\n  weft bench sim          # in detail\n  weft bench --json",
		ValidArgs: names,
		Args:      between("benchmark", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := all
			if len(args) == 1 {
				i := slices.Index(names, args[0])
				if i < 0 {
					return usage.Unknown("benchmark", args[0], names, "")
				}
				chosen = all[i : i+1]
			}
			return a.bench(cmd.Context(), chosen, repeats, asJSON)
		},
	}
	flag(cmd, &asJSON, option.JSON)
	flag(cmd, &repeats, option.Repeat)
	cmd.AddCommand(a.benchSimCommand())
	return cmd
}

// bench measures and prints. If interrupted, it prints the results so far.
func (a *app) bench(ctx context.Context, chosen []bench.Part, repeats int, asJSON bool) error {
	r, err := bench.Measure(ctx, chosen, repeats, a.calibrate, a.stderr)
	r.Command = "weft " + strings.Join(a.args, " ")
	if asJSON {
		return errors.Join(format.JSON(a.stdout, r), err)
	}
	r.Text(a.stdout)
	return err
}

// benchSimOptions holds the flags of `weft bench sim`.
type benchSimOptions struct {
	algorithms, schedulers, graphs []string
	limits                         []string
	device                         string
	gpus                           gpuCount
	threads, against               int
	set                            []string
	repeat                         int
	json                           bool
	cpuprofile                     string
	chosen                         bool // the user says what to run
}

func (a *app) benchSimCommand() *cobra.Command {
	var o benchSimOptions
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Measure the simulator: instructions, sectors and cycles per second",
		Long: `Simulates algorithms on graphs and prints the cost on one core of this machine: warp
instructions, memory sectors and simulated cycles per second of user time,
nanoseconds per warp instruction, and bytes of memory per resident thread (without
the simulated GPU's own buffers).

Without --algorithm and --scheduler, breadth-first search by persistent kernels (simdx,
atos, hierq) and on two of the machines (multi, bitmap) follows, and a matrix product by tiles,
which has no graph, so that all parts of the simulator are measured.

A run ends after about --instructions warp instructions; on a group of GPUs, with the
list of commands in which all of them together have executed so many. With several numbers, each
is measured, and the table shows how much the cost of an instruction differs.`,
		Example: `  weft bench sim
  weft bench sim --graph roads.gr.gz --graph web.mtx.gz --instructions 2e7
  weft bench sim --algorithm pagerank-pull --scheduler warp --instructions 1e5,1e6,1e7,1e8
  weft bench sim --device sim:h200x2 --scheduler multi
  weft bench sim --instructions 1e7 --against-threads 2
  weft bench sim --algorithm bfs --cpuprofile cpu.pprof   # go tool pprof -http : cpu.pprof`,
		Args: between("argument", 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.chosen = cmd.Flags().Changed("algorithm") || cmd.Flags().Changed("scheduler")
			return a.benchSim(cmd.Context(), o)
		},
	}
	flag(cmd, &o.algorithms, option.Algorithms)
	flag(cmd, &o.schedulers, option.Schedulers)
	flag(cmd, &o.graphs, option.Graphs)
	flag(cmd, &o.limits, option.Instructions)
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.gpus, option.GPUs)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.threads, option.HostThreads)
	flag(cmd, &o.against, option.AgainstThreads)
	flag(cmd, &o.repeat, option.Repeat)
	flag(cmd, &o.json, option.JSON)
	flag(cmd, &o.cpuprofile, option.CPUProfile)
	return cmd
}

// benchSim checks the command line, measures and prints. If interrupted, it
// prints the results so far.
func (a *app) benchSim(ctx context.Context, o benchSimOptions) error {
	spec, err := devices.New(o.device, devices.Options{GPUs: int(o.gpus), Set: o.set, Seed: 1, Threads: o.threads})
	if err != nil {
		return err
	}
	if err := spec.Need("bench sim", device.CycleLevel); err != nil && (spec.GPUs == 0 || !spec.Can().Has(device.Parameters)) {
		return err
	}
	spec.Options.Threads = max(o.threads, 1)
	switch {
	case o.against == 0:
	case o.against == spec.Options.Threads:
		return usage.Errorf("name another number", "%s: the runs have %d threads already", option.AgainstThreads, o.against)
	}
	limits, err := o.check(spec)
	if err != nil {
		return err
	}
	var group *devices.Spec
	if !o.chosen && spec.GPUs == 0 {
		if group, err = devices.New(o.device, devices.Options{GPUs: 2, Set: o.set, Seed: 1, Threads: spec.Options.Threads}); err != nil {
			return err
		}
	}
	file, err := a.outputs(o.graphs, o.algorithms).reads(spec).file("--cpuprofile", o.cpuprofile)
	if err != nil {
		return err
	}
	var loaded []*graph.CSR
	for _, g := range o.graphs {
		csr, _, err := graphs.Named{Spec: g}.Load(ctx, a.stderr)
		if err != nil {
			return err
		}
		loaded = append(loaded, csr)
	}
	plan := bench.SimPlan{Algorithms: o.algorithms, Schedulers: o.schedulers, Graphs: loaded, Limits: limits, Device: spec, Group: group, Repeats: o.repeat, Against: o.against}
	var cpu bytes.Buffer
	if file != nil {
		if err := pprof.StartCPUProfile(&cpu); err != nil {
			return fmt.Errorf("--cpuprofile: %w", err)
		}
	}
	r, err := bench.Simulator(ctx, plan, a.calibrate, a.stderr)
	if file != nil {
		pprof.StopCPUProfile()
		err = errors.Join(err, file.Write(ctx, func(w io.Writer) error {
			_, err := w.Write(cpu.Bytes())
			return err
		}))
	}
	if ctx.Err() != nil {
		err = signals.Interrupted
	}
	r.Command = "weft " + strings.Join(a.args, " ")
	if o.json {
		return errors.Join(format.JSON(a.stdout, r), err)
	}
	r.Text(a.stdout)
	return err
}

// check rejects invalid names and numbers before anything is read.
func (o *benchSimOptions) check(spec *devices.Spec) (limits []float64, err error) {
	for _, alg := range o.algorithms {
		for _, s := range o.schedulers {
			e, err := catalog.Named(alg, s)
			if err == nil {
				err = catalog.Fits(e, spec.Name, spec.GPUs)
			}
			if err != nil {
				return nil, run.Refused(err)
			}
		}
	}
	for _, text := range o.limits {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 1000) || n > 1e12 {
			return nil, usage.Errorf("", "--instructions: %q is not a number from 1000 to 1e12", text)
		}
		limits = append(limits, math.Round(n))
	}
	var numbers []string // 1e5 and 100000 are the same
	for _, n := range limits {
		numbers = append(numbers, fmt.Sprintf("%.0f", n))
	}
	for _, list := range []struct {
		option *option.Option
		names  []string
	}{{option.Algorithms, o.algorithms}, {option.Schedulers, o.schedulers}, {option.Graphs, o.graphs}, {option.Instructions, numbers}} {
		if err := usage.Once(list.option, list.names); err != nil {
			return nil, err
		}
	}
	slices.Sort(limits)
	return limits, nil
}
