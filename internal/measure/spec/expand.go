package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/yamlfile"
)

// part is a part of a study.
type part struct {
	at    yamlfile.Place
	set   []factor
	vary  []factor
	zip   [][]factor // groups; the factors of a group have equally many values
	where []condition
}

// factor is a setting with its values.
type factor struct {
	name   string
	at     yamlfile.Place
	values []string
	places []yamlfile.Place
}

// expand adds the points of a part of the study, and the names of its settings to all; seen are the keys of those that are
// there.
func (r *reader) expand(whole, p *part, seen, all map[string]bool) {
	// Dimensions in the order of the file, the whole study's first; the last one changes fastest. A
	// setting of the part replaces that of the whole.
	own := map[string]yamlfile.Place{}
	var dims [][]factor
	for _, from := range []*part{p, whole} {
		var mine [][]factor
		for _, f := range from.set {
			mine = append(mine, []factor{f})
		}
		for _, f := range from.vary {
			mine = append(mine, []factor{f})
		}
		mine = append(mine, from.zip...)
		here := map[string]yamlfile.Place{}
		mine = slices.DeleteFunc(mine, func(d []factor) bool {
			for _, f := range d {
				if _, replaced := own[f.name]; replaced {
					if len(d) > 1 {
						r.Add(own[f.name], "%s is also under zip: of the whole study, together with others", f.name)
					}
					return true
				}
				if at, twice := here[f.name]; twice {
					r.Add(f.at, "%s a second time; the first is in line %d", f.name, at.Line)
				}
				here[f.name] = f.at
			}
			return false
		})
		for name, at := range here {
			own[name] = at
		}
		dims = append(mine, dims...)
	}
	total := 1
	for _, d := range dims {
		total *= max(len(d[0].values), 1)
		if total > Most {
			r.Add(p.at, "more than %d points", Most)
			return
		}
	}
	if r.set += total * len(dims); r.set > mostSet {
		r.Add(p.at, "more than %d settings of all points together", mostSet)
		return
	}
	names := map[string]bool{}
	for name := range own {
		names[name], all[name] = true, true
	}
	where := slices.Concat(whole.where, p.where)
	for _, c := range p.where {
		for _, name := range c.names() {
			if !names[name] {
				r.Add(c.at, "where: %s", nowhere("no setting of this part is called "+name, name, names))
			}
		}
	}
	if len(r.Mistakes) > 0 {
		return
	}
	r.cross(dims, nil, where, seen)
}

// cross adds a point for each combination of the values of dims to the settings so far.
func (r *reader) cross(dims [][]factor, sofar []Setting, where []condition, seen map[string]bool) {
	if len(dims) == 0 {
		pt := Point{slices.Clone(sofar)}
		for _, c := range where {
			if !c.holds(pt) {
				return
			}
		}
		if key := pt.Key(); !seen[key] {
			seen[key] = true
			r.spec.Points = append(r.spec.Points, pt)
		}
		return
	}
	for i := range dims[0][0].values {
		next := sofar
		for _, f := range dims[0] {
			next = append(next, Setting{f.name, f.values[i], f.places[i].String()})
		}
		r.cross(dims[1:], next, where, seen)
	}
}

// Cross returns the specification of a command line: every combination of the values of
// settings, each NAME=VALUES as in a file, with commas between values.
func Cross(name string, settings []Setting, check Check) (*Spec, error) {
	r := &reader{check: check, checked: map[[2]string]bool{}, spec: &Spec{Name: name, Repeat: 1}}
	var dims [][]factor
	var text strings.Builder
	text.WriteString("name: " + name + "\nvary:\n")
	for _, s := range settings {
		values, err := Values(s.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Place, err)
		}
		f := factor{name: s.Name}
		for _, v := range values {
			if check != nil {
				if err := check(s.Name, v); err != nil {
					return nil, fmt.Errorf("%s: %w", s.Place, err)
				}
			}
			f.values, f.places = append(f.values, v), append(f.places, yamlfile.Place{File: s.Place})
		}
		if i := slices.IndexFunc(dims, func(d []factor) bool { return d[0].name == s.Name }); i >= 0 {
			dims[i][0].values, dims[i][0].places = append(dims[i][0].values, f.values...), append(dims[i][0].places, f.places...)
			continue
		}
		dims = append(dims, []factor{f})
	}
	total := 1
	for _, d := range dims {
		if total *= len(d[0].values); total > Most {
			return nil, fmt.Errorf("more than %d points", Most)
		}
		fmt.Fprintf(&text, "  %s:\n", d[0].name)
		for _, v := range d[0].values {
			fmt.Fprintf(&text, "    - %q\n", v)
		}
	}
	r.spec.Text = text.String()
	r.cross(dims, nil, nil, map[string]bool{})
	return r.spec, nil
}
