package command

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/annotate"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/report"
	"github.com/weft-gpu/weft/internal/run"
	"github.com/weft-gpu/weft/internal/usage"
)

// defaultTop is the number of lines and addresses in the summaries of an
// annotation.
const defaultTop = 10

func (a *app) annotateCommand() *cobra.Command {
	o := runOptions{annotate: "annotate"}
	var top int
	var against string
	cmd := &cobra.Command{
		Use:   "annotate ALGORITHM|./dir.Type [flags]",
		Short: "Run an algorithm on a simulated machine, and show its source with what each line costs",
		Long: `Runs an algorithm as "weft run" does, on a simulated machine, and prints the Go
source of its kernels with what each line costs there:

  stalls    the share of all cycles that warps waited, and what for: the names are
            those of Nsight Compute ("weft list counters")
  inst      warp instructions, and lanes that take part in one, mean
  sectors   32-byte sectors that an instruction on global memory asks for, mean: 1
            is the least, 4 is one line for all lanes, 32 a sector for each lane
  ways      passes that an access to shared memory takes, mean and most; of an
            atomic, lanes of a warp on one address
  atomics   operations of lanes
  queue     the most operations that were at once on the address of one of them
  serial    cycles that atomic units (or shared memories) worked on them, one
            operation on an address after the other

First it says of each kernel what warps wait for, the line where they wait most,
and the addresses where atomics meet. Inlined functions are shown where they stand, and then by the chain of calls that
led there. At the end: the addresses at which atomics met, with the buffer's name
and index, how long one waited there (in cycles) and how long the address kept an
atomic unit busy, which does one operation on it at a time; and in each launch, how
many groups there were of as many lanes of a warp on one address. Last: sectors whose
loads, stores and atomics stood in line for their L2 slice, where that matters.

--against SCHEDULER runs both schedulers and prints their difference instead: what
warps wait for, atomics, and the lines that differ most.`,
		Example: `  weft annotate bfs --scheduler thread
  weft annotate bfs --scheduler block-queue
  weft annotate bfs --scheduler thread --against block-queue
  weft annotate ./mydir.MyAlgorithm --graph roads.gr.gz --pprof mine.pb.gz`,
		Args: between("ALGORITHM or ./dir.Type", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.algorithm, o.changed = args[0], cmd.Flags().Changed
			if top < 1 {
				return usage.Errorf("", "--top: %d is not at least 1", top)
			}
			if against != "" {
				return a.annotateAgainst(cmd.Context(), o, against, top)
			}
			return a.annotate(cmd.Context(), o, top)
		},
	}
	o.register(cmd)
	cmd.Flags().IntVar(&top, "top", defaultTop, "lines, addresses and launches in the summaries")
	cmd.Flags().StringVar(&against, "against", "", "run this scheduler too, and show what differs")
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
	head := func(w io.Writer) { report.Head(w, r) }
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
	if against == o.scheduler {
		return usage.Errorf("\"weft list schedulers\"", "--against: %s against itself", against)
	}
	if _, err := catalog.Lookup(o.algorithm, against); err != nil {
		return run.Refused(err)
	}
	var runs []*annotate.Run
	for _, scheduler := range []string{o.scheduler, against} {
		o.scheduler = scheduler
		j, err := a.job(ctx, o)
		if err != nil {
			return err
		}
		r, err := j.run(ctx)
		if err != nil {
			return err
		}
		runs = append(runs, annotate.Of(r, j.collected.profile))
	}
	if o.json {
		return format.JSON(a.stdout, runs)
	}
	annotate.Difference(a.stdout, runs[0], runs[1], top)
	return nil
}
