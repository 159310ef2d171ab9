package compile

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"runtime/debug"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Module is the import path prefix of Weft's own packages.
const Module = "github.com/weft-gpu/weft"

// gpuPath is the package whose functions are intrinsics, except those in its
// device files.
const gpuPath = Module + "/gpu"

// Compiler compiles kernels from mounted packages. It implements device.Kernels
// and is safe for concurrent use.
type Compiler struct {
	// NoOptimize leaves the IR as lowering built it, for differential tests. It
	// must be set before the first kernel is compiled.
	NoOptimize bool

	busy    chan struct{} // full while a goroutine uses the fields below
	mounts  map[string]fs.FS
	folders map[string]Folder    // of mounts
	found   map[[2]string]string // packages by who imports them and by which path, if a Folder's Import found them
	fset    *token.FileSet
	sizes   types.Sizes
	prog    *ssa.Program
	pkgs    map[string]*pkg
	kernels map[string]result // by entry and bound values
	layouts map[types.Type]*layout
	orders  map[*ssa.Function][]*ssa.BasicBlock
	funcs   map[*ssa.Function]*closure
	once    map[*ssa.Alloc]bool
	known   map[types.Object]known // functions of package gpu
	names   map[token.Pos]string   // variables by the call that makes their value, of packages that are noted
	synth   int                    // number of synthetic packages so far
	extents map[types.Type]extent
	texts   map[string]int // upper bounds for constant strings, by name
	fields  map[string]int // upper bounds for the fields of types, by name
	limit   int            // replaces maxInstructions if not 0

	tables   map[*ssa.Global]*constTable
	racy     map[string][]ir.RacyLines // by file
	bodiless map[token.Pos]bool        // functions whose bodies have type errors, by the position of their names
}

// result is a cached compilation.
type result struct {
	kernel *device.Kernel
	err    error
}

// New returns a Compiler with package gpu and these packages mounted.
func New(packages ...gpu.Package) *Compiler {
	out := &Compiler{
		mounts:  map[string]fs.FS{},
		folders: map[string]Folder{},
		racy:    map[string][]ir.RacyLines{},
		found:   map[[2]string]string{},
		fset:    token.NewFileSet(),
		sizes:   types.SizesFor("gc", "amd64"),
		pkgs:    map[string]*pkg{},
		kernels: map[string]result{},
		layouts: map[types.Type]*layout{},
		orders:  map[*ssa.Function][]*ssa.BasicBlock{},
		funcs:   map[*ssa.Function]*closure{},
		once:    map[*ssa.Alloc]bool{},
		known:   map[types.Object]known{},
		busy:    make(chan struct{}, 1),
		extents: map[types.Type]extent{},
		texts:   map[string]int{},
		fields:  map[string]int{},

		tables:   map[*ssa.Global]*constTable{},
		bodiless: map[token.Pos]bool{},
	}
	out.prog = ssa.NewProgram(out.fset, ssa.InstantiateGenerics)
	out.mounts[gpuPath] = gpu.Sources.Files
	for _, p := range packages {
		out.mounts[p.Path] = p.Files
	}
	return out
}

// Mount makes the Go files in the root of tree the package importPath. File
// names are displayed as the import path (without the module, for Weft's own
// packages) followed by the name. A package that is already loaded does not
// change.
func (c *Compiler) Mount(importPath string, tree fs.FS) {
	c.lock()
	defer c.unlock()
	c.mounts[importPath] = tree
}

// Files returns the files of the package that is mounted as importPath; nil if
// there is none.
func (c *Compiler) Files(importPath string) fs.FS {
	c.lock()
	defer c.unlock()
	return c.mounts[importPath]
}

// mounted lists the mounted packages by their displayed names.
func (c *Compiler) mounted() []string {
	var names []string
	for p := range c.mounts {
		names = append(names, c.display(p))
	}
	sort.Strings(names)
	return names
}

// Packages returns the displayed import paths of the mounted packages, sorted.
func (c *Compiler) Packages() []string {
	c.lock()
	defer c.unlock()
	return c.mounted()
}

// display returns an import path as shown to users.
func (c *Compiler) display(importPath string) string {
	return strings.TrimPrefix(importPath, Module+"/")
}

// resolve finds the package for a qualifier: an import path, the displayed
// path, the folder as its user wrote it, or the last element of the path if
// that is unambiguous.
func (c *Compiler) resolve(qualifier string) (string, error) {
	if _, ok := c.mounts[qualifier]; ok {
		return qualifier, nil
	}
	var found []string
	for p := range c.mounts {
		if c.display(p) == qualifier || c.folders[p].named(qualifier) {
			return p, nil
		}
		if path.Base(p) == qualifier && !c.folders[p].ByPath {
			found = append(found, p)
		}
	}
	// A package of Weft keeps its short name, whatever else is mounted.
	if own := slices.DeleteFunc(slices.Clone(found), func(p string) bool { return !strings.HasPrefix(p, Module+"/") }); len(own) == 1 {
		found = own
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("no package %q; there are %s", qualifier, strings.Join(c.mounted(), ", "))
	}
	sort.Strings(found)
	return "", fmt.Errorf("package %q is ambiguous: write one of %s", qualifier, strings.Join(found, ", "))
}

