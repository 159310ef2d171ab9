package main

import (
	"github.com/spf13/cobra"
)

// defaultTop is how many lines and addresses the summaries of an annotation show.
const defaultTop = 10

func (a *app) annotateCommand() *cobra.Command {
	o := runOptions{annotate: true}
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

Inlined functions are shown where they stand, and then by the chain of calls that
led there. At the end: the addresses at which atomics met, with the buffer's name
and index, how long one waited there (in cycles) and how long the address kept an
atomic unit busy, which does one operation on it at a time; and how many lanes met
in each launch.`,
		Example: `  weft annotate bfs --scheduler thread
  weft annotate bfs --scheduler block-queue
  weft annotate ./mydir.MyAlgorithm --graph roads.gr.gz --pprof mine.pb.gz`,
		Args: between("ALGORITHM or ./dir.Type", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.algorithm = args[0]
			if o.top < 1 {
				return usagef("", "--top: %d is not at least 1", o.top)
			}
			return a.run(cmd.Context(), o)
		},
	}
	o.register(cmd)
	cmd.Flags().IntVar(&o.top, "top", defaultTop, "lines and addresses in the summaries")
	return cmd
}
