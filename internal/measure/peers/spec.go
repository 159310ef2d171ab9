package peers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/weft-gpu/weft/internal/measure/spec"
)

// Comparison is what a specification says of other systems.
type Comparison struct {
	Title    string // doc: of the specification
	Graphs   []string
	Problems []Problem
	Source   string // who measured the other systems, on which machine
	Others   []Other
}

// Other is the time that another system takes for a problem on a graph.
type Other struct {
	Graph   string
	Problem string
	System  string  // "" if the source does not name it
	MS      float64 // of the whole run; of one iteration if Each is true
	// To is the longest time if the source gives a range, of which MS is the shortest; 0 if it gives one time.
	To         float64
	Iterations int  // of the whole run; 0 if the source does not say
	Each       bool // MS is the time of one iteration
	// Earlier means an earlier version of ours: it is listed, but does not count as another system.
	Earlier bool
}

// Problem is one table of the comparison: what systems compute, by whichever algorithm.
type Problem struct {
	Name       string
	Algorithms []string // ours that solve it
	// PerIteration compares the time of an iteration, where the source of the other time says how many there were.
	PerIteration bool
	// Against names a system against which the geometric mean of the ratios is given, such as "Gunrock"; "" for none.
	Against string
}

// Parse reads the sections problems: and others: of a specification. Mistakes are spec.Errors.
func Parse(s *spec.Spec) (*Comparison, error) {
	c := &Comparison{Title: s.Doc}
	r := &reader{}
	for _, g := range s.Graphs {
		c.Graphs = append(c.Graphs, g.Name)
	}
	for _, section := range s.Problems {
		p := Problem{}
		r.fields(section, "problems", map[string]func(string) error{
			"name":          text(&p.Name),
			"algorithms":    func(v string) error { p.Algorithms = append(p.Algorithms, v); return nil },
			"per-iteration": truth(&p.PerIteration),
			"against":       text(&p.Against),
		})
		switch {
		case p.Name == "" || len(p.Algorithms) == 0:
			r.add(section.Place, "problems: name or algorithms are missing")
		case slices.ContainsFunc(c.Problems, func(x Problem) bool { return x.Name == p.Name }):
			r.add(section.Place, "problems: two are called %s", p.Name)
		}
		c.Problems = append(c.Problems, p)
	}
	for _, section := range s.Others {
		o, source := Other{}, ""
		r.fields(section, "others", map[string]func(string) error{
			"source":     text(&source),
			"problem":    text(&o.Problem),
			"graph":      text(&o.Graph),
			"system":     text(&o.System),
			"ms":         number64(&o.MS),
			"to":         number64(&o.To),
			"iterations": func(v string) (err error) { o.Iterations, err = strconv.Atoi(v); return err },
			"each":       truth(&o.Each),
			"earlier":    truth(&o.Earlier),
		})
		if source != "" {
			c.Source = source
			continue
		}
		switch {
		case !slices.Contains(c.Graphs, o.Graph):
			r.add(section.Place, "others: there is no graph %q", o.Graph)
		case !slices.ContainsFunc(c.Problems, func(p Problem) bool { return p.Name == o.Problem }):
			r.add(section.Place, "others: there is no problem %q", o.Problem)
		case !(o.MS > 0) || o.To != 0 && o.To < o.MS:
			r.add(section.Place, "others: %s, %s: %v to %v ms is no time", o.Graph, o.Problem, o.MS, o.To)
		}
		c.Others = append(c.Others, o)
	}
	if len(c.Others) > 0 && c.Source == "" {
		r.add(s.Others[0].Place, "others: who measured them is missing; write - source: TEXT before them")
	}
	if len(c.Problems) == 0 {
		r.add(s.File, "has no problems:, and so nothing to compare")
	}
	if len(r.wrong) > 0 {
		return nil, r.wrong
	}
	return c, nil
}

// reader collects mistakes.
type reader struct{ wrong spec.Errors }

func (r *reader) add(place, what string, args ...any) {
	r.wrong = append(r.wrong, spec.Error{Place: place, What: fmt.Sprintf(what, args...)})
}

// fields takes over the values of a section.
func (r *reader) fields(s spec.Section, of string, take map[string]func(string) error) {
	for _, v := range s.Values {
		set := take[v.Name]
		if set == nil {
			r.add(v.Place, "%s: unknown key %q", of, v.Name)
			continue
		}
		if err := set(v.Value); err != nil {
			r.add(v.Place, "%s: %s: %q is no such value", of, v.Name, v.Value)
		}
	}
}

func text(to *string) func(string) error { return func(v string) error { *to = v; return nil } }

func truth(to *bool) func(string) error {
	return func(v string) (err error) { *to, err = strconv.ParseBool(v); return err }
}

func number64(to *float64) func(string) error {
	return func(v string) (err error) { *to, err = strconv.ParseFloat(v, 64); return err }
}
