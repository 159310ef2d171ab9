package catalog

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/compile"
	"github.com/weft-gpu/weft/scheduler"
)

// Catalog finds algorithms and schemes and compiles their kernels. It may be
// used from several goroutines, and keeps what it compiled.
type Catalog struct {
	compiler *compile.Compiler
	schemes  []func() scheduler.Scheme

	mu    sync.Mutex
	users map[string]Algorithm      // by name as the user wrote it
	dirs  map[string]string         // import path of a user's directory, by absolute path
	types map[string]scheduler.Type // by Algorithm.Type
}

// New is a catalog over the sources that are embedded in the program, with the
// schemes that come with it and more ones. Two of one name are an error, and so
// is one that Validate refuses.
func New(more ...func() scheduler.Scheme) (*Catalog, error) {
	c := &Catalog{compiler: compile.New(Sources()...), schemes: slices.Concat(schemes, more), users: map[string]Algorithm{}, dirs: map[string]string{}, types: map[string]scheduler.Type{}}
	names := map[string]bool{}
	for _, a := range algorithms {
		names[a.Name] = true
	}
	for _, s := range c.Schedulers() {
		if err := s.Validate(); err != nil {
			return nil, err
		}
		if names[s.Name] {
			return nil, fmt.Errorf("scheduler %q: there is an algorithm or another scheduler of that name", s.Name)
		}
		names[s.Name] = true
		for _, p := range s.Sources {
			c.compiler.Mount(p.Path, p.Files)
		}
	}
	return c, nil
}

// Compiler gives the compiled kernels; it is a device.Kernels.
func (c *Catalog) Compiler() *compile.Compiler { return c.compiler }

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
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
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
