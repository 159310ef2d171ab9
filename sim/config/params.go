package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Parameter describes one parameter of a machine.
type Parameter struct {
	Path   string // "sm.count"
	Unit   string // "SM", "cycle", "byte", ...
	Doc    string
	Min    float64 // allowed range, inclusive; unused for bool and policy
	Max    float64
	Values map[string]Sourced // by preset, for every preset

	field []int
	kind  reflect.Kind
}

// Sourced is the text of a value and where it comes from.
type Sourced struct {
	Value  string
	Source string // "measured on an H200", "estimate", ...; "" if a file gives none
	At     string // "./my.yaml:4:13" if a file gives the value; "" for a preset
	// Fitted names the record or the figure that the value was chosen to reproduce, so that agreement with it confirms
	// nothing: "WolfGraph, figure 5.3"; "" if the value is a fact, a number of a publication or an estimate.
	Fitted string
	// Differs says where the model cannot do what the source says; "" if it can.
	Differs string
}

// Range returns the allowed range as text: "1 to 1024", "true or false", "gto or lrr".
func (p *Parameter) Range() string {
	switch p.kind {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return strings.Join(policies[p.Path], " or ")
	}
	return fmt.Sprintf("%s to %s", number(p.Min), number(p.Max))
}

// Whole reports whether the values of the parameter are whole numbers.
func (p *Parameter) Whole() bool { return p.kind == reflect.Int }

// policies are the allowed values of each policy parameter.
var policies = map[string][]string{
	"issue.lowering":  {"sass", "ir"},
	"issue.scheduler": {"gto", "lrr", "oldest", "random"},
	"launch.order":    {"breadth", "depth", "random"},
	"sm.divergence":   {"stack", "its"},
	// A test of package command checks that each recorded GPU is here.
	"sm.registers_from": {"estimate", "h100", "h200"},
	"l1.replacement":    {"lru", "fifo"},
	"l1.index":          {"linear", "xor", "hash"},
	"l1.carve_out":      {"fit", "ample"},
	"l2.index":          {"linear", "xor", "hash"},
	"l2.hash":           {"mixed", "modulo"},
	"l2.partial":        {"read", "mask"},
	"dram.hash":         {"mixed", "modulo"},
	"atomic.unit":       {"serial"},
	// A test checks that these are the files of the folder links.
	linkKind:        {"pcie3", "pcie4", "pcie5", "nvlink1", "nvlink2", "nvlink3", "nvlink4"},
	"link.topology": {AllToAll, Switch, Cube, RootComplex},
}

