package command

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/measure/calibration"
	"github.com/weft-gpu/weft/internal/service/option"
)

// calibrateOptions holds the flags of `weft calibrate`.
type calibrateOptions struct {
	base, out string
	set       []string
	jobs      int
	json      bool
}

func (a *app) calibrateCommand() *cobra.Command {
	var o calibrateOptions
	cmd := &cobra.Command{
		Use:   "calibrate FOLDER",
		Short: "Make a simulated machine of a GPU from the recorded table of its micro-kernels",
		Long: `Reads the table of micro-kernels that weft record has written to a folder, and makes
a machine whose rows are as recorded: a file for --device sim:FILE, which names a base
and has what differs, each value with its source. What the driver says of the GPU
(clock, SMs, sizes) is taken as it is. Each other parameter is fitted to the rows that
isolate it, in the order of a table (docs/calibrate.md); parameters that no row isolates
keep the value of the base and are listed. Nothing else than micro-kernels is used.

Rows that contradict each other are refused, and so are tables that lack rows or have
unknown ones. It takes some minutes.`,
		Example: "  weft calibrate recorded --out my-gpu.yaml\n" +
			"  weft calibrate results/hw/h200 --base a100 --set l2.bytes=60MiB --out h200.yaml\n" +
			"  weft compare --micro --device sim:./my-gpu.yaml --record recorded --gpu rtx4090",
		Args: between("FOLDER", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.machineOf(cmd.Context(), args[0], o) },
	}
	flag(cmd, &o.base, option.Base)
	flag(cmd, &o.set, option.Set)
	flag(cmd, &o.out, option.Out)
	flag(cmd, &o.jobs, option.Jobs)
	flag(cmd, &o.json, option.JSON)
	return cmd
}

// machineOf calibrates, prints how, and writes the machine.
func (a *app) machineOf(ctx context.Context, folder string, o calibrateOptions) error {
	var plan outfile.Plan
	file, err := plan.New("--out", o.out)
	if err != nil {
		return err
	}
	rec, err := calibration.Read(ctx, folder)
	if err != nil {
		return err
	}
	if o.base == "" {
		if o.base, err = rec.Base(); err != nil {
			return err
		}
	}
	r, err := calibration.Run(ctx, calibration.Request{Recording: rec, Base: o.base, Set: o.set, Jobs: o.jobs, Stderr: a.stderr})
	if err != nil {
		return err
	}
	r.Of("weft " + strings.Join(a.args, " "))
	if err := file.Write(ctx, func(w io.Writer) error { return r.WriteYAML(w, filepath.Dir(o.out)) }); err != nil {
		return err
	}
	if o.json {
		return format.JSON(a.stdout, r)
	}
	r.Text(a.stdout)
	return nil
}
