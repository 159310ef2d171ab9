package command

import (
	"context"
	"errors"
	"io"
	"maps"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/view/annotate"
	"github.com/weft-gpu/weft/internal/view/report"
)

func (a *app) annotateCommand() *cobra.Command {
	o := runOptions{annotate: "annotate"}
	var top int
	var against string
	cmd := &cobra.Command{
		Use:   "annotate ALGORITHM|./dir.Type [flags]",
		Short: "Run an algorithm on a simulated machine and show what each source line costs",
		Long: `Runs an algorithm as "weft run" does, on a simulated machine, and prints the Go
source of its kernels with the cost of each line:

  stalls    share of all stall cycles of warps, with the main reasons, named as in
            Nsight Compute ("weft list counters")
  inst      warp instructions, and mean number of active lanes per instruction
  sectors   mean number of 32-byte sectors that a global memory instruction requests:
            1 is the minimum, 4 is one line for all lanes, 32 is one sector per lane
  ways      mean and maximum number of passes of a shared memory access; for an
            atomic, lanes of a warp on one address
  atomics   atomic operations, counted per lane
  queue     maximum number of operations queued at the address of one of them
  serial    cycles in which atomic units (or shared memories) processed them, one
            operation per address at a time

A summary comes first: for each kernel, the main stall reasons, the line with the
most stalls and the most contended addresses. Inlined functions are shown at their
own lines, and then by call chain. After the source come the addresses on which
atomics collided, with the buffer's name and index, the mean wait of an operation in
cycles and the time for which the address kept an atomic unit busy, which processes
one operation per address at a time; then, for each launch, how many groups of 1, 2,
3-4, ... lanes of a warp collided on one address; and last the sectors whose loads,
stores and atomics waited for their L2 slice, if the wait is significant.

--against SCHEDULER runs both schedulers and prints their differences instead: stall
reasons, atomics, and the lines that differ most; --json has the differences of all
lines.

A kernel is annotated by "weft launch KERNEL ... --annotate".`,
		Example: `  weft annotate bfs --scheduler thread
  weft annotate bfs --scheduler block-queue
  weft annotate bfs --scheduler thread --against block-queue
  weft annotate ./mydir.MyAlgorithm --graph roads.gr.gz --pprof mine.pb.gz`,
		Args: between("ALGORITHM or ./dir.Type", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.algorithm, o.changed = args[0], cmd.Flags().Changed
			if o.changed("explore") || o.explore.keep {
				return usage.Errorf("explore with weft run", "weft annotate shows one run, but --explore runs many")
			}
			if against != "" {
				return a.annotateAgainst(cmd.Context(), o, against, top)
			}
			return a.annotate(cmd.Context(), o, top)
		},
	}
	o.register(cmd)
	flag(cmd, &top, option.Top)
	flag(cmd, &against, option.Against)
	return cmd
}

// annotate runs an algorithm as the flags say and prints where it spent its
// time.
func (a *app) annotate(ctx context.Context, o runOptions, top int) error {
	j, err := a.job(ctx, o)
	if err != nil {
		return err
	}
	r, err := j.run(ctx)
	switch {
	case r == nil:
		return err
	case o.json:
		return errors.Join(format.JSON(a.stdout, annotate.Of(r, j.collected.profile)), j.write(ctx, r), err)
	}
	head := func(w io.Writer) {
		report.Head(w, r)
		report.CPU(w, r)
	}
	return errors.Join(annotate.Text(a.stdout, head, &r.Work, j.collected.profile, top, o.counters), j.write(ctx, r), err)
}

// annotateAgainst runs an algorithm with two schedulers and prints the
// differences.
func (a *app) annotateAgainst(ctx context.Context, o runOptions, against string, top int) error {
	for flag, file := range map[string]string{"--pprof": o.pprof, "--trace": o.trace, "--answer": o.answer} {
		if file != "" {
			return usage.Errorf("run one scheduler at a time for that", "%s: one file cannot hold two runs (--against)", flag)
		}
	}
	if o.cpu {
		return usage.Errorf("leave one out", "--against compares two schedulers, and %s measures none", option.CPU)
	}
	if against == o.scheduler {
		return usage.Errorf("\"weft list schedulers\"", "--against: cannot compare %s with itself", against)
	}
	if _, err := catalog.Named(o.algorithm, against); err != nil {
		return run.Refused(err)
	}
	var jobs []*job
	for _, scheduler := range []string{o.scheduler, against} {
		o.scheduler = scheduler
		j, err := a.job(ctx, o)
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	if first := jobs[0]; first.scheme == jobs[1].scheme && maps.Equal(first.schemeParams, jobs[1].schemeParams) {
		return usage.Errorf("\"weft list schedulers\"", "--against: %s chose %s, which cannot be compared with itself", catalog.Auto, first.scheme)
	}
	var runs []*annotate.Run
	for _, j := range jobs {
		r, err := j.run(ctx)
		if err != nil {
			return err
		}
		runs = append(runs, annotate.Of(r, j.collected.profile))
	}
	c := annotate.Compare(runs[0], runs[1])
	if o.json {
		return format.JSON(a.stdout, c)
	}
	c.Print(a.stdout, top)
	return nil
}
