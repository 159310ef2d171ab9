package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Algorithm is an algorithm by name.
type Algorithm struct {
	Name  string        // "bfs"
	Doc   string        // one line
	Type  string        // the Go type as the compiler finds it: "kernels.BFS"
	Value string        // of a vertex on the device: "uint32"
	Host  *kernels.Host // checks and converts answers; nil for a user's algorithm
	User  string        // the directory that a user's algorithm comes from; "" for ours
}

// HasSource says that the algorithm starts from a vertex that the user names.
// Nobody knows that of a user's algorithm, so it may.
func (a Algorithm) HasSource() bool { return a.Host == nil || a.Host.Source }

// HasWeights says that the algorithm looks at weights. Nobody knows that of a
// user's algorithm, so it may.
func (a Algorithm) HasWeights() bool { return a.Host == nil || a.Host.Weighted }

var algorithms = []Algorithm{
	{Name: "bfs", Doc: "breadth-first search: levels from a source", Type: "kernels.BFS", Value: "uint32", Host: &kernels.BFSHost},
	{Name: "cc", Doc: "connected components of the symmetric closure, by label propagation", Type: "kernels.CC", Value: "uint32", Host: &kernels.CCHost},
	{Name: "pagerank", Doc: "PageRank, pushing residuals", Type: "kernels.PageRank", Value: "float32", Host: &kernels.PageRankHost},
	{Name: "pagerank-pull", Doc: "PageRank, pulling the shares of all in-neighbours", Type: "kernels.PageRankPull", Value: "float32", Host: &kernels.PageRankPullHost},
	{Name: "sssp", Doc: "single-source shortest paths, Bellman-Ford with a frontier", Type: "kernels.SSSP", Value: "uint32", Host: &kernels.SSSPHost},
}

// Algorithms lists our algorithms, by name.
func Algorithms() []Algorithm { return append([]Algorithm(nil), algorithms...) }

// Schedulers lists the schemes of the program's catalog, by name.
func Schedulers() []scheduler.Scheme { return must(shared()).Schedulers() }

// Schedulers lists the schemes, by name.
func (c *Catalog) Schedulers() []scheduler.Scheme {
	list := make([]scheduler.Scheme, len(c.schemes))
	for i, make := range c.schemes {
		list[i] = make()
	}
	slices.SortFunc(list, func(a, b scheduler.Scheme) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Entry is an algorithm under a scheme that takes it.
type Entry struct {
	Algorithm Algorithm
	Type      scheduler.Type
	Scheduler scheduler.Scheme
	// Kernels are all that the scheme may launch for the algorithm, and Kernel
	// the name of the first, where the work is done by default.
	Kernels []scheduler.EntryPoint
	Kernel  string
}

// Name is "bfs/warp".
func (e Entry) Name() string { return e.Algorithm.Name + "/" + e.Scheduler.Name }

// pair is a under s; an error says why s does not take a.
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

// takes asks the scheme, and says which pair it is about.
func takes(a Algorithm, t scheduler.Type, s scheduler.Scheme, p scheduler.Values) error {
	if s.Takes == nil {
		return nil
	}
	if err := s.Takes(t, p); err != nil {
		return fmt.Errorf("scheduler %q does not run %s: %w", s.Name, a.Name, err)
	}
	return nil
}

// Entries lists all pairs of our algorithms with a scheme that takes them.
func Entries() []Entry { return must(shared()).Entries() }

// Entries lists all pairs of our algorithms with a scheme that takes them.
func (c *Catalog) Entries() []Entry {
	var entries []Entry
	for _, a := range algorithms {
		for _, s := range c.Schedulers() {
			if e, err := c.pair(a, s); err == nil {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// EntryPoints are the kernels that the pairs of Entries may launch, each once.
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

// must is for what comes with the program, which a test holds to be right.
func must(c *Catalog, err error) *Catalog {
	if err != nil {
		panic(err)
	}
	return c
}
