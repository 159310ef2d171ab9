package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/measure/ncu"
	"github.com/weft-gpu/weft/internal/measure/record"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/results"
)

// byHandKernels are the pairs with hand-written kernels in hw/testdata/cuda,
// and the entry points of these.
var byHandKernels = []struct {
	pair  record.Pair
	entry string
}{
	{record.Pair{Algorithm: "bfs", Scheduler: "warp"}, "bfs_warp"},
	{record.Pair{Algorithm: "bfs", Scheduler: "block-queue"}, "bfs_block_queue"},
	{record.Pair{Algorithm: "pagerank-pull", Scheduler: "warp"}, "pagerank_pull_warp"},
	{record.Pair{Algorithm: "cc", Scheduler: "warp"}, "cc_warp"},
}

// microCounted matches the micro-kernels whose counters are recorded: those of
// shared memory, atomics, collectives and arithmetic, one each that copies and
// gathers, those of the caches that a simulator can run, and the programs.
const microCounted = `^(shared memory|data stage|warp|arithmetic|barriers: Sync|global atomics: (dependent|consecutive, 1,024|one SM)|memory: (copy, 16|random 4-byte gather, 1 MiB)|caches: (dependent|15|30|1 MiB|one word)|programs)`

func (a *app) recordCommand() *cobra.Command {
	var o recordOptions
	var name string
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Measure a real GPU for the records in results/hw",
		Long: `Runs every algorithm with every scheduler on every graph of a folder, checks the
answers against the CPU reference and measures the times; measures the micro-kernels,
counts the outcomes of the litmus tests, queries the driver about each kernel, and
writes everything as JSON to a folder.

--calibrate measures the micro-kernels alone, and makes a machine for --device sim:FILE
from them, as weft calibrate does. The base is the preset nearest to the GPU.

Times of repeated runs with other parameters are measured by weft sweep, and
weft results --record makes a record of them.

"make hw-record" builds all that a machine with a GPU but without Go needs for this.`,
		Example: "  weft record --graphs graphs --out results/hw/h200\n  weft record --by-hand byhand.cubin --repeat 9\n  weft record --parts micro-counters --profile wiki\n  weft record --calibrate --out my-gpu",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "study" {
				return usage.Errorf("such as: weft sweep experiments/studies/peers.yaml --device hw --out peers.db; weft results peers.db --record h200.json", "weft sweep replaces weft record study")
			}
			return between("argument", 0, 0)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := devices.New(name, devices.Options{Seed: 1})
			if err != nil {
				return err
			}
			if err := spec.Need("record", device.Silicon); err != nil {
				return err
			}
			if devices.GPUIndex(spec.Name) < 0 {
				return usage.Errorf("several GPUs are measured by weft sweep", "record: %s is not one GPU", spec.Name)
			}
			for _, part := range o.parts {
				if !slices.Contains(record.Parts(), part) {
					return usage.Errorf("the parts are: "+strings.Join(record.Parts(), ", "), "--parts: unknown part %q", part)
				}
			}
			if err := usage.Once(option.Parts, o.parts); err != nil {
				return err
			}
			if o.calibrate && len(o.parts) == 0 {
				o.parts = []string{microPart}
			}
			if o.calibrate && !slices.Contains(o.parts, microPart) {
				return usage.Errorf(usage.Say("add %s", microPart), "%s needs the part %s", option.Calibrate, microPart)
			}
			return a.record(cmd.Context(), spec, o)
		},
	}
	flag(cmd, &name, option.Device)
	flag(cmd, &o.parts, option.Parts, strings.Join(record.Parts(), ", "))
	flag(cmd, &o.out, option.Out)
	flag(cmd, &o.graphs, option.GraphFolder)
	flag(cmd, &o.byHand, option.ByHand)
	flag(cmd, &o.profile, option.CounterProfile)
	flag(cmd, &o.repeats, option.Repeat)
	flag(cmd, &o.calibrate, option.Calibrate)
	return cmd
}

// microPart is the part of a record with the table of micro-kernels, and machineFile the file for a machine that is made of it.
const microPart, machineFile = "micro", "machine.yaml"

// recordOptions holds the flags of `weft record`.
type recordOptions struct {
	parts                        []string
	out, graphs, byHand, profile string
	repeats                      int
	calibrate                    bool
}

