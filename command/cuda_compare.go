package command

import (
	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/programs"
	"github.com/weft-gpu/weft/internal/service/option"
)

func (a *app) cudaCompareCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare FILE.json FILE.json",
		Short: "Compare how long the kernels of CUDA programs took on two devices",
		Long: `Compares files of "weft cuda run --out", such as one of a simulated GPU with one of the
real one: the mean time of a launch, for each kernel of a program and each shape of its
launches, and the error of the first file against the second. A file may have the runs of
several programs, one after the other; programs are the same if the names of their files
and their arguments are. Programs that failed on a device, and what is in one file only,
are listed and not compared.`,
		Example: `  weft cuda run --device hw --out measured.json ./prog
  weft cuda run --device sim:h200 --out simulated.json ./prog
  weft cuda compare simulated.json measured.json`,
		Args: between("two files", 2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			var runs [2][]*programs.Run
			for i, path := range args {
				var err error
				if runs[i], err = programs.Read(path); err != nil {
					return err
				}
			}
			c := programs.Compare(runs[0], runs[1])
			if asJSON {
				return format.JSON(a.stdout, c)
			}
			c.Print(a.stdout)
			return nil
		},
	}
	flag(cmd, &asJSON, option.JSON)
	return cmd
}
