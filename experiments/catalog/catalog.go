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
	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/scheduler"
)

// Catalog finds algorithms and schemes and compiles their kernels. It may be
// used from several goroutines, and keeps what it compiled.
type Catalog struct {
	compiler *compile.Compiler

	listed     sync.RWMutex // guards the two lists
	schemes    []func() scheduler.Scheme
	algorithms []Algorithm // by name

	mu    sync.Mutex
	users map[string]Algorithm      // by name as the user wrote it
	types map[string]scheduler.Type // by Algorithm.Type
}

// Extensions are the schemes and algorithms that a program adds to those that
// come with Weft. Each is a function that returns a new one, as a package of a
// scheme or an algorithm exports it.
type Extensions struct {
	Schemes    []func() scheduler.Scheme
	Algorithms []func() scheduler.Host
}

// New returns a catalog over the sources that are embedded in the program, with the
// schemes and algorithms that come with it and more ones. Two of one name are an
// error, and so is one that Validate refuses.
func New(more ...Extensions) (*Catalog, error) {
	c := &Catalog{compiler: compile.New(Sources()...), users: map[string]Algorithm{}, types: map[string]scheduler.Type{}}
	for _, x := range append([]Extensions{{schemes, algorithms}}, more...) {
		if err := c.Extend(x); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Extend adds schemes and algorithms. Errors are as of New.
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

// Compiler compiles the packages of device code of a catalog. It keeps what it
// compiled, and may be used from several goroutines.
type Compiler interface {
	device.Kernels
	// Packages returns the packages that it knows as Entries takes them, sorted.
	Packages() []string
	// Entries returns the kernels of a package ("kernels", or an import path),
	// sorted, as Kernel takes them.
	Entries(pkg string) ([]string, error)
	// Check compiles every kernel of a package, and returns all errors in it: a line
	// "file:line:col: what" for each.
	Check(ctx context.Context, pkg string) error
	// Types returns what a package declares.
	Types(pkg string) (*types.Package, error)
	// Source returns a source file by its name in reports and errors.
	Source(file string) ([]byte, error)
	// OnDisk returns the absolute path of a source file by its name in reports and
	// errors; "" if it is not on disk.
	OnDisk(file string) string
	// Mount adds a package: the Go files in the root of tree.
	Mount(importPath string, tree fs.FS)
}

// Compiler returns the compiler of the catalog's kernels.
func (c *Catalog) Compiler() Compiler { return c.compiler }

// Lookup finds an algorithm (one of ours, or "./dir.Type") under a scheme. A
// name that there is not is an error that lists those there are.
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

// entry is an algorithm under the scheme of that name.
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
	return Entry{}, &UnknownError{What: "scheduler", Name: name, Have: names}
}

// UnknownError is the error for a name that there is not.
type UnknownError struct {
	What string   // "algorithm"
	Name string   // as given
	Have []string // the names that there are, sorted
	Hint string   // "" or what else could be written
}

// Error lists the names that there are.
func (e *UnknownError) Error() string {
	s := fmt.Sprintf("unknown %s %q; there are: %s", e.What, e.Name, strings.Join(e.Have, ", "))
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}
