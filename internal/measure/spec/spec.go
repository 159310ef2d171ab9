package spec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/weft-gpu/weft/internal/base/infile"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/base/yamlfile"
)

// Spec is a specification.
type Spec struct {
	Name string // of the study; the name of the file without its ending if the file does not say
	Doc  string
	File string
	Text string // of the file
	// Repeat is the number of runs of each point; at least 1.
	Repeat int
	// Graphs are those to which the specification gives names, in its order. GraphFolder is the folder of files that have none;
	// "" for the working directory.
	Graphs      []Graph
	GraphFolder string
	// Plots, Claims, Problems and Others are for packages that draw and judge; each is a mapping of names and texts.
	Plots, Claims, Problems, Others []Section
	Points                          []Point
}

// Point is what one run is given.
type Point struct {
	Settings []Setting // in the order of the file, each name once
}

// Setting is a name with its value, and where the file says so.
type Setting struct {
	Name, Value string
	Place       string // "study.yaml:7:3"; "--set" and the like on the command line
}

// Get returns the value of a setting; ok is false if the point does not have it.
func (p Point) Get(name string) (value string, ok bool) {
	i := slices.IndexFunc(p.Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return "", false
	}
	return p.Settings[i].Value, true
}

// Keep drops the points for which a condition, as under where:, does not hold.
func (s *Spec) Keep(condition string) error {
	c, err := parseCondition(condition)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, p := range s.Points {
		for _, x := range p.Settings {
			names[x.Name] = true
		}
	}
	for _, name := range c.names() {
		if !names[name] {
			return errors.New(nowhere("no setting of "+s.Name+" is called "+name, name, names))
		}
	}
	s.Points = slices.DeleteFunc(s.Points, func(p Point) bool { return !c.holds(p) })
	if len(s.Points) == 0 {
		return fmt.Errorf("%q holds for no point of %s", condition, s.Name)
	}
	return nil
}

// Set gives all points a setting that none of them has.
func (s *Spec) Set(x Setting) error {
	for i := range s.Points {
		p := &s.Points[i]
		if at := slices.IndexFunc(p.Settings, func(y Setting) bool { return y.Name == x.Name }); at >= 0 {
			return fmt.Errorf("%s has %s already", p.Settings[at].Place, x.Name)
		}
		p.Settings = append(p.Settings, x)
	}
	return nil
}

// Map returns the settings by name.
func (p Point) Map() map[string]string {
	m := map[string]string{}
	for _, s := range p.Settings {
		m[s.Name] = s.Value
	}
	return m
}

