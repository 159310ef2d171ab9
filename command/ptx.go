package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

func (a *app) ptxCommand() *cobra.Command {
	var sched string
	var opt hw.PTXOptions
	cmd := &cobra.Command{
		Use:   "ptx KERNEL|ALGORITHM|./dir.Name",
		Short: "Print the PTX of a kernel",
		Long: `Compiles a kernel and prints it as PTX, NVIDIA's virtual instruction set. This needs
neither a GPU nor CUDA. Kernels are named as for "weft ir".

--check keeps bounds checks, --watchdog adds a clock check to every loop.
--read-only-path declares that no buffer that the kernel only reads overlaps one that
it writes: loads of these buffers take the read-only path, are merged, and are
hoisted out of loops if their address does not change. A launch on a GPU checks this
condition itself.`,
		Example: `  weft ptx micro.Copy
  weft ptx bfs --scheduler thread --check
  weft ptx ./mydir.MyKernel --target sm_90`,
		Args: between("KERNEL", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !hw.KnownTarget(opt.Target) {
				return usage.Errorf("sm_70 and later, such as --target sm_90", "--target: %q is not an architecture for which PTX can be printed", opt.Target)
			}
			k, err := a.compileKernel(cmd.Context(), args[0], sched)
			if err != nil {
				return err
			}
			text, err := hw.PTX(k, opt)
			if err != nil {
				return err
			}
			fmt.Fprint(a.stdout, text)
			return nil
		},
	}
	flag(cmd, &sched, option.Scheduler)
	flag(cmd, &opt.Target, option.Target)
	flag(cmd, &opt.Check, option.Check)
	flag(cmd, &opt.Watchdog, option.Watchdog)
	flag(cmd, &opt.ReadOnlyPath, option.ReadOnlyPath)
	return cmd
}
