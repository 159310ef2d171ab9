package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/buildinfo"
	"github.com/weft-gpu/weft/internal/calibrate"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/progressbar"
	"github.com/weft-gpu/weft/internal/signals"
	"github.com/weft-gpu/weft/internal/usage"
)

// benchmark is one part of `weft bench`. Run does the work once and returns
// the rate in units a second.
type benchmark struct {
	name, what, unit string
	run              func(ctx context.Context) (float64, error)
}

// benchResult is what one benchmark gave.
type benchResult struct {
	Name   string  `json:"name"`
	What   string  `json:"what"`
	Unit   string  `json:"unit"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// PerStep is Median over the rate of the calibration loop: it compares
	// across machines.
	PerStep float64 `json:"per_calibration_step"`
}

// benchReport is what `weft bench --json` prints.
type benchReport struct {
	Command     string             `json:"command"`
	Build       buildinfo.Info     `json:"build"`
	Repeats     int                `json:"repeats"`
	Calibration calibrate.Measured `json:"calibration"`
	Benchmarks  []benchResult      `json:"benchmarks"`
}

func (a *app) benchCommand() *cobra.Command {
	var asJSON bool
	var repeats int
	all := benchmarks()
	var names []string
	var help strings.Builder
	for _, b := range all {
		names = append(names, b.name)
		fmt.Fprintf(&help, "  %-8s %s\n", b.name, b.what)
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
func (a *app) bench(ctx context.Context, chosen []benchmark, repeats int, asJSON bool) error {
	r := benchReport{Command: "weft " + strings.Join(a.args, " "), Build: buildinfo.This(), Repeats: repeats,
		Benchmarks: []benchResult{}}
	var loop []float64
	var failed error
	for _, b := range chosen {
		loop = append(loop, a.calibrate())
		var rates []float64
		if rates, failed = a.measure(ctx, b, repeats); failed != nil {
			break
		}
		r.Benchmarks = append(r.Benchmarks, benchResult{Name: b.name, What: b.what, Unit: b.unit,
			Median: median(rates), Min: slices.Min(rates), Max: slices.Max(rates)})
	}
	loop = append(loop, a.calibrate())
	r.Calibration = calibrate.Measured{What: calibrate.Name, Rate: median(loop)}
	for i := range r.Benchmarks {
		r.Benchmarks[i].PerStep = r.Benchmarks[i].Median / r.Calibration.Rate
	}
	if ctx.Err() != nil {
		failed = signals.Interrupted
	}
	if asJSON {
		if err := format.JSON(a.stdout, r); err != nil {
			return err
		}
		return failed
	}
	rows := [][]string{{"benchmark", "median", "unit", "min to max", "per 1,000 steps", "what"}}
	for _, b := range r.Benchmarks {
		rows = append(rows, []string{b.Name, format.Scaled(b.Median), b.Unit,
			format.Scaled(b.Min) + " to " + format.Scaled(b.Max), fmt.Sprintf("%.3g", 1000*b.PerStep), b.What})
	}
	format.Table(a.stdout, "", "lrllrl", rows)
	fmt.Fprintf(a.stdout, "\ncalibration loop: %s steps/s (%s)\n", format.Scaled(r.Calibration.Rate), r.Calibration.What)
	return failed
}

// measure runs one benchmark a few times.
func (a *app) measure(ctx context.Context, b benchmark, repeats int) ([]float64, error) {
	p := progressbar.New(a.stderr, "bench "+b.name)
	defer p.Finish()
	var rates []float64
	for i := range repeats {
		p.Update(int64(i), int64(repeats), "")
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rate, err := b.run(ctx)
		if err != nil {
			return nil, fmt.Errorf("bench %s: %w", b.name, err)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// median is the middle value, or the mean of the middle two.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}