func (a *app) record(ctx context.Context, spec *devices.Spec, o recordOptions) error {
	plan := &record.Plan{Parts: o.parts, Out: o.out, Repeats: o.repeats, Log: a.stderr, Graphs: []string{"demo"}}
	if o.graphs != "" {
		var err error
		if plan.Graphs, err = graphs.Files(o.graphs); err != nil {
			return err
		}
	}
	substitute := map[string]hw.Binary{}
	probes := map[string]hw.Binary{}
	for _, registers := range []int{24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 200, 248} {
		for _, shared := range []int{0, 3000} {
			k, binary := hw.Probe(registers, shared)
			probes[k.Name] = binary
			plan.Probes = append(plan.Probes, k)
		}
	}
	if o.byHand != "" {
		code, err := infile.ReadAll(ctx, o.byHand, 1<<30)
		if err != nil {
			return fmt.Errorf("%s: %w", o.byHand, err)
		}
		for _, k := range byHandKernels {
			e, err := catalog.Lookup(k.pair.Algorithm, k.pair.Scheduler)
			if err != nil {
				return err
			}
			substitute[e.Kernel] = hw.Binary{Code: code, Entry: k.entry}
			plan.ByHand = append(plan.ByHand, k.pair)
		}
	}
	signals.OwnPipes()
	plan.Open = func(byHand bool) (device.Device, error) {
		opts := hw.Options{Substitute: probes}
		if byHand {
			opts.Substitute = substitute
		}
		return devices.OpenGPU(spec.Name, devices.GPUIndex(spec.Name), opts)
	}
	plan.Inspect = inspect
	plan.Overhead = func(dev device.Device) float64 { return dev.(*hw.Device).Info().Overhead() }
	if o.profile != "" {
		match, err := regexp.Compile(o.profile)
		if err != nil {
			return usage.Errorf("", "--profile: %v", err)
		}
		plan.Profiled = match.MatchString
		plan.Missing = ncu.Missing
		plan.Profile = func(ctx context.Context, pair record.Pair, graph string) ([]results.KernelCounters, error) {
			launches, err := comparison.Profiled(ctx, "run", pair.Algorithm, "--scheduler", pair.Scheduler, "--graph", graph, "--device", spec.Name, "--no-verify")
			return ncu.ByKernel(launches), err
		}
		plan.ProfileMicro = func(ctx context.Context) (results.MicroCounters, error) {
			launches, err := comparison.Profiled(ctx, "micro", "--device", spec.Name, "--heavy", "--only", microCounted)
			return results.MicroCounters{Only: microCounted, Heavy: true, Launches: ncu.OneByOne(launches)}, err
		}
	}
	d, err := devices.OpenGPU(spec.Name, devices.GPUIndex(spec.Name), hw.Options{})
	if err != nil {
		return err
	}
	plan.Meta = devices.Meta(d, "weft "+strings.Join(a.args, " "))
	if err := d.Close(); err != nil {
		return err
	}
	err = plan.Run(ctx)
	if ctx.Err() != nil {
		return signals.Interrupted
	}
	var failed *record.FailedError
	if !o.calibrate || err != nil && !errors.As(err, &failed) {
		return err
	}
	if failed != nil { // a small GPU cannot run all rows
		fmt.Fprintln(a.stderr, failed)
	}
	file := filepath.Join(o.out, machineFile)
	if err := a.machineOf(ctx, o.out, calibrateOptions{out: file, jobs: runtime.NumCPU()}); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "written to %s: weft run bfs --device sim:%s\n", file, file)
	return nil
}

// inspect asks the driver about a kernel: blocks per SM for each block size,
// with and without dynamic shared memory.
func inspect(dev device.Device, k *device.Kernel) (results.Kernel, error) {
	d, ok := dev.(*hw.Device)
	if !ok {
		return results.Kernel{}, errors.New("not a GPU")
	}
	info, err := d.Function(k)
	if err != nil {
		return results.Kernel{}, err
	}
	r := results.Kernel{Name: k.Name, Registers: info.Registers, Shared: info.Shared, Local: info.Local, MaxBlock: info.MaxThreads}
	for _, dynamic := range []int{0, 1024, 10_000, 40_000} {
		for block := 32; block <= 1024; block += 32 {
			n, err := d.BlocksPerSM(k, block, dynamic)
			if err != nil {
				return r, err
			}
			r.Occupancy = append(r.Occupancy, results.Occupancy{Block: block, Dynamic: dynamic, Blocks: n})
		}
	}
	return r, nil
}
