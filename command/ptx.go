package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/usage"
)

func (a *app) ptxCommand() *cobra.Command {
	var sched string
	var opt hw.PTXOptions
	cmd := &cobra.Command{
		Use:   "ptx KERNEL|ALGORITHM|./dir.Name",
		Short: "The PTX of a kernel, as a GPU gets it",
		Long: `Compiles a kernel and prints it in PTX, NVIDIA's virtual instruction set. It needs
neither a GPU nor CUDA. Kernels are named as for "weft ir".

--check keeps bounds checks, --watchdog adds a look at the clock to every loop.
--read-only-path says that buffers which the kernel only reads overlap none that it
writes: their loads take the read-only path, and those whose address stays the same are
merged and move out of loops. A launch checks that itself.`,
		Example: `  weft ptx micro.Copy
  weft ptx bfs --scheduler thread --check
  weft ptx ./mydir.MyKernel --target sm_90`,
		Args: between("KERNEL", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !hw.KnownTarget(opt.Target) {
				return usage.Errorf("sm_70 and later, such as --target sm_90", "--target: %q is no architecture that PTX is printed for", opt.Target)
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
	f := cmd.Flags()
	f.StringVar(&sched, "scheduler", "warp", "of an algorithm: how work is distributed")
	f.StringVar(&opt.Target, "target", "sm_70", "architecture")
	f.BoolVar(&opt.Check, "check", false, "keep bounds and divisor checks")
	f.BoolVar(&opt.Watchdog, "watchdog", false, "let loops look at the clock")
	f.BoolVar(&opt.ReadOnlyPath, "read-only-path", false, "what a GPU gets where no buffer that the kernel only reads overlaps a written one")
	return cmd
}
