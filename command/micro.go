package command

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/buildinfo"
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/progressbar"
	"github.com/weft-gpu/weft/internal/signals"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/kernels/micro"
)

// microReport is what `weft micro --json` prints.
type microReport struct {
	Command string         `json:"command"`
	Build   buildinfo.Info `json:"build"`
	Device  string         `json:"device"`
	Rows    []micro.Value  `json:"rows"`
	LeftOut []string       `json:"left_out,omitempty"` // rows of large footprints
}

func (a *app) microCommand() *cobra.Command {
	var name, only string
	var set []string
	var seed uint64
	var repeats int
	var heavy, asJSON bool
	cmd := &cobra.Command{
		Use:   "micro",
		Short: "Measure a machine by micro-kernels: latencies, conflicts, atomics, barriers, bandwidth",
		Long: `Runs small kernels that each measure one thing and prints the table: latency of
each level of memory, bank conflicts by ways, atomics by degree of conflict and
by pattern, barriers, arithmetic, gather by footprint, launch cost.

On a simulator, rows with large footprints are left out unless --heavy is given.`,
		Example: "  weft micro\n  weft micro --device sim:v100 --json\n  weft micro --device hw --repeat 7",
		Args:    between("argument", 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := devices.New(name, devices.Options{Set: set, Seed: seed})
			if err != nil {
				return err
			}
			if repeats < 0 || repeats > 1000 {
				return usage.Errorf("", "--repeat: %d is not from 0 to 1000", repeats)
			}
			rows, err := microRows(only, heavy || spec.Can().Has(device.Silicon))
			if err != nil {
				return err
			}
			return a.micro(cmd.Context(), spec, rows, leftOut(only, heavy || spec.Can().Has(device.Silicon)), repeats, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&name, "device", "sim:h200", "sim:PRESET or hw; \"weft list devices\"")
	f.StringArrayVar(&set, "set", nil, "parameters of the simulated machine: sm.count=16,l2.latency=200")
	f.Uint64Var(&seed, "seed", 1, "seed of the simulated machine's random choices")
	f.IntVar(&repeats, "repeat", 0, "measure each row as often, after one run to warm up; the median counts (0: once, without warm-up)")
	f.StringVar(&only, "only", "", "only the rows whose group and name match this regular expression")
	f.BoolVar(&heavy, "heavy", false, "with the rows of large footprints")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// microRows are the rows to measure.
func microRows(only string, heavy bool) ([]micro.Row, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, usage.Errorf("", "--only: %v", err)
	}
	var rows []micro.Row
	for _, r := range micro.Rows() {
		if (heavy || !r.Heavy) && match.MatchString(r.Group+": "+r.Name) {
			rows = append(rows, r)
		}
	}
	if n := len(leftOut(only, heavy)); len(rows) == 0 && n > 0 {
		return nil, usage.Errorf("--heavy measures them", "--only: the rows that match %q have large footprints and are left out: %d", only, n)
	}
	if len(rows) == 0 {
		return nil, usage.Errorf("\"weft micro\" prints all rows", "--only: no row matches %q", only)
	}
	return rows, nil
}

// leftOut names the rows of large footprints among those that only matches,
// where they are not measured.
func leftOut(only string, heavy bool) (names []string) {
	match, err := regexp.Compile(only)
	for _, r := range micro.Rows() {
		if name := r.Group + ": " + r.Name; err == nil && r.Heavy && !heavy && match.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// measureRows runs rows of the table on a device. Where it is interrupted, it returns the
// values so far with the error; where it could not begin, none.
func (a *app) measureRows(ctx context.Context, spec *devices.Spec, rows []micro.Row, repeats int) ([]micro.Value, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	dev, err := spec.Open(ctx, devices.Watch{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	p := progressbar.New(a.stderr, "micro on "+spec.Name)
	r := micro.Runner{Device: dev, Kernels: c, Repeats: repeats, Progress: func(done, rows int, row micro.Row) {
		p.Update(int64(done), int64(rows), row.Name)
	}}
	values, err := r.Run(ctx, rows)
	p.Finish()
	if ctx.Err() != nil {
		err = signals.Interrupted
	}
	return values, err
}

func (a *app) micro(ctx context.Context, spec *devices.Spec, rows []micro.Row, left []string, repeats int, asJSON bool) error {
	values, err := a.measureRows(ctx, spec, rows, repeats)
	if values == nil {
		return err
	}
	if perr := a.printMicro(microReport{"weft " + strings.Join(a.args, " "), buildinfo.This(), spec.Name, values, left}, asJSON); perr != nil {
		return perr
	}
	return cmp.Or(err, failedRow(values))
}

// failedRow is the error of the first row that failed.
func failedRow(values []micro.Value) error {
	for _, v := range values {
		if v.Err != nil {
			return fmt.Errorf("micro: %s: %s: %w", v.Group, v.Name, v.Err)
		}
	}
	return nil
}

func (a *app) printMicro(r microReport, asJSON bool) error {
	if asJSON {
		return format.JSON(a.stdout, r)
	}
	rows := [][]string{{"group", "what", "median", "unit", "min to max"}}
	for _, v := range r.Rows {
		value, span := format.Significant(v.Median), format.Significant(v.Min)+" to "+format.Significant(v.Max)
		if v.Error != "" {
			value, span = "failed", ""
		}
		rows = append(rows, []string{v.Group, v.Name, value, v.Unit, span})
	}
	format.Table(a.stdout, "", "llrll", rows)
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(a.stdout, "\nleft out without --heavy: %d rows\n  %s\n", len(r.LeftOut), strings.Join(r.LeftOut, "\n  "))
	}
	return nil
}
