package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/yamlfile"
)

// layer is one file of a machine: a preset or a user's file.
type layer struct {
	name   string // the name of a preset, or the path of a file
	preset bool
	title  string
	year   int  // year of release; 0 if unknown
	family bool // not a machine, but what several machines share
	base   string
	baseAt Place
	values map[string]entry
	err    error // all mistakes in it
}

// entry is the value of a parameter in a layer.
type entry struct {
	text   string // in the parameter's unit
	source string
	// fitted names the record or the figure that the value was chosen to reproduce; "" if it is a fact, a publication's
	// number or an estimate. differs says what the model does otherwise than the source.
	fitted, differs string
	at              Place
}

// keys are the keys that a file may have at its top level.
var keys = []string{"title", "base", "year", "family", "values"}

// howTo says what a machine's file contains.
const howTo = "write base: h200 and, under values:, the parameters that differ"

// fileReader reads the text of a layer.
type fileReader struct {
	*layer
	yamlfile.Reader
}

// readLayer parses the text of a preset or of a user's file. In a preset, every value needs a unit and a source.
func readLayer(name, file string, preset bool, text []byte) *layer {
	r := &fileReader{&layer{name: name, preset: preset, values: map[string]entry{}}, yamlfile.Reader{File: file}}
	r.read(text)
	var errs Errors
	for _, m := range r.Mistakes {
		errs = append(errs, FileError{Place(m.Place), m.What})
	}
	r.err = errs.sorted()
	return r.layer
}

func (r *fileReader) read(text []byte) {
	doc := r.Document(text, "one machine", howTo)
	if doc == nil {
		return
	}
	fields, ok := r.Mapping(doc, "a machine; "+howTo)
	if !ok {
		return
	}
	for _, f := range fields {
		r.field(f)
	}
}

// field reads one of the top-level keys.
func (r *fileReader) field(p yamlfile.Pair) {
	var err error
	switch p.Key {
	case "title":
		r.title, _ = r.Scalar(p)
	case "base":
		r.base, _ = r.Scalar(p)
		r.baseAt = Place(r.At(p.Value))
	case "year":
		if s, ok := r.Scalar(p); ok {
			if r.year, err = strconv.Atoi(s); err != nil {
				r.Add(r.At(p.Value), "year: %s is not a year", yamlfile.Quoted(s))
			}
		}
	case "family":
		if s, ok := r.Scalar(p); ok {
			if r.family, err = strconv.ParseBool(s); err != nil {
				r.Add(r.At(p.Value), "family: %s is not true or false", yamlfile.Quoted(s))
			}
		}
	case "values":
		if yamlfile.IsNothing(p.Value) { // all values are commented out
			return
		}
		values, _ := r.Mapping(p.Value, "parameters with their values, such as sm.count: 16")
		for _, v := range values {
			r.value(v)
		}
	default:
		hint := "there are " + strings.Join(keys, ", ")
		if near := slices.MinFunc(keys, func(a, b string) int { return distance(p.Key, a) - distance(p.Key, b) }); distance(p.Key, near) <= 2 {
			hint = "did you mean " + near + "?"
		} else if _, err := lookup(p.Key); err == nil || group(p.Key) {
			hint = "parameters belong under values:"
		}
		r.Add(p.At, "unknown key %s; %s", yamlfile.Quoted(p.Key), hint)
	}
}

// value reads the value of a parameter: "16", "1.98 GHz" or
// {value: 1.98, unit: GHz, source: data sheet}.
func (r *fileReader) value(p yamlfile.Pair) {
	if group(p.Key) {
		r.Add(p.At, "%s is a group of parameters; write each with its whole name, such as %s", p.Key, firstOf(p.Key))
		return
	}
	param, err := lookup(p.Key)
	if err != nil {
		r.Add(p.At, "%v", err)
		return
	}
	e, at := entry{at: Place(p.At)}, r.At(p.Value)
	given := map[string]yamlfile.Pair{}
	if yamlfile.IsMapping(p.Value) {
		parts, _ := r.Mapping(p.Value, "")
		for _, f := range parts {
			if !slices.Contains([]string{"value", "unit", "source", "fitted", "differs"}, f.Key) {
				r.Add(f.At, "%s: unknown key %s; there are value, unit, source, fitted, differs", p.Key, yamlfile.Quoted(f.Key))
				continue
			}
			given[f.Key] = f
		}
		v, ok := given["value"]
		if !ok {
			r.Add(at, "%s has no value; write {value: ..., unit: %s, source: ...}", p.Key, param.Unit)
			return
		}
		v.Key, at = p.Key, r.At(v.Value)
		p = v
	}
	value, ok := r.Scalar(p)
	if !ok {
		return
	}
	for key, to := range map[string]*string{"source": &e.source, "fitted": &e.fitted, "differs": &e.differs} {
		if s, ok := given[key]; ok {
			s.Key = p.Key + ": " + key
			*to, _ = r.Scalar(s)
		}
	}
	unit := ""
	if u, ok := given["unit"]; ok {
		u.Key = p.Key + ": unit"
		if unit, ok = r.Scalar(u); !ok {
			return
		}
		if !param.accepts(unit) {
			r.Add(r.At(u.Value), "%s: unit %s; write %s", param.Path, yamlfile.Quoted(unit), strings.Join(param.units(), ", "))
			return
		}
	}
	if r.preset && (unit != param.Unit || e.source == "") {
		r.Add(yamlfile.Place(e.at), "%s has unit %q and source %q, want unit %q and a source", param.Path, unit, e.source, param.Unit)
		return
	}
	if unit != "" && unit != param.Unit {
		value += " " + unit
	}
	var scratch GPU
	if err := scratch.assign(param.Path, value); err != nil {
		r.Add(at, "%v", err)
		return
	}
	e.text, _ = scratch.Get(param.Path)
	r.values[param.Path] = e
}

// group reports whether name is the first part of parameter names, such as "l1".
func group(name string) bool { return firstOf(name) != "" }

// firstOf returns the first parameter of a group.
func firstOf(name string) string {
	for _, p := range table() {
		if strings.HasPrefix(p.Path, name+".") {
			return p.Path
		}
	}
	return ""
}

// typed returns the value of a parameter as an int, float64, bool or string.
func (g *GPU) typed(p *Parameter) any {
	return reflect.ValueOf(g).Elem().FieldByIndex(p.field).Interface()
}
