package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Algorithm describes an algorithm.
type Algorithm struct {
	Name  string          // "bfs"
	Doc   string          // one line
	Type  string          // the Go type, as named by the compiler: "kernels.BFS"
	Value string          // type of a vertex's value on the device: "uint32"
	Host  *scheduler.Host // verifies and converts answers; nil for a type in a user's directory
	User  string          // the directory of a user's type; "" for an algorithm linked into the program
}

// algorithms are Weft's algorithms, one per line.
var algorithms = []func() scheduler.Host{
	func() scheduler.Host { return kernels.BCHost },
	func() scheduler.Host { return kernels.BFSHost },
	func() scheduler.Host { return kernels.BPHost },
	func() scheduler.Host { return kernels.CCHost },
	func() scheduler.Host { return kernels.CircuitHost },
	func() scheduler.Host { return kernels.ColouringHost },
	func() scheduler.Host { return kernels.HeatHost },
	func() scheduler.Host { return kernels.KCoreHost },
	func() scheduler.Host { return kernels.NNHost },
	func() scheduler.Host { return kernels.PageRankHost },
	func() scheduler.Host { return kernels.PageRankPullHost },
	func() scheduler.Host { return kernels.ParentsHost },
	func() scheduler.Host { return kernels.PathsHost },
	func() scheduler.Host { return kernels.SCCHost },
	func() scheduler.Host { return kernels.SSSPHost },
	func() scheduler.Host { return kernels.SSWPHost },
	func() scheduler.Host { return kernels.TCHost },
	func() scheduler.Host { return kernels.WCCHost },
}

// Algorithms returns the algorithms of the program's catalog, by name.
func Algorithms() []Algorithm { return must(shared()).Algorithms() }

// Algorithms returns the algorithms, sorted by name, without those in users' directories.
func (c *Catalog) Algorithms() []Algorithm {
	c.listed.RLock()
	defer c.listed.RUnlock()
	return slices.Clone(c.algorithms)
}

// Schedulers returns the schemes of the program's catalog, sorted by name.
func Schedulers() []scheduler.Scheme { return must(shared()).Schedulers() }

// Schedulers returns the schemes, sorted by name.
func (c *Catalog) Schedulers() []scheduler.Scheme {
	c.listed.RLock()
	defer c.listed.RUnlock()
	list := make([]scheduler.Scheme, len(c.schemes))
	for i, make := range c.schemes {
		list[i] = make()
	}
	slices.SortFunc(list, func(a, b scheduler.Scheme) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Entry is an algorithm with a scheme that supports it.
type Entry struct {
	Algorithm Algorithm
	Type      scheduler.Type
	Scheduler scheduler.Scheme
	// Kernels are all kernels that the scheme may launch for the algorithm, and Kernel is the name of the first one,
	// which does the work by default.
	Kernels []scheduler.EntryPoint
	Kernel  string
	// Chosen says why Auto chose the scheme; nil if the scheme was named.
	Chosen *choice.Choice
}

// Name returns "bfs/warp".
func (e Entry) Name() string { return e.Algorithm.Name + "/" + e.Scheduler.Name }

// pair returns the entry of a with s; an error says why s does not support a.
func (c *Catalog) pair(a Algorithm, s scheduler.Scheme) (Entry, error) {
	t, err := c.typeOf(a)
	if err != nil {
		return Entry{}, err
	}
	defaults, err := s.Values(nil)
	if err != nil {
		return Entry{}, err
	}
	if err := takes(a, t, s, defaults); err != nil {
		return Entry{}, err
	}
	e := Entry{Algorithm: a, Type: t, Scheduler: s, Kernels: s.Kernels(t)}
	e.Kernel = e.Kernels[0].Name
	return e, nil
}

// takes asks the scheme whether it supports the algorithm, and adds the names of both to its error.
func takes(a Algorithm, t scheduler.Type, s scheduler.Scheme, p scheduler.Values) error {
	if err := s.Accepts(t, p); err != nil {
		return fmt.Errorf("scheduler %q does not run %s: %w", s.Name, a.Name, err)
	}
	return nil
}

// Entries returns all pairs of a linked algorithm with a scheme that supports it.
func Entries() []Entry { return must(shared()).Entries() }

// Entries returns all pairs of a linked algorithm with a scheme that supports it.
func (c *Catalog) Entries() []Entry {
	var entries []Entry
	for _, a := range c.Algorithms() {
		for _, s := range c.Schedulers() {
			if e, err := c.pair(a, s); err == nil {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// EntryPoints returns the kernels that the pairs of Entries may launch, each once.
func EntryPoints() []scheduler.EntryPoint {
	var list []scheduler.EntryPoint
	for _, e := range Entries() {
		for _, k := range e.Kernels {
			if !slices.ContainsFunc(list, func(o scheduler.EntryPoint) bool { return o.Name == k.Name && fmt.Sprint(o.Bind) == fmt.Sprint(k.Bind) }) {
				list = append(list, k)
			}
		}
	}
	return list
}

// must returns the embedded catalog; a test checks that it has no error.
func must(c *Catalog, err error) *Catalog {
	if err != nil {
		panic(err)
	}
	return c
}
