package study

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/graphs"
)

// Spec says what a study measures.
type Spec struct {
	Title  string    `yaml:"title"`
	Repeat int       `yaml:"repeat"` // timed runs of each row, after the one that is verified
	Graphs []Graph   `yaml:"graphs"`
	Runs   []Runs    `yaml:"runs"`
	Others *Others   `yaml:"others"`   // measurements of other systems; nil for none
	Tables []Problem `yaml:"problems"` // what is compared with them
}

// Graph is a graph of a study.
type Graph struct {
	Name string `yaml:"name"`
	// From is a generator with its values, "demo", or a file. A file's folder is given when the study is run.
	From           string `yaml:"from"`
	graphs.Options `yaml:",inline"`
	// Vertices and Arcs are the sizes that the graph must have, so that it is the one that others measured; 0 if any will do.
	Vertices int `yaml:"vertices"`
	Arcs     int `yaml:"arcs"`
}

// Named returns the graph as the command line names it; at returns the path of a file.
func (g Graph) Named(at func(file string) string) graphs.Named {
	spec := g.From
	if !g.generated() {
		spec = at(spec)
	}
	return graphs.Named{Spec: spec, Options: g.Options}
}

// generated reports whether the graph needs no file.
func (g Graph) generated() bool {
	kind, _, colon := strings.Cut(g.From, ":")
	return g.From == graph.DemoName || colon && !strings.ContainsAny(kind, `/\.`)
}

// Runs are rows of one algorithm: each candidate on each graph.
type Runs struct {
	Algorithm  string         `yaml:"algorithm"`
	Graphs     []string       `yaml:"graphs"` // names; if empty, all
	Params     map[string]any `yaml:"params"` // of the algorithm
	Candidates []Candidate    `yaml:"candidates"`
}

// Candidate is a scheme with values of its parameters. A parameter with a list of values stands for several
// candidates: each combination of such values is one.
type Candidate struct {
	Scheduler string         `yaml:"scheduler"` // a scheme, or auto
	Params    map[string]any `yaml:"params"`
}

// Key identifies a row of a study.
type Key struct {
	Graph     string `json:"graph"`
	Algorithm string `json:"algorithm"`
	Scheduler string `json:"scheduler"`
	// Params are the values that the specification sets, "block=128, queues=4", sorted by name.
	Params string `json:"params"`
}

func (k Key) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", k.Graph, k.Algorithm, k.Scheduler, k.Params))
}

// Values returns Params by name.
func (k Key) Values() map[string]string {
	values := map[string]string{}
	for p := range strings.SplitSeq(k.Params, ", ") {
		if name, value, ok := strings.Cut(p, "="); ok {
			values[name] = value
		}
	}
	return values
}

// planned is a row that is to be measured.
type planned struct {
	Key
	params map[string]string
	entry  catalog.Entry
	err    error // why it cannot be run
}

// Parse reads a specification. The error has the place of each mistake.
func Parse(text []byte) (*Spec, error) {
	s := &Spec{}
	if err := yaml.UnmarshalWithOptions(text, s, yaml.Strict()); err != nil {
		return nil, errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return s, s.check()
}

// check rejects names that do not fit together. Algorithms and schemes are looked up later: what the program lacks is
// an error of a row.
func (s *Spec) check() error {
	if s.Repeat < 1 || s.Repeat > 1000 {
		return fmt.Errorf("repeat: %d is not from 1 to 1000", s.Repeat)
	}
	var errs []error
	bad := func(text string, args ...any) { errs = append(errs, fmt.Errorf(text, args...)) }
	known := map[string]bool{}
	for i, g := range s.Graphs {
		named := g.Named(func(file string) string { return file })
		switch {
		case g.Name == "" || g.From == "":
			bad("graphs: number %d needs a name: and a from:", i+1)
		case known[g.Name]:
			bad("graphs: two are called %s", g.Name)
		default:
			if err := named.Check(); err != nil {
				bad("graphs: %s: %s", g.Name, usage.In(err, usage.Specification))
			}
		}
		known[g.Name] = true
	}
	for i, r := range s.Runs {
		if r.Algorithm == "" || len(r.Candidates) == 0 {
			bad("runs: number %d needs an algorithm: and candidates:", i+1)
		}
		for _, name := range r.Graphs {
			if !known[name] {
				bad("runs: %s: there is no graph %s", r.Algorithm, name)
			}
		}
		for _, c := range r.Candidates {
			if c.Scheduler == "" {
				bad("runs: %s: a candidate needs a scheduler:", r.Algorithm)
			}
		}
	}
	errs = append(errs, s.checkOthers(known)...)
	return errors.Join(errs...)
}

// rows returns the rows of a graph, in the order of the specification. A row that two lines name is there once.
func (s *Spec) rows(graph string) (list []planned) {
	seen := map[Key]bool{}
	for _, r := range s.Runs {
		if len(r.Graphs) > 0 && !slices.Contains(r.Graphs, graph) {
			continue
		}
		for _, c := range r.Candidates {
			for _, params := range combinations(r.Params, c.Params) {
				p := planned{Key: Key{graph, r.Algorithm, c.Scheduler, format.Assignments(params)}, params: params}
				if seen[p.Key] {
					continue
				}
				seen[p.Key] = true
				if p.entry, p.err = catalog.Named(r.Algorithm, c.Scheduler); p.err == nil && c.Scheduler != catalog.Auto {
					_, p.err = p.entry.Parameters(params)
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// Check returns an error for each row that the program cannot run: an unknown name, or a value out of range.
func (s *Spec) Check() error {
	var errs []error
	for _, g := range s.Graphs {
		for _, p := range s.rows(g.Name) {
			if p.err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.Key, p.err))
			}
		}
	}
	return errors.Join(errs...)
}

// combinations returns the assignments that parameters with one or several values stand for: the last name in
// alphabetical order changes fastest.
func combinations(sets ...map[string]any) []map[string]string {
	all := map[string]any{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	list := []map[string]string{{}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		values, several := all[name].([]any)
		if !several {
			values = []any{all[name]}
		}
		var next []map[string]string
		for _, old := range list {
			for _, v := range values {
				m := maps.Clone(old)
				m[name] = fmt.Sprint(v)
				next = append(next, m)
			}
		}
		list = next
	}
	return list
}