// Key is a text that is the same for points with the same settings.
func (p Point) Key() string {
	var b strings.Builder
	for _, s := range slices.SortedFunc(slices.Values(p.Settings), func(a, b Setting) int { return cmp.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(&b, "%q=%q\n", s.Name, s.Value)
	}
	return b.String()
}

// Section is a mapping of texts; a list counts as several values of one name.
type Section struct {
	Place  string
	Values []Setting
}

// Most is the largest number of points of a specification.
const Most = 1_000_000

// Errors are all mistakes in a specification, in the order of the file.
type Errors []Error

// Error is one mistake.
type Error struct {
	Place string // "study.yaml:7:3"
	What  string // the mistake, and what to write instead
}

// Error returns the place and the mistake.
func (e Error) Error() string { return e.Place + ": " + e.What }

// Error returns one line for each mistake, at most 20.
func (e Errors) Error() string { return yamlfile.Lines(e) }

// mostSettings is the largest number of settings of a specification. All parameters of a machine are some 200.
const mostSettings = 2000

// mostSet is the largest number of settings of all points of a specification together, which are in memory.
const mostSet = 20 * Most

// Check is what a program knows of settings: it returns an error for a name that does not exist
// or a value that the setting cannot have.
type Check func(name, value string) error

// mostBytes is the maximum size of a specification. The time of the YAML parser grows with the square of the number of
// lines: a file of this size takes seconds, and one of 2 MB takes minutes, which no signal ends.
const mostBytes = 256 << 10

// Load reads a specification. check may be nil. Mistakes in the file are Errors.
func Load(ctx context.Context, file string, check Check) (*Spec, error) {
	text, err := infile.ReadAll(ctx, file, mostBytes)
	var kind *infile.KindError
	switch {
	case errors.As(err, &kind), err != nil && errors.Is(err, infile.ErrTooLarge):
		return nil, fmt.Errorf("%s %w", file, err)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	return Parse(file, text, check)
}

// Parse parses the text of a specification.
func Parse(file string, text []byte, check Check) (*Spec, error) {
	r := &reader{Reader: yamlfile.Reader{File: file}, check: check, checked: map[[2]string]bool{},
		spec: &Spec{File: file, Text: string(text), Repeat: 1, Name: base(file)}}
	r.read(text)
	if len(r.Mistakes) > 0 {
		slices.SortStableFunc(r.Mistakes, func(a, b yamlfile.Mistake) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
		})
		var errs Errors
		for _, m := range r.Mistakes {
			errs = append(errs, Error{m.Place.String(), m.What})
		}
		return nil, slices.Compact(errs)
	}
	return r.spec, nil
}

// base returns the name of a file without folder and ending.
func base(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

const howTo = "write set: and vary: with settings, such as algorithm: [bfs, sssp]"

// reader reads one file.
type reader struct {
	yamlfile.Reader
	spec    *Spec
	check   Check
	checked map[[2]string]bool // settings that were checked

	settings int // how many there are in the file
	set      int // how many all points have together
}

var keys = []string{"name", "doc", "set", "vary", "zip", "where", "runs", "repeat", "graphs", "plots", "claims", "problems", "others"}

// partKeys are the keys of a part of a study.
var partKeys = []string{"set", "vary", "zip", "where"}

func (r *reader) read(text []byte) {
	doc := r.Document(text, "one study", howTo)
	if doc == nil {
		return
	}
	pairs, ok := r.Mapping(doc, "a study; "+howTo)
	if !ok {
		return
	}
	whole := &part{}
	var parts []*part
	for _, p := range pairs {
		switch p.Key {
		case "name":
			r.name(p)
		case "doc":
			r.spec.Doc, _ = r.Scalar(p)
		case "repeat":
			if s, ok := r.Scalar(p); ok {
				n, err := strconv.Atoi(s)
				if err != nil || n < 1 || n > 10_000 {
					r.Add(r.At(p.Value), "repeat: %s is not a number from 1 to 10,000", yamlfile.Quoted(s))
				}
				r.spec.Repeat = n
			}
		case "runs":
			if _, list := p.Value.(*ast.SequenceNode); !list {
				r.Add(r.At(p.Value), "runs: %s, not a list of parts, each with set, vary, zip or where", yamlfile.KindOf(p.Value))
				continue
			}
			for _, n := range yamlfile.List(p.Value) {
				sub := &part{at: r.At(n)}
				fields, _ := r.Mapping(n, "a part of a study, with set, vary, zip or where")
				for _, f := range fields {
					r.part(sub, f, partKeys)
				}
				parts = append(parts, sub)
			}
		case "graphs":
			r.graphs(p)
		case "problems":
			r.spec.Problems = r.sections(p)
		case "others":
			r.spec.Others = r.sections(p)
		case "plots":
			r.spec.Plots = r.sections(p)
		case "claims":
			r.spec.Claims = r.sections(p)
		default:
			r.part(whole, p, keys)
		}
	}
	if len(parts) == 0 {
		parts = []*part{{at: r.At(doc)}}
	}
	seen, names := map[string]bool{}, map[string]bool{}
	for _, p := range parts {
		r.expand(whole, p, seen, names)
	}
	for _, c := range whole.where {
		for _, name := range c.names() {
			if !names[name] {
				r.Add(c.at, "where: %s", nowhere("no setting is called "+name, name, names))
			}
		}
	}
	if len(r.Mistakes) == 0 && len(r.spec.Points) == 0 {
		r.Add(yamlfile.Place{File: r.File}, "has no points: the conditions of where: exclude all")
	}
}

// name reads the name of the study, which becomes part of the names of files.
func (r *reader) name(p yamlfile.Pair) {
	s, ok := r.Scalar(p)
	if !ok {
		return
	}
	if s == "" || strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || s[0] == '.' {
		r.Add(r.At(p.Value), "name: %s; use letters, digits, -, _ and .", yamlfile.Quoted(s))
		return
	}
	r.spec.Name = s
}

// part reads a key of a part.
func (r *reader) part(to *part, p yamlfile.Pair, known []string) {
	switch p.Key {
	case "set":
		for _, f := range r.factors(p) {
			if len(f.values) > 1 {
				r.Add(f.at, "%s has %d values; several belong under vary:", f.name, len(f.values))
			}
			to.set = append(to.set, f)
		}
	case "vary":
		to.vary = append(to.vary, r.factors(p)...)
	case "zip":
		z := r.factors(p)
		for i, f := range z {
			if i > 0 && len(f.values) != len(z[0].values) {
				r.Add(f.at, "%s has %d values and %s %d; under zip: they go together", f.name, len(f.values), z[0].name, len(z[0].values))
				return
			}
		}
		if len(z) > 0 {
			to.zip = append(to.zip, z)
		}
	case "where":
		for _, n := range yamlfile.List(p.Value) {
			s, ok := r.Scalar(yamlfile.Pair{Key: "where", Value: n})
			if !ok {
				continue
			}
			c, err := parseCondition(s)
			if err != nil {
				r.Add(r.At(n), "where: %v", err)
				continue
			}
			c.at = r.At(n)
			to.where = append(to.where, c)
		}
	default:
		hint := "there are " + strings.Join(known, ", ")
		if i := slices.IndexFunc(known, func(k string) bool {
			return strings.EqualFold(k, p.Key) || strings.TrimSuffix(k, "s") == strings.TrimSuffix(p.Key, "s")
		}); i >= 0 {
			hint = "did you mean " + known[i] + "?"
		} else if strings.Contains(p.Key, ".") || slices.Contains(usual, p.Key) {
			hint = "settings belong under set: or vary:"
		}
		r.Add(p.At, "unknown key %s; %s", yamlfile.Quoted(p.Key), hint)
	}
}

// nowhere words the mistake of a condition that looks at a setting that is not there.
func nowhere(what, name string, names map[string]bool) string {
	if n := usage.Nearest(name, slices.Sorted(maps.Keys(names))); n != "" {
		return what + "; did you mean " + n + "?"
	}
	return what
}

// usual are settings without a dot, for hints.
var usual = []string{"algorithm", "scheduler", "graph", "source", "device", "gpus", "seed", "budget", "detail", "verify", "trace", "kernel", "grid", "block"}

// factors reads settings with their values.
func (r *reader) factors(p yamlfile.Pair) (list []factor) {
	if yamlfile.IsNothing(p.Value) {
		return nil
	}
	pairs, _ := r.Mapping(p.Value, "settings with their values, such as algorithm: bfs")
	if r.settings += len(pairs); r.settings > mostSettings {
		r.Add(r.At(p.Value), "more than %d settings", mostSettings)
		return nil
	}
	for _, f := range pairs {
		if r.Full() {
			return nil
		}
		x := factor{name: f.Key, at: f.At}
		for _, n := range yamlfile.List(f.Value) {
			s, ok := r.Scalar(yamlfile.Pair{Key: f.Key, Value: n})
			if !ok {
				continue
			}
			values, err := Values(s)
			if err != nil {
				r.Add(r.At(n), "%s: %v", f.Key, err)
				continue
			}
			if len(x.values)+len(values) > mostValues {
				r.Add(r.At(n), "%s has more than %d values", f.Key, mostValues)
				break
			}
			for _, v := range values {
				r.checkSetting(f.Key, v, r.At(n))
				x.values, x.places = append(x.values, v), append(x.places, r.At(n))
			}
		}
		if _, list := f.Value.(*ast.SequenceNode); list && len(yamlfile.List(f.Value)) == 0 {
			r.Add(r.At(f.Value), "%s: an empty list", f.Key)
		}
		list = append(list, x)
	}
	return list
}

// checkSetting reports a setting that the program does not know, once.
func (r *reader) checkSetting(name, value string, at yamlfile.Place) {
	if r.check == nil || r.Full() || r.checked[[2]string{name, value}] {
		return
	}
	r.checked[[2]string{name, value}] = true
	if err := r.check(name, value); err != nil {
		r.Add(at, "%s", usage.Brief(err, usage.Specification))
	}
}

// sections reads a list of mappings.
func (r *reader) sections(p yamlfile.Pair) (list []Section) {
	for _, n := range yamlfile.List(p.Value) {
		pairs, ok := r.Mapping(n, "a mapping with one "+strings.TrimSuffix(p.Key, "s"))
		if !ok {
			continue
		}
		s := Section{Place: r.At(n).String()}
		for _, f := range pairs {
			for _, v := range yamlfile.List(f.Value) {
				if text, ok := r.Scalar(yamlfile.Pair{Key: f.Key, Value: v}); ok {
					s.Values = append(s.Values, Setting{f.Key, text, r.At(v).String()})
				}
			}
		}
		list = append(list, s)
	}
	return list
}
