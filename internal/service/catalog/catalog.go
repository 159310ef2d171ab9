package catalog

import (
	"context"
	"fmt"
	"go/types"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/scheduler"
)

// Catalog finds algorithms and schemes and compiles their kernels. It is safe for concurrent use, and caches compiled
// kernels.
type Catalog struct {
	compiler *compile.Compiler

	listed     sync.RWMutex // guards schemes and algorithms
	schemes    []func() scheduler.Scheme
	algorithms []Algorithm // by name

	mu    sync.Mutex
	users map[string]Algorithm      // by name as the user wrote it
	types map[string]scheduler.Type // by Algorithm.Type
}

// Extensions are schemes and algorithms that a program adds to those of Weft. Each is a function that returns a new
// one, as exported by the package of a scheme or an algorithm.
type Extensions struct {
	Schemes    []func() scheduler.Scheme
	Algorithms []func() scheduler.Host
}

// New returns a catalog of the sources embedded in the program, with the schemes and algorithms of Weft and those of
// more. It returns an error if two have the same name, or if Validate rejects one.
func New(more ...Extensions) (*Catalog, error) {
	c := &Catalog{compiler: compile.New(Sources()...), users: map[string]Algorithm{}, types: map[string]scheduler.Type{}}
	for _, x := range append([]Extensions{{schemes, algorithms}}, more...) {
		if err := c.Extend(x); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Extend adds schemes and algorithms. It returns the same errors as New.
func (c *Catalog) Extend(x Extensions) error {
	c.listed.Lock()
	defer c.listed.Unlock()
	for _, host := range x.Algorithms {
		if err := c.add(host()); err != nil {
			return err
		}
	}
	slices.SortFunc(c.algorithms, func(a, b Algorithm) int { return strings.Compare(a.Name, b.Name) })
	for _, scheme := range x.Schemes {
		if err := c.addScheme(scheme); err != nil {
			return err
		}
	}
	return nil
}

// addScheme adds a scheme that is linked into the program.
func (c *Catalog) addScheme(scheme func() scheduler.Scheme) error {
	s := scheme()
	if err := s.Validate(); err != nil {
		return err
	}
	if s.Name == Auto {
		return fmt.Errorf("scheduler %q: the name stands for a choice among schedulers", s.Name)
	}
	if c.isAlgorithm(s.Name) || c.isScheme(s.Name) {
		return fmt.Errorf("scheduler %q: there is an algorithm or another scheduler of that name", s.Name)
	}
	if err := c.mountPackages(s.Sources...); err != nil {
		return fmt.Errorf("scheduler %q: Sources: %w", s.Name, err)
	}
	c.schemes = append(c.schemes, scheme)
	return nil
}

func (c *Catalog) isAlgorithm(name string) bool {
	return slices.ContainsFunc(c.algorithms, func(a Algorithm) bool { return a.Name == name })
}

func (c *Catalog) isScheme(name string) bool {
	return slices.ContainsFunc(c.schemes, func(s func() scheduler.Scheme) bool { return s().Name == name })
}

// add adds an algorithm that is linked into the program.
func (c *Catalog) add(h scheduler.Host) error {
	if err := h.Validate(); err != nil {
		return err
	}
	if c.isAlgorithm(h.Name) || c.isScheme(h.Name) {
		return fmt.Errorf("algorithm %q: there is a scheduler or another algorithm of that name", h.Name)
	}
	t := reflect.TypeOf(h.Device)
	at := t.PkgPath()
	if err := c.mountPackages(h.Sources...); err != nil {
		return fmt.Errorf("algorithm %q: Sources: %w", h.Name, err)
	}
	if c.compiler.Files(at) == nil {
		return fmt.Errorf("algorithm %q: Sources has no package %s, which declares its type", h.Name, at)
	}
	a := Algorithm{Name: h.Name, Doc: h.Doc, Type: strings.TrimPrefix(at, compile.Module+"/") + "." + t.Name(), Host: &h}
	if init, ok := t.MethodByName("Init"); ok && init.Type.NumOut() == 1 {
		a.Value = init.Type.Out(0).String()
	}
	c.algorithms = append(c.algorithms, a)
	return nil
}

// Compiler compiles the packages of device code of a catalog. It caches compiled kernels, and is safe for concurrent
// use.
type Compiler interface {
	device.Kernels
	// Packages returns the names of the known packages, sorted, in the form that Entries accepts.
	Packages() []string
	// Entries returns the names of the kernels of a package ("kernels", or an import path), sorted, in the form that
	// Kernel accepts.
	Entries(pkg string) ([]string, error)
	// Check compiles every kernel of a package. The error has one line "file:line:col: what" for each mistake.
	Check(ctx context.Context, pkg string) error
	// Signature returns the Go type of a kernel, which is named as for Kernel. Its first parameter is gpu.Thread; the
	// others are what a launch takes values for.
	Signature(ctx context.Context, kernel string) (*types.Signature, error)
	// Types returns the declarations of a package.
	Types(pkg string) (*types.Package, error)
	// Source returns the text of a source file, by its name in reports and errors.
	Source(file string) ([]byte, error)
	// OnDisk returns the absolute path of a source file, by its name in reports and errors; "" if it is not on disk.
	OnDisk(file string) string
	// Mount adds a package: the Go files in the root of tree.
	Mount(importPath string, tree fs.FS)
}

// Compiler returns the compiler of the catalog's kernels.
func (c *Catalog) Compiler() Compiler { return c.compiler }

// Lookup returns the entry of an algorithm (one of the catalog's, or "./dir.Type") with a scheme. An unknown name is
// an *UnknownError, which lists the known names.
func (c *Catalog) Lookup(algorithm, sched string) (Entry, error) {
	a, err := c.algorithm(algorithm)
	if err != nil {
		return Entry{}, err
	}
	return c.entry(a, sched)
}

func (c *Catalog) algorithm(name string) (Algorithm, error) {
	if isUserType(name) {
		return c.user(name)
	}
	list := c.Algorithms()
	names := make([]string, len(list))
	for i, a := range list {
		if a.Name == name {
			return a, nil
		}
		names[i] = a.Name
	}
	return Algorithm{}, &UnknownError{What: "algorithm", Name: name, Have: names,
		Hint: "a type of your own is written ./directory.Type"}
}

// entry returns the entry of an algorithm with the scheme of the given name.
func (c *Catalog) entry(a Algorithm, name string) (Entry, error) {
	var names []string
	var misfit error
	for _, s := range c.Schedulers() {
		e, err := c.pair(a, s)
		switch {
		case s.Name == name && err == nil:
			return e, nil
		case s.Name == name:
			misfit = err
		case err == nil:
			names = append(names, s.Name)
		}
	}
	if misfit != nil {
		if len(names) == 0 {
			return Entry{}, misfit
		}
		return Entry{}, fmt.Errorf("%w; these do: %s", misfit, strings.Join(names, ", "))
	}
	if name == Auto {
		return Entry{}, fmt.Errorf("scheduler %q chooses by the graph, and there is none here; name one of: %s", Auto, strings.Join(names, ", "))
	}
	return Entry{}, &UnknownError{What: "scheduler", Name: name, Have: names, Hint: Auto + " chooses one by the graph"}
}

// UnknownError is the error for an unknown name.
type UnknownError struct {
	What string   // "algorithm"
	Name string   // as given
	Have []string // the known names, sorted
	Hint string   // what else could be written, or ""
}

// Error lists the known names.
func (e *UnknownError) Error() string {
	s := fmt.Sprintf("unknown %s %q; there are: %s", e.What, e.Name, strings.Join(e.Have, ", "))
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}
