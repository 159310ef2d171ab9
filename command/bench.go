package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/bench"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/usage"
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
		Short: "How fast the compiler, the graph reader and the devices are here",
		Long: `Measures rates on this machine, each the median of a few repeats on one core,
beside a calibration loop that never changes. Rates over the calibration's
compare across machines.

` + strings.TrimRight(help.String(), "\n"),
		Example:   "  weft bench\n  weft bench func --repeat 5\n  weft bench sim          # in detail\n  weft bench --json",
		ValidArgs: names,
		Args:      between("benchmark", 0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if repeats < 1 || repeats > 1000 {
				return usage.Errorf("", "--repeat: %d is not from 1 to 1000", repeats)
			}
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().IntVar(&repeats, "repeat", 3, "how often each is measured; the median counts")
	cmd.AddCommand(a.benchSimCommand())
	return cmd
}

// bench measures and prints; an interruption prints what was measured so far.
func (a *app) bench(ctx context.Context, chosen []bench.Part, repeats int, asJSON bool) error {
	r, err := bench.Measure(ctx, chosen, repeats, a.calibrate, a.stderr)
	r.Command = "weft " + strings.Join(a.args, " ")
	if asJSON {
		return errors.Join(format.JSON(a.stdout, r), err)
	}
	r.Text(a.stdout)
	return err
}
