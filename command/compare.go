package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
)

// recordName names the record where a device is expected.
const recordName = "record"

// compareOptions holds the flags of `weft compare`.
type compareOptions struct {
	algorithm, scheduler string
	params               []string
	graph                graphs.Named
	source               string
	changed              func(flag string) bool
	device, with         string
	gpus                 gpuCount
	set                  []string
	seed                 uint64
	ncu                  string
	gpu                  string
	all, micro, counters bool
	light                bool
	times, only          string
	jobs                 int
	graphs               string
	maxArcs              int
	json                 bool
}

func (a *app) compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare [ALGORITHM] [flags]",
		Short: "Compare a device with another device, or with the record of a real GPU",
		Long: `Runs an algorithm on two devices, or on one device to compare it with the record of
a real GPU. It prints which answers were verified, how they differ, the kernel times
and their error, and the counters that both sides have. Counters of a real GPU come
from Nsight Compute (ncu), if it is installed, or from a CSV file that it wrote
(--ncu). Answers that differ by more than rounding and were not both verified are a
failure (exit code 1).

The record is that of the GPU that the device simulates or is, unless --gpu names
another GPU.

--all runs every recorded pair of algorithm and scheduler on the graphs of a folder
(and the demo graph) and summarises the errors. --micro does the same for the
micro-kernels (minutes on a simulator; --light leaves out the long ones and names
them); with --with FILE.json it compares with what weft micro --json wrote. --counters
compares the device's counters for each kernel with those of Nsight Compute: the error of
each, and a summary by counter.

--times FILE.json runs the rows of a record of repeated runs, of one GPU or of a group,
on the graphs of a folder (and the demo graph) and compares the times from the first launch
until the host knows that the answer is complete, and those of the kernels. The row's median
counts. Errors are summarised by graph, algorithm and parameter.`,
		Example: `  weft compare bfs
  weft compare bfs --scheduler thread --graph roads.gr.gz --with hw
  weft compare sssp --device sim:v100 --with func
  weft compare ./mydir.MyAlgorithm --param k=5 --device sim:h200 --with hw
  weft compare --micro
  weft compare --micro --device sim:h200x2 --with results/hw/h200x2/links.json
  weft compare --all --graphs graphs --max-arcs 1000000 --json
  weft compare --times results/hw/h200x2/times.json --device sim:h200x2 --only 'wiki-Vote bfs .*overlap=false'
  weft compare --counters --graphs graphs`,
		Args: between("ALGORITHM", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.algorithm = args[0]
			}
			o.changed = cmd.Flags().Changed
			if err := o.fits(o.changed); err != nil {
				return err
			}
			return a.compare(cmd.Context(), o)
		},
	}
	flag(cmd, &o.scheduler, option.Scheduler)
	flag(cmd, &o.params, option.Param)
	flag(cmd, &o.graph.Spec, option.Graph)
	registerGraph(cmd, &o.graph)
	flag(cmd, &o.source, option.Source)
	flag(cmd, &o.device, option.Device)
	flag(cmd, &o.with, option.With)
	flag(cmd, &o.gpus, option.GPUs)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.seed, option.Seed)
	flag(cmd, &o.ncu, option.NCU)
	flag(cmd, &o.gpu, option.GPU)
	flag(cmd, &o.all, option.All)
	flag(cmd, &o.micro, option.Micro)
	flag(cmd, &o.counters, option.CompareCounters)
	flag(cmd, &o.light, option.Light)
	flag(cmd, &o.graphs, option.GraphFolder)
	flag(cmd, &o.maxArcs, option.MaxArcs)
	flag(cmd, &o.times, option.Times)
	flag(cmd, &o.only, option.Only)
	flag(cmd, &o.jobs, option.Jobs)
	flag(cmd, &o.json, option.JSON)
	return cmd
}

// fits rejects flags that have no meaning for this kind of comparison.
func (o *compareOptions) fits(changed func(flag string) bool) error {
	for _, x := range []struct {
		when  bool
		what  string
		flags []string
	}{
		{o.all || o.micro || o.counters || o.times != "", "one algorithm", []string{"scheduler", "param", "graph", "format", "symmetrize", "drop-isolated", "permute", "weights", "source", "with", "ncu"}},
		{o.algorithm != "" || o.micro, "--all, --counters and --times", []string{"graphs", "max-arcs"}},
		{o.times == "", "--times", []string{"only", "jobs"}},
		{o.times != "", "a record of a GPU", []string{"gpu"}},
	} {
		for _, name := range x.flags {
			if x.when && changed(name) && !(name == "with" && o.micro && strings.HasSuffix(o.with, ".json")) {
				return usage.Errorf("", "--%s goes with %s only", name, x.what)
			}
		}
	}
	if o.light && !o.micro {
		return usage.Errorf("", "--light goes with --micro only")
	}
	if o.algorithm != "" && o.with != recordName && changed("gpu") {
		return usage.Errorf("", "--gpu names a record, but --with %s is not a record", o.with)
	}
	return o.graph.Check()
}