// Kernel compiles an entry point: "micro.Copy", or an instantiation that the
// package does not declare, such as "bsp.Push[kernels.BFS,
// scheduler.WarpPerVertex, uint32]" or "./dir.Kernel[uint32]" of a mounted
// folder. bind gives values to parameters that are fixed at compile time, by
// name; it may be nil. Kernel caches the results. An error in the package is of
// type Errors. If ctx is cancelled, Kernel returns at once with ctx's error.
func (c *Compiler) Kernel(ctx context.Context, name string, bind map[string]any) (*device.Kernel, error) {
	key := name + bindKey(bind)
	var kernel *device.Kernel
	err := c.cancellable(ctx, func() (err error) {
		if r, ok := c.kernels[key]; ok {
			kernel = r.kernel
			return r.err
		}
		kernel, err = c.compile(ctx, name, bind)
		// What was cancelled may be asked for again.
		if ctx.Err() == nil {
			c.kernels[key] = result{kernel, err}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return kernel, nil
}

// lock waits until no other goroutine uses the compiler.
func (c *Compiler) lock() { c.busy <- struct{}{} }

func (c *Compiler) unlock() { <-c.busy }

// cancellable runs f with the compiler locked. If ctx ends before f,
// cancellable does not wait for f: f checks ctx, but parsing, go/types and
// go/ssa do not.
func (c *Compiler) cancellable(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.busy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if ctx.Done() == nil {
		defer c.unlock()
		return f()
	}
	type outcome struct {
		err   error
		panic any
	}
	done := make(chan outcome, 1)
	go func() {
		defer c.unlock()
		var o outcome
		defer func() {
			if o.panic = recover(); o.panic != nil {
				// The stack is that of the goroutine that failed, which the one that waits does not have.
				o.panic = fmt.Sprintf("%v\n\n%s", o.panic, debug.Stack())
			}
			done <- o
		}()
		o.err = f()
	}()
	select {
	case o := <-done:
		if o.panic != nil {
			panic(o.panic)
		}
		return o.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Compiler) compile(ctx context.Context, name string, bind map[string]any) (*device.Kernel, error) {
	e, err := c.find(ctx, name)
	if err != nil {
		return nil, err
	}
	kernel, errs, err := c.lowerEntry(ctx, e, bind)
	if err != nil {
		return nil, err
	}
	if len(errs) > 0 {
		errs = errs.tidy()
		// All errors of the package are said at once, those of the kernel first: one mend, one compilation.
		all, err := c.checkPackage(ctx, e.pkg)
		if err != nil {
			return nil, err
		}
		return nil, errs.and(errs.others(all))
	}
	if err := c.finish(ctx, kernel); err != nil {
		return nil, err
	}
	return kernel.ForHost(), nil
}

// Entries returns the entry points of a package ("kernels" or an import path),
// sorted, in the form that Kernel accepts.
func (c *Compiler) Entries(qualifier string) ([]string, error) {
	c.lock()
	defer c.unlock()
	p, err := c.open(context.Background(), qualifier)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range p.entries {
		names = append(names, e.name)
	}
	sort.Strings(names)
	return names, nil
}

// Check compiles every entry point of a package and returns all errors, as
// Errors, or nil. If ctx is cancelled, Check returns at once with ctx's error.
func (c *Compiler) Check(ctx context.Context, qualifier string) error {
	return c.cancellable(ctx, func() error {
		p, err := c.open(ctx, qualifier)
		if err != nil {
			return err
		}
		errs, err := c.checkPackage(ctx, p)
		if err != nil {
			return err
		}
		if errs = errs.tidy(); len(errs) > 0 {
			return errs
		}
		return nil
	})
}

// open resolves and loads a package. If it has type errors, the error includes
// the other errors of the package.
func (c *Compiler) open(ctx context.Context, qualifier string) (*pkg, error) {
	at, err := c.resolve(qualifier)
	if err != nil {
		return nil, err
	}
	loaded := c.load(at)
	var more Errors
	switch {
	case loaded.broken != nil:
		loaded.outline = c.outline(loaded.broken.files)
		loaded.fatal = slices.Clone(loaded.errs)
		more, err = c.restErrors(ctx, loaded)
	case loaded.errs == nil:
		if c.findEntries(loaded); loaded.odd == nil {
			return loaded, nil
		}
		loaded.outline = c.outline(loaded.files)
		loaded.fatal = loaded.odd
		more, err = c.checkPackage(ctx, loaded)
	}
	if err != nil {
		return nil, err
	}
	loaded.errs, loaded.broken = append(loaded.errs, more...).tidy(), nil
	return nil, loaded.errs
}

// openFor is open for one kernel or type of the package: an error has what concerns that one.
func (c *Compiler) openFor(ctx context.Context, qualifier, name string) (*pkg, error) {
	p, err := c.open(ctx, qualifier)
	if err != nil {
		if at, resolved := c.resolve(qualifier); resolved == nil {
			err = askedErrors(c.pkgs[at], name, err)
		}
	}
	return p, err
}

// checkPackage lowers every entry of a loaded package.
func (c *Compiler) checkPackage(ctx context.Context, p *pkg) (errs Errors, err error) {
	c.findEntries(p)
	errs = append(errs, p.odd...)
	for _, name := range sortedKeys(p.entries) {
		_, es, err := c.lowerEntry(ctx, p.entries[name], nil)
		if err != nil {
			return nil, err
		}
		errs = append(errs, es...)
	}
	return errs, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
