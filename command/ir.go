package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
)

func (a *app) irCommand() *cobra.Command {
	var program bool
	var sched string
	cmd := &cobra.Command{
		Use:   "ir KERNEL|ALGORITHM|./dir.Name",
		Short: "Print the IR of a kernel, in SSA form or as the program that devices execute",
		Long: `Compiles a kernel and prints its optimised IR. With --program it prints what the
devices execute: the code after register allocation.

KERNEL is an entry point ("weft list kernels"), any other instantiation, or a
kernel in your own directory, with its type arguments if it is generic. The name of
an algorithm stands for the kernel that does its work under --scheduler. Compiler
warnings go to the standard error.`,
		Example: `  weft ir micro.Copy
  weft ir bfs --scheduler thread --program
  weft ir 'bsp.Push[kernels.SSSP, scheduler.BlockPerVertex, uint32]'
  weft ir ./mydir.MyKernel
  weft ir './mydir.MyGeneric[uint32, MyType]'`,
		Args: between("KERNEL", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := a.compileKernel(cmd.Context(), args[0], sched)
			if err != nil {
				return err
			}
			code := ir.Compiled(k)
			a.warn(k)
			if program {
				fmt.Fprint(a.stdout, code.Program)
			} else {
				fmt.Fprint(a.stdout, code.Func)
			}
			return nil
		},
	}
	flag(cmd, &program, option.Program)
	flag(cmd, &sched, option.Scheduler)
	return cmd
}

// warn prints what may be wrong with kernels, each warning once.
func (a *app) warn(kernels ...*device.Kernel) {
	told := map[string]bool{}
	for _, k := range kernels {
		for _, w := range compile.LintKernel(ir.Compiled(k)) {
			if text := w.String(); !told[text] {
				told[text] = true
				fmt.Fprintf(a.stderr, "warning: %s\n", printable.Indent(text))
			}
		}
	}
}

// compileKernel compiles the kernel that the user named.
func (a *app) compileKernel(ctx context.Context, name, sched string) (*device.Kernel, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	found, err := launch.Find(ctx, c, name, sched)
	if err != nil {
		return nil, err
	}
	k, err := c.Kernel(ctx, found.Entry, nil)
	if err != nil && launch.IsInstance(name) {
		return nil, launch.InstanceError(name, err)
	}
	return k, err
}
