package command

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/printable"
	"github.com/weft-gpu/weft/internal/run"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/results"
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
			for _, w := range compile.LintKernel(code) {
				fmt.Fprintf(a.stderr, "warning: %s\n", printable.Indent(w.String()))
			}
			if program {
				fmt.Fprint(a.stdout, code.Program)
			} else {
				fmt.Fprint(a.stdout, code.Func)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&program, "program", false, "print the code after register allocation")
	cmd.Flags().StringVar(&sched, "scheduler", "warp", "for an algorithm: how work is distributed")
	return cmd
}

// compileKernel compiles the kernel that the user named.
func (a *app) compileKernel(ctx context.Context, name, sched string) (*device.Kernel, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	found, err := a.findKernel(ctx, c, name, sched)
	if err != nil {
		return nil, err
	}
	k, err := c.Kernel(ctx, found.entry, nil)
	if err != nil && isInstance(name) {
		return nil, instanceError(name, err)
	}
	return k, err
}

// named is what a user names where a kernel is wanted.
type named struct {
	entry     string // of the kernel, as the compiler takes it
	algorithm bool   // an algorithm was named, and this is the kernel that does its work
}

// findKernel finds what the user names: a kernel, or that of an algorithm under a scheduler.
func (a *app) findKernel(ctx context.Context, c catalog.Compiler, name, sched string) (named, error) {
	name = results.KernelName(name) // old notes have old names
	switch {
	case isInstance(name):
		return named{entry: name}, mountFolders(name)
	case isPath(name):
		return a.userKernel(ctx, c, name, sched)
	case strings.Contains(name, "."):
		return named{entry: name}, knownKernel(name)
	}
	e, err := catalog.Lookup(name, sched)
	if err != nil {
		return named{}, kernelError(name, err)
	}
	return named{e.Kernel, true}, nil
}

// kernelError returns the error for a name without a package that is not an
// algorithm but may be meant as a kernel.
func kernelError(name string, err error) error {
	var u *catalog.UnknownError
	if errors.As(err, &u) && u.What == "algorithm" {
		if names, kerr := kernelNames(); kerr == nil && usage.Nearest(name, u.Have) == "" && usage.Nearest(name, names) != "" {
			return usage.Unknown("kernel", name, names, "weft list kernels")
		}
	}
	return run.Refused(err)
}

// isInstance reports whether name is an instantiation, such as
// "bsp.Push[kernels.BFS, ...]".
func isInstance(name string) bool {
	return strings.Contains(name, "[") && strings.HasSuffix(name, "]")
}

// isPath reports whether name is of the form "./dir.Name", and not
// "micro.Copy".
func isPath(name string) bool { return strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") }

// knownKernel returns an error that lists the kernels if there is none with
// that name.
func knownKernel(name string) error {
	names, err := kernelNames()
	if err != nil {
		return err
	}
	for _, n := range names {
		if n == name {
			return nil
		}
	}
	if dir, _, _ := strings.Cut(name, "."); dir != "" {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return usage.Errorf("did you mean ./"+name+"?", "unknown kernel %q", name)
		}
	}
	return usage.Unknown("kernel", name, names, "weft list kernels")
}

// instanceError distinguishes a mistake in the instantiation itself from one in
// the code that it compiles.
func instanceError(name string, err error) error {
	var errs compile.Errors
	if errors.As(err, &errs) {
		return err
	}
	if isPath(name) {
		return usage.Errorf("such as './mydir.MyGeneric[uint32, MyType]'", "%v", err)
	}
	return usage.Errorf("such as 'bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]'", "%v", err)
}

// mountFolders mounts the directories that an instantiation mentions.
func mountFolders(name string) error {
	for _, dir := range compile.Qualifiers(name) {
		if !strings.HasPrefix(dir, ".") && !filepath.IsAbs(dir) {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return usage.Errorf("write ./directory.Kernel[Type]", "kernel %q: there is no directory %s", name, printable.Line(dir))
		}
		if _, err := catalog.Mount(dir); err != nil {
			return err
		}
	}
	return nil
}

// userKernel mounts a user's directory and returns the entry point for
// "./dir.Name": a kernel, or the kernel of an algorithm.
func (a *app) userKernel(ctx context.Context, c catalog.Compiler, name, sched string) (none named, err error) {
	dot := strings.LastIndex(name, ".")
	dir, base := name[:max(dot, 0)], name[dot+1:]
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return none, a.onlyFolder(c, name)
	}
	if dir == "" || strings.ContainsAny(base, `/\`) || base == "" {
		return none, usage.Errorf("write ./directory.Kernel", "kernel %q does not name a kernel in a directory", name)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return none, usage.Errorf("write ./directory.Kernel", "kernel %q: there is no directory %s", name, printable.Line(dir))
	}
	at, err := catalog.Mount(dir)
	if err != nil {
		return none, err
	}
	names, err := c.Entries(at)
	if err != nil {
		return none, err
	}
	for i, n := range names {
		if names[i] = n[strings.LastIndex(n, ".")+1:]; names[i] == base {
			return named{entry: n}, nil
		}
	}
	if p, err := c.Types(at); err == nil && isFunction(p, base) {
		_, err := c.Kernel(ctx, at+"."+base, nil) // the error says why it is not a kernel
		return none, err
	}
	if p, err := c.Types(at); err == nil {
		for _, short := range p.Scope().Names() { // one whose name is not exported
			if !token.IsExported(short) && strings.EqualFold(short, base) && isFunction(p, short) {
				_, err := c.Kernel(ctx, at+"."+short, nil)
				return none, err
			}
		}
	}
	e, err := catalog.Lookup(name, sched)
	var unknownName *catalog.UnknownError
	switch {
	case err == nil:
		return named{e.Kernel, true}, nil
	case errors.As(err, &unknownName) && unknownName.What == "scheduler", len(names) == 0:
		return none, run.Refused(err)
	}
	return none, usage.Unknown("kernel of "+printable.Line(dir), base, names, "")
}

// onlyFolder returns the error for a directory where a kernel in it is expected.
func (a *app) onlyFolder(c catalog.Compiler, dir string) error {
	hint := "write ./directory.Kernel"
	if at, err := catalog.Mount(dir); err == nil {
		if names, err := c.Entries(at); err == nil && len(names) > 0 {
			hint = "its kernels:"
			for _, n := range names {
				hint += " " + printable.Line(strings.TrimRight(dir, `/\`)) + n[strings.LastIndex(n, "."):]
			}
		}
	}
	return usage.Errorf(hint, "%q is a directory, not a kernel in one", dir)
}

// isFunction reports whether a package declares a function of this name.
func isFunction(p *types.Package, name string) bool {
	_, ok := p.Scope().Lookup(name).(*types.Func)
	return ok
}