// AddPolicy adds name to the allowed values of the policy parameter path ("issue.scheduler"). Package policy calls it
// when a policy is registered.
func AddPolicy(path, name string) {
	if !slices.Contains(policies[path], name) {
		policies[path] = append(policies[path], name)
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// table returns every parameter, without values, in the order of the struct.
var table = sync.OnceValue(func() []Parameter {
	var ps []Parameter
	collect(reflect.TypeFor[GPU](), nil, "", reflect.StructTag(""), &ps)
	return ps
})

func collect(t reflect.Type, index []int, prefix string, outer reflect.StructTag, ps *[]Parameter) {
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("name")
		if name == "" {
			continue
		}
		at := append(slices.Clone(index), i)
		if f.Type.Kind() == reflect.Struct {
			collect(f.Type, at, prefix+name+".", f.Tag, ps)
			continue
		}
		tag := func(key string) string {
			if v := f.Tag.Get(key); v != "" {
				return v
			}
			return outer.Get(key)
		}
		p := Parameter{Path: prefix + name, Unit: tag("unit"), Doc: f.Tag.Get("doc"), field: at, kind: f.Type.Kind()}
		if d := outer.Get("doc"); d != "" {
			p.Doc = d + p.Doc
		}
		p.Min, _ = strconv.ParseFloat(tag("min"), 64)
		p.Max, _ = strconv.ParseFloat(tag("max"), 64)
		*ps = append(*ps, p)
	}
}

// renamed has today's names of parameters by those that they had: machine files of an older Weft are read.
var renamed = map[string]string{"fence.store": "fence.access"}

func lookup(path string) (*Parameter, error) {
	ps := table()
	if now := renamed[path]; now != "" {
		path = now
	}
	for i := range ps {
		if ps[i].Path == path {
			return &ps[i], nil
		}
	}
	near := Nearest(path, 3)
	// A name that is no typing error, such as l1.size, means a parameter of its group.
	const typo = 2
	if name, _, ok := strings.Cut(path, "."); ok && group(name) && distance(strings.ToLower(path), near[0].Path) > typo {
		var members []string
		for _, p := range ps {
			if strings.HasPrefix(p.Path, name+".") {
				members = append(members, p.Path)
			}
		}
		return nil, fmt.Errorf("unknown parameter %q; group %s has %s", path, name, strings.Join(members, ", "))
	}
	var names []string
	for _, p := range near {
		names = append(names, fmt.Sprintf("%s (%s, %s)", p.Path, p.Unit, p.Range()))
	}
	return nil, fmt.Errorf("unknown parameter %q; nearest: %s", path, strings.Join(names, ", "))
}

// Nearest returns the n parameters whose names differ least from a mistyped path. A path without a dot is also
// compared with the last part of each name, so that "latncy" finds the latencies.
func Nearest(path string, n int) []Parameter {
	path = strings.ToLower(path)
	ps := slices.Clone(table())
	away := func(p Parameter) int {
		d := distance(path, p.Path)
		if !strings.Contains(path, ".") {
			_, last, _ := strings.Cut(p.Path, ".")
			d = min(d, distance(path, last)+1)
		}
		return d
	}
	slices.SortStableFunc(ps, func(a, b Parameter) int { return away(a) - away(b) })
	return ps[:min(n, len(ps))]
}

// distance returns the number of insertions, deletions and substitutions between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, diag+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Set sets the parameter path ("sm.count") to the value text ("16", or with a unit "1.98 GHz"). The error names the
// nearest parameters, or the unit and range. Set does not check whether parameters are consistent with each other;
// Validate does.
//
// Setting link.kind also sets the other parameters of the group to the values of that kind, except those that were set
// before.
func (g *GPU) Set(path, text string) error {
	if err := g.assign(path, text); err != nil {
		return err
	}
	if path == linkKind {
		g.setLinks()
	}
	g.noteSet(path)
	return nil
}

// assign sets one parameter.
func (g *GPU) assign(path, text string) error {
	p, err := lookup(path)
	if err != nil {
		return err
	}
	bad := func() error {
		if p.kind == reflect.String || p.kind == reflect.Bool {
			return fmt.Errorf("parameter %s: %q is not %s (%s)", path, text, p.Range(), p.Doc)
		}
		units := ""
		if m := decimal.FindStringSubmatch(text); m != nil && m[2] != "" && !p.accepts(m[2]) {
			units = "; a unit is one of " + strings.Join(p.units(), ", ")
			if len(p.units()) == 1 {
				units = "; its unit is " + p.Unit
			}
		}
		return fmt.Errorf("parameter %s: %q is not a value in %s from %s (%s)%s", path, text, p.Unit, p.Range(), p.Doc, units)
	}
	f := reflect.ValueOf(g).Elem().FieldByIndex(p.field)
	switch p.kind {
	case reflect.Int, reflect.Float64:
		v, whole, ok := p.quantity(text)
		if !ok || v < p.Min || v > p.Max || p.kind == reflect.Int && !whole {
			return bad()
		}
		if p.kind == reflect.Int {
			f.SetInt(int64(v))
			break
		}
		f.SetFloat(v)
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return bad()
		}
		f.SetBool(v)
	case reflect.String:
		if !slices.Contains(policies[path], text) {
			return bad()
		}
		f.SetString(text)
	}
	return nil
}

// Get returns the value of the parameter path as text.
func (g *GPU) Get(path string) (string, error) {
	p, err := lookup(path)
	if err != nil {
		return "", err
	}
	f := reflect.ValueOf(g).Elem().FieldByIndex(p.field)
	if p.kind == reflect.Float64 {
		return number(f.Float()), nil
	}
	return fmt.Sprint(f.Interface()), nil
}

// Parameters returns every parameter with its value and source in each preset.
func Parameters() []Parameter {
	ps := slices.Clone(table())
	for i := range ps {
		ps[i].Values = map[string]Sourced{}
	}
	for _, name := range Presets() {
		g, err := Load(name)
		if err != nil {
			continue // a test checks that every preset loads
		}
		g.describe(ps)
	}
	return ps
}

// Parameters returns every parameter with the machine's value, under the machine's name. The source of a value that
// was changed after loading is empty.
func (g *GPU) Parameters() []Parameter {
	ps := slices.Clone(table())
	for i := range ps {
		ps[i].Values = map[string]Sourced{}
	}
	g.describe(ps)
	return ps
}

// Origin returns the value of a parameter with where it comes from.
func (g *GPU) Origin(path string) Sourced {
	s := Sourced{}
	s.Value, _ = g.Get(path)
	if o := g.origins[path]; o.text == s.Value {
		s.Source, s.Fitted, s.Differs, s.At = o.source, o.fitted, o.differs, o.at.String()
	}
	return s
}

// describe adds the machine's values to ps.
func (g *GPU) describe(ps []Parameter) {
	for i := range ps {
		ps[i].Values[g.Name] = g.Origin(ps[i].Path)
	}
}
