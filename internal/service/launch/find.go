package launch

import (
	"context"
	"errors"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
)

// Named is what a user names where a kernel is wanted.
type Named struct {
	Entry     string // of the kernel, as the compiler takes it
	Algorithm bool   // an algorithm was named, and this is the kernel that does its work
}

// Find finds what the user names: a kernel, or that of an algorithm under a scheduler. It mounts
// the user's directories.
func Find(ctx context.Context, c catalog.Compiler, name, sched string) (Named, error) {
	name = results.KernelName(name) // old notes have old names
	switch {
	case catalog.IsModule(name):
		return Named{Entry: name}, moduleKernel(c, name)
	case IsInstance(name):
		return Named{Entry: name}, MountFolders(name)
	case IsPath(name):
		return userKernel(ctx, c, name, sched)
	case strings.Contains(name, "."):
		return Named{Entry: name}, knownKernel(name)
	}
	e, err := catalog.Lookup(name, sched)
	if err != nil {
		return Named{}, kernelError(name, err)
	}
	return Named{e.Kernel, true}, nil
}

// moduleKernel returns an error if a file of PTX has no such kernel, or one that cannot be built.
func moduleKernel(c catalog.Compiler, name string) error {
	err := catalog.ModuleKernel(c, name)
	var mistake *readptx.Error
	var refused *readptx.RefusedError
	if err == nil || errors.As(err, &mistake) || errors.As(err, &refused) {
		return err
	}
	return usage.Errorf("", "%v", err) // the name
}

// kernelError returns the error for a name without a package that is not an
// algorithm but may be meant as a kernel.
func kernelError(name string, err error) error {
	var u *catalog.UnknownError
	if errors.As(err, &u) && u.What == "algorithm" {
		if names, kerr := Names(); kerr == nil && usage.Nearest(name, u.Have) == "" && usage.Nearest(name, names) != "" {
			return usage.Unknown("kernel", name, names, "weft list kernels")
		}
	}
	return run.Refused(err)
}

// IsInstance reports whether name is an instantiation, such as
// "bsp.Push[kernels.BFS, ...]".
func IsInstance(name string) bool {
	return strings.Contains(name, "[") && strings.HasSuffix(name, "]")
}

// IsPath reports whether name is of the form "./dir.Name", and not
// "micro.Copy".
func IsPath(name string) bool { return strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") }

// knownKernel returns an error that lists the kernels if there is none with
// that name.
func knownKernel(name string) error {
	names, err := Names()
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

// InstanceError distinguishes a mistake in the instantiation itself from one in
// the code that it compiles.
func InstanceError(name string, err error) error {
	var errs compile.Errors
	if errors.As(err, &errs) {
		return err
	}
	if IsPath(name) {
		return usage.Errorf("such as './mydir.MyGeneric[uint32, MyType]'", "%v", err)
	}
	return usage.Errorf("such as 'bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]'", "%v", err)
}

// MountFolders mounts the directories that an instantiation mentions.
func MountFolders(name string) error {
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
func userKernel(ctx context.Context, c catalog.Compiler, name, sched string) (none Named, err error) {
	dot := strings.LastIndex(name, ".")
	dir, base := name[:max(dot, 0)], name[dot+1:]
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return none, onlyFolder(c, name)
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
	var mistakes compile.Errors
	if errors.As(err, &mistakes) {
		if _, own := c.Kernel(ctx, at+"."+base, nil); own != nil { // says which of them concern the kernel
			err = own
		}
	}
	if err != nil {
		return none, err
	}
	for i, n := range names {
		if names[i] = n[strings.LastIndex(n, ".")+1:]; names[i] == base {
			return Named{Entry: n}, nil
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
		return Named{e.Kernel, true}, nil
	case errors.As(err, &unknownName) && unknownName.What == "scheduler", len(names) == 0:
		return none, run.Refused(err)
	}
	return none, usage.Unknown("kernel of "+printable.Line(dir), base, names, "")
}

// onlyFolder returns the error for a directory where a kernel in it is expected.
func onlyFolder(c catalog.Compiler, dir string) error {
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

// kernelPackages contain our entry points that no scheme launches.
var kernelPackages = []string{"internal/kernels/barrier", "internal/kernels/lock", "internal/kernels/micro", "internal/kernels/worklist"}

// Names returns the names of all kernels of the program.
func Names() ([]string, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range catalog.EntryPoints() {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	for _, p := range kernelPackages {
		entries, err := c.Entries(p)
		if err != nil {
			return nil, err
		}
		names = append(names, entries...)
	}
	return names, nil
}
