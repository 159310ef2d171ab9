package command

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/measure/microbench"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
)

func (a *app) microCommand() *cobra.Command {
	var name, only string
	var gpus gpuCount
	var set []string
	var seed uint64
	var repeats int
	var heavy, asJSON bool
	cmd := &cobra.Command{
		Use:   "micro",
		Short: "Measure a machine with micro-kernels: latencies, bank conflicts, atomics, barriers, bandwidth",
		Long: `Runs small kernels that each measure one thing and prints a table: latency of each
level of the memory hierarchy, bank conflicts by degree, atomics by degree of
contention and by pattern, barriers, arithmetic, gathers by footprint, launch cost.

For a group of GPUs, such as sim:h200x2, the table is about the links between them: latency
of a load and of an atomic in the memory of another GPU, bandwidth of copies by size, in one
and in both directions, of kernels, and of copies with the host.

On a simulator, rows with large footprints are left out unless --heavy is given.`,
		Example: "  weft micro\n  weft micro --device sim:v100 --json\n  weft micro --device hw --repeat 7\n  weft micro --device sim:h200x2",
		Args:    between("argument", 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := devices.New(name, devices.Options{GPUs: int(gpus), Set: set, Seed: seed})
			if err != nil {
				return err
			}
			if err := spec.Need("weft micro", device.Clock); err != nil {
				return err
			}
			table, all := microbench.TableOf(spec), heavy || spec.Can().Has(device.Silicon)
			rows, err := table.Rows(only, all)
			if err != nil {
				return err
			}
			return a.micro(cmd.Context(), spec, rows, table.LeftOut(only, all), repeats, asJSON)
		},
	}
	flag(cmd, &name, option.Device)
	flag(cmd, &gpus, option.GPUs)
	flag(cmd, &set, option.Set)
	flag(cmd, &seed, option.Seed)
	flag(cmd, &repeats, option.Repeat)
	flag(cmd, &only, option.Only)
	flag(cmd, &heavy, option.Heavy)
	flag(cmd, &asJSON, option.JSON)
	return cmd
}

// micro measures and prints. If interrupted, it prints the results so far.
func (a *app) micro(ctx context.Context, spec *devices.Spec, rows []micro.Row, left []string, repeats int, asJSON bool) error {
	values, err := microbench.Measure(ctx, spec, rows, repeats, a.stderr)
	if values == nil {
		return err
	}
	r := microbench.Report{Command: "weft " + strings.Join(a.args, " "), Build: buildinfo.This(), Device: spec.Name, Rows: values, LeftOut: left}
	if asJSON {
		return cmp.Or(format.JSON(a.stdout, r), err, microbench.Failed(values))
	}
	r.Text(a.stdout)
	return cmp.Or(err, microbench.Failed(values))
}
