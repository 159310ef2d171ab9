package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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
	record               string
	limit                time.Duration
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
another GPU. It is looked for in all records of that GPU: a run with counters is
preferred, then one with an algorithm time, then that with most timed runs, then the
newest, and the output says which it is and what the other records have. Records are
read from the folder --record, else from the folder that the environment variable
WEFT_RECORDS names; without both, those that are built in are used.

--all runs every recorded pair of algorithm and scheduler on the graphs of a folder
(and the demo graph) and summarises the errors. --micro does the same for the
micro-kernels (minutes on a simulator; --light leaves out the long ones and names
them); with --with FILE.json it compares with what weft micro --json wrote. --counters
compares the device's counters for each kernel with those of Nsight Compute: the error of
each, and a summary by counter.

A comparison of many rows that is ended, by Ctrl-C or after --limit, prints the rows so
far and their summary, marked as partial.

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
  weft compare --counters --graphs graphs
  weft compare sssp --scheduler simdx --device sim:./my.yaml --record recorded --gpu rtx4090`,
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
	flag(cmd, &o.record, option.Records)
	flag(cmd, &o.limit, option.TimeLimit)
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
		{o.all || o.micro || o.counters || o.times != "", "one algorithm", []string{"scheduler", "param", "graph", "format", "symmetrize", "drop-isolated", "permute", "power", "weights", "source", "with", "ncu"}},
		{o.algorithm != "" || o.micro, "--all, --counters and --times", []string{"graphs", "max-arcs"}},
		{o.times == "", "--times", []string{"only", "jobs"}},
		{o.times != "", "a record of a GPU", []string{"gpu", "record"}},
		{o.algorithm != "", "--all, --micro, --counters and --times", []string{"limit"}},
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
	for _, name := range []string{"gpu", "record"} {
		if !o.all && !o.counters && o.times == "" && o.with != recordName && changed(name) {
			return usage.Errorf("", "--%s names a record, but --with %s is not a record", name, o.with)
		}
	}
	if o.limit < 0 {
		return usage.Errorf("such as --limit 8m", "--limit: %v is negative", o.limit)
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
	if o.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.limit, comparison.ErrLimit)
		defer cancel()
	}
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
		if err = recordFor(ctx, &q, o.record); err != nil {
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
	if errors.Is(err, comparison.ErrLimit) {
		err = nil // as the user wants it; the table says that it is partial
	}
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

// recordsIn returns the records in the folder of the flag --record, else in that of
// the environment variable, else those that are built in.
func recordsIn(folder string) (*results.Records, error) {
	if folder == "" {
		r, err := results.FromEnvironment()
		if err != nil {
			return nil, usage.Errorf("", "%v", err)
		}
		return r, nil
	}
	r, err := results.OpenRecords(folder)
	if err != nil {
		return nil, usage.Errorf("", "%s: %v", option.Records, err)
	}
	return r, nil
}

// recordFor sets the records to compare a device with: those of the GPU that it
// simulates or is, unless --gpu names another one. folder is the value of --record.
func recordFor(ctx context.Context, q *comparison.Request, folder string) error {
	spec := q.Device
	if err := spec.Single("the comparison with a record"); err != nil {
		err.(*usage.Error).Hint = usage.Plain("name what to compare with by --with: another group, such as --with hw:0,1, or with --micro a file")
		return err
	}
	records, err := recordsIn(folder)
	if err != nil {
		return err
	}
	q.Records = records
	own, err := spec.Record(ctx)
	if err != nil && q.GPU == "" {
		return err
	}
	recorded, where := records.GPUs(), ""
	if records.Folder != "" {
		where = " in " + records.Where()
	}
	hint := "recorded are: " + strings.Join(recorded, ", ")
	if q.GPU == "" {
		if !slices.Contains(recorded, own) {
			return usage.Errorf(hint+"; choose one of them by --gpu, or a device by --with", "there is no record of the GPU of device %s%s", spec.Name, where)
		}
		q.GPU = own
	} else if q.GPU != own {
		q.Notes = append(q.Notes, fmt.Sprintf("the record is of another GPU (%s) than device %s, as --gpu asks", q.GPU, spec.Name))
	}
	if !slices.Contains(recorded, q.GPU) {
		return usage.Errorf(hint, "--gpu: there is no record of GPU %q%s", q.GPU, where)
	}
	if records.Folder != "" {
		q.Notes = append(q.Notes, "the records are those of "+records.Where())
	}
	if len(spec.Set) > 0 {
		var changed []string
		for _, s := range spec.Set {
			changed = append(changed, s.Path+"="+s.Value)
		}
		q.Notes = append(q.Notes, fmt.Sprintf("the machine of %s is changed: %s", spec.Name, strings.Join(changed, ", ")))
	}
	return nil
}