func (a *app) compare(ctx context.Context, o compareOptions) error {
	modes := 0
	for _, set := range []bool{o.algorithm != "", o.all, o.micro, o.counters, o.times != ""} {
		if set {
			modes++
		}
	}
	if modes != 1 {
		return usage.Errorf("such as \"weft compare bfs\"", "weft compare takes one of ALGORITHM, --all, --micro, --counters and --times")
	}
	spec, err := devices.New(o.device, devices.Options{GPUs: int(o.gpus), Set: o.set, Seed: o.seed})
	if err != nil {
		return err
	}
	for what, set := range map[string]bool{"--all": o.all, "--micro": o.micro, "--times": o.times != ""} { // these compare times
		if err := spec.Need("compare "+what, device.Clock); set && err != nil {
			return err
		}
	}
	q := comparison.Request{Device: spec, GPU: o.gpu, Algorithm: o.algorithm, Scheduler: o.scheduler, Graph: o.graph,
		NCU: o.ncu, Folder: o.graphs, MaxArcs: o.maxArcs, Light: o.light, Times: o.times, Only: o.only, Stderr: a.stderr}
	if o.times != "" {
		if q.Jobs = o.jobs; spec.Can().Has(device.Silicon) {
			q.Jobs = 1
		}
		t, err := comparison.Times(ctx, q)
		return a.printed(t, t != nil, o.json, err)
	}
	if o.micro && o.with != recordName {
		q.Micro = o.with
	} else if o.with == recordName || o.algorithm == "" {
		if err = recordFor(ctx, &q); err != nil {
			return err
		}
	}
	switch {
	case o.all:
		t, err := comparison.All(ctx, q)
		return a.printed(t, t != nil, o.json, err)
	case o.micro:
		t, err := comparison.Micro(ctx, q)
		return a.printed(t, t != nil, o.json, err)
	case o.counters:
		t, err := comparison.Counters(ctx, q)
		return a.printed(t, t != nil, o.json, err)
	}
	if err := o.one(&q); err != nil {
		return err
	}
	c, err := comparison.One(ctx, q)
	return a.printed(c, c != nil, o.json, err)
}

// printed prints a table, if there is one, and returns its error.
func (a *app) printed(t interface {
	Text(io.Writer)
	Of(command string)
}, made, asJSON bool, err error) error {
	if !made {
		return err
	}
	t.Of("weft " + strings.Join(a.args, " "))
	if asJSON {
		return errors.Join(format.JSON(a.stdout, t), err)
	}
	t.Text(a.stdout)
	return err
}

// one checks the flags for a comparison of one algorithm, and adds them to q.
func (o *compareOptions) one(q *comparison.Request) (err error) {
	entry, err := catalog.Named(o.algorithm, o.scheduler)
	if err != nil {
		return run.Refused(err)
	}
	if err := fitsAlgorithm(entry, o.changed); err != nil {
		return err
	}
	if q.Params, err = parseParams(o.params); err != nil {
		return err
	}
	if o.scheduler != catalog.Auto {
		if _, err := entry.Parameters(q.Params); err != nil {
			return run.Refused(err)
		}
	}
	if len(q.Params) > 0 && o.with == recordName {
		return usage.Errorf("compare with a device, such as --with func", "--param: the parameters of a record are the defaults")
	}
	if o.with != recordName {
		if q.With, err = devices.New(o.with, devices.Options{GPUs: int(o.gpus), Seed: o.seed}); err != nil {
			if n := usage.Nearest(o.with, []string{recordName}); n != "" {
				err = usage.Unknown("device", o.with, append(devices.Names(), recordName), "")
			}
			return err
		}
		if o.ncu != "" && q.With.Can().Has(device.Counters) {
			return usage.Errorf("compare with hw or a record", "--ncu: device %s has its own counters", o.with)
		}
	}
	if o.changed("source") {
		q.SourceArg = o.source
	}
	q.Source, err = run.ParseSource(o.source)
	return err
}

// recordFor sets the record to compare a device with: that of the GPU that it
// simulates or is, unless --gpu names another one.
func recordFor(ctx context.Context, q *comparison.Request) error {
	spec := q.Device
	if err := spec.Single("the comparison with a record"); err != nil {
		err.(*usage.Error).Hint = usage.Plain("name what to compare with by --with: another group, such as --with hw:0,1, or with --micro a file")
		return err
	}
	own, err := spec.Record(ctx)
	if err != nil && q.GPU == "" {
		return err
	}
	hint := "recorded are: " + strings.Join(results.GPUs(), ", ")
	if q.GPU == "" {
		if !slices.Contains(results.GPUs(), own) {
			return usage.Errorf(hint+"; choose one of them by --gpu, or a device by --with", "there is no record of the GPU of device %s", spec.Name)
		}
		q.GPU = own
	} else if q.GPU != own {
		q.Notes = append(q.Notes, fmt.Sprintf("the record is of another GPU (%s) than device %s, as --gpu asks", q.GPU, spec.Name))
	}
	if len(spec.Set) > 0 {
		var changed []string
		for _, s := range spec.Set {
			changed = append(changed, s.Path+"="+s.Value)
		}
		q.Notes = append(q.Notes, fmt.Sprintf("the machine of %s is changed: %s", spec.Name, strings.Join(changed, ", ")))
	}
	q.Record, err = results.Load(q.GPU)
	if err != nil {
		return usage.Errorf(hint, "--gpu: %v", err)
	}
	return nil
}
